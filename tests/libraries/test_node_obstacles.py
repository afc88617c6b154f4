"""Shims for Node in front of releases that they do not fit, or that are not whole: small packages in their place."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.way import Way
from conformance.adapters.stdio.faces import Face, open_adapter
from conformance.environments import node
from conformance.environments.node import BUNDLER, SOURCES, NodeKind
from conformance.environments.places import root

WHOLE = """
export const stepCountIs = () => {}, generateText = () => {}, streamText = () => {}, tool = () => {};
export const jsonSchema = () => {}, APICallError = class {}, JSONParseError = class {};
"""
PROVIDER = "export const createOpenAI = () => {}, openai = { tools: {} };"

Opened = Callable[..., Face]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """The shim of the AI SDK, with packages of these sources."""

    def open_with(ai: str, way: Way | None = None) -> Face:
        packages = tmp_path / "node_modules"
        for name, source in {"ai": ai, "@ai-sdk/openai": PROVIDER}.items():
            (packages / name).mkdir(parents=True)
            (packages / name / "index.js").write_text(source, "utf-8")
            about = {"name": name, "version": "0.0.1", "type": "module", "exports": "./index.js"}
            (packages / name / "package.json").write_text(json.dumps(about), "utf-8")
        try:
            bundler = node._tool(root(), BUNDLER, BUNDLER)
        except AdapterError as problem:
            if "cannot be reached" in str(problem) or "this needs Node" in str(problem):
                pytest.skip(str(problem))
            raise
        shutil.copytree(bundler / "node_modules", packages, symlinks=True, dirs_exist_ok=True)
        return open_adapter(NodeKind().inner("ai-sdk-openai", tmp_path, way))

    return open_with


@pytest.mark.slow
def test_what_a_release_lacks_is_told_and_not_claimed(opened: Opened) -> None:
    adapter = opened(WHOLE)
    assert adapter.info.lacks == {
        "server_tools": "@ai-sdk/openai:openai.tools.webSearch",
        "strict": "@ai-sdk/provider:LanguageModelV*FunctionTool(strict)",
    }
    assert "blocking" in adapter.info.capabilities["openai-chat"]
    assert not {"strict", "server_tools"} & adapter.info.capabilities["openai-responses"]
    adapter.close()


@pytest.mark.slow
def test_a_way_that_a_release_lacks_claims_nothing(opened: Opened) -> None:
    adapter = opened(WHOLE, Way("tool-loop-agent", ""))
    assert adapter.info.lacks["openai-chat"] == "ai:ToolLoopAgent"
    assert not any(adapter.info.capabilities.values())
    adapter.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ai", "kind", "error", "asked"),
    [
        ("export const generateText = () => {};", "misfit", "does not provide an export named", 'import "ai";'),
        ('import "acme-extra";\n' + WHOLE, "installation", "Cannot find package 'acme-extra'", 'import "ai";'),
    ],
    ids=["misfit", "installation"],
)
def test_a_library_that_cannot_be_loaded_is_not_blamed(
    opened: Opened, ai: str, kind: str, error: str, asked: str
) -> None:
    with pytest.raises(AdapterError) as raised:
        opened(ai)
    met = raised.value.obstacle
    assert met is not None, str(raised.value)
    assert (met.kind, met.asked) == (kind, asked)
    assert error in met.error


WAYS = {"ai_": "ai_sdk_ways.ts", "langchain_": "langchain_ways.ts"}


def test_the_shims_have_the_ways_of_the_table() -> None:
    for library in LIBRARIES.values():
        if library.kind == "node":
            file = next(file for prefix, file in WAYS.items() if library.shim.startswith(prefix))
            [table] = re.findall(r"^const WAYS.*?^\};", (SOURCES / file).read_text("utf-8"), re.DOTALL | re.MULTILINE)
            names = re.findall(r'^  "?([\w-]+)"?: \{', table, re.MULTILINE)
            assert sorted(names) == sorted(way.name for way in library.ways)
            assert names[0] == library.ways[0].name, "the usual one comes first"
