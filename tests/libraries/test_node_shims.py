"""The shims in TypeScript, each with its library in a Node project that npm makes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES, load_shim
from conformance.environments import find
from conformance.environments.kinds import kind
from conformance.environments.making import make
from conformance.environments.node import SOURCES, NodeKind
from conformance.environments.places import ROOT_VARIABLE
from conformance.environments.tools import complaint

NODE_SHIMS = sorted(name for name, library in LIBRARIES.items() if library.kind == "node")
NEEDED = ("node", "npm")
SCENARIOS = ("parallel_calls.two_reads", "parallel_calls.one_fails", "names.*")
RULES = ("common.adapter.completes", "common.parse.args-decoded-object", "common.history.calls-kept", "common.naming.*")
RELEASES = {
    "ai-sdk-openai": "3.0.141",
    "ai-sdk-anthropic": "3.0.138",
    "ai-sdk-google": "3.0.141",
    "langchain-js-openai": "1.5.8",
    "langchain-js-anthropic": "1.5.11",
    "langchain-js-google-genai": "2.3.2",
}
"""Releases that run on Node 20, so that no other Node has to be fetched."""
SAID = {
    "ai-sdk-openai": {
        "declare.strict_without_parameters": "responses.declare.strict-schema-closed",
        "errors.no_choices": "common.adapter.completes",
        "tool_choice.forced_search": "responses.choose.mode-mapping",
    },
    "ai-sdk-google": {"errors.malformed_function_call": "gemini.parse.finish-message"},
    "langchain-js-openai": {
        "declare.strict_without_parameters": "responses.declare.strict-schema-closed",
        "errors.failed_without_error": "responses.parse.stop-from-status",
        "tool_choice.forced_search": "responses.choose.mode-mapping",
    },
}
"""What a shim once said otherwise than an application does, or did not hand on: scenarios, each with a rule."""


def test_every_shim_has_its_source() -> None:
    assert RELEASES.keys() == set(NODE_SHIMS)
    assert all((SOURCES / f"{LIBRARIES[name].shim}.ts").exists() for name in NODE_SHIMS)


@pytest.mark.parametrize("name", NODE_SHIMS)
def test_a_shim_for_node_is_not_loaded_here(name: str) -> None:
    with pytest.raises(AdapterError, match=f"conformance env {name}"):
        load_shim(name)


def test_without_node_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert NodeKind().releases("ai") is None
    with pytest.raises(AdapterError, match="this needs Node"):
        kind("node").build(tmp_path, ["@ai-sdk/openai", "ai"], None, None)
    assert not kind("node").whole(tmp_path)


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("npm error code E404\nnpm error 404 Not Found - GET https://registry/x", "does not have it"),
        ("npm error code ETARGET\nnpm error notarget No matching version found for ai@999.", "does not have it"),
        ("npm error code ENOTFOUND\nnpm error network request to https://registry/ai failed", "cannot be reached"),
        ("npm error code EBADENGINE\nnpm error engine Unsupported engine", "EBADENGINE"),
    ],
)
def test_what_npm_complains_of(output: str, words: str) -> None:
    assert words in complaint(output)


@pytest.fixture(scope="module")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for environments: the one that is named, or a new one."""
    named = os.environ.get(ROOT_VARIABLE)
    return Path(named) if named else tmp_path_factory.mktemp("envs")


@pytest.mark.slow
@pytest.mark.skipif(not all(map(shutil.which, NEEDED)), reason="there is no Node with npm")
@pytest.mark.parametrize("name", NODE_SHIMS)
def test_a_shim_calls_its_library(name: str, environments: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        made = make(name, RELEASES[name], None, at=environments, say=lambda text: None)
    except AdapterError as problem:
        if "cannot be reached" in str(problem) or "EBADENGINE" in str(problem):
            pytest.skip(str(problem))
        raise
    monkeypatch.setenv(ROOT_VARIABLE, str(environments))
    address = f"env:{name}@{made.version}"
    found = find(address)
    assert found.python is None and found.address.startswith("stdio:")
    result = run(address)
    cells = [cell for cell in result["cells"] if cell["outcome"] != "not_applicable"]
    assert {cell["rule"] for cell in cells} >= {"common.adapter.completes", "common.history.calls-kept"}
    assert [cell["rule"] for cell in cells if cell["outcome"] != "pass"] == []
    assert result["adapters"][0]["version"] == RELEASES[name]
    for scenario, rule in SAID.get(name, {}).items():
        cells = [cell for cell in run(address, [scenario], [rule])["cells"] if cell["outcome"] != "not_applicable"]
        assert {(cell["rule"], cell["outcome"]) for cell in cells} == {(rule, "pass")}, scenario


def run(address: str, scenarios: Sequence[str] = SCENARIOS, rules: Sequence[str] = RULES) -> dict[str, Any]:
    """The result of a short run."""
    chosen = [word for scenario in scenarios for word in ("--scenario", scenario)]
    asked = [word for rule in rules for word in ("--rule", rule)]
    options = ["--profile", "native", "--delivery", "blocking", "--delivery", "stream:per-event"]
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "run", address, "--format", "json", "-j1", *chosen, *asked, *options],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode in (0, 1) and done.stdout, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result
