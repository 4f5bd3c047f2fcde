"""`python -m streams.cli`, which is how the supervisor starts its children."""

from streams.cli.main import main

main()
