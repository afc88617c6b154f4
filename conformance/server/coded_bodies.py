"""Requests whose body is compressed (``content-encoding``): what is judged is what the client meant to send.

Codings are those of RFC 9110, 8.4.1, with ``br`` and ``zstd``. What is unpacked is bounded as a body is that comes as
it is, so that a few bytes cannot become many.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.http import Request
from conformance.recordings.bodies import RecordError, TooLargeError, Unpacker, codings, known_codings

HEADER = "content-encoding"
MOST_CODINGS = 3
"""How many codings one body may have."""
_OF_CODING = frozenset({HEADER, "content-length"})


class CodedBodyError(Exception):
    """The body cannot be read. ``status`` and ``headers`` are the answer's (RFC 9110, 15.5.16 for 415)."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers


def plain_request(request: Request, limit: int) -> Request:
    """The request without its codings. ``limit`` is how many bytes its body may have then. Raises `CodedBodyError`."""
    header = request.header(HEADER)
    if header is None:
        return request
    named = codings(header)
    unknown = [name for name in named if name not in known_codings()]
    if unknown or len(named) > MOST_CODINGS:
        what = f"in {unknown[0][:50]!r}" if unknown else f"{len(named)} times"
        accepted = {"accept-encoding": ", ".join(known_codings())}
        raise CodedBodyError(415, f"The body is encoded {what}: send it as it is, or in {_some()}.", **accepted)
    try:
        body = Unpacker(header, limit).feed(request.body) if named else request.body
    except TooLargeError:
        raise CodedBodyError(413, f"The request is too large: a body may have {limit} bytes.") from None
    except RecordError:
        raise CodedBodyError(400, f"The body is said to be encoded in {header[:50]!r}, and is not.") from None
    headers = {name: value for name, value in request.headers.items() if name.lower() not in _OF_CODING}
    return replace(request, headers=headers, body=body)


def _some() -> str:
    return ", ".join(name for name in known_codings() if not name.startswith("x-"))
