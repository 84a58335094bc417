"""QR codes: of addresses, and of transfers for banking apps."""

from __future__ import annotations

from decimal import Decimal

import segno
from markupsafe import Markup
from segno import helpers

MIN_TRANSFER, MAX_TRANSFER = Decimal("0.01"), Decimal("999999999.99")  # euros that the code of a transfer can hold
MAX_CODE = 2_331  # characters of an ASCII text that a code holds
# The code of a transfer holds 331 bytes: so much for the texts in it, whatever their alphabet.
_MAX_NAME, _MAX_NAME_BYTES = 70, 140
_MAX_REFERENCE, _MAX_REFERENCE_BYTES = 140, 120


def qr_code(text: str, module_size: int | None = None) -> Markup:
    """Draw a QR code: `module_size` pixels a module, or by default as large as its container."""
    return _draw(segno.make(text, error="m"), module_size)


def transfer_code(name: str, iban: str, euros: Decimal, reference: str) -> Markup | None:
    """Draw the EPC QR code of a transfer, for banking apps; None if the code cannot hold the amount."""
    if not MIN_TRANSFER <= euros <= MAX_TRANSFER:
        return None
    name = _shorten(name, _MAX_NAME, _MAX_NAME_BYTES)
    reference = _shorten(reference, _MAX_REFERENCE, _MAX_REFERENCE_BYTES)
    return _draw(helpers.make_epc_qr(name, iban, euros, text=reference, encoding="utf-8"))


def _shorten(text: str, max_chars: int, max_bytes: int) -> str:
    """Return a text in one line: a line break would begin the next field of the code."""
    line = " ".join(text.split())[:max_chars]
    return line.encode()[:max_bytes].decode(errors="ignore").strip()


def _draw(code: segno.QRCode, module_size: int | None = None) -> Markup:
    svg = code.svg_inline(scale=module_size or 1, omitsize=module_size is None, svgclass="qr", lineclass=None)
    return Markup(svg)  # noqa: S704  # drawn by segno
