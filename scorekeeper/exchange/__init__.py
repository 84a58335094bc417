"""In and out: score sheets, spreadsheets and ledgers for other programs. No web, and nothing is kept here."""
