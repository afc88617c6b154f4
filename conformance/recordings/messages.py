"""Requests and responses as cassettes of any maker hold them.

vcrpy says ``{method, uri, headers, body}`` and ``{status: {code, message}, headers, body: {string}}``. A body is text,
bytes, ``{string}``, ``{base64_string}`` or ``{encoding, string}``. Some serializers keep JSON bodies decoded, as
``parsed_body``. Ruby's vcr says ``http_interactions``; go-vcr says ``url``, and keeps status code and body side by
side; vcrpy before 8.2 kept httpx's answers as ``{status_code, content}``.
"""

from __future__ import annotations

from conformance.http import Request
from conformance.model import Json
from conformance.recordings.bodies import RecordError, decoded_base64, encoded

KEYS = ("interactions", "http_interactions")
"""Under which key of a cassette its interactions are."""


def part(document: Json, name: str) -> dict[str, Json]:
    """The request or the response of an interaction. Raises `RecordError`."""
    found = document.get(name) if type(document) is dict else None
    if type(found) is not dict:
        raise RecordError(f"an interaction without {name}")
    return found


def request_in(asked: dict[str, Json]) -> Request:
    """The request that a cassette holds. Raises `RecordError`."""
    url, method = asked.get("uri") or asked.get("url"), asked.get("method")
    if not isinstance(url, str):
        raise RecordError("the request has no URL")
    headers = flat_headers(asked.get("headers"))
    return Request(method if isinstance(method, str) else "POST", url, headers, body_of(asked) or b"")


def status_of(answered: dict[str, Json]) -> int:
    """The status code of a response. Raises `RecordError`."""
    status = answered.get("status")
    code = status.get("code") if isinstance(status, dict) else answered.get("code", answered.get("status_code", status))
    if not isinstance(code, int):
        raise RecordError("the response has no status")
    return code


def reason_of(answered: dict[str, Json]) -> str:
    """The reason phrase of a response; empty where none was kept."""
    status = answered.get("status")
    message = status.get("message") if isinstance(status, dict) else None
    return message if isinstance(message, str) else ""


def body_of(message: dict[str, Json]) -> bytes | None:
    """The body of a request or response; ``None`` where none was kept. Raises `RecordError`."""
    body = message.get("body")
    if type(body) is str and body.isascii():  # mostly: cassettes are read often
        return body.encode()
    if "parsed_body" in message:
        return encoded(message["parsed_body"])
    if isinstance(body, dict):
        if isinstance(body.get("base64_string"), str):
            return decoded_base64(body["base64_string"])
        return _text(body["string"]) if "string" in body else encoded(body)
    return _text(message.get("content") if body is None else body)


def _text(value: Json) -> bytes | None:
    return None if value is None else encoded(value)


def flat_headers(value: Json) -> dict[str, str]:
    """Headers as recorders keep them, one value a name: an object of texts or of lists of texts, or a list of pairs."""
    if type(value) is dict:
        try:  # nearly all cassettes have lists of one text each, and are read often
            flat = {name.lower(): text for name, [text] in value.items()}
            "".join(flat.values())
        except (TypeError, ValueError, AttributeError):
            pass
        else:
            if len(flat) == len(value):
                return flat
    pairs = header_pairs(value)
    named: dict[str, list[str]] = {}
    for name, text in pairs:
        named.setdefault(name, []).append(text)
    return {name: ", ".join(texts) for name, texts in named.items()}


def header_pairs(value: Json) -> tuple[tuple[str, str], ...]:
    """Headers as recorders keep them, field by field, names in lower case."""
    if type(value) is dict:
        try:  # nearly all cassettes have lists of one text each
            pairs = tuple([(name.lower(), text) for name, [text] in value.items()])
            "".join([text for _, text in pairs])
        except (TypeError, ValueError, AttributeError):
            return _any_pairs(list(value.items()))
        return pairs
    fields = value if isinstance(value, list) else []
    return _any_pairs([(item.get("name"), item.get("value")) for item in fields if isinstance(item, dict)])


def _any_pairs(items: list[tuple[Json, Json]]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (str(name).lower(), "" if text is None else str(text))
        for name, found in items
        for text in (found if isinstance(found, list) else [found])
    )
