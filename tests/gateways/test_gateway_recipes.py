"""Recipes are data that fits its schema, and what is wrong with one is told in a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from every import every

from conformance.cli import main
from conformance.documents import DocumentError
from conformance.environments.places import ROOT_VARIABLE, InstalledEnvironment, mark
from conformance.environments.virtual import PythonKind
from conformance.gateways.installing import gateways_of
from conformance.gateways.plan import all_cases
from conformance.gateways.recipe import FILES, load_gateway
from conformance.gateways.surroundings import GatewaySurroundings
from conformance.recipes.installing import installed_programs
from conformance.recipes.placeholders import filled_in

MINE = """
title: Mine
command: [my-gateway, --port, "${port}"]
ready: /health
environment: {UPSTREAM: "${upstream}/v1"}
inbound: {anthropic: {url: "${gateway}"}}
outbound: {openai-chat: {model: any}}
"""


def test_each_recipe_fits_its_schema_and_all_its_placeholders_are_known(tmp_path: Path) -> None:
    def fits(name: str) -> None:
        recipe = load_gateway(name)
        around = GatewaySurroundings(recipe, tmp_path / name, "http://u", 4000)
        around.made()
        assert around.words(recipe.command)
        assert "${" not in str(around.environment)
        sides = (*recipe.inbound.values(), *recipe.outbound.values())
        headers = [value for one in sides for value in one.headers.values()]
        for text in (*headers, *(one.url for one in recipe.inbound.values())):
            filled_in(text, around.values)

    every({name: (name,) for name in FILES.known()}, fits)
    assert len(FILES.known()) >= 4


def test_a_recipe_of_ones_own_has_seven_lines(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    around = GatewaySurroundings(load_gateway(str(file)), tmp_path, "http://127.0.0.1:1", 4000)
    assert around.words(around.recipe.command) == ("my-gateway", "--port", "4000")
    assert around.environment["UPSTREAM"] == "http://127.0.0.1:1/v1"


def test_what_is_wrong_is_told_in_a_line(tmp_path: Path) -> None:
    def told(text: str, words: str) -> None:
        file = tmp_path / "wrong.yaml"
        file.write_text(text)
        with pytest.raises(DocumentError, match=words):
            load_gateway(str(file))

    every({
        "no command": ("title: t\n", "command"),
        "an unknown member": (MINE + "colour: red\n", "colour"),
        "no such provider": (MINE.replace("anthropic:", "antropic:"), "did you mean 'anthropic'"),
    }, told)  # fmt: skip
    with pytest.raises(DocumentError, match="did you mean 'litellm'"):
        load_gateway("litelm")


def test_the_plan_names_scenarios_that_there_are() -> None:
    assert len({case.scenario for case in all_cases()}) >= 30
    for case in all_cases():
        assert case.played().answers


def test_a_program_that_is_not_there_is_not_run_and_a_wrong_word_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "gateway:litellm", "--inbound", "gemni"]) == 2
    assert "--inbound gemni" in capsys.readouterr().err
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    assert main(["run", f"gateway:{file}"]) == 4
    assert "it did not start" in capsys.readouterr().out


def test_the_environment_of_a_gateway_is_known_as_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ROOT_VARIABLE, str(tmp_path))
    install = load_gateway("agent-wire-proxy").install
    assert install is not None
    runtime = PythonKind(install.python).runtime()
    name = install.package
    made = InstalledEnvironment(name, "1.0", (name,), runtime, None, "2026-11-28", tmp_path / "a")
    made.folder.mkdir()
    mark(made)
    [found] = installed_programs(install)
    assert gateways_of(found) == ["gateway:agent-wire-proxy"]
