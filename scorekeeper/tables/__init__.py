"""What the revisions of a table mean: its deals replayed, who sat where, and the table as it is now."""
