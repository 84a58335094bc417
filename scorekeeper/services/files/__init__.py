"""A whole circle in one file: exporting it, and importing it as a new circle. docs/circle-file.md has the format."""
