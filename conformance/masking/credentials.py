"""Credentials by where they stand: in a header's value, and after the scheme that they belong to."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from conformance.masking.names import is_secret_header
from conformance.masking.searching import flat, places
from conformance.masking.words import is_distinctive, looks_secret

TextSpan = tuple[int, int]

# --- in the value of a header ----------------------------------------------------------------------------------------

_SCHEMES = frozenset({
    "bearer", "basic", "token", "digest", "negotiate", "ntlm", "oauth", "hawk", "signature", "apikey", "api-key", "key",
    "aws", "aws4-hmac-sha256", "aws4-ecdsa-p256-sha256", "goog4-rsa-sha256", "goog4-hmac-sha256", "sharedkey", "mac",
    "scram-sha-1", "scram-sha-256", "sso-key", "jwt", "dpop", "vapid", "gnap", "flyv1", "splunk", "genie-key", "ssws",
})  # fmt: skip
"""Words that say how a credential is to be read."""
_TELLING_NAMES = frozenset({
    "realm", "uri", "algorithm", "qop", "nc", "charset", "signedheaders", "headers", "version", "oauth_version",
    "oauth_signature_method", "oauth_timestamp", "created", "expires", "ts", "path", "domain", "samesite", "max-age",
    "priority", "partitioned", "email", "scope", "error", "alg", "v", "t", "keyversion",
})  # fmt: skip
"""What is said beside a credential and is none, as long as it is no credential by its looks."""
_PIECE = re.compile(
    r"(?P<name>[A-Za-z_][A-Za-z0-9_.-]{0,60})=(?:[ \t]?\\*\"(?P<quoted>[^\"\\]*)|(?P<bare>[^\s,;\"'=\\][^\s,;\"'\\]*))"
    r"|(?P<word>[^\s,;\"'\\]+)"
)


def pieces(value: str) -> Iterator[TextSpan]:
    """Where in a header's value its credentials are: after the scheme, in each of its parameters, in each of a list."""
    end, awaited = 0, True  # a word counts at the beginning, after a comma, and after a scheme: not in prose
    for found in _PIECE.finditer(value):
        awaited = awaited or "," in value[end : found.start()] or ";" in value[end : found.start()]
        end = found.end()
        if found["word"] is not None:
            is_scheme = found["word"].lower() in _SCHEMES
            if awaited and not is_scheme:
                yield found.span("word")
            awaited = is_scheme
            continue
        name, group = found["name"].lower(), "quoted" if found["quoted"] is not None else "bare"
        start, stop = found.span(group)
        if name in _TELLING_NAMES:
            continue
        if name == "credential":  # the key's id, then what it is good for
            stop = start + len(found[group].partition("/")[0])
        yield start, stop


def secrets_of_headers(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The secret values in headers: keys, tokens, signatures, what basic credentials say, the values of cookies."""
    for name, value in headers:
        if not is_secret_header(name):
            continue
        if name.lower() in ("cookie", "set-cookie"):
            yield from _of_cookies(value, only_first=name.lower() == "set-cookie")
            continue
        scheme, _, rest = _after_scheme(value)
        yield rest
        for start, end in pieces(value):
            yield value[start:end]
            yield from filter(None, value[start:end].split(":")) if ":" in value[start:end] else ()
        if scheme.lower() == "basic":
            yield from _of_basic(rest)


def _after_scheme(value: str) -> tuple[str, str, str]:
    """The scheme, the space after it, and what follows; where there is no scheme, the whole value follows."""
    found = re.match(r"\s*([A-Za-z][A-Za-z0-9-]*)(\s+)(\S.*)\Z", value, re.DOTALL)
    return (found[1], found[2], found[3].strip()) if found else ("", "", value.strip())


def _of_cookies(value: str, *, only_first: bool) -> Iterator[str]:
    """Values of cookies. What follows the first of a set-cookie header are its attributes; commas may join several."""
    fields = re.split(r",(?=[^;,=\s]+=)", value) if only_first else value.split(";")
    for field in fields:
        content = field.partition("=")[2].partition(";")[0].strip().strip('"')
        yield content
        if "%" in content:
            yield unquote(content)


def _of_basic(token: str) -> Iterator[str]:
    try:
        text = base64.b64decode(token, validate=False).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return
    yield text
    yield from text.split(":", 1)


def learnable(values: Iterable[str]) -> Iterator[str]:
    """Those of the values that are worth looking for elsewhere."""
    return (value.strip() for value in values if is_distinctive(value.strip()))


# --- parameters of schemes -------------------------------------------------------------------------------------------

_SCHEME_HINTS = (b"Token ", b"Digest ", b"OAuth ", b"Hawk ", b"Signature ", b"MAC ", b"AWS4-", b"GOOG4-")
_SCHEME_LINE = re.compile(r"[A-Za-z0-9-]{3,25}[ \t]{1,3}(?P<rest>[A-Za-z_]{1,40}=[^\r\n\0]{4,4000})")


_AFTER_SCHEME = re.compile(r"[A-Za-z]{2,6}(?:\s|\\t){1,4}[\"']?(?P<value>[^\s\"'\\,;&<>{}\[\]()\0]{1,200})")
_SCHEME_WORDS = (b"earer", b"EARER", b"asic", b"oken", b"pikey", b"piKey")


def find_known_after_schemes(text: str, is_known: Callable[[str], bool]) -> Iterator[tuple[int, int, str]]:
    """Where in a text a value that ``is_known`` stands after a scheme, as in ``Bearer …``."""
    letters = flat(text)
    for word in _SCHEME_WORDS:
        for at in places(word, letters):
            found = _AFTER_SCHEME.match(text, at)
            if found is not None and is_known(found["value"].rstrip(".:")):
                start = found.start("value")
                yield start, start + len(found["value"].rstrip(".:")), "what stands after a scheme"


def find_schemes(text: str) -> Iterator[tuple[int, int, str]]:
    """Where in a text the parameters of a scheme hold a credential, as in ``Token token="…"`` or ``Signature=…``."""
    letters = flat(text)
    for hint in _SCHEME_HINTS:
        done = 0
        for at in places(hint, letters):
            line = _SCHEME_LINE.match(text, at) if at >= done else None
            if line is not None:
                done = line.end()
                for start, end in pieces(line["rest"]):
                    if looks_secret(line["rest"][start:end]):
                        yield line.start("rest") + start, line.start("rest") + end, "what stands after a scheme"
