"""What else is large for the measurement of growth: files, streams, lines of children, and texts that may hold secrets.

A maker makes something of a size and returns the work: what reads, scrubs or searches it.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.adapters.stdio.messages import plain_answer_of
from conformance.adapters.stdio.reading import TurnForm, assistant
from conformance.baseline import apply_baseline, read_baseline
from conformance.engine.cases import Selection
from conformance.http import Framing, Request, unframe
from conformance.masking.door import Mask, masked_text
from conformance.masking.known import KnownSecrets
from conformance.matrix import Matrix
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.scan import scan_interaction
from conformance.recordings.scrub import Scrubber
from conformance.recordings.store import read_cassette, write_cassette
from conformance.report.merge import merged_results
from conformance.result import as_text, read_result
from conformance.scenarios import Shelf, load_scenario
from conformance.traffic.audit import Audit
from conformance.traffic.files import read_file
from conformance.traffic.secrets import SecretAudit

ROOT = Path(__file__).resolve().parent.parent
Work = Callable[[], object]
Maker = Callable[[int, Path], Work]
FEW = 20
"""Of what one piece is large by itself, so many pieces stand for a size of a hundred times as many."""


def all_of(items: Iterator[object]) -> int:
    """Read to the end."""
    return sum(1 for _ in items)


# --- recorded traffic ------------------------------------------------------------------------------------------------


def _asked(number: int, calls: int = 1) -> dict[str, Any]:
    """A request of the chat format."""
    made = [{"id": f"c{number}_{call}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            for call in range(calls)]  # fmt: skip
    told = [{"role": "tool", "tool_call_id": call["id"], "content": "done"} for call in made]
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": made}, *told]
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    return {"model": "gpt-4o", "messages": messages, "tools": [tool]}


ANSWER = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "ok"}}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip
URL = "https://api.openai.com/v1/chat/completions"


def _line(number: int, request: Any, previous: int | None = None) -> str:
    return json.dumps({
        "id": f"r{number}", "method": "POST", "host": "api.openai.com", "path": "/v1/chat/completions", "status": 200,
        "request": request, "response": ANSWER, "conversation": "c",
        "prev": None if previous is None else f"r{previous}",
    })  # fmt: skip


def lines(size: int, folder: Path) -> Path:
    """Many exchanges in JSON Lines, of one conversation."""
    path = folder / "many.jsonl"
    path.write_text("\n".join(_line(number, _asked(number)) for number in range(size // FEW)) + "\n", "utf-8")
    return path


def lines_backwards(size: int, folder: Path) -> Path:
    """Exchanges in JSON Lines that each wait for the next line."""
    path = folder / "backwards.jsonl"
    many = size // FEW
    found = [_line(number, _asked(number), number + 1) for number in range(many)]
    path.write_text("\n".join([*found, _line(many, _asked(0))]) + "\n", "utf-8")
    return path


def one_line(size: int, folder: Path) -> Path:
    """One exchange in JSON Lines, with many calls."""
    path = folder / "one.jsonl"
    path.write_text(_line(0, _asked(0, size)) + "\n", "utf-8")
    return path


def bad_lines(size: int, folder: Path) -> Path:
    """Lines that are no JSON."""
    path = folder / "bad.jsonl"
    path.write_text('{"a":\n' * size, "utf-8")
    return path


def archive(size: int, folder: Path) -> Path:
    """Many exchanges in an HTTP archive."""
    path = folder / "many.har"
    entry = {
        "request": {"method": "POST", "url": URL, "headers": [], "postData": {"text": json.dumps(_asked(0))}},
        "response": {"status": 200, "headers": [], "content": {"text": json.dumps(ANSWER)}},
    }
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": [entry] * (size // FEW)}}, indent=0), "utf-8")
    return path


def archive_of_headers(size: int, folder: Path) -> Path:
    """An exchange in an HTTP archive, with many headers, a quarter of which come twice."""
    path = folder / "headers.har"
    headers = [{"name": f"x-h{number % (size - size // 4)}", "value": f"v{number}"} for number in range(size)]
    entry = {
        "request": {"method": "POST", "url": URL, "headers": headers, "postData": {"text": json.dumps(_asked(0))}},
        "response": {"status": 200, "headers": headers, "content": {"text": json.dumps(ANSWER)}},
    }
    path.write_text(json.dumps({"log": {"version": "1.2", "entries": [entry]}}), "utf-8")
    return path


def others_yaml(size: int, folder: Path) -> Path:
    """Others' cassette in YAML."""
    path = folder / "others.yaml"
    answer = json.dumps(ANSWER)
    one = (
        f"- request:\n    method: POST\n    uri: {URL}\n    headers: {{}}\n    body: '{json.dumps(_asked(0))}'\n"
        f"  response:\n    status: {{code: 200, message: OK}}\n    headers: {{}}\n    body: {{string: '{answer}'}}\n"
    )
    path.write_text(f"interactions:\n{one * (size // FEW)}version: 1\n", "utf-8")
    return path


