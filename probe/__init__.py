"""How the probe was made: a small model that solves kveval's own English tasks, bundled to test engines with."""
