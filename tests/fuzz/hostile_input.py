"""Hostile input: texts, query strings, headers, bodies and files."""

from __future__ import annotations

import gzip
import io
import json
import warnings
import zipfile
from collections.abc import Iterable
from typing import Any, NamedTuple

LONG = 5_000

NUMBERS = (
    *("0", "-0", "-1", "+1", "1", "1e3", "1e30", "1_0", "1,000", "1.000", "1,5", "1.5", ".5", "5.", "0x1"),
    *("NaN", "sNaN", "Infinity", "-Infinity", "1e999", "9" * 10, "9" * 19, "9" * 30, "9" * LONG, "2147483648"),
    *("٣", "१२", "²", "½", "Ⅻ", "１", "−5", "1 000", "1\u202f000", "1’000", "1/2", "1,2,3", "--1", "1-", "1 €"),
)
SIGNS = (
    *("", " ", "\t", "\n", "\r\nX-Injected: yes", "\0", "a\0b", "\x1b[31m", "\x7f", "\x85", "\u2028", "\ufeff"),
    *("\u202e", "\u200b", "\u2060", "\u200d", "a\u0301", "a" + "\u0301" * 100, "é" * LONG, "🂡", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
    *("אבג", "مرحبا", "हिन्दी", "王", "ｆｕｌｌ", "ﬀ", "ß", "İ", "ǆ", "x" * LONG),
)
CODE = (
    *("<script>", "</textarea>", '"', "'", "\\", "`", "&amp;", "{{ 7*7 }}", "{x}", "{0}", "%s", "%(x)s", "%n", "$x"),
    *("'; --", "../", "..\\", "/etc/passwd", "C:\\nul", "CON", "//elsewhere.test/", "\\\\host", "javascript:x", "[]"),
    *("null", "None", "undefined", "true", "False", "=1+1", "@SUM(1)", "type:zzz", "date:2020-01-01", "; x", "| y"),
)
WORDS = (
    *("ns", "ew", "ns-3", "ns-99", "Anne", "Pot", "all", "record", "check", "preview", "announce", "misdeal", "names"),
    *("draw", "tell", "new", "day:9999-12-31", "day:0001-01-01", "day:2026-13-01", "table:x", "table:" + "é" * 300),
    *("settlement:1", "settlement:" + "9" * 40, "EUR", "XXX", "ÀÀÀ", "ⅠⅡⅢ", "whist", "WHIST", "counters", "as." * 50),
)
DAYS = (
    *("2026-02-30", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "2026-W01-1", "20261122", "٢٠٢٦-01-01"),
    *("2026-11-22_" + "9" * 18, "0001-01-01_0", "9999-12-31_1"),
)
TEXTS = NUMBERS + SIGNS + CODE + WORDS + DAYS

QUERIES = (
    *("%00", "a=%00", "%ff=%ff", "a=%ed%a0%80", "&&&&", "=", "a" * 20_000, "&".join(["a=1"] * 20_000), "a[]=1", "%"),
    *("%zz", "\xff\xfe", "player=\xe9", "before=%00", "before=\xff", "seat-1=%00&name=%ff", "like=%ff", "?a=b?", ";"),
)

# For paths, as WSGI passes them: each character stands for a byte.
IN_PATHS = (
    *("\x00", "\xff", "\xc0\xaf", "\xed\xa0\x80", "..", "../../etc/passwd", "\x80", "\r\nX: y", "é", "x" * 9_000),
    *(";", "%00", "%", " ", "\xe2\x80\xae", "\\", "-1", "9" * 30, "\xd9\xa3"),
)

HEADERS = (
    *(("Accept-Language", tags) for tags in ("\xff", "en;q=nan", "en;q=1e999", "en-", "-", "fr_CA_x;q=1,*", "en-\xe9")),
    *(("Accept-Language", tags) for tags in ("a" * LONG, ",".join(f"x{n};q=0.{n % 10}" for n in range(10_000)))),
    *(("If-None-Match", tag) for tag in ('"', 'W/"' + "9" * LONG + '"', "*", '"-1"', '"99999999"', '"\xb2"', "\xff")),
    ("If-None-Match", ",".join(['"1"'] * LONG)),
    *(("If-Modified-Since", day) for day in ("never", "Sat, 99 Foo 99999 99:99:99 GMT", "Mon, 01 Jan 0000 00:00 GMT")),
    *(("Range", part) for part in ("bytes=0-0", "bytes=-", "bytes=5-1", "bytes=0-" + "9" * 20, "x=1", "bytes=\xb2-")),
    *(("Range", part) for part in ("bytes=0-1,2-3,4-5", "bytes=-99999", "\xff")),
    *(("Accept-Encoding", names) for names in ("\xff", "gzip;q=nan, br;q=x", ",".join(["gzip"] * LONG))),
    *(("Host", host) for host in ("\xff", "a b", "", "x" * 3_000, "[::1", "127.0.0.1:99999", "a:b", "localhost:\xb2")),
    *(("Cookie", cookie) for cookie in ("scorekeeper=\xff", "scorekeeper=", "scorekeeper=.eJx", "=;;;=")),
    *(("Cookie", cookie) for cookie in ("scorekeeper=" + "A" * 20_000, 'scorekeeper="\\377\\000"')),
    *((name, "\xff") for name in ("Accept", "Referer", "If-Range", "If-Match", "X-Forwarded-For", "X-CSRFToken")),
    *(("Authorization", how) for how in ("Basic \xff", "Bearer \xff", "Basic AAA=", "\xff")),
    *(("Accept", "application/json"), ("Origin", "null"), ("Referer", "http://[::1"), ("Content-Length", "-1")),
    *(("Transfer-Encoding", "chunked"), ("X-HTTP-Method-Override", "DELETE"), ("Content-Encoding", "gzip")),
)

METHODS = ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "CONNECT", "FOO", "\xff", "get")

