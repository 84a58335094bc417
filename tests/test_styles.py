"""Stylesheets take colours and font sizes from the design tokens; templates have no inline styles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .visitor import Visitor

ROOT = Path(__file__).parent.parent
STATIC = ROOT / "scorekeeper" / "static"
GAMES = ROOT / "scorekeeper" / "games"
STYLESHEETS = sorted([*(STATIC / "css").glob("*.css"), *GAMES.glob("*/style.css")])
TEMPLATES = sorted([*(ROOT / "templates").glob("**/*.html"), *GAMES.glob("*/templates/*.html")])
FUNCTIONS = "rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|light-dark"
NAMES = (
    "black|silver|gr[ae]y|white|maroon|red|purple|fuchsia|green|lime|olive|yellow|navy|blue|teal|aqua|orange|brown|"
    "gold|ivory|beige|wheat|linen|tan|pink|crimson|tomato|coral|salmon|khaki|cream|cyan|magenta|indigo|violet"
)
COLOUR = re.compile(rf"#[0-9a-f]{{3,8}}\b|\b(?:{FUNCTIONS})\(|(?<![\w-])(?:{NAMES})(?![\w-])", re.IGNORECASE)
TEXT_ON = (
    ("ink", "paper"),
    ("ink", "sheet"),
    ("faint", "paper"),
    ("faint", "sheet"),
    ("red", "paper"),
    ("accent", "paper"),
    ("on-accent", "accent"),
    ("on-felt", "felt"),
    ("on-tapped", "tapped"),
    ("card-ink", "card"),
    ("card-red", "card"),
    ("score-sheet-ink", "score-sheet"),
    ("score-sheet-faint", "score-sheet"),
    ("score-sheet-accent", "score-sheet"),
)
LENGTH = re.compile(r"(?<![\w.-])[\d.]+(?:rem|px|pt|pc|cm|mm|in|q)\b", re.IGNORECASE)  # em, % and vw are relative
PAINTED = re.compile(r"color|background|border|outline|shadow|fill|stroke|text-decoration")
FORCED = re.compile(r"@media \(forced-colors: active\) \{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}")
THEME = re.compile(r'name="theme-color" content="(#\w+)" media="\(prefers-color-scheme: (\w+)\)"')


def text_of(stylesheet: Path) -> str:
    """Return the stylesheet without comments and strings."""
    return re.sub(r'/\*.*?\*/|"[^"]*"', "", stylesheet.read_text(encoding="utf-8"), flags=re.DOTALL)


def rules_of(css: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """Yield each rule's selector and declarations, including rules inside @media."""
    rules = []
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        pairs = [declaration.split(":", 1) for declaration in body.split(";") if ":" in declaration]
        rules.append((selector.strip(), [(name.strip(), value.strip()) for name, value in pairs]))
    return rules


def is_token_block(selector: str) -> bool:
    return selector == ":root"


def tokens_of(css: str) -> dict[str, str]:
    """Return the custom properties declared in :root rules; the last value of each."""
    return {name: value for selector, pairs in rules_of(css) if is_token_block(selector) for name, value in pairs}


def colours(css: str) -> dict[str, str]:
    """The tokens of one :root rule that are colours."""
    return {name: value for name, value in tokens_of(css).items() if COLOUR.search(value)}


def palettes() -> tuple[dict[str, str], dict[str, str]]:
    """The colours of the light and of the dark palette in main.css."""
    css = text_of(STATIC / "css" / "main.css")
    light = next(block for block in re.findall(r":root \{[^}]*\}", css) if "color-scheme" in block)
    dark = re.search(r"@media \(prefers-color-scheme: dark\) \{\s*(:root \{[^}]*\})", css)
    assert dark is not None
    return colours(light), colours(dark[1])


@pytest.mark.parametrize("stylesheet", STYLESHEETS, ids=lambda path: path.name)
def test_no_rule_outside_the_tokens_has_a_colour_of_its_own(stylesheet: Path) -> None:
    rules = [rule for rule in rules_of(text_of(stylesheet)) if not is_token_block(rule[0])]
    assert rules
    for selector, pairs in rules:
        for name, value in pairs:
            assert not (PAINTED.search(name) or name.startswith("--")) or not COLOUR.search(value), (selector, name)


@pytest.mark.parametrize("stylesheet", STYLESHEETS, ids=lambda path: path.name)
def test_no_rule_outside_the_tokens_has_a_font_size_of_its_own(stylesheet: Path) -> None:
    for selector, pairs in rules_of(text_of(stylesheet)):
        for name, value in pairs:
            if name in ("font", "font-size"):
                assert not is_token_block(selector), (selector, name)
                assert not LENGTH.search(value), (selector, value)


