"""Fixtures of files, for the ledgers of events."""

from ..files.conftest import bean_check, hledger

__all__ = ["bean_check", "hledger"]
