"""Scoring of any game: from facts to entries and a standing, without web or database."""
