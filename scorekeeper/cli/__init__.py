"""The `scorekeeper` command: one module for each group of commands, imported when it is used."""

FAILED = 2  # exit status, as of click for wrong usage
