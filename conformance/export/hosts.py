"""All that is known of hosts as one JSON document, for adapters to read (``hosts.schema.json``, docs/hosts.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from conformance.model import Json
from conformance.wires import card
from conformance.wires.card import Card
from conformance.wires.host import ANYTHING, KINDS, Entry, Host
from conformance.wires.hosts import hosts

FORMAT = 1
"""The version of the document's form. It grows when a reader of the version before would misread it."""


def hosts_document() -> dict[str, Json]:
    """Every host, by id. The same files give the same document. Raises `HostError` for a wrong file."""
    return {"format": FORMAT, "hosts": [_host(file) for file in hosts().values()]}


def _host(file: Host) -> dict[str, Json]:
    own = card(file.id)
    return {
        "id": file.id,
        "title": file.title,
        "wire": own.format,
        "provider": own.provider,
        "model": own.model,
        "address": _address(own),
        "authentication": _authentication(own),
        "capabilities": sorted(own.capabilities),
        **{kind: [_entry(entry) for entry in file.of(kind)] for kind in KINDS},
    }


def _address(own: Card) -> dict[str, Json]:
    told = {"url_variable": own.url_variable, "answers_begin": own.marks.opening}
    needed: dict[str, Json] = {"base_url": own.base_url, "own_hosts": own.own_hosts, "paths": list(own.paths)}
    return needed | {name: value for name, value in told.items() if value}


def _authentication(own: Card) -> dict[str, Json]:
    key: dict[str, Json] = {**asdict(own.key), "variables": list(own.key.variables)}
    return key | ({"own_headers": list(own.own_headers)} if own.own_headers else {})


def _entry(entry: Entry) -> dict[str, Any]:
    """An entry with what its file says; the rest is left out."""
    made = asdict(entry)
    made["evidence"] = {name: value for name, value in made["evidence"].items() if value not in ("", None)}
    made["shapes"] = [{name: value for name, value in shape.items() if value is not None} for shape in made["shapes"]]
    made["capabilities"] = list(entry.capabilities)
    del made["kind"]
    return {name: value for name, value in made.items() if value not in ("", ANYTHING, None, [], {})}
