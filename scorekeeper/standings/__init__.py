"""Standings: totals, ratings, statistics, seasons."""
