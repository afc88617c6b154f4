"""HAR, the HTTP Archive format 1.2, as browsers and proxies export it."""

from __future__ import annotations

from conformance.http import Request
from conformance.model import Json
from conformance.recordings.bodies import RecordError, decoded_base64, encoded
from conformance.recordings.messages import flat_headers
from conformance.traffic.moments import moment
from conformance.traffic.records import RecordedExchange, one_record


@one_record
def entry(document: Json, source: str, line: int) -> RecordedExchange:
    """The exchange that an entry of ``log.entries`` holds."""
    asked, answered = (_object(_object(document).get(name)) for name in ("request", "response"))
    url, status = asked.get("url"), answered.get("status")
    if not isinstance(url, str):
        raise RecordError("the request has no URL")
    if not isinstance(status, int) or status == 0:
        raise RecordError("the request was never answered")
    sent = _object(asked.get("postData")).get("text")
    headers = flat_headers(asked.get("headers"))
    return RecordedExchange(
        source=source,
        line=line,
        request=Request(str(asked.get("method") or "POST"), url, headers, encoded(sent) if sent else b""),
        status=status,
        headers=flat_headers(answered.get("headers")),
        body=_content(_object(answered.get("content"))),
        moment=moment(_object(document).get("startedDateTime")),
    )


def _content(content: dict[str, Json]) -> bytes | None:
    text = content.get("text")
    if not isinstance(text, str):
        return None
    return decoded_base64(text) if content.get("encoding") == "base64" else encoded(text)


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}
