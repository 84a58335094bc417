"""Files: sheets, a circle's file, spreadsheets, books for accounting programs."""
