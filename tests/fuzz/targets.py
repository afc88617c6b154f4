"""What is fuzzed: one `Target` a reader, with seeds that are all our own, and what must hold of what was read."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import yaml
from playing import Target
from rich.console import Console

from conformance.adapters.addresses import find_adapter
from conformance.adapters.contract import AdapterError, AdapterInfo
from conformance.adapters.stdio import caller, faces, serve
from conformance.adapters.stdio.mishaps import OperationError, WrongFormError
from conformance.adapters.stdio.pipes import OutputEndedError, Pipes
from conformance.baseline import BaselineError, apply_baseline, read_baseline
from conformance.documents import Document
from conformance.engine.cases import Selection
from conformance.engine.pool import AdapterProbe
from conformance.http import Framing, FramingError, FrameStyle, Request, Response, frame, unframe
from conformance.judgements import JudgementError, read_judgements, with_judgements
from conformance.matrix import Matrix
from conformance.model import Conversation, UserTurn
from conformance.recordings.bodies import RecordError, decompressed
from conformance.recordings.identity import Identifier
from conformance.recordings.recording import recordings
from conformance.recordings.store import CassetteError, read_cassette, write_cassette
from conformance.recordings.structure import structure
from conformance.recordings.volatile import BUILT_IN
from conformance.report.badge import badges
from conformance.report.coverage import coverage
from conformance.report.diff import diff_lines, difference
from conformance.report.findings import findings
from conformance.report.html import page
from conformance.report.junit import junit
from conformance.report.markdown import markdown
from conformance.report.merge import MergeError, merged_results
from conformance.report.terminal import render
from conformance.result import ResultError, as_text, read_result
from conformance.scenario_files import write_scenario
from conformance.scenarios import ScenarioError, Shelf, load_scenario
from conformance.traffic.audit import Audit
from conformance.traffic.secrets import SecretAudit
from conformance.wires import PROVIDERS, wire
from conformance.wires.host import read_host
from conformance.wires.host_file import HostError

ROOT = Path(__file__).resolve().parents[2]
ROOMS = tuple(name for name in PROVIDERS if (ROOT / "conformance/wires" / name.replace("-", "_")).is_dir())
"""The providers with a reader of their own."""
JUDGEMENTS = ROOT / "judgements/libraries"
STAMP = 2026
"""What chance starts from where seeds are chosen."""


def _some(paths: Iterator[Path], count: int, largest: int = 12_000) -> list[bytes]:
    """A few files, none of them large, the same each time."""
    files = [path for path in sorted(paths) if path.stat().st_size <= largest]
    return [path.read_bytes() for path in Random(STAMP).sample(files, min(count, len(files)))]


@cache
def _exchanges(provider: str, count: int = 12) -> list[tuple[bytes, bytes]]:
    """Requests and answers of our own cassettes: body and body."""
    found = []
    for data in _some((ROOT / "cassettes" / provider).glob("*.json"), count, 40_000):
        for item in json.loads(data)["interactions"]:
            asked, answered = item["request"]["body"], item["response"]["body"]["string"]
            if isinstance(asked, str) and isinstance(answered, str):
                found.append((asked.encode(), answered.encode()))
    return found


def _cuts(data: bytes) -> list[bytes]:
    """The input in pieces, cut by what it holds."""
    chance = Random(len(data))
    places = sorted(chance.randrange(len(data) + 1) for _ in range(min(50, len(data))))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


# --- framing ---------------------------------------------------------------------------------------------------------


def _streams(framing: Framing) -> list[bytes]:
    """Recorded streams that have this framing, and the same events in it."""
    events = [
        event
        for provider in ROOMS
        for _, answer in _exchanges(provider, 6)
        if not answer.startswith(b"{") or b"\n{" in answer
        for event in wire(provider).events([answer])
    ]
    events = [event for event in events if event.data.startswith("{") and len(event.data) < 2000]
    chance, styles = Random(STAMP), (FrameStyle(), FrameStyle(line_end="\r\n", comments=True, bom=True, space=False))
    return [
        b"".join(frame(chance.sample(events, min(12, len(events))), framing, style)) for style in styles for _ in range(4)
    ]


def _read_frames(framing: Framing) -> Callable[[bytes, Path], None]:
    def read(data: bytes, folder: Path) -> None:
        events = list(unframe([data], framing))
        assert list(unframe(_cuts(data), framing)) == events, "cut differently, there are other events"
        for style in (FrameStyle(), FrameStyle(comments=True, space=False)):
            if framing != "json-array":
                again = list(unframe(frame(events, framing, style), framing))
                assert again == events, "written and read again, there are other events"
            elif all(_is_json(event.data) and _is_flat(event.data) for event in events):
                again = list(unframe(frame(events, framing, style), framing))
                assert [json.loads(event.data) for event in again] == [json.loads(event.data) for event in events]

    return read


def _is_flat(text: str) -> bool:
    """Whether a text has few levels: what is laid out is indented, so it grows by each."""
    return text.count("[") + text.count("{") < 200


def _is_json(text: str) -> bool:
    try:
        return json.loads(text) == json.loads(text)  # NaN is none
    except (ValueError, RecursionError):
        return False


# --- wires -----------------------------------------------------------------------------------------------------------


def _messages(provider: str) -> list[bytes]:
    """Requests, answers, streams and errors of a provider."""
    texts = [text for pair in _exchanges(provider) for text in pair if len(text) < 20_000]
    return texts or [wire("openai-chat").card.id.encode()]


def _read_wire(provider: str) -> Callable[[bytes, Path], None]:
    speaker, talk = wire(provider), Conversation((UserTurn("hi"),))

    def read(data: bytes, folder: Path) -> None:
        for status in (200, 400, 529):
            response = Response(status, {"content-type": "application/json", "retry-after": "x"}, data)
            assert speaker.read_response(response, talk) == speaker.read_response(response, talk)
        whole = speaker.read_stream([data])
        assert speaker.read_stream(_cuts(data)) == whole, "cut differently, it says something else"
        if len(data) < 10_000:
            told = list(speaker.news([data], talk))
            assert told[-1].text == speaker.read_stream([data], talk).stop
        facts = speaker.facts(Request("POST", f"{speaker.card.base_url}/v1/x", {}, data))
        assert facts == speaker.facts(Request("POST", f"{speaker.card.base_url}/v1/x", {}, data))

    return read


# --- recordings ------------------------------------------------------------------------------------------------------


def _cassettes() -> list[bytes]:
    return [data for provider in ROOMS for data in _some((ROOT / "cassettes" / provider).glob("*.json"), 3)]


def _yaml_of(data: bytes) -> bytes:
    return yaml.safe_dump(json.loads(data), sort_keys=False, allow_unicode=True).encode()


def _read_cassette(suffix: str) -> Callable[[bytes, Path], None]:
    def read(data: bytes, folder: Path) -> None:
        path = folder / f"in{suffix}"
        path.write_bytes(data)
        found = read_cassette(path)
        provider = found.provenance.provider if found.provenance and found.provenance.provider in PROVIDERS else "cohere"
        list(recordings(found, Identifier(BUILT_IN), any_host=False))
        structure(provider, found.interactions)
        for target in (folder / "out.json", folder / "out.yaml"):
            again = read_cassette(write_cassette(target, found))
            assert again.interactions == tuple(map(_as_written, found.interactions)), "written, it says something else"
            assert again.provenance == found.provenance

    return read


def _as_written(item: Any) -> Any:
    """Fields of one name stand together, names of requests' fields in lower case, and a length describes our body."""
    names = list(dict.fromkeys(name for name, _ in item.headers))
    together = tuple((name, value) for wanted in names for name, value in item.headers if name == wanted)
    return dataclasses.replace(item, headers=together)