# --- bodies --------------------------------------------------------------------------------------------------

BOUNDARY = "BOUNDARY"
MULTIPART = f"multipart/form-data; boundary={BOUNDARY}"
FORM = "application/x-www-form-urlencoded"
END = f"--{BOUNDARY}--\r\n".encode()


class Body(NamedTuple):
    type: str
    content: bytes


def part(name: str, content: bytes, file: str | None = None, more: str = "") -> bytes:
    """Return a part of a multipart body; a file if a file name is given. `more`: further headers, with line ends."""
    disposition = f'form-data; name="{name}"' + ("" if file is None else f'; filename="{file}"')
    head = f"--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n{more}\r\n"
    return head.encode("latin-1") + content + b"\r\n"


def bodies(fields: Iterable[str]) -> list[Body]:
    """Return bodies of all kinds. `fields`: the field names that the address reads."""
    names = sorted({*fields, "key", "seen"})
    as_files = b"".join(part(name, b"\xff\0", "x.json") for name in names)
    return [*_of_other_types(names), *_of_forms(names), *(Body(MULTIPART, content) for content in _of_parts(as_files))]


def _of_other_types(names: list[str]) -> list[Body]:
    numbers = json.dumps(dict.fromkeys(names, 5)).encode()
    return [
        *(Body("application/json", text) for text in (b'{"a": 1}', b"[1]", b"\xff", b"", b"null", numbers)),
        *(Body("text/plain", b"a=b"), Body("", b"x"), Body("\xff/\xff", b"x"), Body("application/xml", b"<a/>")),
        *(Body(f"multipart/form-data{rest}", b"x") for rest in ("", "; boundary=", "; boundary=\xff")),
    ]


def _of_forms(names: list[str]) -> list[Body]:
    return [
        Body(f"{FORM}; charset=utf-16", b"a=b"),
        Body(f"{FORM}; charset=nonsense", b"a=%ff"),
        Body(FORM, b"\xff\xfe=\x00&a=%00&=&&"),
        Body(FORM, b"&".join(b"f%d=1" % n for n in range(10_000))),
        Body(FORM, b"a=" + b"x" * 999_000),
        Body(FORM, b"x" * 1_100_000),
        Body(FORM, "&".join(f"{name}=%FF%FE" for name in names).encode()),
        Body(FORM, "&".join(f"{name}=a&{name}=b" for name in names).encode()),
    ]


def _of_parts(as_files: bytes) -> list[bytes]:
    head = f"--{BOUNDARY}\r\n".encode()
    return [
        *(b"", head[:-2], head, END, as_files + END, part("sheets", b"not a file") + END),
        b"".join(part(f"f{n}", b"1") for n in range(10_000)) + END,
        part("sheets", b"{}", "\xff\xfe.json") + END,
        part("sheets", b"{}", "a" * LONG) + END,
        head + b"Content-Disposition: form-data\r\n\r\nx\r\n" + END,
        head + b"\r\nx\r\n" + END,
        head + b"X: y\r\n" * 20_000 + b"\r\nx\r\n" + END,
        head + b"Content-Disposition: form-data; name*=utf-8''%ff%00\r\n\r\nx\r\n" + END,
        *(
            part("seat-1", b"\xff", more=f"Content-Type: text/plain; charset={name}\r\n") + END
            for name in ("utf-16", "nonsense", "hex", "utf-7", "\xff")
        ),
    ]


# --- files ---------------------------------------------------------------------------------------------------

