"""Notices: what phones are told of, which of it each wants, and who is told what."""
