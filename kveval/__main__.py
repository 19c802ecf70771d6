"""Runs the `kveval` command as `python -m kveval`."""

from kveval.cli.app import main

main()