@pytest.mark.parametrize("stylesheet", STYLESHEETS, ids=lambda path: path.name)
def test_every_token_that_a_stylesheet_uses_is_declared_in_it_or_in_main(stylesheet: Path) -> None:
    css = text_of(stylesheet)
    used = set(re.findall(r"var\((--[\w-]+)", css))
    assert used <= tokens_of(css).keys() | tokens_of(text_of(STATIC / "css" / "main.css")).keys()


def test_every_token_is_used() -> None:
    css = "\n".join(text_of(stylesheet) for stylesheet in STYLESHEETS)
    declared = {name for name in tokens_of(css) if name.startswith("--")}
    assert declared - set(re.findall(r"var\((--[\w-]+)", css)) == set()


def test_every_colour_of_the_light_palette_has_a_dark_value() -> None:
    light, dark = palettes()
    assert len(light) > 10
    assert light.keys() == dark.keys()


def luminance(colour: str) -> float:
    """The relative luminance of a #rgb or #rrggbb colour, as WCAG 2 defines it."""
    digits = colour.removeprefix("#")
    digits = digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in (int(digits[start : start + 2], 16) / 255 for start in (0, 2, 4))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("medium", ["light", "dark", "print"])
@pytest.mark.parametrize(("text", "background"), TEXT_ON)
def test_text_has_enough_contrast(medium: str, text: str, background: str) -> None:
    light, dark = palettes()
    printed = colours(text_of(STATIC / "css" / "print.css"))
    tokens = (
        colours(FORCED.sub("", text_of(STATIC / "css" / "main.css")))
        | {"light": light, "dark": dark, "print": printed}[medium]
    )
    darker, lighter = sorted(luminance(tokens[f"--{name}"]) for name in (text, background))
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # WCAG 2, level AA


def test_every_colour_has_a_value_of_the_readers_own_in_forced_colours() -> None:
    css = text_of(STATIC / "css" / "main.css")
    forced = FORCED.search(css)
    assert forced is not None
    drawn = {name for name in colours(FORCED.sub("", css)) if not name.endswith("shadow")}  # shadows are not drawn then
    assert drawn - tokens_of(forced[1]).keys() == {"--qr-paper"}  # a code is read from white paper


def test_the_browsers_bars_have_the_colour_of_the_page(visitor: Visitor) -> None:
    light, dark = palettes()
    themes = {scheme: colour for colour, scheme in THEME.findall((ROOT / "templates" / "base.html").read_text())}
    assert themes == {"light": light["--paper"], "dark": dark["--paper"]}
    manifest = visitor.client.get("/manifest.webmanifest").get_json(force=True)
    assert manifest["theme_color"] == manifest["background_color"] == light["--paper"]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_template_has_inline_styles(template: Path) -> None:
    html = template.read_text(encoding="utf-8")
    assert not re.search(r"""<style\b|\bstyle\s*=\s*["'{]""", html)


def test_every_stylesheet_and_script_is_linked_and_every_link_leads_to_a_file() -> None:
    html = "\n".join(template.read_text(encoding="utf-8") for template in TEMPLATES)
    linked = set(re.findall(r"asset\('([\w/.-]+\.\w+)'\)", html))
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in (STATIC / "js").glob("*.js"))
    linked |= {f"js/{name}" for name in re.findall(r"""(?:from |import\()["']\./([\w-]+\.js)["']""", scripts)}
    preloaded = re.search(r"for module in \(([^)]*)\)", html)
    assert preloaded is not None
    linked |= {f"js/{name}.js" for name in re.findall(r'"([\w-]+)"', preloaded[1])}
    linked.add("js/worker.js")  # served at a URL of its own
    files = {path.relative_to(STATIC).as_posix() for path in STATIC.glob("[cj]s*/*")}
    assert files <= linked
    assert not [name for name in linked if not (STATIC / name).is_file()]


PHYSICAL = re.compile(
    r"(?<!-)(?:margin|padding|border|inset)-(?:left|right)\b"
    r"|(?:text-align|float|clear): (?:left|right)\b|(?<![-\w])(?:left|right): "
)


def test_styles_follow_the_direction_of_the_text() -> None:
    """In Arabic and Hebrew what stands on the left in English stands on the right: `margin-inline-start`."""
    for path in STYLESHEETS:
        assert PHYSICAL.findall(path.read_text(encoding="utf-8")) == [], path


def test_every_icon_is_drawn_and_used() -> None:
    symbols = ROOT / "scorekeeper" / "static" / "icons" / "symbols.svg"
    drawn = set(re.findall(r'<symbol id="(\w+)"', symbols.read_text(encoding="utf-8")))
    text = "\n".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    used = set(re.findall(r'(?:\bicon|\bentry|\bbutton|\bplace|\btile)\("(\w+)"', text))
    director = ROOT / "scorekeeper" / "web" / "events" / "director.py"  # its tiles
    used |= set(re.findall(r'^ +\("(\w+)", t\(', director.read_text(encoding="utf-8"), re.MULTILINE))
    assert used == drawn
