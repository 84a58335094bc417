"""Two phones at one table, and double taps."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from .table import TablePage

pytestmark = pytest.mark.browser


@pytest.fixture
def mine(phone: Callable[..., Page]) -> TablePage:
    return TablePage.open_new(phone(), "whist").enter("tricks=ns-1")


@pytest.fixture
def hers(phone: Callable[..., Page], mine: TablePage) -> TablePage:
    return TablePage.join(phone(locale="fr-FR"), mine)


def test_the_link_lets_a_second_phone_in_at_an_address_without_the_secret(mine: TablePage, hers: TablePage) -> None:
    assert hers.path == mine.path
    assert hers.scores == [1, 0]
    assert "join" not in hers.page.url


@pytest.mark.parametrize("spoiled", ["", "x"])
def test_only_the_first_request_of_a_link_tells_its_secret(
    phone: Callable[..., Page], mine: TablePage, spoiled: str
) -> None:
    """No later address and no Referer contains the secret, whether the link is valid or not, joined or not."""
    link = urlsplit(mine.visit("share").page.locator("#link").input_value()).path + spoiled
    page = phone()
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108  # Playwright asks for a function of Python's
    page.goto(link)
    page.locator("h1").first.wait_for()
    if not spoiled:
        page.get_by_role("button", name="Join").click()
        page.wait_for_url("**/circles/**")
    page.goto("/tables/new")
    sent = [(request.url, request.all_headers().get("referer", "")) for request in requests]
    secret = link.rpartition("/")[2]
    assert secret in sent[0][0]
    assert len(sent) > 3
    assert not [texts for texts in (("", sent[0][1]), *sent[1:]) if secret in "".join(texts)]


def test_a_phone_that_has_not_joined_sees_no_table(phone: Callable[..., Page], mine: TablePage) -> None:
    answer = phone().goto(mine.path)
    assert answer is not None
    assert answer.status == 404


def test_each_phone_sees_what_the_other_recorded(mine: TablePage, hers: TablePage) -> None:
    hers.record("tricks=ew-2", "1–2")
    assert mine.visit().scores == [1, 2]
    mine.record("tricks=ns-3 honours=ew-3", "4–4")
    assert hers.visit().scores == [4, 4]
    assert mine.sheet == hers.sheet


def test_a_deal_from_a_stale_page_is_refused_and_can_be_recorded_with_the_same_taps(
    mine: TablePage, hers: TablePage
) -> None:
    mine.open_pad().tap("tricks=ns-3", "honours=ns-4").shows_score("8–0")
    hers.enter("tricks=ew-2")
    mine.press("record")
    notice = mine.page.locator(".notice.stale")
    expect(notice).to_contain_text("Phone 2")
    expect(notice).to_contain_text("8")  # East-West's tricks
    expect(mine.input("tricks=ns-3")).to_be_checked()
    expect(mine.input("honours=ns-4")).to_be_checked()
    assert len(mine.sheet["deals"]) == 2
    mine.shows_score("8–2").press("record")
    assert mine.on_table_page().scores == [8, 2]
    assert hers.visit().scores == [8, 2]
    expect(hers.page.locator(".rows li")).to_have_count(3)


def test_taps_for_one_deal_are_not_silently_used_for_the_next(
    phone: Callable[..., Page],
) -> None:
    """In Francion the strips are in order of turn from the dealer. Taps must stay with their player."""
    mine = TablePage.open_new(phone(), "francion")
    hers = TablePage.join(phone(), mine)
    mine.open_pad().tap("tricks-2=3", "tricks-3=2", "tricks-4=1", "welche=hidden").shows_score("0–1–0–0")
    hers.record("tricks-2=1 tricks-3=5 tricks-4=1 welche=turned", "0–0–1–0")
    mine.press("record")
    expect(mine.page.locator(".notice.stale")).to_be_visible()
    for tap in ("tricks-2=3", "tricks-3=2", "tricks-4=1", "welche=hidden"):
        expect(mine.input(tap)).to_be_checked()
    mine.shows_score("1–0–1–0").press("record")  # Bruno deals now, so Anne's three come before his
    assert [deal["tricks"] for deal in mine.on_table_page().sheet["deals"]] == [
        {"Anne": 2, "Bruno": 1, "Chloé": 5, "David": 1},
        {"Anne": 3, "Bruno": 3, "Chloé": 2, "David": 1},
    ]


def test_an_undo_on_a_stale_page_changes_nothing(mine: TablePage, hers: TablePage) -> None:
    for what in ("now", "stream?updates"):
        mine.page.context.route(f"**/{what}", lambda route: route.abort())  # it would follow, were hers slow
    mine.visit()
    hers.enter("tricks=ew-2")
    mine.go("undo")
    expect(mine.page.locator(".notice.stale")).to_contain_text("Phone 2")
    assert mine.scores == [1, 2]
    mine.go("undo")
    assert mine.scores == [1, 0]


def test_an_amendment_from_a_stale_page_is_refused_and_can_be_recorded_again(mine: TablePage, hers: TablePage) -> None:
    mine.open_deal(1).go("amend").tap("tricks=ns-5").shows_score("5–0")
    hers.open_deal(1).go("amend").tap("tricks=ew-4").shows_score("0–4").press("record")
    mine.press("record")
    expect(mine.page.locator(".notice.stale")).to_be_visible()
    expect(mine.input("tricks=ns-5")).to_be_checked()
    assert hers.visit().scores == [0, 4]
    mine.shows_score("5–0").press("record")
    assert mine.on_table_page().scores == [5, 0]
    assert hers.visit().scores == [5, 0]


def sends(request: Request) -> bool:
    return request.method == "POST" and "do=next" in (request.post_data or "")


def middle(element: Locator) -> tuple[float, float]:
    box = element.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_double_tap_on_record_sends_once_and_records_once(mine: TablePage) -> None:
    page = mine.page
    routes: list[Route] = []

    def hold(route: Route, request: Request) -> None:
        if sends(request):
            routes.append(route)
        else:
            route.continue_()

    mine.open_pad().tap("tricks=ns-2").shows_score("3–0")
    page.route("**/deals/new", hold)
    position = middle(page.locator("#main-action"))
    with page.expect_request(sends):
        page.touchscreen.tap(*position)
    page.touchscreen.tap(*position)
    with page.expect_event("load"):
        routes[0].continue_()
    assert len(routes) == 1
    assert mine.visit().scores == [3, 0]
    assert len(mine.sheet["deals"]) == 2


def test_a_double_tap_on_record_records_once_without_scripts(phone: Callable[..., Page]) -> None:
    table = TablePage.open_new(phone(java_script_enabled=False), "whist").open_pad().tap("tricks=ns-2")
    position = middle(table.page.locator("#main-action"))
    with table.page.expect_event("load"):
        table.page.touchscreen.tap(*position)
        table.page.touchscreen.tap(*position)
    assert table.visit().scores == [2, 0]
    assert len(table.sheet["deals"]) == 1


def test_after_going_back_to_the_pad_a_new_deal_is_recorded(mine: TablePage) -> None:
    mine.record("tricks=ns-2", "3–0")
    mine.page.go_back(wait_until="load")
    mine.tap("tricks=ew-1").shows_score("3–1").press("record")
    assert mine.on_table_page().scores == [3, 1]
    assert len(mine.sheet["deals"]) == 3
