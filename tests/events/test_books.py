"""Fees and prizes in books, read by hledger and Beancount themselves."""

from __future__ import annotations

import re
from pathlib import Path

from flask import Flask

from ..club import Club
from ..conftest import Run
from ..files.test_books import books, write_file
from .writing.test_money import Cash


def test_both_programs_accept_the_fees_and_prizes_of_an_event(
    app: Flask, tmp_path: Path, bean_check: Run, hledger: Run
) -> None:
    with app.app_context():
        cash = Cash(Club(), title='Drive "of" ; May | * x')
        cash.pay("Dan", "5")
        texts = {program: books(cash.club.circle, program) for program in ("beancount", "hledger")}
    bean_check(write_file(tmp_path, texts["beancount"], "all.beancount"))
    path = write_file(tmp_path, texts["hledger"], "all.hledger")
    hledger(path, "check", "--strict", "ordereddates")
    for text in texts.values():
        assert text.count("Fee of Drive") == 1
        assert text.count("Prize of Drive") == 1
        assert re.search(r"Players:Eve:EUR +4.00 (~ 0 )?EUR|Players:Eve:EUR +0 EUR = 4.00 EUR", text)
        assert re.search(r"Players:Dan:EUR +0.00 (~ 0 )?EUR|Players:Dan:EUR +0 EUR = 0.00 EUR", text)
