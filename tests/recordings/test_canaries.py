"""No secret that was planted anywhere in a request or a response is in any file that a recorder wrote."""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import brotli
import pytest
import zstandard
from canaries import canary, survivors
from every import each
from recorded import JSON, SSE, URL, said, sse

from conformance.recordings.interaction import Interaction
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import read_cassette

Planted = Callable[[str], Interaction | list[Interaction]]


def chunked(data: bytes, size: int) -> tuple[bytes, ...]:
    """``data`` in chunks of a size."""
    return tuple(data[start : start + size] for start in range(0, len(data), size))


def basic(secret: str) -> str:
    """Basic credentials with the secret as password."""
    return "Basic " + base64.b64encode(f"someone:{secret}".encode()).decode()


def echoed(secret: str, **headers: str) -> Interaction:
    """A secret in a header of the request that the answer repeats."""
    return said(request_headers=headers, answer={"error": {"message": f"bad key {secret}, really: «{secret}»"}})


# --- by where it stands: nothing about the secret itself gives it away -----------------------------------------------

BY_NAME: dict[str, Planted] = {
    **{
        f"request header {name}": lambda secret, name=name: said(request_headers={name: secret})  # type: ignore[misc]
        for name in ("X-Api-Key", "api-key", "x-goog-api-key", "Authorization", "OpenAI-Organization", "OpenAI-Project",
                     "User-Agent", "X-Anything", "x-stainless-lang", "Referer", "Host", "traceparent")
    },
    **{
        f"response header {name}": lambda secret, name=name: said(headers=(*JSON, (name, secret)))  # type: ignore[misc]
        for name in ("set-cookie", "x-request-id", "openai-organization", "cf-ray", "location", "www-authenticate",
                     "server", "x-anything", "retry-after-ms")
    },
    "bearer": lambda secret: echoed(secret, Authorization=f"Bearer {secret}"),
    "basic": lambda secret: echoed(secret, Authorization=basic(secret)),
    "basic, echoed as sent": lambda secret: said(
        request_headers={"Authorization": basic(secret)}, answer={"headers_seen": [basic(secret)[6:]]}
    ),
    "cookie": lambda secret: echoed(secret, Cookie=f"a=b; __cf_bm={secret}; c=d"),
    "cookie in quotes": lambda secret: echoed(secret, Cookie=f'__cf_bm="{secret}"'),
    "set-cookie": lambda secret: said(
        headers=(*JSON, ("Set-Cookie", f"__cf_bm={secret}; path=/; HttpOnly")), answer={"seen": f"<{secret}>"}
    ),
    "set-cookie, echoed by the next request": lambda secret: [
        said(headers=(*JSON, ("set-cookie", f"a=1; path=/, session={secret}; path=/"))),
        said({"model": "m", "note": f"cookie {secret}"}, request_headers={"cookie": f"session={secret}"}),
    ],
    "echoed before it is known": lambda secret: [
        said({"model": "m", "note": secret}, {"deep": [{"text": json.dumps({"a": f"\n{secret}\n"})}]}),
        said(request_headers={"x-api-key": secret}),
    ],
    "echoed in base64": lambda secret: [
        said({"file": "data:text/plain;base64," + base64.b64encode(b"x" * shift + secret.encode() + b"yz").decode()},
             request_headers={"x-api-key": secret})
        for shift in range(3)
    ],
    "echoed in a URL": lambda secret: said(
        {"url": f"https://a/b?x={quote(secret + '/+ü', safe='')}"}, request_headers={"x-api-key": secret + "/+ü"}
    ),
    "user and password": lambda secret: said(url=f"https://someone:{secret}@api.openai.com/v1/x"),
    "user alone": lambda secret: said(url=f"https://{secret}@api.openai.com/v1/x"),
    **{
        f"parameter {name}": lambda secret, name=name: said(url=f"{URL}?alt=sse&{name}={secret}&b=1")  # type: ignore[misc]
        for name in ("key", "api_key", "api-key", "access_token", "sig", "X-Amz-Signature", "client_secret", "k%65y")
    },
    "parameter, echoed": lambda secret: said(url=f"{URL}?key={secret}", answer={"message": f"not valid: {secret}"}),
    "fragment": lambda secret: said(url=f"{URL}#{secret}"),
    "project in the path": lambda secret: said(url=f"https://a/v1/projects/{secret}/locations/x:generateContent"),
    "reason phrase": lambda secret: said(reason=f"No_{secret}"),
    **{
        f"JSON {name}": lambda secret, name=name: said(  # type: ignore[misc]
            {"model": "m", "deep": [{"er": {name: secret}}]}, {"a": [[{name: [secret]}]]}
        )
        for name in ("api_key", "apiKey", "OPENAI-API-KEY", "access_token", "client_secret", "password",
                     "Authorization", "refreshToken", "cookie", "credentials", "secret")
    },
    **{
        f"JSON identity {name}": lambda secret, name=name: said(  # type: ignore[misc]
            {name: secret}, {"metadata": {name: secret}}
        )
        for name in ("user", "user_id", "organization", "organization_id", "project_id", "account_id", "email",
                     "safety_identifier", "tenantId")
    },
    "JSON key with an escape in its name": lambda secret: said(b'{"api\\u005fkey": "%s"}' % secret.encode()),
    "JSON value with escapes": lambda secret: said(
        b'{"api_key": "\\u00%02x%s"}' % (ord(secret[0]), secret[1:].encode()), {"seen": secret}
    ),
    "JSON in JSON": lambda secret: said({"arguments": json.dumps({"api_key": secret})}),
    "JSON in JSON in JSON": lambda secret: said({"a": json.dumps({"b": json.dumps({"password": secret})})}),
    "MCP headers": lambda secret: said({"tools": [{"type": "mcp", "headers": {"X-Whatever": secret}}]}),
    "Azure data source": lambda secret: said(
        {"data_sources": [{"parameters": {"authentication": {"type": "api_key", "key": secret}}}]}
    ),
    "events": lambda secret: said(headers=SSE, answer=sse({"id": 1}, {"response": {"user": secret}}, "[DONE]")),
    "an event of several lines": lambda secret: said(
        headers=SSE, answer=b'data: {"a": 1,\r\ndata: "api_key":\r\ndata: "%s"}\r\n\r\n' % secret.encode()
    ),
    "lines of JSON": lambda secret: said(answer=b'{"a": 1}\n{"api_key": "%s"}\n' % secret.encode()),
    "cut off": lambda secret: said(answer=b'{"api_key": "%s' % secret.encode(), ended="cut"),
    "form": lambda secret: said(
        b"a=b&client_secret=%s&c=d" % secret.encode(), {"seen": secret},
        request_headers={"Content-Type": "application/x-www-form-urlencoded"},
    ),
    "multipart": lambda secret: said(
        b'--xx\r\nContent-Disposition: form-data; name="api_key"\r\n\r\n%s\r\n--xx--\r\n' % secret.encode(),
        request_headers={"Content-Type": "multipart/form-data; boundary=xx"},
    ),
    "multipart JSON": lambda secret: said(
        b'--xx\r\nContent-Disposition: form-data; name="a"\r\n\r\n{"x": {"password": "%s"}}\r\n--xx--\r\n'
        % secret.encode(),
        request_headers={"Content-Type": 'multipart/form-data; boundary="xx"'},
    ),
    **{
        f"{coding} request": lambda secret, pack=pack, coding=coding: said(  # type: ignore[misc]
            pack(json.dumps({"api_key": secret, "filler": "é" * 99}).encode()),
            request_headers={"Content-Encoding": coding},
        )
        for coding, pack in (("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli.compress),
                             ("zstd", zstandard.ZstdCompressor().compress))
    },
    **{
        f"{coding} response": lambda secret, pack=pack, coding=coding: said(  # type: ignore[misc]
            answer=pack(json.dumps({"api_key": secret, "filler": "é" * 99}).encode()),
            headers=(*JSON, ("Content-Encoding", coding)),
        )
        for coding, pack in (("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli.compress),
                             ("zstd", zstandard.ZstdCompressor().compress))
    },
}  # fmt: skip


@pytest.mark.parametrize("name", BY_NAME)
def test_secrets_in_secret_places(tmp_path: Path, name: str) -> None:
    secret = canary(name)
    assert record(tmp_path, BY_NAME[name], secret)
    assert survivors(tmp_path, [secret]) == []


# --- by its form: it may stand anywhere ------------------------------------------------------------------------------

BY_FORM: dict[str, Planted] = {
    "content type": lambda secret: said(request_headers={"Content-Type": f"application/json; a={secret}"}),
    "accept": lambda secret: said(request_headers={"Accept": f"application/{secret}"}),
    "beta": lambda secret: said(request_headers={"anthropic-beta": f"tools-2024,{secret}"}),
    "response content type": lambda secret: said(headers=(("content-type", f"application/json; a={secret}"),)),
    "limits": lambda secret: said(headers=(*JSON, ("x-ratelimit-limit-requests", secret))),
    "path": lambda secret: said(url=f"https://a/v1/{secret}/chat"),
    "last in the path": lambda secret: said(url=f"https://a/v1/{secret}"),
    "any parameter": lambda secret: said(url=f"{URL}?whatever={secret}&b=1"),
    "reason phrase": lambda secret: said(reason=f"No {secret}"),
    "text": lambda secret: said({"messages": [{"content": f"my key is {secret}."}]}, {"content": f"K={secret}\n"}),
    "after an escape": lambda secret: said({"content": f"\n{secret}\t"}, b'{"a": "x\\n%s\\u0041"}' % secret.encode()),
    "escaped itself": lambda secret: said(
        b'{"a": "%s"}' % "".join(f"\\u{ord(letter):04x}" for letter in secret).encode()
    ),
    "a name": lambda secret: said({"tools": {secret: 1}}),
    "plain text": lambda secret: said(answer=f"Incorrect API key provided: {secret}.".encode(), headers=()),
    "HTML": lambda secret: said(answer=f"<p>{secret}</p>".encode(), headers=(("content-type", "text/html"),)),
    "bytes": lambda secret: said(answer=b"\xff\xfe %s \x00" % secret.encode()),
    "after the document": lambda secret: said(answer=b'{"a": 1}\n%s' % secret.encode()),
    "after the last event": lambda secret: said(
        answer=sse({"a": 1}) + b"data: [DONE]\n\n: " + secret.encode(), headers=SSE
    ),
    "an event's name": lambda secret: said(answer=b"event: %s\ndata: {}\n\n" % secret.encode(), headers=SSE),
    "an error after events": lambda secret: said(
        answer=sse({"a": 1}) + b'{"error": "a\\n%s"}' % secret.encode(), headers=SSE
    ),
    "a file in multipart": lambda secret: said(
        b'--xx\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n\xff %s\r\n--xx--' % secret.encode(),
        request_headers={"Content-Type": "multipart/form-data; boundary=xx"},
    ),
    "a form": lambda secret: said(
        b"a=%s" % quote(f" {secret}").replace("-", "%2d").encode(),
        request_headers={"Content-Type": "application/x-www-form-urlencoded"},
    ),
}  # fmt: skip

PREFIXES = {"openai": "sk-proj-", "anthropic": "sk-ant-api03-", "xai": "xai-", "google": "ya29.a0"}


@each("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("name", BY_FORM)
def test_keys_anywhere(tmp_path: Path, name: str, prefix: str) -> None:
    secret = canary(name, prefix)
    assert record(tmp_path, BY_FORM[name], secret)
    assert survivors(tmp_path, [secret]) == []


# --- in pieces -------------------------------------------------------------------------------------------------------


@each("size", [1, 7, 64])
@pytest.mark.parametrize("name", ["text", "events", "form", "bytes", "escaped itself"])
def test_secrets_over_chunks(tmp_path: Path, name: str, size: int) -> None:
    secret = canary(name, "sk-proj-")

    def in_chunks(secret: str) -> Interaction:
        found = (BY_NAME | BY_FORM)[name](secret)
        assert isinstance(found, Interaction)
        return Interaction(found.request, found.status, found.headers, chunked(found.body, size))

    (interaction,) = record(tmp_path, in_chunks, secret)
    assert survivors(tmp_path, [secret]) == []
    assert len(interaction.chunks) > 1 or size == 64


def deltas(pieces: list[str], make: Callable[[str, int], object]) -> bytes:
    """A stream in which another call's text comes between the pieces."""
    return sse(*[document for piece in pieces for document in (make(piece, 0), make("other", 1))])


SPLIT: dict[str, Callable[[str, int], object]] = {
    "chat": lambda piece, index: {"choices": [{"delta": {"content": piece}, "index": index}]},
    "chat calls": lambda piece, index: {
        "choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}}]
    },
    "responses": lambda piece, index: {
        "type": "response.output_text.delta", "item_id": f"msg_{index}", "output_index": index, "delta": piece,
    },
    "anthropic": lambda piece, index: {
        "type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": piece},
    },
    "gemini": lambda piece, index: {"candidates": [{"index": index, "content": {"parts": [{"text": piece}]}}]},
}  # fmt: skip


@pytest.mark.parametrize("by", ["form", "known", "name"])
@each("make", SPLIT.values(), ids=SPLIT)
def test_secrets_over_deltas(tmp_path: Path, make: Callable[[str, int], object], by: str) -> None:
    secret = canary(f"split {by}", "sk-proj-" if by == "form" else "")
    before, after = ('{"api_key": "', '", "b": 1}') if by == "name" else ("My key is ", "!")
    pieces = [before, *(secret[start : start + 6] for start in range(0, len(secret), 6)), after]
    stream = deltas(pieces, make)
    interaction = said(
        headers=SSE, chunks=chunked(stream, 50), request_headers={"x-api-key": secret} if by == "known" else {}
    )
    (kept,) = record(tmp_path, lambda _: interaction, secret)
    text = kept.body.decode()
    assert not [piece for piece in pieces[1:-1] if piece in text]
    events = [json.loads(line[5:]) for line in text.splitlines() if line]
    rest = [*map(make, [before, "SCRUBBED", *[""] * (len(pieces) - 3), after], [0] * len(pieces))]
    assert events[0::2] == rest
    assert events[1::2] == [make("other", 1)] * len(pieces)


def test_secrets_over_lines_and_elements(tmp_path: Path) -> None:
    secret = canary("array", "sk-proj-")
    halves = [{"message": {"content": half}} for half in (secret[:20], secret[20:])]
    lines = b"".join(json.dumps(half).encode() + b"\n" for half in halves)
    kept = record(tmp_path, lambda _: [said(answer=lines), said(answer=json.dumps(halves).encode())], secret)
    for interaction in kept:
        assert secret[:20] not in interaction.body.decode()
        assert secret[20:] not in interaction.body.decode()


def record(folder: Path, planted: Planted, secret: str) -> tuple[Interaction, ...]:
    """What is recorded when the secret is planted."""
    found = planted(secret)
    recorder = Recorder(folder / "a.json")
    for interaction in [found] if isinstance(found, Interaction) else found:
        recorder.add(interaction)
    written = read_cassette(recorder.path).interactions
    assert written == recorder.interactions
    return written
