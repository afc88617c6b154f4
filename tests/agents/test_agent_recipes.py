"""Recipes and scripts are data that fits its schema, and what is wrong with one is told in a line."""

from __future__ import annotations

from pathlib import Path

import pytest
from every import every

from conformance.agents.named_files import known_files
from conformance.agents.recipe import load_recipe
from conformance.agents.roles import ROLES
from conformance.agents.script import load_script
from conformance.agents.surroundings import AgentSurroundings
from conformance.documents import DocumentError
from conformance.environments.virtual import PythonKind
from conformance.recipes.placeholders import PlaceholderError, filled_in
from conformance.wires import known_ids

MINE = """
title: Mine
command: [my-agent, --url, "${url}", "${task}"]
providers:
  openai-chat:
environment:
  MY_KEY: ${key}
"""
HALF_A_CALL = "title: t\ntask: Do all of it.\nanswers: [{calls: [{role: edit, path: a}]}]\n"


def test_each_recipe_fits_its_schema_and_all_its_placeholders_are_known(tmp_path: Path) -> None:
    def fits(name: str) -> None:
        recipe = load_recipe(name)
        for provider in recipe.providers:
            assert provider in known_ids()
            around = AgentSurroundings(recipe, tmp_path, provider, "http://h", "http://h/p/x/v1", "Do it.")
            assert around.command
            assert "${" not in str(around.environment)
            for text in (*recipe.files, *recipe.files.values()):
                filled_in(text, around.values)

    every({name: (name,) for name in known_files("recipe")}, fits)
    assert len(known_files("recipe")) >= 9


def test_the_scripts_have_all_roles_and_each_mark_belongs_to_one_call() -> None:
    scripts = [load_script(name) for name in known_files("script")]
    assert {role for script in scripts for role in script.roles} == set(ROLES)
    for script in scripts:
        assert not script.answers[-1].calls
        for answer in script.answers:
            marks = [mark for call in answer.calls for mark in call.effect.shows]
            assert len(set(marks)) == len(marks), (script.id, marks)


def test_a_recipe_of_ones_own_has_ten_lines(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(MINE)
    recipe = load_recipe(str(file))
    around = AgentSurroundings(recipe, tmp_path, "openai-chat", "http://h", "http://h/p/openai-chat/v1", "Do it.")
    assert around.command == ("my-agent", "--url", "http://h/p/openai-chat/v1", "Do it.")
    assert around.environment["MY_KEY"] == around.values["key"]


def test_where_the_network_is_not_contained_proxies_lead_nowhere(tmp_path: Path) -> None:
    recipe = load_recipe("codex")
    where = (recipe, tmp_path, "openai-responses", "http://127.0.0.1:1", "http://127.0.0.1:1/v1", "Do it.")
    assert "HTTPS_PROXY" not in AgentSurroundings(*where).environment
    environment = AgentSurroundings(*where, away=True).environment
    assert environment["HTTPS_PROXY"].startswith("http://127.0.0.1:")
    assert "127.0.0.1" in environment["NO_PROXY"]


def test_what_is_wrong_is_told_in_a_line(tmp_path: Path) -> None:
    def told(text: str, words: str, load: object) -> None:
        file = tmp_path / "wrong.yaml"
        file.write_text(text)
        assert callable(load)
        with pytest.raises(DocumentError, match=words):
            load(str(file))

    every({
        "no command": ("title: t\nproviders: {gemini: }\n", "command", load_recipe),
        "an unknown member": (MINE + "colour: red\n", "colour", load_recipe),
        "no answers": ("title: t\ntask: Do all of it.\n", "answers", load_script),
        "a call that lacks a value": (HALF_A_CALL, "lacks old, new", load_script),
    }, told)  # fmt: skip
    with pytest.raises(DocumentError, match="did you mean 'codex'"):
        load_recipe("codx")
    with pytest.raises(PlaceholderError, match="nobody"):
        filled_in("${nobody}", {})


def test_a_python_that_is_not_here_is_needed() -> None:
    from conformance.recipes.installing import RecipeInstall, missing

    assert missing(RecipeInstall("python", "x", python="3.77")) == "needs Python 3.77"
    assert PythonKind("3.77").runtime() == "python 3.77"
