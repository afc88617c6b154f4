"""Writing scenario files: the way back from a `Scenario` to ``scenarios/<family>/<name>.yaml``.

What is found by playing with generated conversations becomes a file that anybody can read, edit and play again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import yaml

from conformance.files.whole import write_text
from conformance.model import (
    TEXT_INPUT,
    ImagePart,
    Json,
    JsonPart,
    Part,
    ResourcePart,
    TextInput,
    Tool,
    ToolChoice,
    compact_json,
)
from conformance.scenarios import (
    AnswerStep,
    DecisionsStep,
    Elsewhere,
    ResultsStep,
    Scenario,
    ScenarioError,
    ScriptResult,
    Shelf,
    Step,
    UserStep,
    load_scenario,
)
from conformance.schemas import problems
from conformance.script import USAGE, Change, ScriptCall, ScriptError, ScriptTurn

LONG_VALUE = 240
"""From how many characters the value of a change is written as JSON text."""


class _Dumper(yaml.SafeDumper):
    """The safe dumper without aliases, which scenario files may not have."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def write_scenario(scenario: Scenario, path: Path) -> None:
    """Write ``scenario`` to ``path`` (``<folder>/<family>/<name>.yaml`` or ``.json``), for the shelf of ``<folder>``.

    The file is read again, and taken away if it does not say the same. Raises `ScenarioError` when no file can say it,
    and `OSError`.
    """
    shelf = Shelf.of(path.parent.parent)
    document = scenario_document(scenario, shelf.images)
    write_text(path, _file_text(document, path.suffix))
    try:
        _check_written(scenario, path, shelf)
    except ScenarioError:
        path.unlink()
        raise


def _file_text(document: Json, suffix: str) -> str:
    if suffix == ".json":
        return json.dumps(document, indent=1) + "\n"
    return yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=118)


def _check_written(scenario: Scenario, path: Path, shelf: Shelf) -> None:
    if load_scenario(path, shelf) != replace(scenario, id=f"{path.parent.name}.{path.stem}"):
        raise ScenarioError(f"{path}: a scenario file cannot say all that the scenario says")


def scenario_document(scenario: Scenario, images: Mapping[str, ImagePart]) -> dict[str, Json]:
    """The document of ``scenario``, valid by ``schemas/scenario.schema.json``. ``images`` are the pictures by name.

    Raises `ScenarioError` for what no scenario file can say: pictures without a name, failed results that hold more
    than text, tokens of the scenario's own.
    """
    document: dict[str, Json] = {"title": scenario.title, "rules": list(scenario.rules)}
    document |= _given(
        requires=sorted(scenario.requires),
        providers=list(scenario.providers or ()),
        profile=scenario.profile,
        system=scenario.system,
        reasoning=scenario.reasoning or None,
        caching=scenario.caching or None,
        output=scenario.output,
        model=scenario.model,
        deliveries=list(scenario.deliveries or ()),
        elsewhere=None if scenario.elsewhere is None else _elsewhere(scenario.elsewhere),
        tools=[_tool(tool) for tool in scenario.tools],
    )
    document |= _choice(scenario.choice)
    document |= _given(history=_steps(scenario.history, images))
    document["steps"] = _steps(scenario.steps, images)
    for at, why in problems("scenario", document):
        raise ScenarioError(f"{scenario.id}: at {at or '/'}: {why}")
    return document


def _elsewhere(elsewhere: Elsewhere) -> Json:
    where = _given(providers=list(elsewhere.providers), deliveries=list(elsewhere.deliveries))
    return {"evidence": elsewhere.evidence, **where}


def _given(**fields: Json) -> dict[str, Json]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value is not None and value != []}


def _tool(tool: Tool) -> Json:
    described = {"description": tool.description} if tool.description else {}
    mcp = {"server": tool.mcp[0], "tool": tool.mcp[1]} if tool.mcp else None
    text = None if tool.text is None else _text_input(tool.text)
    more = _given(parameters=tool.parameters, strict=tool.strict, mcp=mcp, builtin=tool.builtin, text=text)
    return {"name": tool.name, **described, **more, **_given(kind=tool.kind, server=tool.server)}


