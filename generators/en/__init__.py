"""English words and grammar of the documents."""
