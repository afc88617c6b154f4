"""Issuing a certificate: a subject is played, all that is said to it is written down, and all goes into one archive."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from conformance.adapters.endpoint import Endpoint
from conformance.adapters.stdio.tape import VARIABLE
from conformance.certificates.archive import ABOUT, LOCK, MAX_FILE, RESULT, TRANSCRIPT, ArchiveError
from conformance.certificates.subjects import library_at, lock_text, packages_of
from conformance.documents import Document
from conformance.environments.places import runtime
from conformance.files.scratch import scratch
from conformance.history.keeping import suite_mark
from conformance.masking.door import own_mask
from conformance.report.script.failing import variables
from conformance.result import as_text
from conformance.runner.entry import run
from conformance.schemas import schema
from conformance.version import VERSION

OUR_KEY = re.compile(rf"(\w+ )?{Endpoint.api_key}")
"""How the key that the subject was given stands in a header."""
MAX_TAPE = 4 * MAX_FILE[TRANSCRIPT]
"""How many bytes may be written down before what was said twice is taken out."""


def certificate_of(
    address: str, selection: Mapping[str, Any], command: str, jobs: int | None
) -> tuple[int, dict[str, bytes]]:
    """Play the subject: its exit code, and the files of its certificate. Raises `UsageError` and `ArchiveError`."""
    with scratch() as folder:
        with variables({VARIABLE: str(folder)}):
            result = run(address, **selection, jobs=jobs, command=command).finish()
        transcript = _transcript(folder)
    document = result.document
    lock = lock_text(packages_of(address)).encode()
    contents = {RESULT: as_text(document).encode(), TRANSCRIPT: transcript, LOCK: lock}
    about = {
        "schema": schema("certificate")["$id"],
        "issued": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "suite": {"version": VERSION, "mark": suite_mark()},
        "subject": _subject(address, document),
        "selection": {name: list(value) if isinstance(value, tuple) else value for name, value in selection.items()},
        "command": own_mask().text(command),
        "exit_code": result.exit_code,
        "files": {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()},
    }
    return result.exit_code, {ABOUT: as_text(about).encode(), **contents}


def _subject(address: str, document: Document) -> Document:
    [adapter] = document["adapters"]
    told = {name: adapter[name] for name in ("name", "version", "kind", "language")}
    return {"address": own_mask().text(address), "library": library_at(address), **told, "runtime": runtime()}


def _transcript(folder: Path) -> bytes:
    """What was said, masked, and each thing once. Raises `ArchiveError` where that is too much."""
    files = sorted(folder.glob("*.jsonl"))
    if sum(file.stat().st_size for file in files) > MAX_TAPE:
        raise ArchiveError("the transcript is too long: choose fewer scenarios or deliveries")
    lines = dict.fromkeys(line for file in files for line in _lines(file))
    return "".join(sorted(lines)).encode("ascii")


def _lines(file: Path) -> Iterator[str]:
    mask = own_mask()
    with file.open(encoding="ascii") as lines:
        for line in lines:
            entry = json.loads(line)
            if entry["method"] not in ("rest", "shutdown"):
                told = _parsed(entry)
                yield json.dumps(_with_our_key(mask.json(told), told)) + "\n"


def _with_our_key(masked: Document, told: Document) -> Document:
    """The key that we gave to the subject is no secret, and rules look at where it was sent."""
    for shown, message in zip(masked["said"], told["said"], strict=True):
        if isinstance(message, dict) and message.get("method") == "http":
            headers = message["params"].get("headers") or {}
            ours = {name: value for name, value in headers.items() if OUR_KEY.fullmatch(str(value))}
            shown["params"]["headers"].update(ours)
    return masked


def _parsed(entry: Document) -> Document:
    """The messages as documents, in which secrets are found by their names, too. What is no JSON stays text."""
    told = {"method": entry["method"], "params": _json(entry["params"]), "said": [_json(one) for one in entry["said"]]}
    if told["method"] == "initialize":
        told["params"] = {}
    if isinstance(told["params"], dict):
        told["params"] = {name: value for name, value in told["params"].items() if name != "instance"}
    for message in told["said"]:
        if isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message):
            message["id"] = 0
    return {**told, **({"lost": entry["lost"]} if "lost" in entry else {})}


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
