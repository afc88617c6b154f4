"""The door: all that the tool writes or shows goes through a `Mask`.

It knows the keys of the environment, what it was told, and what it learned where credentials were sent; and it knows
the forms of keys. In data of others (`Mask.json`, `Mask.text`) it removes what is secret. What is written goes through
`Mask.checked` at last: what is still there stands where it cannot be removed, and is not written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.masking.addresses import address_without_secrets, secrets_of_address
from conformance.masking.credentials import learnable, secrets_of_headers
from conformance.masking.document import DocumentMask, texts_of, under_secret_names
from conformance.masking.environment import keys_of_environment, variable_of
from conformance.masking.known import KnownSecrets
from conformance.masking.words import SHOWN

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
    spans += [(start, end) for start, end, _ in _find_forms(text, known)]
    return _without(text, spans)


def _find_forms(text: str, known: KnownSecrets) -> Iterator[tuple[int, int, str]]:
    from conformance.masking.finding import find_forms  # its patterns are many, and a run may show nothing

    return find_forms(text, known.is_weak)


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
        self.learn(under_secret_names(document))

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
        texts = list(dict.fromkeys(texts_of(value)))
        masked = dict(zip(texts, self._texts(texts), strict=True))
        return DocumentMask(masked, self._known.is_weak).of(value)

    def _texts(self, texts: list[str]) -> Iterator[str]:
        """The texts, masked. Mostly there is nothing to mask, which is seen at once in all of them together."""
        together = "\0".join(texts)
        spans = [start for start, _, _ in self._known.find(together)]
        spans += [start for start, _, _ in _find_forms(together, self._known)]
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


_door: tuple[tuple[str, ...], Mask] | None = None


def own_mask() -> Mask:
    """The mask that knows the keys of the environment as it is now, and nothing else."""
    global _door
    keys = tuple(keys_of_environment())
    if _door is None or _door[0] != keys:
        _door = keys, Mask()
    return _door[1]
