"""Files: sheets, a circle's file, spreadsheets, ledgers."""
