"""What a feature gives to the app, and to the features below it, which do not import it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import ModuleType
from typing import TYPE_CHECKING, Any

from flask import Flask, current_app

from .navigation import MORE, set_places

if TYPE_CHECKING:
    from ..circles.links import Landing
    from ..evenings.search import FoundEvent, TableFilter
    from ..files.circle_checks import Checker
    from ..files.circle_checks import Item as FileItem
    from ..files.personal_data import Item
    from ..home.home import LinkSection, Sample
    from ..models import Base, Circle, Event, Membership, Table
    from ..money.ledger import LedgerEntry
    from ..standings.reading import Contests, EventPlaces, PlayedEvent
    from ..tables.access import OpenedFor
    from ..tables.caches import Fault
    from ..tables.settling import Settling
    from ..tables.state import TableState
    from .live import Message
    from .occasions import Kind, Subject

_EXTENSION = "features"


def _ignore(*_: object) -> None:
    return None


def _deny(*_: object) -> bool:
    return False


def _count_nothing(*_: object) -> int:
    return 0


def _describe_nothing(*_: object) -> dict[str, Any]:
    return {}


def _keep(value: Any, *_: object) -> Any:
    return value


def _list_nothing(*_: object) -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True)
class Feature:
    """What a feature has of pages, and what it answers when a feature below asks all of them.

    Each attribute from `notices` on says who asks. What is left out answers that there is nothing.
    """

    views: Sequence[ModuleType] = ()  # modules with pages, each with its `blueprint`
    place: str = MORE  # at the foot, to which these pages belong
    other_places: Mapping[str, str] = field(default_factory=dict)  # of single pages, by their endpoint
    init_app: Callable[[Flask], None] = _ignore  # sets up what else the app needs

    # --- site
    notices: Sequence[Kind] = ()  # the kinds of notices that phones can choose
    # Hears, in the transaction, what has happened: the kind, the circle's id, the subject, and the membership's id.
    listen: Callable[[str, int, Subject, int], None] = _ignore
    # Whether the device with this secret had access to a circle, by its token, or to a table or an event, by its token.
    has_lost_access: Callable[[str, str, str], bool] = _deny
    # The states of those of its tables or events that have one of these tokens, for those who follow them.
    read_messages: Callable[[Collection[str]], Iterable[Message]] = _list_nothing

    # --- circles: what a link leads to besides its circle
    landing: str = ""  # the name of the query parameter, and of the form's field, with the token
    find_landing: Callable[[Circle, str], Landing | None] = _ignore

    # --- people
    list_open_amounts: Callable[[Circle, str], Iterable[str]] = _list_nothing  # of a person, by name, in words
    touch_people: Callable[[Circle, Sequence[int]], None] = _ignore  # tells who follows what shows these players
    touch_row: Callable[[Base], None] = _ignore  # tells who follows what a row with a changed text belongs to

    # --- tables
    # What is due and was paid for tables of a circle; with a day, for those of that evening.
    read_settling: Callable[[Circle, Sequence[Table], date | None], Settling | None] = _ignore
    count_to_confirm: Callable[[Membership], int] = _count_nothing  # payments that the player of a phone has to confirm
    # Whether a phone may play at a table and do nothing else in its circle: ids of circle, membership and table.
    is_guest_at: Callable[[int, int, int], bool] = _deny
    # The page for a guest whose round is over, by the device's secret and the table's token.
    find_page_afterwards: Callable[[str, str], str | None] = _ignore
    find_opened_for: Callable[[TableState], OpenedFor | None] = _ignore
    # What the feature stores of a circle, by its id, that does not follow from facts; and computing all of it anew,
    # under the circle's lock.
    list_faults: Callable[[int], Iterable[Fault]] = _list_nothing
    rebuild: Callable[[int], None] = _ignore

    # --- money: entries besides those of tables and payments; the names are those of players by id
    list_entries: Callable[[Circle, Mapping[int, str]], Iterable[LedgerEntry]] = _list_nothing

    # --- standings
    # The contests at events of these games until a day, in order of play.
    read_contests: Callable[[int, Collection[str], date], Iterable[Contests]] = _list_nothing
    # The finished events between two days, of the games with these keys or of any.
    list_places: Callable[[Circle, date, date, Collection[str]], Iterable[EventPlaces]] = _list_nothing
    # The events at which a person had a number, the latest first, between two days.
    list_played: Callable[[Circle, int, date | None, date | None], Iterable[PlayedEvent]] = _list_nothing

    # --- evenings
    find_events: Callable[[Circle, TableFilter], Iterable[FoundEvent]] = _list_nothing

    # --- files
    check_item: Callable[[Checker, FileItem, Any], None] = _ignore  # of a circle's file; raises CircleFileError
    # What the file about a person says of a number at an event; and of a side of a result there.
    read_card: Callable[[Event, int], Item] = _describe_nothing
    name_side: Callable[[Any, Mapping[str, Any] | None], str | int] = _keep

    # --- home
    find_links: Callable[[str], LinkSection | None] = _ignore  # at the top of the front page, by the device's secret
    find_sample: Callable[[], Sample | None] = _ignore  # on the front page


def features() -> list[Feature]:
    """Return the app's features, from the lowest to the highest."""
    added: list[Feature] = current_app.extensions[_EXTENSION]
    return added


def add_feature(app: Flask, feature: Feature) -> None:
    app.extensions.setdefault(_EXTENSION, []).append(feature)
    for blueprint in dict.fromkeys(view.blueprint for view in feature.views):  # modules may share one
        app.register_blueprint(blueprint)
        set_places(app, {blueprint.name: feature.place})
    set_places(app, feature.other_places)
    feature.init_app(app)
