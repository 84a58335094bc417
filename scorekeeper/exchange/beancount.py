"""The ledger as Beancount 3 reads it: https://beancount.github.io/docs/beancount_language_syntax.html"""

from __future__ import annotations

from .double_entry import Amount, Books, Posting, Price, Transaction


class Beancount:
    def head(self, books: Books) -> str:
        lines = [f"; {line}" for line in books.introduction.splitlines()]
        lines += [f'option "operating_currency" "{name}"' for name, what in books.commodities.items() if what.is_money]
        for name, what in books.commodities.items():
            lines += [f"{books.first} commodity {name}", f"  name: {_quoted(what.words)}"]
        for account, owner in books.owners.items():
            lines.append(f"{books.first} open {account}")
            if owner is not None:
                lines.append(f"  name: {_quoted(owner)}")
        return "".join(f"{line}\n" for line in lines)

    def price(self, price: Price) -> str:
        return f"\n{price.day} price {price.commodity} {_number(price.amount)} {price.unit}\n"

    def transaction(self, transaction: Transaction) -> str:
        link = f" ^{transaction.label}" if transaction.label is not None else ""
        head = f"\n{transaction.day} * {_quoted(transaction.narration)}{link}\n"
        return head + "".join(map(_posting, transaction.postings))

    def tail(self, books: Books) -> str:
        """Beancount asserts what lies there as a day begins: on the day after the last. Nothing may be off."""
        lines = [
            f"{books.day_after} balance {account} {_number(amount)} ~ 0 {commodity}\n"
            for account, held in books.balances.items()
            for commodity, amount in held.items()
        ]
        return f"\n; {books.conclusion}\n" + "".join(lines)


def _posting(posting: Posting) -> str:
    account, amount, commodity, price = posting
    at = f" @ {_number(price[0])} {price[1]}" if price is not None else ""
    return f"  {account}  {_number(amount)} {commodity}{at}\n"


def _number(amount: Amount) -> str:
    return f"{amount:f}" if not isinstance(amount, int) else str(amount)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
