"""The `scorekeeper` command: one module for each group of commands, imported when it is used."""
