"""Evenings to come: when and where, who comes, and the calendars that phones follow."""
