"""Notices to phones, by Web Push."""
