"""The doors of a library of Node: what its type definitions say is about tools."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.libraries import LIBRARIES
from conformance.doors.table import known
from conformance.environments.node import types_told
from conformance.environments.places import ROOT_VARIABLE

TYPES = """
export interface Tool { name: string; strict?: boolean }
export interface Message { role: "user"; text: string }
export declare class Answer { calls(): Tool[]; close(): void; private inner(tool: Tool): void }
export declare class Chats {
  create(body: {
    tools?: Tool[];
    messages: Message[];
    /** @deprecated use tools */
    functions?: Tool[];
  }): Promise<Answer>;
  count(messages: Message[]): number;
  /** @deprecated use create */
  complete(toolChoice: string): void;
}
export declare class Client { constructor(options: { key: string }); chats: Chats; private hidden: Chats }
export declare function run(client: Client, tool: Tool): void;
export declare function plain(text: string): string;
"""
REQUEST = {"roots": ["acme:Client", "acme:run", "acme:plain"], "packages": ["acme"], "first": "plain"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    root = tmp_path_factory.mktemp("envs")
    if (named := os.environ.get(ROOT_VARIABLE)) is not None:
        shutil.copytree(Path(named) / "typescript", root / "typescript", dirs_exist_ok=True)
    package = root / "acme-1" / "node_modules" / "acme"
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": "acme", "version": "1.2.3", "types": "index.d.ts"}))
    (package / "index.d.ts").write_text(TYPES)
    return types_told(package.parents[1], "acme", REQUEST, 120)


@pytest.mark.slow
@pytest.mark.skipif(not all(map(shutil.which, ("node", "npm"))), reason="there is no Node with npm")
def test_methods_about_tools_are_found_in_types(told: dict[str, Any]) -> None:
    assert told["version"] == "1.2.3"
    found = {one["name"]: one for one in told["methods"]}
    assert sorted(found) == ["Answer.calls", "Client.chats.complete", "Client.chats.create", "plain", "run"]
    assert {one["at"] for one in found.values()} == {"Answer.calls", "Chats.complete", "Chats.create", "plain", "run"}
    tools, functions = found["Client.chats.create"]["parameters"]
    assert (tools["name"], tools["place"], tools["deprecated"]) == ("tools", None, None)
    assert (functions["name"], functions["deprecated"]) == ("functions", "use tools")
    assert found["Client.chats.complete"]["deprecated"] == "use create"
    assert [(one["name"], one["place"]) for one in found["run"]["parameters"]] == [("tool", 1)]


def test_every_library_of_node_has_its_roots_written_down() -> None:
    for library in LIBRARIES.values():
        if library.kind == "node":
            roots = known(library.distribution)
            assert roots is not None and library.distribution in roots.packages
