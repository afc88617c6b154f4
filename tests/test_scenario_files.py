"""Scenario files that cannot be used: each problem is one clear line that says which file, where in it, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.documents import MAX_BYTES
from conformance.model import ImagePart, JsonPart, TextPart, ToolChoice
from conformance.scenarios import (
    AnswerStep,
    ResultsStep,
    ScenarioError,
    Shelf,
    load_scenario,
    load_scenarios,
    scenario_root,
)
from conformance.script import ScriptTurn

GOOD = """\
title: A file is read
rules: [common.parse.args-decoded-object]
tools: [read_file]
steps:
  - user: Read it.
  - model: {calls: [{tool: read_file, arguments: {absolute_path: /a}}]}
  - results: [{call: read_file, text: hello}]
  - model: {text: Done.}
"""


def load(tmp_path: Path, text: str | bytes) -> object:
    """The scenario in a file with this text."""
    path = tmp_path / "family" / "name.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_scenario(path, Shelf.of(scenario_root()))


def problem(tmp_path: Path, text: str | bytes) -> str:
    """What is wrong with the file, after its name."""
    with pytest.raises(ScenarioError) as caught:
        load(tmp_path, text)
    message = str(caught.value)
    name = str(tmp_path / "family" / "name.yaml")
    assert message.startswith(f"{name}: ")
    assert "\n" not in message
    assert len(message) < len(name) + 1000
    return message.removeprefix(f"{name}: ")


def test_the_good_one_is_good(tmp_path: Path) -> None:
    load(tmp_path, GOOD)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("title:", "titel:", "'titel' was unexpected"),
        ("title: A file is read\n", "", '"title" is a required property'),
        ("rules: [common.parse.args-decoded-object]", "rules: []", "at /rules: []"),
        ("{text: Done.}", "{txt: Done.}", "at /steps/3/model: Additional properties are not allowed ('txt'"),
        ("{text: Done.}", "{text: 42}", 'at /steps/3/model/text: 42 is not of type "string"'),
        ("{text: Done.}", "{}", "at /steps/3/model: {}"),
        ("{text: Done.}", "{text: {repeat: a}}", 'at /steps/3/model/text: "times" is a required property'),
        ("{text: Done.}", "{text: {repeat: aaaaaaaaaaa, times: 100000000}}", "at /steps/3/model/text/times: "),
        ("{text: Done.}", "{text: a, stop: never}", 'at /steps/3/model/stop: "never" is not one of'),
        ("  - user: Read it.", "  - users: Read it.", "at /steps/0: Additional properties are not allowed ('users'"),
        ("  - user: Read it.", "  - user: a\n    model: {text: b}", "at /steps/0: "),
        ("text: hello", "text: hello, json: 1", "at /steps/2/results/0: "),
        ("tools: [read_file]", "tools: [5]", 'at /tools/0: 5 is not of type "string"'),
        ("tools: [read_file]", "tools: [{name: a, sort: b}]", "at /tools/0: Additional properties"),
        ("tools: [read_file]", "tools: [read_file]\ntool_choice: any", 'at /tool_choice: "any" is not one of'),
        ("tools: [read_file]", "tools: [read_file]\nrequires: [magic]", 'at /requires/0: "magic" is not one of'),
    ],
)
def test_a_bad_shape_is_named_with_its_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in GOOD
    assert words in problem(tmp_path, GOOD.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("tools: [read_file]", "tools: [read_files]", "unknown tool 'read_files'; known: "),
        ("tools: [read_file]", "tools: [list_todos]", "unknown tool 'read_file'; known: list_todos"),
        ("tools: [read_file]\n", "", "unknown tool 'read_file'; known: none"),
        ("tools: [read_file]", "tools: [read_file, read_file]", "tools need different names"),
        ("tools: [read_file]", "tools: [read_file]\ntool_choice: {tool: grep}", "unknown tool 'grep'"),
        ("tools: [read_file]", "tools: [read_file]\nproviders: [openai]", "unknown provider 'openai'; known: "),
        ("{text: Done.}", "{text: Done., quirks: [slow]}", "unknown quirk 'slow'; known: arguments_empty"),
        ("text: hello", "image: green_png", "unknown image 'green_png'; known: blue_bmp, blue_png, red_png"),
        ("call: read_file", "call: read", "no call 'read' in the turn before; it has: read_file"),
        ("  - user: Read it.", "  - results: [{call: a, text: b}]", "no call 'a' in the turn before; it has: no calls"),
        ("text: hello}]", "text: a}, {call: read_file, text: b}]", "a call has one result at most"),
        ("/a}}]", "/a}}, {tool: read_file}]", "calls need different labels (as: ...), found read_file, read_file"),
        ("arguments: {absolute_path: /a}", "arguments: {}, raw: ''", "both raw and other arguments"),
        ("{text: Done.}", "{text: {repeat: " + "a" * 101 + ", times: 100000}}", "10000000 characters at most"),
    ],
)
def test_what_does_not_exist_is_named_with_what_does(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in GOOD
    assert words in problem(tmp_path, GOOD.replace(old, new))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title: [", "not YAML: "),
        ("title: a\ntitle: b", "a key stands twice in the mapping of line 1"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]", "not YAML: aliases are not allowed"),
        ("[" * 200 + "]" * 200, "not YAML: deeper than 100 levels"),
        ("[" * 100_000, "not YAML: "),
        ("a: !!python/object/apply:os.getcwd []", "not YAML: could not determine a constructor"),
        ("? [a, b]\n: c", "not YAML: "),
        ("1: a", "at /: the key 1 is not text; quote it"),
        ("a: {b: [.nan]}", "at /a/b/0: nan is no JSON number"),
        ("a: !!binary aGk=", "at /a: a bytes is no JSON value"),
        ("a: " + "9" * 5000, "not YAML: "),
        (b"\xff\xfe\x00", "not YAML: "),
        ("", 'at /: null is not of type "object"'),
        ("- a\n- b", 'is not of type "object"'),
        ("title: " + "x" * MAX_BYTES, f"larger than {MAX_BYTES} bytes"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_a_file_that_is_no_document(tmp_path: Path, text: str | bytes, words: str) -> None:
    assert words in problem(tmp_path, text)


def test_a_date_is_text(tmp_path: Path) -> None:
    assert getattr(load(tmp_path, GOOD.replace("A file is read", "2026-03-04")), "title") == "2026-03-04"  # noqa: B009


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="No such file"):
        load_scenario(tmp_path / "none.yaml", Shelf.of(scenario_root()))


def test_a_folder_without_scenarios(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"no scenario files \(expected <family>/<name>.yaml\)"):
        load_scenarios(tmp_path)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("tools.yaml", "a: b", 'at /a: "b" is not of type "object"'),
        ("tools.yaml", "a: {name: b}", "at /a: Additional properties are not allowed ('name'"),
        ("images.yaml", "a: {media_type: image/png}", 'at /a: "base64" is a required property'),
        ("images.yaml", "a: {media_type: image/png, base64: '???'}", "at /a/base64: "),
    ],
)
def test_a_bad_shelf(tmp_path: Path, name: str, text: str, words: str) -> None:
    (tmp_path / "tools.yaml").write_text("{}")
    (tmp_path / "images.yaml").write_text("{}")
    (tmp_path / name).write_text(text)
    with pytest.raises(ScenarioError) as caught:
        Shelf.of(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert words in str(caught.value)


def test_a_shelf_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text("add: {description: Add numbers}")
    (tmp_path / "images.yaml").write_text("{}")
    (tmp_path / "sums").mkdir()
    (tmp_path / "sums" / "one.yaml").write_text(GOOD.replace("read_file", "add"))
    assert list(load_scenarios(tmp_path)) == ["sums.one"]


def test_what_a_file_says_is_what_is_loaded(tmp_path: Path) -> None:
    text = """\
