"""Totals of many tables and events: by period, and ratings."""
