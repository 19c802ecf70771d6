"""Runs vLLM and talks to it; no other package depends on how this is done.

inspection.py     asks the installed vLLM whether it accepts a command line
server.py         starts and stops one server
endpoint.py       a server that is already running, in place of one that kveval starts
session.py        one engine from start to stop, with its record
facts.py          the actual settings of an engine, from its metrics and log
client.py         HTTP to one server: completions, metrics, health
progress.py       the interface through which a run reports its progress
vllm_defaults.py  defaults of vLLM that kveval's estimates use
"""
