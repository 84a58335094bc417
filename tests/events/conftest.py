"""Fixtures: an event for eight of which no round is drawn, with pages or run by the services alone."""

from __future__ import annotations

import pytest
from flask import Flask

from ..support.club import Club
from .hall import Drive, Hall


@pytest.fixture
def hall(app: Flask) -> Hall:
    return Hall(app)


@pytest.fixture
def drive(club: Club) -> Drive:
    return Drive(club.membership)
