"""Databases of every schema that a version left behind are upgraded and read; README.md says how they are made."""
