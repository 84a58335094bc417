"""Pages of files: exports, the import of sheets, and whole circles."""
