"""What revisions mean, recording and correcting deals, and the pages of a table."""
