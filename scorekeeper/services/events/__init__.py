"""Events: drives and tournaments with many tables."""
