"""Requests to one circle at the same moment: every pair of writes, a write sent twice, and pages read meanwhile."""
