"""The web at the edge: read the request, call a service, render. No rule of any game is written here."""
