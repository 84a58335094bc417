"""The ledger as hledger reads it: https://hledger.org/hledger.html"""

from __future__ import annotations

import json

from .double_entry import Amount, Books, Posting, Price, Transaction


class Hledger:
    def head(self, books: Books) -> str:
        """Accounts and commodities are declared: `hledger check --strict` then finds nothing amiss either."""
        lines = [f"; {line}" for line in books.introduction.splitlines()]
        lines.append("decimal-mark .")
        for name, what in books.commodities.items():
            lines.append(f"commodity 1000.{'0' * what.places} {_symbol(name)}  ; {what.words}")
        for account, owner in books.owners.items():
            lines.append(f"account {account}")
            if owner is not None:
                lines.append(f"  ; name: {json.dumps(owner, ensure_ascii=False)}")
        return "".join(f"{line}\n" for line in lines)

    def price(self, price: Price) -> str:
        return f"\nP {price.day} {_symbol(price.commodity)} {_amount(price.amount, price.unit)}\n"

    def transaction(self, transaction: Transaction) -> str:
        label = f"    ; table: {transaction.label}\n" if transaction.label is not None else ""
        head = f"\n{transaction.day} * {_described(transaction.narration)}\n{label}"
        return head + "".join(map(_posting, transaction.postings))

    def tail(self, books: Books) -> str:
        """One more transaction that moves nothing; its postings say what lies there after the last."""
        if not books.balances:
            return ""
        lines = [
            f"    {account}  {_amount(0, commodity)} = {_amount(amount, commodity)}\n"
            for account, held in books.balances.items()
            for commodity, amount in held.items()
        ]
        return f"\n{books.day_after} * {_described(books.conclusion)}\n" + "".join(lines)


def _posting(posting: Posting) -> str:
    account, amount, commodity, price = posting
    at = f" @ {_amount(*price)}" if price is not None else ""
    return f"    {account}  {_amount(amount, commodity)}{at}\n"


def _amount(amount: Amount, commodity: str) -> str:
    return f"{amount:f} {_symbol(commodity)}" if not isinstance(amount, int) else f"{amount} {_symbol(commodity)}"


def _symbol(commodity: str) -> str:
    """A name with more than letters in it stands in quotes."""
    return commodity if commodity.isalpha() else f'"{commodity}"'


def _described(text: str) -> str:
    """A semicolon would begin a comment."""
    return text.replace(";", ",")
