"""Pages of evenings to come: planning, answering, and calendars to follow."""