def _text_input(text: TextInput) -> Json:
    return {} if text.syntax is None else {"syntax": text.syntax, "definition": text.definition}


def _choice(choice: ToolChoice) -> dict[str, Json]:
    said: Json = {"tool": choice.name} if choice.mode == "tool" else choice.mode
    return _given(tool_choice=None if said == "auto" else said, parallel=choice.parallel)


def _steps(steps: Iterable[Step], images: Mapping[str, ImagePart]) -> list[Json]:
    return [_step(step, images) for step in steps]


def _step(step: Step, images: Mapping[str, ImagePart]) -> Json:
    match step:
        case UserStep(text):
            return {"user": text}
        case AnswerStep(ScriptTurn() as turn, labels, by):
            return {"model": {**_given(by=by), **_turn(turn, labels)}}
        case AnswerStep(ScriptError() as error):
            return {"error": _error(error)}
        case ResultsStep(results):
            return {"results": [_result(result, images) for result in results]}
        case DecisionsStep(accepted):
            return {"decisions": {label: "accept" if accept else "reject" for label, accept in accepted.items()}}
    raise ScenarioError(f"a {type(step).__name__} is no step")


def _turn(turn: ScriptTurn, labels: tuple[str, ...]) -> Json:
    if turn.usage != USAGE:
        raise ScenarioError("a scenario file cannot say how many tokens a turn has")
    said = _given(
        text=turn.text or None,
        reasoning=turn.reasoning,
        refusal=turn.refusal,
        search=None if turn.search is None else {
            "query": turn.search.query, "title": turn.search.title, "url": turn.search.url,
        },
        calls=[_call(call, label) for call, label in zip(turn.calls, labels, strict=True)],
        stop=turn.stop,
        finish=turn.finish,
        quirks=sorted(turn.quirks),
        cut=turn.cut,
        fails_with=None if turn.fails_with is None else _error(turn.fails_with),
        changes=[_change(change) for change in turn.changes],
        damaged=turn.damaged or None,
    )  # fmt: skip
    return said or {"text": ""}


def _change(change: Change) -> Json:
    said: dict[str, Json] = {"do": change.do, "at": change.at}
    text = compact_json(change.value)
    if len(text) > LONG_VALUE:
        said["json"] = text
    elif change.do in ("set", "add", "insert") or change.value is not None:
        said["value"] = change.value
    said |= {"where": change.where} if change.where != "everywhere" else {}
    return {**said, "evidence": change.evidence}


def _call(call: ScriptCall, label: str) -> Json:
    named = {"as": label} if label != call.tool else {}
    if call.takes_text:
        return {**named, "tool": call.tool, "text": call.arguments[TEXT_INPUT], **_given(id=call.id)}
    made_up = {"undeclared": True} if call.undeclared else {}
    return {**named, "tool": call.tool, **_given(arguments=call.arguments, raw=call.raw, id=call.id), **made_up}


def _error(error: ScriptError) -> Json:
    odd = {"quirks": sorted(error.quirks)} if error.quirks else {}
    return {"kind": error.kind, "message": error.message, **_given(retry_after=error.retry_after), **odd}


def _result(result: ScriptResult, images: Mapping[str, ImagePart]) -> Json:
    parts = [_part(part, images) for part in result.content]
    if result.is_error and [list(part) for part in parts] == [["text"]]:
        return {"call": result.label, "error": parts[0]["text"]}
    failed = {"failed": True} if result.is_error else {}
    return {"call": result.label, **failed, **(parts[0] if len(parts) == 1 else {"parts": parts})}


def _part(part: Part, images: Mapping[str, ImagePart]) -> dict[str, Json]:
    if isinstance(part, ImagePart):
        name = next((name for name, image in images.items() if image == part), None)
        if name is None:
            raise ScenarioError("a picture that images.yaml does not hold")
        return {"image": name}
    if isinstance(part, ResourcePart):
        return {"resource": {name: value for name, value in asdict(part).items() if value}}
    return {"json": part.value} if isinstance(part, JsonPart) else {"text": part.text}
