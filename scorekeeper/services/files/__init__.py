"""Files in and out: sheets, spreadsheets, a whole circle, everything about a person."""
