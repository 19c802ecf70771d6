"""`python -m kveval` is `kveval`."""

from kveval.cli.app import main

main()
