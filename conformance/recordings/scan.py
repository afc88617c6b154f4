"""The gate: nothing that looks like a secret, or is known to be one, is written.

It looks again, after the scrubber, at every part of every interaction and at all bytes of the file. A find tells where
it is and what it looks like, and never what it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.masking.door import masked_text
from conformance.masking.finding import find_forms, find_shapes
from conformance.masking.known import KnownSecrets
from conformance.masking.names import is_identity_name, is_secret_header, is_secret_name
from conformance.masking.words import is_stand_in
from conformance.recordings.headers import secret_headers
from conformance.recordings.interaction import Headers, Interaction
from conformance.recordings.naming import is_secret_view
from conformance.recordings.splice import body_text
from conformance.recordings.views import View, views


@dataclass(frozen=True, slots=True)
class SecretFinding:
    """A secret that was found: in which interaction (from 1), on which side, where there, and what it looks like.

    ``place`` is ``header`` and its name, ``address``, or ``body`` with a JSON pointer, an event, a part or a field, and
    the number of the character.
    """

    interaction: int
    side: str
    place: str
    looks_like: str

    def __str__(self) -> str:
        return f"interaction {self.interaction}, {self.side}, {self.place}: {self.looks_like}"


class SecretFoundError(ValueError):
    """What would have been written holds secrets. The message names the first place, and how many there are."""

    def __init__(self, finds: list[SecretFinding]) -> None:
        more = f" (and {len(finds) - 1} more)" if len(finds) > 1 else ""
        super().__init__(f"not written: {finds[0]}{more}")
        self.finds = finds


def scan_interaction(interaction: Interaction, number: int, known: KnownSecrets) -> Iterator[SecretFinding]:
    """The secrets in one interaction: by form, by name, and those that are known."""
    request = interaction.request
    sides: tuple[tuple[str, Headers, bytes], ...] = (
        ("request", tuple(request.headers.items()), request.body),
        ("response", interaction.headers, interaction.body),
    )
    for what in _in_line(request.url, known):
        yield SecretFinding(number, "request", "address", what)
    for what in _in_line(interaction.reason, known):
        yield SecretFinding(number, "response", "reason phrase", what)
    for side, headers, body in sides:
        for place, what in _in_headers(headers, known):
            yield SecretFinding(number, side, place, what)
        content_type = next((value for name, value in headers if name.lower() == "content-type"), "")
        for place, what in scan_body(body, content_type, known):
            yield SecretFinding(number, side, place, what)


def _in_headers(headers: Headers, known: KnownSecrets) -> Iterator[tuple[str, str]]:
    bare = set(secret_headers(headers))
    for name, value in headers:
        found = ["the value of a secret header"] if name in bare else _in_line(f"{name}: {value}", known)
        for what in found:
            yield f"header {_shown(name, known)}", what


def _in_line(text: str, known: KnownSecrets) -> list[str]:
    found = {"a known secret" for _ in known.find(text)} | {name for _, _, name in find_forms(text, known.is_weak)}
    return sorted(found)


def scan_body(body: bytes, content_type: str, known: KnownSecrets) -> Iterator[tuple[str, str]]:
    """The secrets in a body: place and form. Each is told once."""
    texts = list(views(body_text(body), content_type))
    told: set[tuple[int, int]] = set()
    for view in sorted(texts, key=lambda view: (view.kind == "raw", -view.depth)):  # the nearest place tells most
        for start, end, what in sorted(_in_view(view, known)):
            places = view.text.places(start, end)
            if not any(span in told for span in places):
                told.update(places)
                where = _shown(view.place or _place_of(places[0], texts), known)
                yield f"body: {f'{where}, ' if where else ''}character {places[0][0]}", what


def _shown(place: str, known: KnownSecrets) -> str:
    """A place without secrets: the names in a document may hold them too."""
    return masked_text(place, known)


def _place_of(span: tuple[int, int], texts: list[View]) -> str:
    """The place of the text that a part of the body stands in; empty when it stands in none."""
    for view in texts:
        if view.kind != "raw" and view.depth == 0:
            for start, end in view.text.places(0, len(view.text.text)):
                if start <= span[0] and span[1] <= end:
                    return view.place
    return ""


def _in_view(view: View, known: KnownSecrets) -> Iterator[tuple[int, int, str]]:
    text = view.text.text
    named = is_secret_name(view.name) or is_identity_name(view.name) or is_secret_header(view.name)
    if named and view.kind != "number" and is_secret_view(view) and not is_stand_in(text):
        yield 0, len(text), f"what stands under {view.name!r}"
    if not view.plain:
        yield from ((start, end, "a known secret") for start, end, _ in known.find(text))
        yield from find_shapes(text) if view.mixed else find_forms(text, known.is_weak)


def scan_bytes(data: bytes, known: KnownSecrets) -> Iterator[tuple[int, str]]:
    """The secrets in the bytes of a file, whatever its format: offset in characters, and form."""
    text = body_text(data)
    for start, _, _ in known.find(text):
        yield start, "a known secret"
    for start, _, what in find_forms(text, known.is_weak):
        yield start, what


def all_texts(interaction: Interaction) -> str:
    """Everything in an interaction in which a known secret can be found, one text after the other."""
    request = interaction.request
    bodies = (
        (request.body, request.header("content-type") or ""),
        (interaction.body, next((value for name, value in interaction.headers if name == "content-type"), "")),
    )
    texts = [request.url, interaction.reason, *request.headers.values(), *(value for _, value in interaction.headers)]
    texts += [
        view.text.text
        for body, content_type in bodies
        for view in views(body_text(body), content_type)
        if not view.plain
    ]
    return "\0".join(texts)
