"""From a task and a length to prompts of exactly that many tokens.

template.py        a chat template as token ids around the contents of its turns
encoding.py        prose to token ids, word by word
filler.py          prose of exactly so many tokens
synthetic.py       documents that the generators write
user_documents.py  a user's own documents among prose or other rows
samples.py         questions on documents, ready to send
"""
