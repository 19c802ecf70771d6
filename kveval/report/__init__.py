"""Reports: `data` puts a run's results into one dict, `tables` into tables of text; the rest shows these to people."""
