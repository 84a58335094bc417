"""A small game outside the package: that of `scorekeeper new-game`, with a template, statistics and French words."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path

from click.testing import CliRunner

from scorekeeper.cli.main import main
from scorekeeper.game_checks import Finding, check
from scorekeeper.scoring.game import AnyGame

SLUG, PACKAGE = "small", "scorekeeper_small"

TEMPLATE = """{% set terms = ("trick",) %}
{% macro heading(standing) %}{{ t("small.heading", target=standing.options.target) }}{% endmacro %}
{% macro facts(body) %}{{ t("small.facts", count=body.tricks | length) }}{% endmacro %}
{% macro unpaid_if_closed(standing) %}<p>{{ t("small.left") }}</p>{% endmacro %}
{% set at_stake_rules = ("stake",) %}
{% macro at_stake(standing, deal) %}{{ number(standing.options.stake) }}{% endmacro %}
"""
WORDS = {
    "heading": "to {target}",
    "left": "The game is not finished.",
    "term.trick": "Trick",
    "term.trick.means": "A card of each player.",
    "figure.best": "Most tricks",
    "feat.most": "Most in a deal: {count}",
    "trump": "trump",
    "group.trump": "Trump",
    "explanation.tricks": "tricks: {tricks}",
}
STATISTICS = '''"""What the game adds to statistics."""

from scorekeeper.api import Feat, Figure


def figures(standing, row):
    """Yield who took most tricks."""
    for player, points in row.scored.items():
        if points > 4:
            yield Figure(player, "best")


def feats(standing, row):
    """Yield the points of a deal."""
    for player, points in row.scored.items():
        if points > 4:
            yield Feat("most", points, (player,))


def explain_amount(deal, entry):
    """Return the tricks of a mark."""
    return {"tricks": entry.amount} if entry.reason == "tricks" else {}
'''
DECLARED = """    complete=complete,
    figure_names=("best",),
    figures=figures,
    feat_names=("most",),
    feats=feats,
    explain_amount=explain_amount,
    announced=("trump",),
"""
TRUMP = """    yield ChoiceGroup("trump", ("trump",), (Choice("yes", {"trump": True}, "small.trump"),), required=False)
    tricks = facts.get("tricks", {})"""

_copies = count()


def create(folder: Path) -> Path:
    """Create the game's package in a folder; return the package's folder."""
    result = CliRunner().invoke(main, ["new-game", SLUG, "--players", "3-4", "--directory", str(folder)])
    assert result.exit_code == 0, result.output
    package = folder / f"scorekeeper-{SLUG}" / PACKAGE
    (package / "stats.py").write_text(STATISTICS, encoding="utf-8")
    replace(package, "__init__.py", "    complete=complete,\n", DECLARED)
    replace(package, "__init__.py", "from .pad", "from .stats import explain_amount, feats, figures\nfrom .pad")
    replace(package, "rules.py", "Range(0, TRICKS)]]\n", "Range(0, TRICKS)]]\n    trump: bool = False\n")
    replace(package, "pad.py", '    tricks = facts.get("tricks", {})', TRUMP)
    (package / "templates").mkdir()
    (package / "templates" / "table.html").write_text(TEMPLATE, encoding="utf-8")
    words = package / "translations" / "en.po"
    added = [f'\nmsgid "{key}"\nmsgstr "{text}"\n' for key, text in WORDS.items()]
    plural = '\nmsgid "facts"\nmsgid_plural "facts"\nmsgstr[0] "{count} trick"\nmsgstr[1] "{count} tricks"\n'
    english = words.read_text(encoding="utf-8") + "".join(added) + plural
    words.write_text(english, encoding="utf-8")
    french = english.replace("Language: en", "Language: fr").replace("n != 1", "n > 1")
    words.with_name("fr.po").write_text(french, encoding="utf-8")
    (package / "rules.fr.md").write_text((package / "rules.en.md").read_text(encoding="utf-8"), encoding="utf-8")
    return package


def replace(package: Path, name: str, old: str, new: str) -> None:
    """Replace the first occurrence of a text in a file, which must be there."""
    path = package / name
    text = path.read_text(encoding="utf-8")
    assert old in text, (name, old)
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def load(package: Path) -> AnyGame:
    """Import the game from a folder, under a name of its own."""
    name = f"small_game_{next(_copies)}"
    spec = spec_from_file_location(name, package / "__init__.py", submodule_search_locations=[str(package)])
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    game: AnyGame = module.GAME
    return game


def findings(package: Path) -> list[Finding]:
    """Return what the check finds in the game."""
    return check(load(package), package)
