"""Chinese words and grammar of the documents."""