def _records() -> list[bytes]:
    """Exchanges as lines of JSON: of each provider one that is whole, one that streams, and one without a request."""
    lines = []
    for number, provider in enumerate(PROVIDERS):
        for asked, answered in _exchanges(provider, 3)[:4]:
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
    for data in _some((ROOT / "cassettes" / provider).glob("*.json"), 1, 40_000):
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


def _audited(suffix: str, *, packed: bool = False) -> Callable[[bytes, Path], None]:
    def read(data: bytes, folder: Path) -> None:
        path = folder / f"in{suffix}{'.gz' if packed else ''}"
        path.write_bytes(data)
        audit, secrets = Audit(), SecretAudit()
        for _ in (*audit.read(path), *secrets.read(path)):
            pass
        assert not audit.broken, f"a rule broke: {audit.broken[0].rule}: {audit.broken[0].why}"
        assert all("\n" not in item.why and len(item.why) <= 1000 for item in audit.unreadable), "no line"
        surprises = [item.why for item in audit.unreadable if item.why.startswith("it cannot be read: ")]
        assert not surprises, f"nobody expected {surprises[0]}"
        json.loads(json.dumps(audit.document()))

    return read


def _packed() -> list[bytes]:
    bodies = [b"".join(_records()[start : start + 3]) for start in (0, 7, 13)]
    return [gzip.compress(body, 6, mtime=0) for body in bodies]


