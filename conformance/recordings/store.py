"""Cassette files: vcrpy's format, version 1, with what vcrpy does not keep beside it.

    {"version": 1,
     "conformance": {"format": 1, "provenance": {…}},
     "interactions": [
       {"request": {"method", "uri", "body", "headers": {name: [values]}},
        "response": {"status": {"code", "message"}, "headers": {name: [values]}, "body": {"string"}},
        "conformance": {"chunks": [lengths in bytes], "ended": "whole" | "cut"}}]}

vcrpy ignores the keys named ``conformance``, so it loads these files as they are. Its own files load here, in JSON and
in YAML, and so do those of its relatives (see `conformance.recordings.messages`). A file is JSON when all its bodies
are UTF-8, and YAML otherwise, because JSON holds no bytes.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, fields
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import orjson
import yaml

from conformance.files.whole import write_whole
from conformance.model import Json
from conformance.recordings import yaml_events
from conformance.recordings.bodies import RecordError, unpacked
from conformance.recordings.interaction import Cassette, Ending, Headers, Interaction, Provenance
from conformance.recordings.messages import (
    KEYS,
    body_of,
    header_pairs,
    part,
    reason_of,
    request_in,
    status_of,
)
from conformance.wording import LineError

FORMAT = 1
"""Of what is under ``conformance``. A file with a later one is refused: what it means is not known here."""

MAX_FILE = 512_000_000
"""How many bytes a cassette may have: it is in memory as a whole."""

SUFFIXES = (".json", ".yaml", ".yml")


class CassetteError(LineError):
    """A cassette that cannot be read or written. The message is one line: the file, the place in it, and why."""

    def __init__(self, path: Path, why: str, place: str = "") -> None:
        super().__init__(f"{path}: {place}: {why}" if place else f"{path}: {why}")
        self.path = path
        self.place = place
        self.why = why


def cassette_path(root: Path, provider: str, scenario: str, *, streaming: bool) -> Path:
    """Where the recording of a scenario is kept, as JSON: ``<root>/<provider>/<scenario>.blocking|stream.json``."""
    return root / provider / f"{scenario}.{'stream' if streaming else 'blocking'}.json"


def find_cassette(path: Path) -> Path | None:
    """The file at ``path``, or the one beside it with another suffix of a cassette: binary bodies make it YAML."""
    return next((item for item in (path, *_with_suffixes(path)) if item.is_file()), None)


def _with_suffixes(path: Path) -> list[Path]:
    if path.suffix not in SUFFIXES:
        raise CassetteError(path, f"the suffix is none of {', '.join(SUFFIXES)}")
    return [path.with_suffix(suffix) for suffix in SUFFIXES]


# --- reading ---------------------------------------------------------------------------------------------------------


def read_cassette(path: Path) -> Cassette:
    """The cassette in a file. Bodies come out without their content coding. Raises `CassetteError`."""
    if path.suffix not in SUFFIXES:
        raise CassetteError(path, f"the suffix is none of {', '.join(SUFFIXES)}")
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise CassetteError(path, "not a regular file")
        if found.st_size > MAX_FILE:
            raise CassetteError(path, f"larger than {MAX_FILE} bytes")
        if path.suffix == ".json":
            return _of_json(path, path.read_bytes())
        with path.open("rb") as file:
            return _of_yaml(path, file)
    except OSError as problem:
        raise CassetteError(path, problem.strerror or str(problem)) from None


def _of_json(path: Path, data: bytes) -> Cassette:
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as problem:
        place = f"line {problem.lineno}, column {problem.colno}"
        raise CassetteError(path, f"not JSON: {problem.msg}", place) from None
    top = document if isinstance(document, dict) else {}
    found = next((top[key] for key in KEYS if isinstance(top.get(key), list)), None)
    if found is None:
        raise CassetteError(path, "not a cassette: it has no list of interactions")
    ours = top.get("conformance")
    return Cassette(_interactions(path, ((item, 0) for item in found)), _provenance(path, ours), str(path))


def _of_yaml(path: Path, file: Any) -> Cassette:
    before: dict[str, Json] = {}
    try:
        elements = yaml_events.yaml_elements(file, KEYS, before)
        interactions = _interactions(path, _plain(path, elements))
    except yaml.YAMLError as problem:
        place = f"line {yaml_events.line_of(problem)}"
        raise CassetteError(path, f"not YAML: {' '.join(str(problem).split())}", place) from None
    if not any(isinstance(before.get(key), list) for key in KEYS):
        raise CassetteError(path, "not a cassette: it has no list of interactions")
    return Cassette(interactions, _provenance(path, before.get("conformance")), str(path))


def _plain(path: Path, elements: Iterable[yaml_events.Element]) -> Iterator[tuple[Json, int]]:
    for number, element in enumerate(elements, 1):
        if element.problem is not None:
            raise CassetteError(path, element.problem, f"interaction {number}, line {element.line}")
        yield element.value, element.line


def _interactions(path: Path, found: Iterable[tuple[Json, int]]) -> tuple[Interaction, ...]:
    """Interactions from documents, each with the line in which it begins, or 0 where that is not known."""
    interactions: list[Interaction] = []
    for document, line in found:
        try:
            interactions.append(_interaction(document))
        except (RecordError, RecursionError) as problem:
            why = "nested too deeply" if isinstance(problem, RecursionError) else str(problem)
            place = f"interaction {len(interactions) + 1}{f', line {line}' if line else ''}"
            raise CassetteError(path, why, place) from None
    return tuple(interactions)


def _interaction(document: Json) -> Interaction:
    asked, answered = part(document, "request"), part(document, "response")
    headers = header_pairs(answered.get("headers"))
    body = body_of(answered) or b""
    coding = [value for name, value in headers if name == "content-encoding"]
    if coding:
        body = unpacked(body, ", ".join(coding))
        headers = tuple(field for field in headers if field[0] not in _OF_CODING)
    ours = document.get("conformance")
    chunks: tuple[bytes, ...] = (body,) if body else ()
    ended: Ending = "whole"
    if isinstance(ours, dict):
        chunks, ended = _chunks(body, ours.get("chunks")), ours.get("ended", "whole")
        if ended not in ("whole", "cut"):
            raise RecordError("the body ended neither 'whole' nor 'cut'")
    return Interaction(request_in(asked), status_of(answered), headers, chunks, ended, reason_of(answered))


_OF_CODING = frozenset({"content-encoding", "content-length"})
"""What describes the body as it was before its coding was undone."""


def _chunks(body: bytes, lengths: Json) -> tuple[bytes, ...]:
    if lengths == [len(body)]:
        return (body,)
    if not isinstance(lengths, list) or not set(map(type, lengths)) <= {int} or min(lengths, default=0) < 0:
        raise RecordError("the chunks are no list of lengths")
    places = list(accumulate(lengths, initial=0))
    if places[-1] != len(body):
        raise RecordError(f"the chunks have {places[-1]} bytes together, and the body {len(body)}")
    return tuple([body[start:end] for start, end in pairwise(places)])


def _provenance(path: Path, ours: Json) -> Provenance | None:
    """Provenance as it was written. Fields of a later version are left out, because it may add some."""
    if not isinstance(ours, dict):
        return None
    if ours.get("format") != FORMAT:
        raise CassetteError(path, f"its format is {ours.get('format')!r}, and this version reads {FORMAT}")
    found = ours.get("provenance")
    if found is None:
        return None
    if not isinstance(found, dict):
        raise CassetteError(path, "the provenance is no object")
    values = {}
    for name, right in _PROVENANCE.items():
        if name in found:
            if not right(found[name]):
                raise CassetteError(path, f"the provenance has no usable {name}")
            values[name] = found[name]
        elif name in _REQUIRED:
            raise CassetteError(path, f"the provenance has no {name}")
    return Provenance(**values)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _is_versions(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


_REQUIRED = frozenset({
    "provider", "model", "origin", "recorded", "adapter", "scenario", "delivery", "scenario_revision",
})  # fmt: skip

_PROVENANCE: dict[str, Callable[[Json], bool]] = dict.fromkeys((item.name for item in fields(Provenance)), _is_text) | {
    "origin": lambda value: value in ("live", "conformance serve"),
    "libraries": _is_versions,
    "api_version": lambda value: value is None or isinstance(value, str),
    "scrub_version": lambda value: type(value) is int,
}


# --- writing ---------------------------------------------------------------------------------------------------------


def write_cassette(path: Path, cassette: Cassette, check: Callable[[bytes], None] | None = None) -> Path:
    """Write a cassette, whole or not at all, and say where. ``check`` sees the bytes first, and may raise.

    ``path`` ends in ``.json``, ``.yaml`` or ``.yml``. When JSON cannot hold a body, the file is YAML beside it, and a
    JSON file of an earlier write is removed. Raises `CassetteError`; then the earlier file is as it was.
    """
    if path.suffix not in SUFFIXES:
        raise CassetteError(path, f"the suffix is none of {', '.join(SUFFIXES)}")
    binary = any(not _is_utf8(body) for item in cassette.interactions for body in (item.request.body, item.body))
    target = path.with_suffix(".yaml") if binary and path.suffix == ".json" else path
    data = dump_cassette(cassette, target.suffix)
    if check is not None:
        check(data)
    try:
        write_whole(target, data)
        if target != path:
            path.unlink(missing_ok=True)
    except OSError as problem:
        raise CassetteError(path, f"cannot be written: {problem.strerror or problem}") from problem
    return target


def dump_cassette(cassette: Cassette, suffix: str) -> bytes:
    """A cassette as the bytes of a file with this suffix."""
    document = {
        "version": 1,
        "conformance": {"format": FORMAT, "provenance": _shown(cassette.provenance)},
        "interactions": [_document(item, as_json=suffix == ".json") for item in cassette.interactions],
    }
    if suffix == ".json":
        return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text: bytes = yaml.dump(
        document, Dumper=dumper, allow_unicode=True, sort_keys=False, encoding="utf-8", width=2**31 - 1
    )
    return text


def _shown(provenance: Provenance | None) -> Json:
    return None if provenance is None else {**asdict(provenance), "libraries": dict(provenance.libraries)}


def _document(item: Interaction, *, as_json: bool) -> dict[str, Json]:
    lengths = [len(chunk) for chunk in item.chunks]
    request = item.request
    return {
        "request": {
            "method": request.method,
            "uri": request.url,
            "body": _readable(request.body),
            "headers": {name: [value] for name, value in request.headers.items()},
        },
        "response": {
            "status": {"code": item.status, "message": item.reason},
            "headers": _listed(item.headers),
            "body": {"string": _readable(item.body)},
        },
        # On one line: a stream has hundreds, and they are no news in a diff.
        "conformance": {"chunks": orjson.Fragment(orjson.dumps(lengths)) if as_json else lengths, "ended": item.ended},
    }


def _listed(headers: Headers) -> dict[str, list[str]]:
    listed: dict[str, list[str]] = {}
    for name, value in headers:
        listed.setdefault(name, []).append(value)
    return listed


def _readable(body: bytes) -> str | bytes:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body


def _is_utf8(body: bytes) -> bool:
    return isinstance(_readable(body), str)
