"""JSON text that survives: every integer exactly, lone surrogates as escapes, no token that is not JSON.

Messages are plain ASCII. Infinity is written ``1e999``, which JSON allows and readers of doubles take for infinity;
not-a-number has no form in JSON and becomes ``null``.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Mapping
from typing import Any

from conformance.model import Json

_encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_MARK = uuid.uuid4().hex


def encode(value: Json) -> str:
    """``value`` as JSON text on one line. Raises `TypeError` for what is not JSON data."""
    try:
        return _encoder.encode(value)
    except ValueError:  # a number that is not finite
        text = _encoder.encode(_marked(value))
        return text.replace(f'"{_MARK}+"', "1e999").replace(f'"{_MARK}-"', "-1e999")


def _marked(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else f"{_MARK}{'+' if value > 0 else '-'}"
    if isinstance(value, Mapping):
        return {key: _marked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_marked(item) for item in value]
    return value


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


_decoder = json.JSONDecoder(parse_constant=_refuse)


def decode(line: bytes) -> Json:
    """The document in ``line``. Raises `ValueError`, also for bytes that are not UTF-8 and for too deep nesting."""
    try:
        return _decoder.decode(line.decode())
    except RecursionError:
        raise ValueError("the document is nested too deeply") from None
