"""Cassettes, recorded traffic of others, archives, and content codings."""

from __future__ import annotations

import dataclasses
import gzip
import json
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml
from fuzz_playing import Target
from seeds import ROOMS, ROOT, exchanges, some_files

from conformance.recordings.bodies import RecordError, decompressed
from conformance.recordings.identity import Identifier
from conformance.recordings.recording import recordings
from conformance.recordings.store import CassetteError, read_cassette, write_cassette
from conformance.recordings.structure import structure
from conformance.recordings.volatile import BUILT_IN
from conformance.traffic.audit import Audit
from conformance.traffic.secrets import SecretAudit
from conformance.wires import PROVIDERS, wire


def _cassettes() -> list[bytes]:
    return [data for provider in ROOMS for data in some_files((ROOT / "cassettes" / provider).glob("*.json"), 3)]


def _yaml_of(data: bytes) -> bytes:
    return yaml.safe_dump(json.loads(data), sort_keys=False, allow_unicode=True).encode()


def _read_cassette(suffix: str, data: bytes, folder: Path) -> None:
    path = folder / f"in{suffix}"
    path.write_bytes(data)
    found = read_cassette(path)
    told = found.provenance.provider if found.provenance else ""
    provider = told if told in PROVIDERS else PROVIDERS[0]
    list(recordings(found, Identifier(BUILT_IN), any_host=False))
    structure(provider, found.interactions)
    for target in (folder / "out.json", folder / "out.yaml"):
        again = read_cassette(write_cassette(target, found))
        assert again.interactions == tuple(map(_as_written, found.interactions)), "written, it says something else"
        assert again.provenance == found.provenance


def _as_written(item: Any) -> Any:
    """Fields of one name stand together, names of requests' fields in lower case, and a length describes our body."""
    names = list(dict.fromkeys(name for name, _ in item.headers))
    together = tuple((name, value) for wanted in names for name, value in item.headers if name == wanted)
    return dataclasses.replace(item, headers=together)


def _records() -> list[bytes]:
    """Exchanges as lines of JSON: of each provider one that is whole, one that streams, and one without a request."""
    lines = []
    for number, provider in enumerate(PROVIDERS):
        for asked, answered in exchanges(provider, 3)[:4]:
            document = {
                "id": f"r{number}", "method": "POST", "host": wire(provider).card.base_url.split("/")[2],
                "path": _path(provider), "status": 200, "request": json.loads(asked) if asked else None,
                "request_headers": {"content-type": "application/json"}, "response_headers": {"x": ["a", "b"]},
                "conversation": "c", "turn": 1, "prev": None,
            }  # fmt: skip
            try:
                document["response"] = json.loads(answered)
            except ValueError:
                document["response_raw"] = answered.decode()
            lines.append(json.dumps(document).encode() + b"\n")
    return [line for line in lines if len(line) < 30_000]


@cache
def _path(provider: str) -> str:
    for data in some_files((ROOT / "cassettes" / provider).glob("*.json"), 1, 40_000):
        return "/" + str(json.loads(data)["interactions"][0]["request"]["uri"]).split("/", 3)[3]
    return "/v1/chat/completions"


def _archives() -> list[bytes]:
    """The same exchanges as HTTP archives."""
    made = []
    for record in map(json.loads, _records()[::3]):
        text = record.get("response_raw") or json.dumps(record.get("response"))
        asked = {
            "method": "POST", "url": f"https://{record['host']}{record['path']}", "httpVersion": "HTTP/1.1",
            "headers": [{"name": "Content-Type", "value": "application/json"}], "queryString": [],
            "postData": {"mimeType": "application/json", "text": json.dumps(record["request"])},
        }  # fmt: skip
        answered = {
            "status": 200, "headers": [], "content": {"size": len(text), "mimeType": "text/plain", "text": text},
        }
        made.append({"log": {"version": "1.2", "entries": [{"request": asked, "response": answered}]}})
    return [json.dumps(document).encode() for document in made]


def _audit(suffix: str, data: bytes, folder: Path) -> None:
    path = folder / f"in{suffix}"
    path.write_bytes(data)
    audit, secrets = Audit(), SecretAudit()
    for _ in (*audit.read(path), *secrets.read(path)):
        pass
    assert not audit.broken, f"a rule broke: {audit.broken[0].rule}: {audit.broken[0].why}"
    assert all("\n" not in item.why and len(item.why) <= 1000 for item in audit.unreadable), "no line"
    surprises = [item.why for item in audit.unreadable if item.why.startswith("it cannot be read: ")]
    assert not surprises, f"nobody expected {surprises[0]}"
    json.loads(json.dumps(audit.document()))


def _told() -> list[bytes]:
    """Lines of traces and logs: the first of each teller, and the messages of one call, which stand in several."""
    files = sorted((ROOT / "tests" / "traffic" / "told").glob("*.jsonl"))
    lines = [file.read_bytes().splitlines(keepends=True) for file in files]
    return [b"".join(of[:3]) if b"logRecords" in of[0] else of[0] for of in lines]


def _packed() -> list[bytes]:
    bodies = [b"".join(_records()[start : start + 3]) for start in (0, 7, 13)]
    return [gzip.compress(body, 6, mtime=0) for body in bodies]


def _coded() -> list[bytes]:
    """Bodies in a content coding, each behind a line with its name."""
    import zlib

    import brotli
    import zstandard

    body = exchanges("anthropic", 2)[0][1]
    coded = {
        b"gzip": gzip.compress(body, mtime=0), b"deflate": zlib.compress(body), b"br": brotli.compress(body),
        b"zstd": zstandard.compress(body), b"identity": body,
        b"gzip, br": brotli.compress(gzip.compress(body, mtime=0)),
    }  # fmt: skip
    return [name + b"\n" + packed for name, packed in coded.items()]


def _decode(data: bytes, folder: Path) -> None:
    name, _, body = data.partition(b"\n")
    decompressed(body, name.decode("latin-1"))


TARGETS = (
    Target("cassette-json", _cassettes, partial(_read_cassette, ".json"), (CassetteError,), "a cassette in JSON"),
    Target("cassette-yaml", lambda: [_yaml_of(data) for data in _cassettes()[::2]], partial(_read_cassette, ".yaml"),
           (CassetteError,), "a cassette in YAML", 40),
    Target("codings", _coded, _decode, (RecordError,), "a body in a content coding"),
    Target("audit-jsonl", _records, partial(_audit, ".jsonl"), (), "recorded traffic, a line an exchange", 80),
    Target("audit-har", _archives, partial(_audit, ".har"), (), "an HTTP archive"),
    Target("audit-yaml", lambda: [_yaml_of(data) for data in _cassettes()[1::3]], partial(_audit, ".yaml"), (),
           "others' cassettes in YAML", 40),
    Target("audit-json", _cassettes, partial(_audit, ".json"), (), "others' cassettes in JSON", 40),
    Target("audit-told", _told, partial(_audit, ".jsonl"), (), "traces and logs of gateways", 40),
    Target("audit-gz", _packed, partial(_audit, ".jsonl.gz"), (), "recorded traffic, packed"),
)  # fmt: skip
