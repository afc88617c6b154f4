"""The door: all that the tool writes or shows goes through a `Mask`.

It knows the keys of the environment, what it was told, and what it learned where credentials were sent; and it knows
the forms of keys. In data of others (`Mask.json`, `Mask.text`) it removes what is secret. What is written goes through
`Mask.checked` at last: what is still there stands where it cannot be removed, and is not written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from conformance.masking.addresses import address_without_secrets, secrets_of_address
from conformance.masking.credentials import learnable, secrets_of_headers
from conformance.masking.environment import is_key_variable, keys_of_environment, variable_of
from conformance.masking.finding import find_forms
from conformance.masking.known import KnownSecrets
from conformance.masking.names import is_loose_name, is_secret_header, is_secret_name
from conformance.masking.words import LEAST, is_distinctive, looks_secret, looks_secret_alone

SHOWN = "…"
"""What stands for a secret in what people read."""

_LONG_NUMBER = 6

MAX_LEARNED = 20_000
"""How many secrets are learned from what is sent."""

MAX_SEEN = 1_000
"""How many headers are remembered, so that the same are not looked at again."""


class SecretRemainsError(ValueError):
    """What would be written holds a known secret where it cannot be removed. The message says whose it is."""

    def __init__(self, secret: str) -> None:
        name = variable_of(secret)
        whose = f"the value of {name}" if name else "a secret that was learned"
        super().__init__(f"not written: {whose} stands in it where it cannot be removed")


def masked_text(text: str, known: KnownSecrets | None = None) -> str:
    """``text`` with its secrets shown as `SHOWN`: those that are known, and those of a known form."""
    known = KnownSecrets() if known is None else known
    spans = [(start, end) for start, end, _ in known.find(text)]
    spans += [(start, end) for start, end, _ in find_forms(text, known.is_weak)]
    return _without(text, spans)


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    if not spans:
        return text
    shown, done = [], 0
    for start, end in sorted(spans):
        if start >= done:
            shown += [text[done:start], SHOWN]
        done = max(done, end)
    return "".join([*shown, text[done:]])


class Mask:
    """Removes secrets. ``known`` are values that are known beside those of the environment."""

    def __init__(self, known: Iterable[str] = (), environment: Mapping[str, str] | None = None) -> None:
        self._known = KnownSecrets((*keys_of_environment(environment), *known))
        self._learned: list[str] = []
        self._seen: set[tuple[str, str]] = set()

    # --- learning ----------------------------------------------------------------------------------------------------

    def learn(self, values: Iterable[str]) -> None:
        """Remove these from now on too, as far as they are told apart from other words."""
        for value in learnable(values):
            if len(self._learned) < MAX_LEARNED and self._known.add(value):
                self._learned.append(value)

    def learn_request(self, url: str, headers: Mapping[str, str], body: bytes = b"") -> None:
        """Learn the credentials that a request carries in its address, its headers and its body."""
        news = [item for item in headers.items() if item not in self._seen]
        if news:
            self.learn(secrets_of_headers(news))
            self._seen.update(news if len(self._seen) < MAX_SEEN else ())
        if "@" in url or "=" in url:
            self.learn(secrets_of_address(url))
        try:
            self.learn_document(json.loads(body or b"null"))
        except (ValueError, RecursionError):
            self.learn(secrets_of_address("?" + body.decode("utf-8", "replace")))

    def learn_document(self, document: object) -> None:
        """Learn what stands under secret names in a JSON document."""
        self.learn(_under_secret_names(document))

    def learned(self) -> tuple[str, ...]:
        """What was learned since this was asked last."""
        learned, self._learned = tuple(self._learned), []
        return learned

    # --- removing ----------------------------------------------------------------------------------------------------

    def text(self, text: str) -> str:
        """``text`` with its secrets shown as `SHOWN`."""
        return masked_text(text, self._known)

    def known(self, text: str) -> str:
        """``text`` without the secrets that are known, whatever else looks like one."""
        return _without(text, [(start, end) for start, end, _ in self._known.find(text)])

    def address(self, url: str) -> str:
        """An address without its secrets."""
        return self.text(address_without_secrets(url, SHOWN))

    def json(self, value: Any) -> Any:
        """A JSON document with its secrets shown as `SHOWN`: in texts, in names, and whatever has a secret name."""
        texts = list(dict.fromkeys(_texts(value)))
        masked = dict(zip(texts, self._texts(texts), strict=True))
        return _with_texts(value, masked)

    def _texts(self, texts: list[str]) -> Iterator[str]:
        """The texts, masked. Mostly there is nothing to mask, which is seen at once in all of them together."""
        together = "\0".join(texts)
        spans = [start for start, _, _ in self._known.find(together)]
        spans += [start for start, _, _ in find_forms(together, self._known.is_weak)]
        suspects = set()
        if spans:
            starts = sorted(spans)
            place = number = 0
            for at in starts:
                while at >= place + len(texts[number]) + 1:
                    place += len(texts[number]) + 1
                    number += 1
                suspects.add(number)
        for number, text in enumerate(texts):
            yield self.text(text) if number in suspects else text

    # --- refusing ----------------------------------------------------------------------------------------------------

    def checked(self, text: str) -> str:
        """``text``, which is written as it is. Raises `SecretRemainsError` when a known secret stands in it."""
        for start, end, _ in self._known.find(text):
            secret = self._known.value_of(text[start:end])
            if secret is not None:
                raise SecretRemainsError(secret)
        return text


def _texts(value: Any) -> Iterator[str]:
    """All texts in a document, names too. A loop and no recursion, whatever its depth."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item
            waiting += item.values()
        elif isinstance(item, list | tuple):
            waiting += item
        elif isinstance(item, int | float) and not isinstance(item, bool) and abs(item) >= 10 ** (LEAST - 1):
            yield _digits(item)


