"""Club events: drives and tournaments with many tables."""
