"""Models by name or folder: what a run needs to know of one before an engine starts, and the default model."""