HALF = "\ud800"  # half of a surrogate pair; JSON can express it, UTF-8 cannot


class File(NamedTuple):
    name: str
    content: bytes


def files(sheet: dict[str, Any]) -> list[File]:
    """Return files made from a sheet: with wrong encodings, zipped, cut off, nested, with invalid values."""
    good = json.dumps(sheet, ensure_ascii=False)
    texts = [*_in_other_encodings(good), *_not_json(), *(json.dumps(spoiled).encode() for spoiled in _spoiled(sheet))]
    named = ["é" * 300 + ".json", "a\n.json", "<b>.json", "../../a.json", "a" * LONG, "\udcff.json"]
    return [
        *(File(f"{number}.json", text) for number, text in enumerate(texts, start=1)),
        *(File(name.encode("utf-8", "replace").decode(), good.encode()) for name in named),
        *(File(f"{number}.zip", packed) for number, packed in enumerate(_zips(good.encode()), start=1)),
    ]


def _in_other_encodings(good: str) -> list[bytes]:
    return [
        *(good.encode(name) for name in ("utf-16", "utf-16-le", "utf-32", "utf-8-sig")),
        good.replace("Anne", "Année").encode("latin-1"),
        good.replace("Anne", HALF).encode("utf-8", "surrogatepass"),
        good.replace("Anne", HALF).encode("utf-16", "surrogatepass"),
        gzip.compress(good.encode()),
        gzip.compress(b"[" * 20_000_000),
    ]


def _not_json() -> list[bytes]:
    return [
        *(b"", b"\0" * 100, b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"null", b"-0", b"NaN", b"Infinity", b"1e999"),
        *(b"9" * LONG, b"[" * 100_000, b"[" * 900 + b"]" * 900, b'{"a":' * 900 + b"1" + b"}" * 900, b"<html>", b"PK"),
        *(b'"\\ud800"', b'["\\udc00\\ud800"]', b'{"a": 1, "a": 2}', b'{"\\ud800": 1, "\\ud800": 2}', b'"\xed\xa0\x80"'),
    ]


def _spoiled(sheet: dict[str, Any]) -> list[dict[str, Any]]:
    """Return copies of the sheet, each with one invalid value that a message may repeat."""
    names = sheet["players"]
    values: tuple[Any, ...] = (HALF, [[]], {HALF: 1}, 1e308, 10**4000, True)
    changes: list[dict[str, Any]] = [{key: bad} for key in sheet for bad in values]
    changes += [
        {"players": [first, *names[1:]], "dealer": names[1]} for first in (HALF, f"a{HALF}", "\u202e", "\0", "")
    ]
    changes += [{"players": ["José", "Jose\u0301", *names[2:]], "dealer": "José"}, {HALF: 1}, {"title": "x" * 300}]
    changes += [{"title": title} for title in (HALF, "\0", "", "\x1b[31m", "\r\n=1+1", 5)]
    changes += [
        {"value": {"currency": "EUR", "unit": "fiche", "amount": amount}} for amount in (HALF, "٣", "1e3", 1, "0")
    ]
    changes += [{"value": {key: HALF}} for key in ("currency", "unit", HALF)]
    changes += [{"played_on": day} for day in (*DAYS, None, 5, HALF)]
    deals: tuple[Any, ...] = (HALF, None, 5, [], {}, {HALF: 1}, {"tricks": HALF}, {"tricks": {HALF: 1}})
    changes += [{"deals": [deal]} for deal in deals]
    changes += [{"deals": [{"dealer": HALF, "misdeal": True}]}, {"deals": [{"misdeal": HALF}]}, {"deals": {"a": 1}}]
    agreed: tuple[dict[str, Any], ...] = (
        {"reason": HALF},
        {"to": HALF},
        {HALF: 1},
        {"points": HALF},
        {"points": 1.5},
        {"points": -0.0},
    )
    changes += [{"deals": [{"adjustment": {"to": names[0], "points": 1} | bad}]} for bad in agreed]
    return [sheet | spoiled for spoiled in changes]


def _zips(good: bytes) -> list[bytes]:
    names = ("/etc/passwd", "../../x.json", "C:\\x.json", "a.json", "a.json", "\u202e.json", "x\n.json", "a" * 60_000)
    whole = packed((name, good) for name in names)
    return [
        *(whole, whole[:-10], whole[: len(whole) // 2], b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, b"", packed([])),
        packed([("b.zip", whole)]),
        packed([("bomb.json", b"[" * 20_000_000)]),
        packed((f"{number}.json", b"") for number in range(3_000)),
    ]


def packed(entries: Iterable[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore", UserWarning)  # about a duplicate name
        for name, content in entries:
            archive.writestr(name, content)
    return file.getvalue()
