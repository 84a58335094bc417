"""Ledgers for Beancount 3: https://beancount.github.io/docs/beancount_language_syntax.html"""

from __future__ import annotations

from .double_entry import Amount, Books, Posting, Transaction
from .escaping import beancount_string


class Beancount:
    """The syntax of Beancount."""

    def head(self, books: Books) -> str:
        """Return the introduction and the declarations of commodities and accounts."""
        lines = [f"; {line}" for line in books.introduction.splitlines()]
        lines += [
            f'option "operating_currency" "{name}"'
            for name, commodity in books.commodities.items()
            if commodity.is_money
        ]
        for name, commodity in books.commodities.items():
            lines += [f"{books.first} commodity {name}", f"  name: {beancount_string(commodity.description)}"]
        for account, owner in books.owners.items():
            lines.append(f"{books.first} open {account}")
            if owner is not None:
                lines.append(f"  name: {beancount_string(owner)}")
        return "".join(f"{line}\n" for line in lines)

    def transaction(self, transaction: Transaction) -> str:
        """Return a transaction, linked to the table's label."""
        link = f" ^{transaction.label}" if transaction.label is not None else ""
        head = f"\n{transaction.day} * {beancount_string(transaction.narration)}{link}\n"
        return head + "".join(map(_posting, transaction.postings))

    def tail(self, books: Books) -> str:
        """Return balance assertions without tolerance.

        Beancount checks them at the start of a day, so they are dated a day after the last transaction.
        """
        lines = [
            f"{books.day_after} balance {account} {_number(amount)} ~ 0 {commodity}\n"
            for account, amount, commodity in books.final_balances()
        ]
        return f"\n; {books.conclusion}\n" + "".join(lines)


def _posting(posting: Posting) -> str:
    return f"  {posting.account}  {_number(posting.amount)} {posting.commodity}\n"


def _number(amount: Amount) -> str:
    return f"{amount:f}" if not isinstance(amount, int) else str(amount)
