"""Pages of events: setting up, the director's page, tables, results, the wall."""