def _coded() -> list[bytes]:
    """Bodies in a content coding, each behind a line with its name."""
    import zlib

    import brotli
    import zstandard

    body = _exchanges("anthropic", 2)[0][1]
    coded = {
        b"gzip": gzip.compress(body, mtime=0), b"deflate": zlib.compress(body), b"br": brotli.compress(body),
        b"zstd": zstandard.compress(body), b"gzip, br": brotli.compress(gzip.compress(body, mtime=0)), b"identity": body,
    }  # fmt: skip
    return [name + b"\n" + packed for name, packed in coded.items()]


def _decode(data: bytes, folder: Path) -> None:
    name, _, body = data.partition(b"\n")
    decompressed(body, name.decode("latin-1"))


# --- files of ours ---------------------------------------------------------------------------------------------------


def _scenario_files() -> list[bytes]:
    families = [path for path in (ROOT / "scenarios").iterdir() if path.is_dir() and path.name != "generated"]
    texts = [text for family in sorted(families) for text in _some(family.glob("*.yaml"), 2)]
    return [*texts, *(json.dumps(yaml.safe_load(text)).encode() for text in texts[::2])]


def _read_scenario(data: bytes, folder: Path) -> None:
    (folder / "family").mkdir()
    shelf = Shelf.packaged()
    for suffix in (".yaml", ".json"):
        path = folder / "family" / f"name{suffix}"
        path.write_bytes(data)
        if suffix == ".json" and not data.startswith(b"{"):
            continue
        scenario = load_scenario(path, shelf)
        write_scenario(scenario, folder / "family" / f"again{suffix}")


def _shelf_files() -> list[bytes]:
    """Tools and pictures of a folder of scenarios, as one document."""
    both = {name: yaml.safe_load((ROOT / "scenarios" / f"{name}.yaml").read_bytes()) for name in ("tools", "images")}
    return [json.dumps(both).encode(), json.dumps(both | {"images": {}}).encode()]


def _read_shelf(data: bytes, folder: Path) -> None:
    try:
        document = json.loads(data)
        files = {name: json.dumps(document[name]).encode() for name in ("tools", "images")}
    except (ValueError, LookupError, TypeError, RecursionError):
        files = {"tools": data, "images": data}
    for name, text in files.items():
        (folder / f"{name}.yaml").write_bytes(text)
    Shelf.of(folder)


@cache
def _results() -> list[bytes]:
    """Results of runs, with a few of their cells."""
    made = []
    for name in ("reference", "libraries"):
        document = json.loads((ROOT / "reports" / name / "result.json").read_bytes())
        for seed in range(3):
            cells = Random(seed).sample(document["cells"], 4)
            cells += Random(seed).sample([cell for cell in document["cells"] if cell["failures"]] or cells, 1)
            cells = [{**cell, "failures": cell["failures"][:1]} for cell in cells]
            kept = {failure["evidence"] for cell in cells for failure in cell["failures"]}
            ids = [{cell[key] for cell in cells} for key in ("adapter", "rule")]
            made.append({
                **document, "cells": cells,
                "adapters": [{**one, "capabilities": {}} for one in document["adapters"] if one["id"] in ids[0]],
                "rules": [one for one in document["rules"] if one["id"] in ids[1]],
                "evidence": {key: value for key, value in document["evidence"].items() if key in kept},
            })  # fmt: skip
    return [json.dumps(document).encode() for document in made]