DEEPEST = 200
"""What lies deeper in a document is not shown."""


Secret = Callable[[str], bool]
"""Whether a text that stands in some place is secret."""


def _never(text: str) -> bool:
    return False


def _with_texts(value: Any, masked: Mapping[str, str], secret: Secret = _never, depth: int = 0) -> Any:
    """The document with its texts masked. ``secret`` says what is secret by the name under which it stands."""
    if isinstance(value, str):
        return SHOWN if secret(value) else masked[value]
    if isinstance(value, dict | list | tuple) and depth == DEEPEST:
        return SHOWN
    if isinstance(value, dict):
        below = looks_secret if secret is bool or secret is looks_secret else _never
        told = _named_by_sibling(value)
        return {
            masked[key]: _with_texts(item, masked, bool if key in told else _under(key) or below, depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        if len(value) == 2 and isinstance(value[0], str) and _is_header(value[0]):
            secret = looks_secret
        return [_with_texts(item, masked, secret, depth + 1) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        text = _digits(value)
        return SHOWN if (len(text) >= _LONG_NUMBER and secret(text)) or masked.get(text, text) != text else value
    return value


@lru_cache(maxsize=10_000)
def _under(name: str) -> Secret | None:
    """What is secret of what stands under a name, where the name says so."""
    if is_secret_name(name):
        return bool
    if _is_header(name) or (name.isupper() and "_" in name and is_key_variable(name)):
        return looks_secret
    return looks_secret_alone if is_loose_name(name) else None


def _named_by_sibling(value: dict[str, Any]) -> tuple[str, ...]:
    """Members whose name stands beside them, as in ``{"name": "x-api-key", "value": "…"}``."""
    if "value" not in value and "values" not in value:
        return ()
    names = (value.get(name) for name in ("name", "key", "header"))
    plain = [name for name in names if isinstance(name, str) and _HEADER.fullmatch(name)]
    secret = any(is_secret_name(name) or _is_header(name) for name in plain)
    return ("value", "values") if secret else ()


_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")


def _is_header(name: str) -> bool:
    """Whether this is the name of a secret header, rather than a word."""
    if _HEADER.fullmatch(name) is None:
        return False
    return ("-" in name and is_secret_header(name)) or name.lower() == "authorization"


def _digits(number: float) -> str:
    """A number as it is written; nothing for one that is too long to be written quickly."""
    return str(number) if abs(number) < 10**300 else ""


def _under_secret_names(document: object) -> Iterator[str]:
    waiting = [document]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            told = _named_by_sibling(item)
            for name, value in item.items():
                if isinstance(value, str) and (is_secret_name(name) or name in told) and is_distinctive(value):
                    yield value
            waiting += item.values()
        elif isinstance(item, list | tuple):
            waiting += item


_door: tuple[tuple[str, ...], Mask] | None = None


def door() -> Mask:
    """The mask that knows the keys of the environment as it is now, and nothing else."""
    global _door
    keys = tuple(keys_of_environment())
    if _door is None or _door[0] != keys:
        _door = keys, Mask()
    return _door[1]
