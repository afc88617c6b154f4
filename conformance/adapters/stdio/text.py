"""JSON text that survives: every integer exactly, lone surrogates as escapes, no token that is not JSON.

Standard library only, because the child of an adapter in Python uses it too. What the adapter does to the module `json`
afterwards changes nothing here: encoders and decoders are made once, from the parts that `json` itself is made of.
Making one for every call, as `json.dumps` with options does, would also cost more than the work.

Messages are plain ASCII. Infinity is written ``1e999``, which JSON allows and readers of doubles take for infinity;
not-a-number has no form in JSON and becomes ``null``.
"""

from __future__ import annotations

import json
import json.encoder
import math
import uuid
from collections.abc import Callable, Mapping
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from conformance.model import Json

_MARK = uuid.uuid4().hex


def _no_json(value: Any) -> Any:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def _encoder(*, ascii_only: bool, numbers_only: bool) -> Callable[[Json], str]:
    """What `json.JSONEncoder.encode` does, without looking anything up again."""
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # no C in this Python
        return json.JSONEncoder(
            ensure_ascii=ascii_only, separators=(",", ":"), allow_nan=not numbers_only, check_circular=False
        ).encode
    quoted = encode_basestring_ascii if ascii_only else encode_basestring
    parts = make(None, _no_json, quoted, None, ":", ",", False, False, not numbers_only)
    join = "".join
    return lambda value: join(parts(value, 0))


_encode = _encoder(ascii_only=True, numbers_only=True)


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

exact = _encoder(ascii_only=False, numbers_only=False)
"""A document as the text that goes on as it is, the same as `conformance.model.compact_json`."""


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


def _reader(**options: Any) -> Callable[[str, int], tuple[Json, int]]:
    """What `json.JSONDecoder.raw_decode` does, without looking anything up again."""
    decoder: Any = json.JSONDecoder(**options)
    read: Callable[[str, int], tuple[Json, int]] = decoder.scan_once
    return read


_read = _reader(parse_constant=_refuse)
_read_exact = _reader()
_SPACE = " \t\n\r"


def decode_line(line: bytes) -> Json:
    """The document in ``line``. Raises `ValueError`, also for bytes that are not UTF-8 and for too deep nesting."""
    return _whole(_read, line.decode())


def decode_exact(text: str) -> Json:
    """The document in text that `exact` made, or another language. Raises `ValueError`."""
    return _whole(_read_exact, text)


def _whole(read: Callable[[str, int], tuple[Json, int]], text: str) -> Json:
    text = text.strip(_SPACE)
    try:
        value, end = read(text, 0)
    except StopIteration:
        raise ValueError("there is no document") from None
    except RecursionError:
        raise ValueError("the document is nested too deeply") from None
    if end != len(text):
        raise ValueError(f"more text after the document, at character {end}")
    return value
