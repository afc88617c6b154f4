"""Which headers are recorded, and with which values. What is not on a list is dropped."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from conformance.recordings.interaction import Headers
from conformance.recordings.secrets import PLACEHOLDER, is_placeholder, is_secret_header

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
        scheme, space, _ = value.partition(" ")
        return f"{scheme} {PLACEHOLDER}" if space and scheme.lower() in ("bearer", "basic") else PLACEHOLDER
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


def secrets_of_headers(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The secret values in headers: keys and tokens, what basic credentials say, and the values of cookies."""
    for name, value in headers:
        if not is_secret_header(name):
            continue
        if name.lower() in ("cookie", "set-cookie"):
            yield from _of_cookies(value, only_first=name.lower() == "set-cookie")
            continue
        scheme, _, token = value.strip().partition(" ")
        yield token.strip() if token and scheme.isalpha() else value.strip()
        if scheme.lower() == "basic":
            yield from _of_credentials(token.strip())


def _of_cookies(value: str, *, only_first: bool) -> Iterator[str]:
    """Values of cookies. What follows the first of a set-cookie header are its attributes; commas may join several."""
    fields = re.split(r",(?=[^;,=\s]+=)", value) if only_first else value.split(";")
    for field in fields:
        content = field.partition("=")[2].partition(";")[0].strip().strip('"')
        yield content
        if "%" in content:
            yield unquote(content)


def _of_credentials(token: str) -> Iterator[str]:
    try:
        text = base64.b64decode(token, validate=False).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return
    yield text
    yield from text.split(":", 1)


def secret_headers(headers: Headers) -> Iterator[str]:
    """The names of the headers that hold a secret, rather than what stands for one."""
    for name, value in headers:
        shown = value.partition(" ")[2] if value.lower().startswith(("bearer ", "basic ")) else value
        if is_secret_header(name) and shown and not is_placeholder(shown):
            yield name
