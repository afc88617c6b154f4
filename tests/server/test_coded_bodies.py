"""Compressed requests are read as if they had come as they are; what is none, or would become too much, is turned
away."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import Any

import brotli
import httpx
import pytest
import zstandard
from every import every
from mistakes import right

from conformance.http import Request
from conformance.server import Running, Settings
from conformance.server.service import Service

LIMIT = 100_000
DOCUMENT = {"model": "any", "messages": [{"role": "user", "content": "Read it, please: é 北京"}]}
PLAIN = json.dumps(DOCUMENT).encode()
BOMB = b" " * (LIMIT + 1)


def _deflated(body: bytes) -> bytes:
    return zlib.compress(body)


def _raw(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


def _zstd(body: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(body)


def _twice(body: bytes) -> bytes:
    return brotli.compress(gzip.compress(body))


CODINGS: dict[str, tuple[str, Any]] = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-GZIP", gzip.compress),
    "deflate with zlib's frame": ("deflate", _deflated),
    "deflate without": ("deflate", _raw),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", _zstd),
    "one after the other": ("gzip, br", _twice),
    "none": ("identity", bytes),
}
SERVICE = Service(Settings(max_body=LIMIT))


def _sent(header: str, body: bytes) -> tuple[int, bytes, Request, Any]:
    """What comes of a body: the status, the answer, the request as it is known, and the answer's headers."""
    headers = {"content-type": "application/json", "authorization": "Bearer any", "content-encoding": header}
    served = SERVICE.serve(Request("POST", "http://localhost/p/openai-chat/v1/chat/completions", headers, body))
    return served.status, b"".join(served.chunks), served.request, served.headers


def test_each_coding_is_undone_before_anything_is_judged() -> None:
    def read(header: str, pack: Any) -> None:
        status, _, request, _ = _sent(header, pack(PLAIN))
        assert (status, request.body, request.header("content-encoding")) == (200, PLAIN, None)

    every(CODINGS, read)


def test_what_becomes_too_large_is_turned_away_in_little_time() -> None:
    def refused(header: str, pack: Any) -> None:
        status, answer, *_ = _sent(header, pack(BOMB))
        assert (status, b"too large" in answer) == (413, True)

    every({name: pair for name, pair in CODINGS.items() if name != "none"}, refused)


WRONG = {
    "a coding that nobody knows": ("snappy", PLAIN, 415),
    "too many codings": ("gzip, gzip, gzip, gzip", PLAIN, 415),
    "text that is said to be gzip": ("gzip", PLAIN, 400),
    "text that is said to be br": ("br", PLAIN, 400),
    "text that is said to be zstd": ("zstd", PLAIN, 400),
    "a body that breaks off": ("gzip", gzip.compress(PLAIN)[:-30], 400),
}


def test_what_cannot_be_read_gets_the_providers_own_error() -> None:
    def refused(header: str, body: bytes, wanted: int) -> None:
        status, answer, _, headers = _sent(header, body)
        assert (status, "message" in json.loads(answer)["error"]) == (wanted, True)
        assert ("accept-encoding" in headers) is (wanted == 415)

    every(WRONG, refused)


@pytest.mark.parametrize("header", ["gzip", "zstd"])
def test_over_http(header: str, strict: Running) -> None:
    pack = {"gzip": gzip.compress, "zstd": _zstd}[header]
    request = right("openai-chat")
    address = strict.url("openai-chat").removesuffix("/v1") + request.path
    headers = {name: value for name, value in request.headers.items() if name.lower() not in ("host", "content-length")}
    answer = httpx.post(address, headers={**headers, "content-encoding": header}, content=pack(request.body))
    assert answer.status_code == 200, answer.text