def _read_result(data: bytes, folder: Path) -> None:
    path = folder / "result.json"
    path.write_bytes(data)
    document = merged_results([read_result(path)])
    path.write_text(as_text(document), "utf-8")
    assert merged_results([read_result(path)]) == document, "written, it says something else"
    for show in (markdown, coverage, page, junit):
        show(document).encode("utf-8", "surrogatepass")
    list(badges(document))
    list(diff_lines(difference(document, document)))
    render(document, Console(file=io.StringIO(), width=100), verbose=True)


BASELINE = """
expected_failures:
  - rule: common.result.no-orphan
    adapter: "*"
    provider: openai-*
    case: shell.success/*
    reason: known
    link: https://example.org/issues/1
    expires: 2027-01-31
  - {rule: chat.*, reason: "known too", link: "https://example.org/2", expires: "2026-12-01"}
"""


def _baselines() -> list[bytes]:
    return [BASELINE.encode(), json.dumps(yaml.safe_load(BASELINE), default=str).encode()]


def _read_baseline(data: bytes, folder: Path) -> None:
    import datetime

    path = folder / "baseline.yaml"
    path.write_bytes(data)
    entries = read_baseline(path)
    found = apply_baseline(entries, _matrix(), datetime.date(2026, 11, 23))
    assert all(_is_line(line) for line in found), "a complaint is no line"


def _matrix() -> Matrix:
    info = AdapterInfo("mine", {"openai-chat": {"blocking"}})
    return Matrix([AdapterProbe("mine", info, "translator")], {}, Selection(rules=("chat.*",)))


def _is_line(text: str) -> bool:
    return "\n" not in text and "\r" not in text


def _judgement_files() -> list[bytes]:
    """Judgements, with their causes after a line of their own."""
    causes = (JUDGEMENTS / "causes.yaml").read_bytes()
    texts = _some((path for path in JUDGEMENTS.glob("*.yaml") if path.name != "causes.yaml"), 4, 8_000)
    small = yaml.safe_dump({"causes": yaml.safe_load(causes)["causes"]}, sort_keys=False).encode()
    wholes = [text + BETWEEN + small for text in texts]
    return [*wholes, *(json.dumps(yaml.safe_load(text)).encode() + BETWEEN + small for text in texts)]


BETWEEN = b"\n# causes\n"


def _read_judgements(data: bytes, folder: Path) -> None:
    own, between, causes = data.partition(BETWEEN)
    (folder / "mine.yaml").write_bytes(own)
    if between:
        (folder / "causes.yaml").write_bytes(causes)
    found = read_judgements(folder)
    document: Document = json.loads(_results()[-1])
    findings(with_judgements(document, found), found, {})


def _host_files() -> list[bytes]:
    return [path.read_bytes() for path in sorted((ROOT / "conformance/wires/hosts").glob("*.toml"))]


