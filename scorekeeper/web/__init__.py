"""The web at the edge: read the request, ask the book, render. No rule of any game is written here."""
