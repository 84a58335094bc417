"""File formats: score sheets, spreadsheets, and ledgers for accounting programs. No web, no transactions."""
