"""The days that tests of evenings are about."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from scorekeeper.site.time_zones import find_today

from ..support.visitor import Visitor


@pytest.fixture
def today() -> date:
    return find_today(None)


@pytest.fixture
def next_week(today: date) -> date:
    return today + timedelta(weeks=1)


@pytest.fixture
def host(visitor: Visitor) -> Visitor:
    return visitor.open_table("whist")
