"""`python -m kveval` is `kveval`."""

from kveval.cli import main

main()
