"""The `scorekeeper` command: one module for each group of commands, imported when it is used."""

ABORTED = 1  # exit status, as of click for Ctrl-C and a broken pipe
FAILED = 2  # exit status, as of click for wrong usage
