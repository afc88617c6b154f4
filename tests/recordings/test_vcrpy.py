"""vcrpy plays our cassettes, and we read those of vcrpy: both ways, with the real library and a real server."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import httpx2
import pytest
from loopback import chunk, head, serving, stream, whole
from recorded import PROVENANCE, SSE, said, sse

from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.recorder import Recorder
from conformance.recordings.store import read_cassette, write_cassette

vcr = pytest.importorskip("vcr")

LIBRARIES = {"httpx": httpx, "httpx2": httpx2}
BOTH = pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)
FORMATS = pytest.mark.parametrize("suffix", ["json", "yaml"])
SENT = {"model": "m", "text": "é 日本"}
STREAM = sse({"a": "é"}, {"b": 2}, "[DONE]")


def call(library: Any, kind: str, url: str) -> Any:
    """POST, with either kind of client."""
    if kind == "blocking":
        with library.Client(verify=False) as client:
            return client.post(url, json=SENT)

    async def run() -> Any:
        async with library.AsyncClient(verify=False) as client:
            return await client.post(url, json=SENT)

    return asyncio.run(run())


OURS: dict[str, Interaction] = {
    "document": said(SENT, {"id": "日本 é", "b": [1, None]}),
    "stream": said(SENT, headers=SSE, chunks=(STREAM[:7], STREAM[7:8], STREAM[8:])),
    "cut": said(SENT, headers=SSE, chunks=(STREAM[:9],), ended="cut"),
    "error": said(SENT, {"error": {"message": "no"}}, status=429, reason="Too Many Requests"),
    "empty": said(SENT, b"", chunks=(), status=204, reason=""),
    "binary": said(SENT, b"\x00\xff\xfe\x80"),
    "several of a header": said(SENT, headers=(("content-type", "text/plain"), ("x-a", "1"), ("x-a", "2"))),
}


@BOTH
@FORMATS
@pytest.mark.parametrize("kind", ["blocking", "async"])
@pytest.mark.parametrize("interaction", OURS.values(), ids=OURS)
def test_vcrpy_plays_our_cassettes(
    tmp_path: Path, library: ModuleType, suffix: str, kind: str, interaction: Interaction
) -> None:
    path = write_cassette(tmp_path / f"a.{suffix}", Cassette((interaction,), PROVENANCE))
    before = path.read_bytes()
    with vcr.use_cassette(str(path), serializer=path.suffix[1:], record_mode="none", match_on=["method", "uri"]):
        response = call(library, kind, interaction.request.url)
    assert response.status_code == interaction.status
    assert response.content == interaction.body
    assert response.headers.multi_items() == list(interaction.headers)
    assert path.read_bytes() == before


@FORMATS
def test_vcrpy_matches_bodies_of_ours(tmp_path: Path, suffix: str) -> None:
    with httpx.Client() as client:
        sent = client.build_request("POST", OURS["document"].request.url, json=SENT).content
    talk = (said(b"{}"), said(sent, {"found": True}))
    path = write_cassette(tmp_path / f"a.{suffix}", Cassette(talk))
    with vcr.use_cassette(str(path), serializer=suffix, record_mode="none", match_on=["method", "uri", "body"]) as tape:
        assert call(httpx, "blocking", talk[0].request.url).json() == {"found": True}
        assert tape.play_count == 1


THEIRS = {
    "document": whole(json.dumps({"id": "日本 é"}, ensure_ascii=False).encode(), "Content-Type: application/json"),
    "ASCII document": whole(json.dumps({"id": "日本 é"}).encode(), "Content-Type: application/json"),
    "stream": stream(STREAM[:7], STREAM[7:]),
    "empty": whole(b"", status="204 No Content"),
    "error": whole(b'{"error": 1}', status="429 Too Many Requests"),
    "binary": whole(b"\x00\xff\xfe\x80", "Content-Type: image/png"),
    "compressed": whole(gzip.compress(STREAM), "Content-Encoding: gzip", "Content-Type: text/event-stream"),
}


@BOTH
@FORMATS
@pytest.mark.parametrize("decode", [False, True], ids=["as sent", "decoded"])
@pytest.mark.parametrize("kind", ["blocking", "async"])
@pytest.mark.parametrize("name", THEIRS)
def test_we_read_cassettes_of_vcrpy(
    tmp_path: Path, library: ModuleType, suffix: str, kind: str, name: str, decode: bool
) -> None:
    path = tmp_path / f"a.{suffix}"
    if suffix == "json" and (name == "binary" or (name == "compressed" and not decode)):
        pytest.skip("vcrpy's JSON holds no bytes, and a cassette that it cannot write leaves its patches in place")
    how = {"serializer": suffix, "decode_compressed_response": decode}
    with serving(THEIRS[name]) as server, vcr.use_cassette(str(path), **how):
        responses = [call(library, kind, f"{server.url}/v1/x?alt=sse") for _ in range(2)]
    cassette = read_cassette(path)
    assert cassette.provenance is None
    assert len(cassette.interactions) in (1, 2)  # an answer may be played at once
    interaction = cassette.interactions[0]
    assert interaction.body == responses[0].content
    assert interaction.status == responses[0].status_code
    assert interaction.reason == responses[0].reason_phrase
    assert interaction.request.url == f"{server.url}/v1/x?alt=sse"
    assert json.loads(interaction.request.body) == SENT
    assert "content-encoding" not in dict(interaction.headers)
    again = write_cassette(tmp_path / f"b.{suffix}", cassette)
    assert read_cassette(again).interactions == cassette.interactions


def test_we_scrub_what_vcrpy_recorded(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"

    def answer(_: bytes) -> list[bytes]:
        opening = head("Set-Cookie: s=0123456789abcdef", "Transfer-Encoding: chunked")
        return [opening, chunk(b'{"seen": "0123456789abcdef"}'), chunk(b"")]

    with serving(answer) as server, vcr.use_cassette(str(path)):
        call(httpx, "blocking", server.url)
    assert "0123456789abcdef" in path.read_text()
    recorder = Recorder(tmp_path / "b.json")
    for interaction in read_cassette(path).interactions:
        recorder.add(interaction)
    assert "0123456789abcdef" not in recorder.path.read_text()
