"""Training of the probe: a small model, bundled with kveval to test engines, that solves kveval's English tasks."""