def _read_host(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    name = next((line.split('"')[1] for line in text.splitlines() if line.startswith("id = ") and '"' in line[5:-1]), "x")
    host = read_host(text, f"{name}.toml")
    if host.wire in ROOMS:
        base = wire(host.wire)
        base.at(host.card(base.card, host.wire), host.section("deviations"))


# --- JSON-RPC --------------------------------------------------------------------------------------------------------


class Parrot:
    """A child that says the lines of an input, one for each request, through real pipes."""

    prints_stacks = False
    said = ""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines = lines

    def ask(self, operation: str, line: bytes, until: float, seconds: float) -> bytes:
        said = os.memfd_create("line")
        ends = os.open(os.devnull, os.O_WRONLY), said, os.open(os.devnull, os.O_RDONLY)
        try:
            os.write(said, next(self._lines, b""))
            os.lseek(said, 0, os.SEEK_SET)
            return Pipes(*ends, lambda: True).ask(line, until)
        except OutputEndedError:
            raise OperationError("it ended") from None
        finally:
            for end in ends:
                os.close(end)

    def kill(self) -> None:
        """It is no process."""

    def shut_down(self, goodbye: bytes) -> None:
        """It is no process."""


TURN = {
    "type": "assistant", "text": "a", "stop": "tool_calls", "refusal": None, "opaque": {"x": 1},
    "calls": [{"id": "1", "name": "f", "arguments": {"a": 1}}, {"id": "2", "name": "g", "arguments_json": '{"a":1e3}'}],
    "usage": {"input_tokens": 1, "output_tokens": 2}, "error": {"message": "m", "status": 429, "retry_after": 1.5},
}  # fmt: skip
REQUEST = {"method": "POST", "url": "https://x/v1", "headers": {"a": "b"}, "body": {"base64": "e30="}}


def _hello(kind: str, **more: Any) -> Any:
    told = {"name": "n", "language": "l", "kind": kind, "version": "1", "providers": {"openai-chat": ["blocking"]}}
    return {"protocol": 1, "adapter": {**told, **more}}


def _conversations() -> list[bytes]:
    """What children answer: to initialize, to build_request, parse_response and parse_stream, or to run."""
    ours = _hello("translator", ours=True, tells=True)
    held = {**TURN, "opaque": {"held": 1, "shown": "x"}}
    news = {"told": [{"given": 1, "kind": "text", "text": "a", "call": 0}], "closed": True, "failure": ""}
    talks: list[list[Any]] = [
        [_hello("translator"), REQUEST, TURN, TURN, None], [ours, REQUEST, held, held, news],
        [_hello("client"), TURN], [_hello("agent"), {"text": "done"}],
    ]  # fmt: skip
    texts = [
        b"".join(
            json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n"
            for number, result in enumerate(talk, 1)
        )
        for talk in talks
    ]
    error = {"code": -32001, "message": "no", "data": {"detail": "d", "obstacle": {"kind": "unusable", "error": "e"}}}
    failed = json.dumps({"jsonrpc": "2.0", "id": 2, "error": error, "changes": [{"at": "/a", "before": 1}]}).encode()
    asks = json.dumps({"jsonrpc": "2.0", "id": "1", "method": "call_tool", "params": {"id": "1", "name": "f"}}).encode()
    first = texts[3].splitlines(keepends=True)
    return [*texts, texts[0].splitlines(keepends=True)[0] + failed + b"\n", first[0] + asks + b"\n" + first[1]]


class Nowhere:
    """An endpoint that nobody asks."""

    url, api_key = "http://127.0.0.1:1", "k"
    requests: Sequence[Any] = ()
    answered = False

    def answer(self, request: Request) -> Any:
        raise OSError("nobody is there")


def _read_conversation(data: bytes, folder: Path) -> None:
    parrot = Parrot(iter(data.splitlines(keepends=True)))
    with mock.patch.object(caller, "ChildProcess", lambda *a, **k: parrot), mock.patch.object(caller, "Guard", mock.Mock):
        face = faces.introduced("stdio:x", ["x"], answer_seconds=5.0, start_seconds=5.0)
        talk, endpoint = Conversation((UserTurn("hi"),)), Nowhere()
        refused: list[Exception] = []
        operations: Mapping[type[Any], Sequence[Callable[[Any], Any]]] = {
            faces.StdioTranslator: (
                lambda it: it.build_request("openai-chat", talk, stream=False),
                lambda it: it.parse_response("openai-chat", Response(200, {}, b"{}"), conversation=talk),
                lambda it: it.parse_stream("openai-chat", [b"data: {}"], conversation=talk),
                lambda it: it.hear("openai-chat", [b"data: {}"], talk, []),
            ),
            faces.StdioClient: (lambda it: it.complete("openai-chat", talk, stream=False, endpoint=endpoint),),
            faces.StdioAgent: (
                lambda it: it.run("openai-chat", "t", [], endpoint=endpoint, system=None, stream=False),
            ),
        }  # fmt: skip
        for operation in operations[type(face)]:
            try:
                operation(face)
            except (OperationError, WrongFormError) as problem:
                refused.append(problem)
        face.close()
        assert all(_is_line(str(problem)) for problem in refused), "a refusal is no line"


def _requests() -> list[bytes]:
    """What the harness asks our own child, line by line, as it does when it plays."""
    lines: list[bytes] = []

    class Listening(Parrot):
        def ask(self, operation: str, line: bytes, until: float, seconds: float) -> bytes:
            lines.append(line)
            return super().ask(operation, line, until, seconds)

    texts = _conversations()[1].splitlines(keepends=True)
    with (
        mock.patch.object(caller, "ChildProcess", lambda *a, **k: Listening(iter(texts))),
        mock.patch.object(caller, "Guard", mock.Mock),
    ):
        face: Any = faces.introduced("stdio:x", ["x"])
        talk = Conversation((UserTurn("hi"),), system="s")
        face.build_request("anthropic", talk, stream=True)
        face.parse_response("anthropic", Response(200, {"a": "b"}, _exchanges("anthropic")[0][1]), conversation=talk)
        face.parse_stream("anthropic", [b"event: x\n", b"data: {}\n\n"], conversation=talk)
        face.close()
    return [b"".join(lines), *lines]


class Listener:
    """The child's end of the pipes, in memory."""

    answering = False

    def __init__(self, data: bytes) -> None:
        self._lines = iter(data.split(b"\n"))
        self.said: list[bytes] = []

    def read(self) -> bytes:
        """The next line that is not empty; empty at the end."""
        return next((line for line in self._lines if line), b"")

    def answer(self, line: bytes) -> None:
        """Keep an answer."""
        self.said.append(line)


@cache
def _served() -> Any:
    return find_adapter("reference")


def _read_requests(data: bytes, folder: Path) -> None:
    channel = Listener(data)
    server = serve.Server(_served(), lambda method, params: None)
    serve.serve(server.answer, channel, lambda: server.done)  # type: ignore[arg-type]
    asked = sum(bool(line) for line in data.split(b"\n"))
    assert server.done or len(channel.said) == asked, "a request without an answer"
    for line in channel.said:
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        assert ("result" in message) != ("error" in message)


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        *(
            Target(f"framing-{framing}", lambda framing=framing: _streams(framing), _read_frames(framing),  # type: ignore[misc]
                   (FramingError,) if framing == "json-array" else (), "a stream's bytes as events")
            for framing in ("sse", "ndjson", "json-array")
        ),
        *(
            Target(f"wire-{name}", lambda name=name: _messages(name), _read_wire(name), (),  # type: ignore[misc]
                   "requests, answers, streams and errors of a provider", 40)
            for name in ROOMS
        ),
        Target("cassette-json", _cassettes, _read_cassette(".json"), (CassetteError,), "a cassette in JSON"),
        Target("cassette-yaml", lambda: [_yaml_of(data) for data in _cassettes()[::2]], _read_cassette(".yaml"),
               (CassetteError,), "a cassette in YAML", 40),
        Target("codings", _coded, _decode, (RecordError,), "a body in a content coding"),
        Target("audit-jsonl", _records, _audited(".jsonl"), (), "recorded traffic, a line an exchange", 80),
        Target("audit-har", _archives, _audited(".har"), (), "an HTTP archive"),
        Target("audit-yaml", lambda: [_yaml_of(data) for data in _cassettes()[1::3]], _audited(".yaml"), (),
               "others' cassettes in YAML", 40),
        Target("audit-json", _cassettes, _audited(".json"), (), "others' cassettes in JSON", 40),
        Target("audit-gz", _packed, _audited(".jsonl", packed=True), (), "recorded traffic, packed"),
        Target("scenario", _scenario_files, _read_scenario, (ScenarioError,), "a scenario", 40),
        Target("shelf", _shelf_files, _read_shelf, (ScenarioError,), "tools and pictures of scenarios"),
        Target("result", _results, _read_result, (ResultError, MergeError), "a result, and all that is made of it", 30),
        Target("baseline", _baselines, _read_baseline, (BaselineError,), "a baseline"),
        Target("judgements", _judgement_files, _read_judgements, (JudgementError,), "judgements and causes", 40),
        Target("host", _host_files, _read_host, (HostError,), "a host's card"),
        Target("stdio-harness", _conversations, _read_conversation, (AdapterError, OperationError),
               "what a child answers", 80),
        Target("stdio-child", _requests, _read_requests, (), "what our own child is asked", 40),
    )
}  # fmt: skip
"""Every target by name."""
