"""Ledgers for hledger: https://hledger.org/hledger.html"""

from __future__ import annotations

from .double_entry import Amount, Books, Posting, Transaction
from .escaping import hledger_description, hledger_tag_value


class Hledger:
    """The syntax of hledger."""

    def head(self, books: Books) -> str:
        """Return the introduction and the declarations that `hledger check --strict` requires."""
        lines = [f"; {line}" for line in books.introduction.splitlines()]
        lines.append("decimal-mark .")
        for name, commodity in books.commodities.items():
            lines.append(f"commodity 1000.{'0' * commodity.places} {_symbol(name)}  ; {commodity.description}")
        for account, owner in books.owners.items():
            lines.append(f"account {account}")
            if owner is not None:
                lines.append(f"  ; name: {hledger_tag_value(owner)}")
        return "".join(f"{line}\n" for line in lines)

    def transaction(self, transaction: Transaction) -> str:
        """Return a transaction, tagged with the table's label."""
        label = f"    ; table: {transaction.label}\n" if transaction.label is not None else ""
        head = f"\n{transaction.day} * {hledger_description(transaction.narration)}\n{label}"
        return head + "".join(map(_posting, transaction.postings))

    def tail(self, books: Books) -> str:
        """Return a final transaction of zero amounts whose postings assert the balances."""
        if not books.balances:
            return ""
        lines = [
            f"    {account}  {_amount(0, commodity)} = {_amount(amount, commodity)}\n"
            for account, amount, commodity in books.final_balances()
        ]
        return f"\n{books.day_after} * {hledger_description(books.conclusion)}\n" + "".join(lines)


def _posting(posting: Posting) -> str:
    return f"    {posting.account}  {_amount(posting.amount, posting.commodity)}\n"


def _amount(amount: Amount, commodity: str) -> str:
    return f"{amount:f} {_symbol(commodity)}" if not isinstance(amount, int) else f"{amount} {_symbol(commodity)}"


def _symbol(commodity: str) -> str:
    """Quote a commodity's name if it contains other characters than letters."""
    return commodity if commodity.isalpha() else f'"{commodity}"'