FILES = (lines, lines_backwards, one_line, bad_lines, archive, archive_of_headers, others_yaml)


def readers_of_files(file: Callable[[int, Path], Path]) -> Mapping[str, Maker]:
    """What is done with a file of recorded traffic."""
    return {
        "reader of recorded traffic": lambda size, folder: _of_file(file(size, folder), lambda p: all_of(read_file(p))),
        "audit": lambda size, folder: _of_file(file(size, folder), _audited),
        "audit --secrets": lambda size, folder: _of_file(file(size, folder), lambda p: all_of(SecretAudit().read(p))),
    }


def _of_file(path: Path, work: Callable[[Path], object]) -> Work:
    return lambda: work(path)


def _audited(path: Path) -> object:
    audit = Audit()
    for _ in audit.read(path):
        pass
    return audit.document()


# --- cassettes -------------------------------------------------------------------------------------------------------


def _interaction(number: int, body: bytes = b"", headers: tuple[tuple[str, str], ...] = ()) -> Interaction:
    request = Request("POST", URL, {"content-type": "application/json"}, body or json.dumps(_asked(number)).encode())
    return Interaction(request, 200, (("content-type", "application/json"), *headers), (json.dumps(ANSWER).encode(),))


def many_interactions(size: int) -> Cassette:
    """Many interactions."""
    return Cassette(tuple(map(_interaction, range(size // 4))))


def many_keys(size: int) -> Cassette:
    """An interaction whose request has many members with secret names."""
    body = json.dumps({f"api_key_{number}": f"Zx9{number:09d}Qq7" for number in range(size)}).encode()
    return Cassette((_interaction(0, body),))


def many_headers(size: int) -> Cassette:
    """An interaction whose answer has many secret headers."""
    return Cassette((_interaction(0, b"", tuple((f"x-key-{n}", f"Zx9{n:09d}Qq7") for n in range(size))),))


def nested(size: int) -> Cassette:
    """An interaction whose request nests deeply and is cut off."""
    return Cassette((_interaction(0, b'{"a":' * size),))


def many_chunks(size: int) -> Cassette:
    """A stream in many chunks."""
    one = json.dumps({"choices": [{"index": 0, "delta": {"content": "x"}}]})
    chunks = (f"data: {one}\n\n".encode(),) * size
    request = Request("POST", URL, {"content-type": "application/json"}, json.dumps(_asked(0)).encode())
    return Cassette((Interaction(request, 200, (("content-type", "text/event-stream"),), chunks),))


CASSETTES = (many_interactions, many_keys, many_headers, nested, many_chunks)


def works_with_cassettes(made: Callable[[int], Cassette]) -> Mapping[str, Maker]:
    """What is done with a cassette."""

    def written(suffix: str) -> Maker:
        return lambda size, folder: _of_file(write_cassette(folder / f"c{suffix}", made(size)), read_cassette)

    def scrubbed(size: int, folder: Path) -> Work:
        cassette = made(size)

        def work() -> object:
            scrubber = Scrubber()
            return [scrubber.scrub(item) for item in cassette.interactions]

        return work

    def scanned(size: int, folder: Path) -> Work:
        cassette = made(size)
        return lambda: [all_of(iter(scan_interaction(item, 1, KnownSecrets()))) for item in cassette.interactions]

    return {
        "reader of cassettes in JSON": written(".json"), "reader of cassettes in YAML": written(".yaml"),
        "scrubber of cassettes": scrubbed, "scanner of cassettes": scanned,
    }  # fmt: skip


# --- streams, children, files of ours --------------------------------------------------------------------------------


def _framed(framing: Framing, events: Callable[[int], bytes], pieces: int) -> Maker:
    def maker(size: int, folder: Path) -> Work:
        data = events(size)
        step = pieces or len(data)
        chunks = [data[start : start + step] for start in range(0, len(data), step)]
        return lambda: all_of(iter(unframe(chunks, framing)))

    return maker


EVENTS: Mapping[str, tuple[Framing, Callable[[int], bytes]]] = {
    "events of sse": ("sse", lambda size: b'data: {"a": 1}\n\n' * size),
    "an event of many lines": ("sse", lambda size: b'data: "a"\n' * size + b"\n"),
    "comments": ("sse", lambda size: b": x\n" * size),
    "lines of ndjson": ("ndjson", lambda size: b'{"a": 1}\n' * size),
    "elements of json-array": ("json-array", lambda size: b"[" + b'{"a": 1},' * size + b'{"a": 1}]'),
    "a deep element of json-array": ("json-array", lambda size: b"[" + b'{"a":' * size),
    "a long element of json-array": ("json-array", lambda size: b'["' + b"a" * size * 4 + b'"]'),
    "a long line of ndjson": ("ndjson", lambda size: b'"' + b"a" * size * 4 + b'"\n'),
}


def _child(size: int, folder: Path) -> Work:
    calls = [{"id": f"c{number}", "name": "f", "arguments": {"a": number}} for number in range(size)]
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"type": "assistant", "calls": calls}}).encode()

    def work() -> object:
        answer = plain_answer_of(line, 1, TurnForm)
        return answer and assistant(answer.result)

    return work


def _result(size: int, folder: Path) -> Work:
    document = json.loads((ROOT / "reports" / "reference" / "result.json").read_bytes())
    cell = {**document["cells"][0], "scenarios": ["a.b"]}
    document["cells"] = [{**cell, "adapter": f"a{number}"} for number in range(size // FEW)]
    document["adapters"] = [{**document["adapters"][0], "id": f"a{n}", "name": f"a{n}"} for n in range(size // FEW)]
    path = folder / "result.json"
    path.write_text(json.dumps(document), "utf-8")
    return lambda: as_text(merged_results([read_result(path)]))


def _baseline(expires: str) -> Maker:
    def maker(size: int, folder: Path) -> Work:
        path = folder / "baseline.json"
        one = {"rule": "chat.*", "reason": "known", "link": "https://x.example/1", "expires": expires}
        entries = [{**one, "case": f"c{number}"} for number in range(size // FEW)]
        path.write_text(json.dumps({"expected_failures": entries}), "utf-8")
        matrix = Matrix([], {}, Selection(rules=("chat.*",)))
        return lambda: apply_baseline(read_baseline(path), matrix, datetime.date(2026, 11, 25))

    return maker


def _scenario(text: Callable[[int], str]) -> Maker:
    def maker(size: int, folder: Path) -> Work:
        path = folder / "one.yaml"
        path.write_text(text(size), "utf-8")

        def work() -> None:
            try:
                load_scenario(path, Shelf.packaged())
            except ValueError:
                return

        return work

    return maker


_HEAD = "title: x\nrules: [common.parse.args-decoded-object]\ntools: [read_file]\nsteps:\n  - user: Go on.\n"
_STEPS = "  - model: {text: a}\n  - user: Go on.\n"
OURS: Mapping[tuple[str, str], Maker] = {
    ("reader of a child's answers", "many calls"): _child,
    ("reader of results", "many cells"): _result,
    ("baseline", "many entries"): _baseline("2099-01-01"),
    ("baseline", "many entries that expired"): _baseline("2020-01-01"),
    ("reader of scenarios", "many steps"): _scenario(lambda size: _HEAD + _STEPS * (size // 4)),
    ("reader of scenarios", "a long text"): _scenario(lambda size: _HEAD + f"  - user: \"{'a ' * size}\"\n"),
    ("reader of scenarios", "flow nested deeply"): _scenario(lambda size: _HEAD + "x: " + "[" * size),
    ("reader of scenarios", "braces nested deeply"): _scenario(lambda size: "{a: " * size),
    ("reader of scenarios", "many aliases"): _scenario(lambda size: "a: &a [1]\nb: [" + "*a," * size + "]\n"),
    ("reader of scenarios", "many members"): _scenario(lambda size: "".join(f"k{n}: {n}\n" for n in range(size))),
}

# --- secrets ---------------------------------------------------------------------------------------------------------

UNITS = (
    "a", "A1", ".", "-", "/", "\\", "=", "&", "?", ";", ":", '"', "'", "<", "{", "[", "(", "%", " ", "\n", "é", "€",
    "&a=", "?key=a", "://", "://a:", "Bearer ", "Basic ", "Token token=", "Digest ", "AWS4-a a=", "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----", "PuTTY-User-Key-File-2:", "eyJ", "eyJaaaaaaaa.", "API key ", "access token is ",
    "api_key=", '"api_key": "', "password", "key", "key ", "token", "apiKey", "--user a:", "sk-", "sk-ant-", "SG.", "|",
    "-us", "%20", "&amp;", "<key>", "x-api-key: ", "Cookie: a=;", "key a=", "Q~", "\\u0061", "sk-a1", "AKIA",
)  # fmt: skip
"""What hostile texts repeat: the beginnings of keys, names, and signs of notations."""


def _masked(unit: str) -> Maker:
    def maker(size: int, folder: Path) -> Work:
        text = (unit * 4 * size)[: 4 * size]
        return lambda: masked_text(text)

    return maker


def _masked_document(document: Callable[[int], Any]) -> Maker:
    def maker(size: int, folder: Path) -> Work:
        made = document(size)
        return lambda: Mask().json(made)

    return maker


def _learned(size: int, folder: Path) -> Work:
    values = [f"Zx{number:09d}Qq7w" for number in range(size)]
    text = " ".join(values)

    def work() -> object:
        mask = Mask()
        mask.learn(values)
        return mask.text(text)

    return work


def _deep(size: int) -> Any:
    made: Any = "x"
    for _ in range(min(size, 900)):
        made = {"a": made}
    return [made] * (size // 900)


DOCUMENTS: Mapping[str, Callable[[int], Any]] = {
    "a document of many members": lambda size: {f"name{number}": f"value {number}" for number in range(size)},
    "a document of many keys": lambda size: {f"api_key_{number}": f"Zx9{number:09d}Qq7" for number in range(size)},
    "a document of pairs": lambda size: [["x-api-key", f"Zx9{number:09d}Qq7"] for number in range(size)],
    "a document that nests": _deep,
    "a document of bearers": lambda size: [f"Bearer Zx9{number:09d}Qq7ab" for number in range(size)],
}


def works() -> Iterator[tuple[str, str, Maker]]:
    """All of it: the name of the work, what is large, and what makes it."""
    for file in FILES:
        for name, maker in readers_of_files(file).items():
            yield name, file.__name__, maker
    for made in CASSETTES:
        for name, maker in works_with_cassettes(made).items():
            yield name, made.__name__, maker
    for about, (framing, events) in EVENTS.items():
        for way, pieces in {"in one piece": 0, "in pieces": 7}.items():
            yield f"framing {framing}", f"{about}, {way}", _framed(framing, events, pieces)
    for (name, about), maker in OURS.items():
        yield name, about, maker
    for unit in UNITS:
        yield "mask of a text", repr(unit), _masked(unit)
    for about, document in DOCUMENTS.items():
        yield "mask of a document", about, _masked_document(document)
    yield "mask of a text", "many learned secrets", _learned
