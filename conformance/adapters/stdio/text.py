"""JSON text that survives: every integer exactly, lone surrogates as escapes, no token that is not JSON.

Encoders and decoders are made once: `json.dumps` with options makes one for every call, which costs more than the work.
Text is read with msgspec, which keeps every integer; what it refuses is read again with `json`, because some JSON fits
into Python's types and not into msgspec's: lone surrogates, and numbers beyond doubles.

Messages are plain ASCII. Infinity is written ``1e999``, which JSON allows and readers of doubles take for infinity;
not-a-number has no form in JSON and becomes ``null``.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring_ascii
from typing import Any

import msgspec

from conformance.model import Json

_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
_MARK = uuid.uuid4().hex


def encode(value: Json) -> str:
    """``value`` as JSON text on one line. Raises `TypeError` for what is not JSON data."""
    try:
        return _encode(value)
    except ValueError:  # a number that is not finite
        text = _encode(_marked(value))
        return text.replace(f'"{_MARK}+"', "1e999").replace(f'"{_MARK}-"', "-1e999")


def _marked(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{_MARK}{'+' if value > 0 else '-'}"
    if isinstance(value, Mapping):
        return {key: _marked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_marked(item) for item in value]
    return value


quote = encode_basestring_ascii
"""A string as JSON text."""

exact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A document as the text that goes on as it is, the same as `conformance.model.compact_json`."""


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


_read_fast = msgspec.json.Decoder().decode
_read = json.JSONDecoder(parse_constant=_refuse).raw_decode
_read_exact = json.JSONDecoder().raw_decode


def decode(line: bytes) -> Json:
    """The document in ``line``. Raises `ValueError`, also for bytes that are not UTF-8 and for too deep nesting."""
    try:
        return _read_fast(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _whole(_read, line.strip().decode())


def decode_exact(text: str) -> Json:
    """The document in text that `exact` made, or another language. Raises `ValueError`."""
    try:
        return _read_fast(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return _whole(_read_exact, text.strip())


def _whole(read: Callable[[str], tuple[Json, int]], text: str) -> Json:
    try:
        value, end = read(text)
    except RecursionError:
        raise ValueError("the document is nested too deeply") from None
    if end != len(text):
        raise ValueError(f"more text after the document, at character {end}")
    return value
