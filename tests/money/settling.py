"""The pages on which people settle up."""

from __future__ import annotations

from scorekeeper.models import now
from scorekeeper.site.time_zones import find_evening

from ..support.visitor import Visitor


def planned_payments(visitor: Visitor) -> list[str]:
    """Return the payments of the page's plans as text."""
    return visitor.texts(".due .payment")


def pay(visitor: Visitor, **fields: str) -> Visitor:
    """Record the first payment of the page's plans."""
    return visitor.send(fields, form=visitor.find(".due form.pay"))


def other_payment(visitor: Visitor, **fields: str) -> Visitor:
    """Fill in the form for any payment; people by their names."""
    form = visitor.find(".other form")
    tokens = {option.get_text(strip=True): str(option["value"]) for option in form.select("[name=giver] option")}
    return visitor.send({name: tokens.get(value, value) for name, value in fields.items()}, form=form)


def this_evening(visitor: Visitor) -> str:
    return f"{visitor.circle}evenings/{find_evening(now(), None)}/"
