"""Languages that are written from right to left, tried with a made-up Hebrew in a host's folder."""

from __future__ import annotations

import pytest

from ..apps import open_app
from ..visitor import Visitor
from .languages import HostFolder


@pytest.mark.usefixtures("files")
def test_a_page_runs_from_right_to_left(host: HostFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    host.add_language("he", lambda text: f"ש{text}")
    monkeypatch.setenv("SCOREKEEPER_INSTANCE", str(host.instance))
    database = f"sqlite:///{host.instance / 'rtl.sqlite3'}"
    with open_app(database) as app:
        visitor = Visitor(app, "he-IL").visit("/security")
        assert (visitor.find("html")["lang"], visitor.find("html")["dir"]) == ("he", "rtl")
        assert visitor.find("h1").get_text(strip=True).startswith("ש")
        assert [button["value"] for button in visitor.page.select(".languages [aria-current]")] == ["he"]
        assert visitor.client.get("/manifest.webmanifest", headers=visitor.headers).get_json()["dir"] == "rtl"
        assert Visitor(app, "en").visit("/security").find("html")["dir"] == "ltr"
