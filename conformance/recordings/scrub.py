"""Removing secrets from interactions before they are written. What is no secret stays byte for byte.

Headers are kept by a list of those that may be. Addresses lose user, password and the values of secret parameters. In
bodies, what stands under a secret name, what has the form of a key, and what is known to be secret (the values of
secret headers, cookies and parameters, wherever they are echoed) is replaced; chunks keep their boundaries. Opaque
base64, such as signatures, is never touched unless a known secret stands in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.http import Request
from conformance.masking.addresses import address_without_secrets, secrets_of_address
from conformance.masking.credentials import learnable, secrets_of_headers
from conformance.masking.finding import find_forms, find_shapes
from conformance.masking.known import KnownSecrets
from conformance.masking.words import PLACEHOLDER
from conformance.recordings.bodies import RecordError, unpacked
from conformance.recordings.headers import kept_of_request, kept_of_response
from conformance.recordings.interaction import Headers, Interaction
from conformance.recordings.naming import is_secret_view
from conformance.recordings.splice import Splice, body_text, merged_splices, spliced
from conformance.recordings.views import View, views

SCRUB_VERSION = 2
"""Of what is removed. A cassette says with which one it was written."""


class Scrubber:
    """Scrubs the interactions of one cassette. What one of them gives away is removed from all that follow.

    Those that came before can be scrubbed again when `news` tells that there is more to remove: doing it twice changes
    nothing else.
    """

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = KnownSecrets(known)
        self._news: list[str] = []

    def news(self) -> KnownSecrets:
        """The secrets that were learned since this was asked last."""
        news, self._news = KnownSecrets(self._news), []
        return news

    def scrub(self, interaction: Interaction) -> Interaction:
        """The interaction without its secrets."""
        plain = _without_codings(interaction)
        answer = list(views(body_text(plain.body), _content_type(plain.headers)))
        self._learn_values(secrets_of_headers(plain.headers))
        self._learn_values(_secrets_of_views(answer))
        return Interaction(
            request=self.scrub_request(plain.request),
            status=plain.status,
            headers=tuple(self._kept(plain.headers)),
            chunks=self._body(plain.chunks, answer),
            ended=plain.ended,
            reason=self._line(plain.reason) if _REASON.fullmatch(plain.reason) else "",
        )

    def scrub_request(self, request: Request) -> Request:
        """A request without its secrets, as it is found in a recording: so it can be looked for there."""
        request = _request_without_coding(request)
        headers = tuple(request.headers.items())
        asked = list(views(body_text(request.body), _content_type(headers)))
        self._learn_values(secrets_of_headers(headers))
        self._learn_values(secrets_of_address(request.url))
        self._learn_values(_secrets_of_views(asked))
        kept = {
            name.lower(): self._line(value)
            for name, sent in headers
            if (value := kept_of_request(name, sent)) is not None
        }
        return Request(request.method, self._url(request.url), kept, b"".join(self._body((request.body,), asked)))

    # --- learning ----------------------------------------------------------------------------------------------------

    def _learn_values(self, values: Iterable[str]) -> None:
        for value in learnable(values):
            if self.known.add(value):
                self._news.append(value)

    # --- replacing ---------------------------------------------------------------------------------------------------

    def _kept(self, headers: Headers) -> Iterator[tuple[str, str]]:
        for name, value in headers:
            kept = kept_of_response(name, value)
            if kept is not None:
                yield name.lower(), self._line(kept)

    def _url(self, url: str) -> str:
        address, mark, query = address_without_secrets(url, PLACEHOLDER).partition("?")
        return self._line(_ACCOUNT_IN_PATH.sub(rf"\g<1>{PLACEHOLDER}", address) + mark + query)

    def _line(self, text: str) -> str:
        edits = [Splice(start, end, put) for start, end, put in self.known.find(text)]
        edits += [Splice(start, end, PLACEHOLDER) for start, end, _ in find_forms(text, self.known.is_weak)]
        for edit in reversed(merged_splices(edits)):
            text = text[: edit.start] + edit.text + text[edit.end :]
        return text

    def _body(self, chunks: tuple[bytes, ...], texts: Iterable[View]) -> tuple[bytes, ...]:
        edits: list[Splice] = []
        for view in texts:
            for start, end, put in self._found(view):
                places = view.text.places(start, end)
                edits += [Splice(*place, put if number == 0 else "") for number, place in enumerate(places)]
        return spliced(chunks, edits)

    def _found(self, view: View) -> Iterator[tuple[int, int, str]]:
        text = view.text.text
        if view.kind != "joined" and is_secret_view(view):  # its parts are, one by one
            yield 0, len(text), PLACEHOLDER if view.kind != "number" else "0"
            return
        if not view.plain:
            yield from self.known.find(text)
            forms = find_shapes(text) if view.mixed else find_forms(text, self.known.is_weak)
            yield from ((start, end, PLACEHOLDER) for start, end, _ in forms)


def scrub_request(request: Request, known: Iterable[str] = ()) -> Request:
    """A request as it is found in a recording: so it can be looked for there."""
    return Scrubber(known).scrub_request(request)


def _secrets_of_views(texts: Iterable[View]) -> Iterator[str]:
    return (view.text.text for view in texts if view.kind != "number" and is_secret_view(view))


# --- addresses -------------------------------------------------------------------------------------------------------

_ACCOUNT_IN_PATH = re.compile(r"(/(?:projects|organizations|accounts|subscriptions|tenants)/)[^/?#:]+")
_REASON = re.compile(r"[A-Za-z0-9 '-]{0,60}")


# --- codings ---------------------------------------------------------------------------------------------------------


def _content_type(headers: Headers) -> str:
    return next((value for name, value in headers if name.lower() == "content-type"), "")


def _without_codings(interaction: Interaction) -> Interaction:
    """The interaction with its bodies as they were before a content coding.

    Raises `RecordError` when a body cannot be decoded: what cannot be read cannot be scrubbed.
    """
    coding = ", ".join(value for name, value in interaction.headers if name.lower() == "content-encoding")
    request = _request_without_coding(interaction.request)
    if not coding or not interaction.chunks:
        return replace(interaction, request=request)
    body = unpacked(interaction.body, coding)
    chunks = interaction.chunks if body == interaction.body else (body,) if body else ()
    return replace(interaction, request=request, chunks=chunks)


def _request_without_coding(request: Request) -> Request:
    coding = request.header("content-encoding")
    if not coding:
        return request
    try:
        return replace(request, body=unpacked(request.body, coding))
    except RecordError as problem:
        raise RecordError(f"the request: {problem}") from None