title: All at once
rules: [common.parse.args-decoded-object]
tools:
  - read_file
  - {name: srv/t, mcp: {server: srv, tool: t}, strict: true}
  - {name: web_search, builtin: web_search}
tool_choice: {tool: read_file}
parallel: false
steps:
  - user: Read it.
  - model:
      text: {repeat: ab, times: 3}
      calls:
        - as: x
          tool: read_file
          arguments: {limit: 9007199254740993}
          repeated: {absolute_path: {repeat: a, times: 4}}
        - {tool: srv/t, raw: '{"a":', id: i-1}
      quirks: [interleaved]
      cut: arguments
  - results:
      - {call: srv/t, error: broken}
      - {call: x, parts: [{text: a}, {json: null}, {image: red_png}]}
  - error: {kind: rate_limit, message: slow down, retry_after: 3}
"""
    scenario = load(tmp_path, text)
    assert scenario.id == "family.name"  # type: ignore[attr-defined]
    assert scenario.choice == ToolChoice("tool", "read_file", parallel=False)  # type: ignore[attr-defined]
    assert scenario.streams_only and scenario.is_about_http  # type: ignore[attr-defined]
    _, first, results, last = scenario.steps  # type: ignore[attr-defined]
    assert isinstance(first, AnswerStep) and isinstance(first.says, ScriptTurn)
    assert first.labels == ("x", "srv/t")
    assert first.says.text == "ababab"
    assert first.says.calls[0].arguments == {"limit": 9007199254740993, "absolute_path": "aaaa"}
    assert (first.says.calls[1].raw, first.says.calls[1].id) == ('{"a":', "i-1")
    assert isinstance(results, ResultsStep)
    broken, parts = results.results
    assert broken.is_error and broken.content == (TextPart("broken"),)
    text_part, json_part, image_part = parts.content
    assert (text_part, json_part) == (TextPart("a"), JsonPart(None))
    assert isinstance(image_part, ImagePart) and image_part.data.startswith(b"\x89PNG")
    assert last.says.retry_after == 3


def test_a_change_at_what_is_no_place_is_told(tmp_path: Path) -> None:
    """Found by `tools/fuzz.py`: it was an error of ours."""
    change = "changes: [{do: set, at: 'response.content[type{tool_use].name', value: x, evidence: typed}]"
    text = GOOD.replace("absolute_path: /a}}]}", f"absolute_path: /a}}}}], {change}}}") + "providers: [anthropic]\n"
    assert "no label" in problem(tmp_path, text)
