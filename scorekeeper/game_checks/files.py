"""Check the files of a game's folder: its emblem, its styles, and names that the app does not look for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, fromstring

from .findings import Finding, GameFolder, Place, line_with, listed, similar

EMBLEM = "pictures/emblem.svg"
STYLES = "style.css"
KNOWN = (EMBLEM, STYLES, "example.json", "sample.json", "tests.json", "templates/table.html")
PATTERNS = (
    r"rules\.\w+\.md",
    r"translations/\w+\.po",
    r"cases/[\w.-]+\.json",
    r"templates/.*\.html",
    r".*\.py",
    r"py\.typed",
)
_SVG = "{http://www.w3.org/2000/svg}"
_DRAWN = {
    *("svg", "g", "path", "circle", "ellipse", "rect", "line", "polyline", "polygon", "text", "tspan", "title", "desc"),
    *("defs", "use", "symbol", "clipPath", "mask", "linearGradient", "radialGradient", "stop", "pattern", "marker"),
}
_OUTSIDE = re.compile(r"@import|url\(\s*['\"]?(?!#)[^)]*\)", re.IGNORECASE)


def check(folder: GameFolder) -> Iterator[Finding]:
    """Yield what is missing or wrong."""
    yield from _check_emblem(folder.file(EMBLEM))
    yield from _check_styles(folder.file(STYLES))
    yield from _find_unknown(folder)


def _check_emblem(path: Path) -> Iterator[Finding]:
    if not path.is_file():
        yield Finding(Place(path), "the file is missing: the game's emblem, as SVG")
        return
    text = path.read_text(encoding="utf-8")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        yield Finding(line_with(path, "<!"), "the emblem stands within pages, and must have no DOCTYPE")
        return
    try:
        root = fromstring(text)  # noqa: S314  # without a DOCTYPE there are no entities to expand
    except ParseError as error:
        yield Finding(Place(path, error.position[0]), f"the emblem is not well-formed: {error}")
        return
    if root.tag != f"{_SVG}svg":
        yield Finding(Place(path), 'the emblem must be an <svg xmlns="http://www.w3.org/2000/svg">')
    elif "viewBox" not in root.attrib:
        yield Finding(Place(path), "the emblem needs a viewBox, so that it can be drawn in any size")
    for element in root.iter():
        yield from _check_element(path, element)


def _check_element(path: Path, element: Element) -> Iterator[Finding]:
    tag = str(element.tag).removeprefix(_SVG)
    place = line_with(path, f"<{tag}")
    if tag not in _DRAWN:
        yield Finding(place, f"the emblem must be a plain drawing, without <{tag}>")
    for name, value in element.attrib.items():
        plain = name.rpartition("}")[2]
        is_script = plain.lower().startswith("on")
        is_outside = (plain == "href" and not value.startswith("#")) or _OUTSIDE.search(value)
        if is_script or is_outside or plain == "style":
            reason = "scripts" if is_script else "references to other files" if is_outside else "a style attribute"
            yield Finding(place, f"the emblem must not have {reason}: {plain}={value!r}")


def _check_styles(path: Path) -> Iterator[Finding]:
    if path.is_file():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if found := _OUTSIDE.search(line):
                yield Finding(Place(path, number), f"styles must not load other files: {found[0]}")


def _find_unknown(folder: GameFolder) -> Iterator[Finding]:
    """Report files that the app would look for under another name."""
    for path in sorted(folder.path.glob("**/*")):
        name = path.relative_to(folder.path).as_posix()
        hidden = any(part.startswith((".", "__pycache__", "tests")) for part in Path(name).parts)
        if path.is_dir() or hidden or name in KNOWN or any(re.fullmatch(pattern, name) for pattern in PATTERNS):
            continue
        if path.suffix in (".css", ".html", ".json", ".md", ".po", ".svg"):
            text = f"nothing looks for this file; known are {listed(KNOWN)}."
            yield Finding(Place(path), text + similar(name, KNOWN))
