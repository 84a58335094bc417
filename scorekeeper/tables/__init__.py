"""The meaning of a table's revisions: its deals replayed, who sat where, and the table as it is now."""
