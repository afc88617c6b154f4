"""Secrets that are told by what stands around them, or by their shape as a whole: tokens, addresses, private keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from conformance.masking.names import is_secret_parameter
from conformance.masking.searching import flat, places
from conformance.masking.words import is_stand_in


@dataclass(frozen=True, slots=True)
class SecretPattern:
    """A pattern that begins with letters of its own, one of the ``hints``, so that it is quick to search for.

    The secret is the group ``secret``, and as many characters ``before`` the pattern as it says. A pattern may have an
    ``opening`` with a group ``name``: it counts only if ``named`` says that a secret stands under that name. This is
    looked at first, so that a long value is not read again and again after names that say nothing.
    """

    name: str
    pattern: re.Pattern[str]
    hints: tuple[str, ...]
    before: int = 0
    opening: re.Pattern[str] | None = None
    named: Callable[[str], bool] = bool

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where in ``text`` such secrets are: start, end and the pattern's name."""
        letters = flat(text)
        for hint in self.hints:
            done = 0
            for at in places(hint.encode(), letters):
                found = self.pattern.match(text, at) if at >= done and self._opens(text, at) else None
                if found is not None:
                    start, done = found.start("secret") - self.before, found.end("secret")
                    if not is_stand_in(text[start:done]):
                        yield start, done, self.name


    def _opens(self, text: str, at: int) -> bool:
        opened = self.opening.match(text, at) if self.opening is not None else None
        return self.opening is None or (opened is not None and self.named(opened["name"]))


def _pattern(name: str, pattern: str, *hints: str, before: int = 0) -> SecretPattern:
    return SecretPattern(name, re.compile(pattern), hints, before)


def _named(name: str, opening: str, rest: str, *hints: str, named: Callable[[str], bool]) -> SecretPattern:
    return SecretPattern(name, re.compile(opening + rest), hints, opening=re.compile(opening), named=named)


_END = r"(?![A-Za-z0-9_-])"

PATTERNS: tuple[SecretPattern, ...] = (
    _pattern("JSON web token",
             r"(?<![A-Za-z0-9+_-])(?P<secret>eyJ[A-Za-z0-9_-]{8,4000}"
             r"(?:\.eyJ[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,2000})?|(?:\.[A-Za-z0-9_-]{0,8000}){4}))" + _END,
             "eyJ"),
    _pattern("bearer token",
             r"(?:earer(?<=\b[Bb]earer)|BEARER(?<=\bBEARER))(?:\s|\\t|%20){1,4}\\?[\"']?(?=[^\s\"]{0,200}[0-9])"
             r"(?P<secret>[A-Za-z0-9._~+/=-]{12,8000})", "earer", "BEARER"),
    _pattern("basic credentials",
             r"(?:Basic(?<=\bBasic)|BASIC(?<=\bBASIC))(?:\s|\\t|%20){1,4}(?=[^\s\"]{0,200}[0-9])"
             r"(?P<secret>[A-Za-z0-9+/]{12,2000}={0,2})(?![A-Za-z0-9+/=])", "Basic", "BASIC"),
    _pattern("basic credentials",
             r"basic(?<=\bbasic)(?:\s|\\t|%20){1,4}(?=[^\s\"]{0,200}[0-9])(?=[^\s\"]{0,200}[A-Z])"
             r"(?P<secret>[A-Za-z0-9+/]{12,2000}={0,2})(?![A-Za-z0-9+/=])", "basic"),
    _pattern("key in a subprotocol", r"openai-insecure-api-key\.(?P<secret>[A-Za-z0-9._-]{12,400})",
             "openai-insecure-api-key."),
    _named("secret in an address",
           r"[?&;](?P<name>[A-Za-z][A-Za-z0-9_.-]{0,60})=", r"(?P<secret>[^\s&\"'<>#\\;,\0]{6,4000})", "?", "&", ";",
           named=is_secret_parameter),
    _pattern("user and password in an address",
             r"://(?P<secret>[^\s/:@\"'<>\\\0]{0,200}:[^\s/@\"'<>\\\0]{1,200})@", "://"),
    _pattern("user in an address", r"://(?=[^\s/@]{0,200}[0-9])(?P<secret>[A-Za-z0-9_-]{20,400})@", "://"),
    _pattern("user and password of a command",
             r"(?:-u|--user)[ =][\"']?[^\s:/\"'-][^\s:/\"']{0,80}:(?P<secret>[^\s/\"'\\][^\s\"'\\]{5,400})",
             "-u ", "--user"),
    _pattern("key that is told of",
             r"[A-Za-z]{3,6}[ -](?:[Kk]ey|[Tt]oken)(?:\s[a-z]{1,10}){0,3}\s?[:=]?\s{0,2}[\"'`(<\[“‘*]{0,2}"
             r"(?=[^\s]{0,200}[0-9])(?=[^\s]{0,200}[A-Za-z0-9]{16})(?P<secret>[A-Za-z0-9_./+=~-]{16,400})",
             "API key", "api key", "Api key", "access key", "secret key", "auth token", "access token", "API token",
             "API Key", "nvalid key", "api token", "api-key "),
    _pattern("private key",
             r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?P<secret>(?:(?!-----)[^\"\0]){16,20000})",
             "-----BEGIN "),
    _pattern("private key", r"PuTTY-User-Key-File-[0-9]:(?P<secret>[^\"\0]{16,20000})", "PuTTY-User-Key-File-"),
    _pattern("webhook address", r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,120})",
             "hooks.slack.com/"),
    _pattern("webhook address", r"/api/webhooks/[0-9]{10,25}/(?P<secret>[A-Za-z0-9_-]{40,100})", "/api/webhooks/"),
    _pattern("webhook address", r"\.webhook\.office\.com/webhookb2/(?P<secret>[A-Za-z0-9@/_-]{60,300})",
             ".webhook.office.com/"),
    _pattern("Facebook token", r"\|(?<=[0-9]{15}\|)(?P<secret>[A-Za-z0-9_-]{27,40})" + _END, "|"),
    _pattern("licence key", r"_mmk(?<=[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?P<secret>)" + _END, "_mmk", before=40),
    _pattern("bot token", r":(?<=[0-9]{8}:)(?P<secret>A[A-Za-z0-9_-]{33,35})" + _END, ":A"),
    _pattern("bot token", r"\.(?<=[A-Za-z0-9_-]{23}\.)[A-Za-z0-9_-]{6}\.(?P<secret>[A-Za-z0-9_-]{27,40})" + _END, "."),
    _pattern("Mailchimp key", r"-us(?<=\b[0-9a-z]{32}-us)(?P<secret>[0-9]{1,2})" + _END, "-us", before=35),
    _pattern("Azure client secret", r"Q~(?<=[A-Za-z0-9_~.]{3}[0-9]Q~)(?P<secret>[A-Za-z0-9_~.-]{31,34})" + _END, "Q~",
             before=6),
)  # fmt: skip
"""All patterns."""


def find_patterns(text: str) -> Iterator[tuple[int, int, str]]:
    """Where in ``text`` secrets of these patterns are: start, end and the pattern's name."""
    for pattern in PATTERNS:
        yield from pattern.find(text)
