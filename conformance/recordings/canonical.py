"""Bodies of requests in a form in which two bodies that ask for the same are equal.

JSON: parsed, volatile fields settled, members sorted, no blanks. Numbers are compared as they are written: 1 and 1.0
are two different arguments of a tool. Multipart forms: with one boundary for all. Everything else: as it is.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

import msgspec
import orjson

from conformance.http import Request
from conformance.model import Json
from conformance.recordings.bodies import RecordError, unpacked
from conformance.recordings.settler import Settler

_ZEROS = bytes.maketrans(b"123456789", b"0" * 9)
_LONG_NUMBER = b"0" * 19
"""An integer that may not fit into 64 bits, digits made zeros (ten times faster than a regular expression). orjson goes
on with a float there, which would equal its neighbours."""
_BOUNDARY = re.compile(rb"\A--([^\r\n]{1,70})\r?\n")
_OPENS_JSON = b' \t\r\n{["'

_read = msgspec.json.Decoder().decode
_sort = msgspec.json.Encoder(order="deterministic").encode


def canonical_body(request: Request, settler: Settler) -> bytes:
    """The canonical form of a request's body, as text of JSON or as the bytes that they are."""
    body = request.body
    if body[:1] not in _OPENS_JSON:
        body = _plain(request)
    if not body:
        return b""
    try:
        document = _parsed(body)
        settler.settle(document)
        return _text(document)
    except (ValueError, TypeError, RecursionError):
        return _one_boundary(body)


def members_sorted(body: bytes) -> bytes | None:
    """A body in JSON with its members sorted and nothing settled; ``None`` for any other."""
    if body[:1] not in _OPENS_JSON:
        return None
    try:
        return _sort(_read(body))  # long integers stay what they are, and nobody looks for them
    except (ValueError, RecursionError):
        return _sorted_slowly(body)


def _sorted_slowly(body: bytes) -> bytes | None:
    """What msgspec refuses: lone surrogates, perhaps, which the standard library reads."""
    try:
        return _text(_parsed(body))
    except (ValueError, TypeError, RecursionError):
        return None


def document_of(canonical: bytes) -> Json | None:
    """The document in a canonical body; ``None`` when it is not JSON."""
    try:
        return _parsed(canonical)
    except (ValueError, RecursionError):
        return None


def _plain(request: Request) -> bytes:
    """The body without its content coding, when there is one that can be undone."""
    try:
        return unpacked(request.body, request.header("content-encoding") or "")
    except RecordError:
        return request.body


def _parsed(body: bytes) -> Json:
    if _LONG_NUMBER not in body.translate(_ZEROS):
        try:
            return orjson.loads(body)
        except orjson.JSONDecodeError:
            pass  # text with a lone surrogate, perhaps, which the standard library reads
    return json.loads(body, parse_constant=_no_number, parse_float=_finite)


def _text(document: Json) -> bytes:
    try:
        return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError):  # long integers, lone surrogates, great depth
        return json.dumps(document, sort_keys=True, separators=(",", ":")).encode()


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON that can be told from others")


def _one_boundary(body: bytes) -> bytes:
    found = _BOUNDARY.match(body)
    if found is None:
        return body
    boundary = b"--" + found.group(1)
    return body.replace(boundary, b"--boundary") if body.rstrip().endswith(boundary + b"--") else body
