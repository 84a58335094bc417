"""Lists of people sort by the rules of the reader's language."""

from __future__ import annotations

import pytest
from flask import Flask

from ...visitor import Visitor

NAMES = ("Zoé", "Dora", "Çelik", "Öykü")


@pytest.mark.parametrize("page", ["people", "tables"])
def test_lists_of_people_sort_as_the_language_does(app: Flask, page: str) -> None:
    seats = {f"seat-{number}": name for number, name in enumerate(NAMES, start=1)}
    visitor = Visitor(app, "fr-CA").open_table("whist", 4, **seats)
    circle = str(visitor.find("a[href^='/circles/']")["href"]).split("/")[2]
    listed = visitor.visit(f"/circles/{circle}/{page}").text.split()
    assert [name for name in listed if name in NAMES][:4] == ["Çelik", "Dora", "Öykü", "Zoé"]
