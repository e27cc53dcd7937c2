"""`python -m guardhouse` is the command."""

from guardhouse.cli import main

main()
