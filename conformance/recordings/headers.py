"""Which headers are recorded, and with which values. What is not on a list is dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from conformance.masking.names import is_secret_header
from conformance.masking.words import PLACEHOLDER, is_stand_in
from conformance.recordings.interaction import Headers

_WORDS = re.compile(r"[A-Za-z0-9 ,._+=*/;:\"-]{0,300}")
_NUMBER = re.compile(r"[0-9.]{1,20}")
_DATE = re.compile(r"[A-Za-z0-9 ,:+.-]{0,40}")
_MEDIA = re.compile(r"[A-Za-z0-9 ,.+*/;=\"'_:()?-]{0,300}")

REQUEST_HEADERS: Mapping[str, re.Pattern[str]] = {
    "accept": _MEDIA,
    "content-type": _MEDIA,
    "anthropic-version": _WORDS,
    "anthropic-beta": _WORDS,
    "anthropic-dangerous-direct-browser-access": _WORDS,
    "openai-beta": _WORDS,
}
"""Of requests: those that change what the provider answers."""

KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "x-goog-api-key", "proxy-authorization"})
"""Of requests: recorded without their value, because it matters that they were there."""

RESPONSE_HEADERS: Mapping[str, re.Pattern[str]] = {
    "content-type": _MEDIA,
    "date": _DATE,
    "retry-after": _DATE,
    "retry-after-ms": _NUMBER,
    "x-should-retry": _WORDS,
    "openai-version": _DATE,
    "openai-processing-ms": _NUMBER,
    "anthropic-version": _DATE,
}
"""Of responses: those that tell a client what to do, and which version answered."""

_LIMIT = re.compile(r"(?:x|anthropic)-ratelimit-[a-z0-9-]{1,60}")


def kept_of_request(name: str, value: str) -> str | None:
    """What is recorded of a request's header; ``None`` when nothing is."""
    if name.lower() in KEY_HEADERS:
        scheme, *rest = value.split(None, 1)
        return f"{scheme} {PLACEHOLDER}" if rest and scheme.lower() in ("bearer", "basic") else PLACEHOLDER
    return _fitting(REQUEST_HEADERS.get(name.lower()), value)


def kept_of_response(name: str, value: str) -> str | None:
    """What is recorded of a response's header; ``None`` when nothing is."""
    if _LIMIT.fullmatch(name.lower()):
        return _fitting(_DATE, value)
    return _fitting(RESPONSE_HEADERS.get(name.lower()), value)


def _fitting(shape: re.Pattern[str] | None, value: str) -> str | None:
    if shape is None:
        return None
    return value if shape.fullmatch(value) else PLACEHOLDER


def secret_headers(headers: Headers) -> Iterator[str]:
    """The names of the headers that hold a secret, rather than what stands for one."""
    for name, value in headers:
        shown = value.partition(" ")[2] if value.lower().startswith(("bearer ", "basic ")) else value
        if is_secret_header(name) and shown and not is_stand_in(shown):
            yield name
