"""Runs vLLM: no other package knows how it is started or queried.

inspection.py     asks the installed vLLM whether it accepts a command line
server.py         starts and stops one server
endpoint.py       a running server, used instead of one that kveval starts
session.py        one engine from start to stop, with its record
facts.py          what an engine really runs, from its metrics and its log
client.py         HTTP to one server: completions, metrics, health
progress.py       what a run reports to whoever watches it
vllm_defaults.py  defaults of vLLM that kveval reckons with
"""
