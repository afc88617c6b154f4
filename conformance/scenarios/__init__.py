"""Scenario files: ``scenarios/<family>/<name>.yaml`` or ``.json`` → `Scenario`.

A scenario is data, checked against ``schemas/scenario.schema.json`` and against itself: tools, labels, pictures, quirks
and providers must exist. Its id is ``<family>.<name>``.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from conformance.deliveries import DELIVERIES
from conformance.files.packs import made_once
from conformance.model import (
    TEXT_INPUT,
    ImagePart,
    Json,
    JsonPart,
    Part,
    Profile,
    ResourcePart,
    TextInput,
    TextPart,
    Tool,
    ToolChoice,
    kinds_of,
)
from conformance.script import QUIRKS, Change, ScriptCall, ScriptError, ScriptTurn, ServerSearch
from conformance.wires import PROVIDERS, card, known_ids
from conformance.wording import LineError

GENERATED = "generated"
"""The family of scenarios that are put together from features (`conformance.generated`)."""
ANSWERS = "answers"
"""The family of those whose answers are derived (`conformance.derivation`)."""
SUFFIXES = (".yaml", ".json")
"""How scenario files end. JSON says what YAML cannot: lone surrogates."""
SHARED = ("tools", "images")
"""What scenarios share, each in a file of its name."""
READERS = ("documents.py", "model.py", "script.py")
"""The modules that read scenario files, beside this package."""
MAX_TEXT = 10_000_000
"""How many characters a repeated text may have."""
PORTABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,62}")
"""A tool name that every provider takes as it is."""


class ScenarioError(LineError):
    """A scenario file that cannot be used. The message says which, where in it, and why."""


@dataclass(frozen=True, slots=True)
class UserStep:
    """The user says something."""

    text: str


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """The provider answers, by a turn or by an HTTP error. ``labels`` are what results call the turn's calls.

    ``by`` is, in a history, the provider that said it: an adapter that knows that one reads the turn there itself.
    """

    says: ScriptTurn | ScriptError
    labels: tuple[str, ...] = ()
    by: str | None = None


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """What a tool returns for the call with this label."""

    label: str
    content: tuple[Part, ...]
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ResultsStep:
    """The tools return, in the order in which they finished."""

    results: tuple[ScriptResult, ...]


@dataclass(frozen=True, slots=True)
class DecisionsStep:
    """The user accepts or rejects calls, by label."""

    accepted: Mapping[str, bool]


Step = UserStep | AnswerStep | ResultsStep | DecisionsStep


DERIVED_ANSWER = "a derived answer: each of its forms was recorded, or is typed, but not all of them in one answer"
"""Who sends a changed answer."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Who does what a scenario is about, where the provider's own host does not.

    ``providers`` says at which, ``deliveries`` in which deliveries; empty is all.
    """

    evidence: str
    providers: tuple[str, ...] = ()
    deliveries: tuple[str, ...] = ()

    def is_about(self, provider: str, delivery: str | None) -> bool:
        """Whether it is so at a provider in a delivery; ``None``: in all of them."""
        return provider in (self.providers or (provider,)) and delivery in (self.deliveries or (delivery,))


@dataclass(frozen=True)
class Scenario:
    """One behaviour, as a script. ``history`` happened with another provider; ``model`` is its name in requests.

    What follows from the script is found out once: a run asks for it on each provider and in each delivery.
    """

    id: str
    title: str
    rules: tuple[str, ...]
    requires: frozenset[str]
    providers: tuple[str, ...] | None
    profile: Profile | None
    system: str | None
    reasoning: bool
    tools: tuple[Tool, ...]
    choice: ToolChoice
    history: tuple[Step, ...]
    steps: tuple[Step, ...]
    caching: bool = False
    output: Mapping[str, Json] | None = None
    """The schema that the model's answer must fit."""
    model: str | None = None
    deliveries: tuple[str, ...] | None = None
    """The only deliveries in which it is played; ``None``: all."""
    elsewhere: Elsewhere | None = None
    """Who does this, where quirks and changes do not say that only others than the provider itself do."""

    def profile_in(self, run: Profile) -> Profile:
        """The profile of its conversations in a run: a portable run plays native scenarios as they are."""
        return self.profile if self.profile == "native" else run

    @property
    def family(self) -> str:
        """The folder it lies in."""
        return self.id.partition(".")[0]

    @cached_property
    def answers(self) -> list[ScriptTurn | ScriptError]:
        """What the provider says, answer by answer."""
        return [step.says for step in self.steps if isinstance(step, AnswerStep)]

    @cached_property
    def turns(self) -> list[ScriptTurn]:
        """The provider's answers that are turns."""
        return [answer for answer in self.answers if isinstance(answer, ScriptTurn)]

    @cached_property
    def quirks(self) -> frozenset[str]:
        """The provider's oddities that the scenario needs."""
        return frozenset(quirk for answer in self.answers for quirk in answer.quirks)

    @cached_property
    def has_changes(self) -> bool:
        """Whether answers are edited."""
        return any(turn.changes for turn in self.turns)

    def elsewhere_than(self, provider: str, delivery: str | None = None) -> str | None:
        """Who does what it is about, where the provider's own host does not; ``None`` where that does it itself.

        Without ``delivery``: in whichever. What only others do in some deliveries is the provider's own as a whole.

        What fails then is no fault against the provider. Each form of a changed answer was recorded, or is typed, but
        not all of them in one answer.
        """
        known = card(provider).elsewhere
        told = [f"{quirk}: {known[quirk]}" for quirk in sorted(self.quirks & known.keys())]
        if self.elsewhere is not None and self.elsewhere.is_about(provider, delivery):
            told.append(self.elsewhere.evidence)
        if self.has_changes:
            told.append(DERIVED_ANSWER)
        return "; ".join(told) or None

    @cached_property
    def needs(self) -> frozenset[str]:
        """The capabilities that the scenario needs: those it names, and those that follow from what happens in it."""
        return self.requires | frozenset(_implied(self))

    @cached_property
    def streams_only(self) -> bool:
        """Whether it is about something that only streams have."""
        return any(turn.only_streams for turn in self.turns)

    @cached_property
    def breaks_off(self) -> bool:
        """Whether a stream of it has no end."""
        return any(turn.cut is not None for turn in self.turns)

    @cached_property
    def is_damaged(self) -> bool:
        """Whether an event of a stream arrives broken. How the bytes around it are cut is another question."""
        return any(turn.damaged for turn in self.turns)

    @cached_property
    def suits_agents(self) -> bool:
        """Whether an agent can play it: one task, calls and their results, and words at the end."""
        users = [step for step in self.steps if isinstance(step, UserStep)]
        usual = all(isinstance(step, UserStep | AnswerStep | ResultsStep) for step in self.steps)
        sound = all(isinstance(says, ScriptTurn) and not (says.only_streams or says.refusal) for says in self.answers)
        last = self.answers[-1] if self.answers else None
        ends = isinstance(last, ScriptTurn) and not last.calls and bool(last.text)
        usual_choice = self.choice.mode == "auto" and self.choice.parallel is None
        plain = usual_choice and not self.reasoning and not self.caching and self.output is None
        hosted = not all(tool.described for tool in self.tools)
        return len(users) == 1 and usual and sound and ends and plain and not self.history and not hosted

    @cached_property
    def suits_models(self) -> bool:
        """Whether a real model can be told to play it: no faults, no oddities, nothing that happened before, and every
        call runs."""
        plain = all(isinstance(says, ScriptTurn) and _is_plain(says) for says in self.answers)
        decides = any(isinstance(step, DecisionsStep) for step in self.steps)
        leaves_open = _leaves_calls_open(self.steps, self.tools)
        return plain and not (self.streams_only or self.history or decides or leaves_open)

    @cached_property
    def length(self) -> tuple[int, int, int]:
        """How long it is: answers, steps, tools."""
        return len(self.answers), len(self.steps) + len(self.history), len(self.tools)

    @cached_property
    def is_about_http(self) -> bool:
        """Whether an answer is an HTTP error, for which cutting streams means nothing."""
        return any(isinstance(answer, ScriptError) for answer in self.answers)


def _is_plain(turn: ScriptTurn) -> bool:
    """Whether a real model can be told to say it: nothing that only the provider, or an odd one, decides."""
    odd = turn.quirks or turn.only_streams or turn.refusal or turn.search or turn.stop or turn.finish
    return not odd and not turn.changes and all(_is_plain_call(call) for call in turn.calls)


def _is_plain_call(call: ScriptCall) -> bool:
    return call.id is None and call.raw is None and not call.undeclared


@cache
def scenario_root() -> Path:
    """The folder of the scenarios that come with the package."""
    packaged = Path(str(resources.files("conformance"))) / "scenarios_data"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "scenarios"


@cache
def load_scenarios(root: Path | None = None) -> Mapping[str, Scenario]:
    """Every scenario under ``root``, by id, in the order of the files' names. Default: those that we wrote.

    Raises `ScenarioError` for the first file that cannot be used.
    """
    if root is None:
        return {name: packaged_scenario(name) for name in packaged_files() if not name.startswith(f"{GENERATED}.")}
    files = scenario_files(root)
    if not files:
        raise ScenarioError(f"{root}: no scenario files (expected <family>/<name>.yaml)")
    shelf = Shelf.of(root)
    return {name: load_scenario(path, shelf) for name, path in files.items()}


@cache
def written_scenarios() -> Mapping[str, Scenario]:
    """Our scenarios that were written by hand: those without derived answers. Raises `ScenarioError`."""
    return {name: scenario for name, scenario in load_scenarios().items() if scenario.family != ANSWERS}


@cache
def packaged_files() -> Mapping[str, Path]:
    """The files of all scenarios that come with the package, by id."""
    return scenario_files(scenario_root())


@cache
def packaged_scenario(name: str) -> Scenario:
    """The scenario of this id that comes with the package. Raises `ScenarioError`, and `KeyError` for another id."""
    return load_scenario(packaged_files()[name], Shelf.packaged(), _packaged_document(name))


def _packaged_document(name: str) -> Any:
    """What the file of a scenario says. JSON is read as fast as what is kept."""
    path = packaged_files()[name]
    return json.loads(path.read_bytes() if path.suffix == ".json" else _kept()["documents"][name])


def packaged_meaning(name: str) -> Json:
    """What a scenario plays: its document with the shared tools and pictures that it names, without title and rules.

    Which rules it is for belongs to the rules: they judge whatever is played.
    """
    document = {key: value for key, value in _packaged_document(name).items() if key not in ("title", "rules")}
    named = [tool for tool in document.get("tools", ()) if isinstance(tool, str)]
    text = json.dumps(document)
    pictures = {picture: about for picture, about in _kept()["images"].items() if f'"{picture}"' in text}
    return {"document": document, "tools": {tool: _kept()["tools"][tool] for tool in named}, "images": pictures}


@cache
def _kept() -> Mapping[str, Any]:
    """What the package's files in YAML say, by what they are: documents by the ids of scenarios, as JSON text."""
    root = scenario_root()
    written = {name: path for name, path in packaged_files().items() if path.suffix != ".json"}
    shared = [root / f"{name}.yaml" for name in SHARED]

    def read() -> dict[str, Any]:
        documents = {name: json.dumps(_read("scenario", path)) for name, path in written.items()}
        return {"documents": documents, **{name: _read_shared(root, name) for name in SHARED}}

    kept: Mapping[str, Any] = made_once("scenarios", [*readers(), *shared, *written.values()], read)
    return kept


def readers() -> list[Path]:
    """The modules that say what a scenario file means: what is made of such files is made anew when they change."""
    package = Path(__file__).parent.parent
    return [*sorted((package / "scenarios").glob("*.py")), *(package / name for name in READERS)]


@cache
def generated_names() -> tuple[str, ...]:
    """The ids of the generated scenarios that are kept as files."""
    return tuple(name for name in packaged_files() if name.startswith(f"{GENERATED}."))


def find_scenario(name: str, root: Path | None = None) -> Scenario | None:
    """The scenario of this id, written or generated, if there is one. Raises `ScenarioError`."""
    if root is None:
        return packaged_scenario(name) if name in packaged_files() else None
    return load_scenarios(root).get(name)


def is_elsewhere(case: str, provider: str) -> bool:
    """Whether our scenarios say of a case, ``scenario/delivery``, that only others than the provider do this."""
    name, _, delivery = case.partition("/")
    scenario = find_scenario(name) if provider in known_ids() else None
    return scenario is not None and scenario.elsewhere_than(provider, delivery or None) is not None


def scenario_files(root: Path) -> dict[str, Path]:
    """The scenario files under a folder, by the ids of their scenarios, in the order of their names."""
    folders = [folder for folder in os.scandir(root) if folder.is_dir()] if root.is_dir() else []
    found = sorted((folder.name, file.name, file.path) for folder in folders for file in os.scandir(folder.path))
    named = ((family, *name.rpartition("."), path) for family, name, path in found)
    return {f"{family}.{stem}": Path(path) for family, stem, dot, suffix, path in named if dot + suffix in SUFFIXES}


@dataclass(frozen=True, slots=True)
class Shelf:
    """What scenarios share: tools by name, pictures by name."""

    tools: Mapping[str, Tool]
    images: Mapping[str, ImagePart]

    @classmethod
    def packaged(cls) -> Shelf:
        """The shelf of the package."""
        return _packaged_shelf()

    @classmethod
    def of(cls, root: Path) -> Shelf:
        """The shelf in ``tools.yaml`` and ``images.yaml`` under ``root``, each the package's where there is none."""
        return cls._saying(*(_read_shared(root, name) for name in SHARED))

    @classmethod
    def _saying(cls, tools: Any, images: Any) -> Shelf:
        return cls(
            {name: _tool({"name": name, **item}) for name, item in tools.items()},
            {name: ImagePart(item["media_type"], _picture(name, item["base64"])) for name, item in images.items()},
        )


@cache
def _packaged_shelf() -> Shelf:
    return Shelf._saying(*(_kept()[name] for name in SHARED))


def _picture(name: str, text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except ValueError as problem:
        raise ScenarioError(f"the image {name!r} is not base64: {problem}") from None


def _read_shared(root: Path, name: str) -> Any:
    """What ``tools.yaml`` or ``images.yaml`` under ``root`` says; the package's, where there is none."""
    own = root / f"{name}.yaml"
    return _read(name, own if own.is_file() else scenario_root() / own.name)


def load_scenario(path: Path, shelf: Shelf, ours: Any = None) -> Scenario:
    """One scenario file. Raises `ScenarioError`. ``ours`` is its document, where it comes with the package: a test has
    held that to the schema, and its changes to the answers that they change, which takes longer than reading it."""
    document = _read("scenario", path) if ours is None else ours
    try:
        scenario = _scenario(f"{path.parent.name}.{path.stem}", document, shelf)
        if ours is None:
            _check_changes(scenario)
        return scenario
    except ScenarioError as problem:
        raise ScenarioError(f"{path}: {problem}") from None


def _read(schema: str, path: Path) -> Any:
    """The document in a file, if it conforms to the schema."""
    from conformance.documents import DocumentError, read_document  # workers are given scenarios, and read none
    from conformance.schemas import problems

    try:
        document = read_document(path)
    except DocumentError as problem:
        raise ScenarioError(str(problem)) from None
    found = list(problems(schema, document))
    if found:
        at = found[0][0]
        raise ScenarioError(f"{path}: at {at or '/'}: {'; '.join(why for where, why in found[:3] if where == at)}")
    return document


def _implied(scenario: Scenario) -> Iterator[str]:
    """What a scenario needs because of what it contains."""
    turns, tools, choice = scenario.turns, scenario.tools, scenario.choice
    results = [result for step in scenario.steps if isinstance(step, ResultsStep) for result in step.results]
    parts = [part for result in results for part in result.content]
    implied = {
        "parallel_calls": any(len(turn.calls) > 1 for turn in turns),
        "tool_choice": choice.mode != "auto",
        "parallel_switch": choice.parallel is not None,
        "strict": any(tool.strict for tool in tools),
        "json_results": any(isinstance(part, JsonPart) for part in parts),
        "image_results": any(isinstance(part, ImagePart) for part in parts),
        "resource_results": any(isinstance(part, ResourcePart) for part in parts),
        "error_results": any(result.is_error for result in results),
        "mcp_names": any(tool.mcp or not PORTABLE_NAME.fullmatch(tool.name) for tool in tools),
        "foreign_history": bool(scenario.history),
        "reasoning": scenario.reasoning,
        "caching": scenario.caching,
        "output_schema": scenario.output is not None,
        "refusal": any(turn.stops_with == "refusal" for turn in turns),
        "errors": any(isinstance(a, ScriptError) or a.fails_with or a.stop == "error" for a in scenario.answers),
        "server_tools": any(tool.builtin for tool in tools) or any(turn.search for turn in turns),
        "text_tools": any(tool.text for tool in tools),
        "provider_kinds": any(tool.kind for tool in tools),
        "decisions": any(isinstance(step, DecisionsStep) for step in scenario.steps),
        "unanswered_calls": any(
            _leaves_calls_open(steps, scenario.tools) for steps in (scenario.history, scenario.steps)
        ),
    }
    return (capability for capability, needed in implied.items() if needed)


def _leaves_calls_open(steps: Iterable[Step], tools: tuple[Tool, ...]) -> bool:
    """Whether somebody goes on, although calls of the model's turn have no answer. What the provider runs once it was
    accepted needs none."""
    asking = {tool.name for tool in tools if tool.server is not None}
    left: set[str] = set()
    asked: set[str] = set()
    for step in steps:
        match step:
            case UserStep() if left:
                return True
            case AnswerStep(says=says, labels=labels):
                if left:
                    return True
                left = set(labels)
                calls = says.calls if isinstance(says, ScriptTurn) else ()
                asked = {label for label, call in zip(labels, calls, strict=False) if call.tool in asking}
            case ResultsStep(results):
                left -= {result.label for result in results}
            case DecisionsStep(accepted):
                left -= {label for label, accept in accepted.items() if not accept or label in asked}
    return False


# --- from documents to types -----------------------------------------------------------------------------------------


def _scenario(scenario_id: str, document: Mapping[str, Any], shelf: Shelf) -> Scenario:
    tools = tuple(
        _named_tool(item, shelf) if isinstance(item, str) else _tool(item) for item in document.get("tools", [])
    )
    history = tuple(_steps(document.get("history", []), shelf))
    steps = tuple(_steps(document["steps"], shelf))
    choice = _choice(document.get("tool_choice", "auto"), document.get("parallel"))
    _check_labels(history)
    _check_labels(steps)
    _check_tools(tools, choice, steps)
    scenario = Scenario(
        id=scenario_id,
        title=document["title"],
        rules=tuple(document["rules"]),
        requires=frozenset(document.get("requires", ())),
        providers=tuple(document["providers"]) if "providers" in document else None,
        profile=document.get("profile"),
        system=document.get("system"),
        reasoning=document.get("reasoning", False),
        caching=document.get("caching", False),
        output=document.get("output"),
        tools=tools,
        choice=choice,
        history=history,
        steps=steps,
        model=document.get("model"),
        deliveries=tuple(document["deliveries"]) if "deliveries" in document else None,
        elsewhere=_elsewhere(document["elsewhere"]) if "elsewhere" in document else None,
    )
    for delivery in scenario.deliveries or ():
        _known("delivery", delivery, DELIVERIES)
    for delivery in scenario.elsewhere.deliveries if scenario.elsewhere else ():
        _known("delivery", delivery, DELIVERIES)
    for quirk in sorted(scenario.quirks):
        _known("quirk", quirk, QUIRKS)
    others = scenario.elsewhere.providers if scenario.elsewhere else ()
    said_by = [step.by for step in history if isinstance(step, AnswerStep) and step.by is not None]
    for provider in (*said_by, *(scenario.providers or ()), *others):
        _known("provider", provider, PROVIDERS)
    return scenario


def _elsewhere(document: Mapping[str, Any]) -> Elsewhere:
    return Elsewhere(document["evidence"], tuple(document.get("providers", ())), tuple(document.get("deliveries", ())))


def _known(kind: str, name: str, names: Iterable[str]) -> str:
    if name not in names:
        raise ScenarioError(f"unknown {kind} {name!r}; known: {', '.join(sorted(names)) or 'none'}")
    return name


def _named_tool(name: str, shelf: Shelf) -> Tool:
    return shelf.tools[_known("tool", name, shelf.tools)]


def _tool(item: Mapping[str, Any]) -> Tool:
    mcp = item.get("mcp")
    return Tool(
        name=item["name"],
        description=item.get("description", ""),
        parameters=item.get("parameters"),
        strict=item.get("strict"),
        mcp=(mcp["server"], mcp["tool"]) if mcp else None,
        builtin=item.get("builtin"),
        text=TextInput(**item["text"]) if "text" in item else None,
        kind=item.get("kind"),
        server=item.get("server"),
    )


def _choice(choice: Any, parallel: bool | None) -> ToolChoice:
    if isinstance(choice, dict):
        return ToolChoice("tool", choice["tool"], parallel)
    return ToolChoice(choice, parallel=parallel)


def _steps(documents: list[Mapping[str, Any]], shelf: Shelf) -> Iterator[Step]:
    for document in documents:
        match document:
            case {"user": text}:
                yield UserStep(text)
            case {"model": model}:
                calls = model.get("calls", [])
                yield AnswerStep(turn_of(model), tuple(call.get("as", call["tool"]) for call in calls), model.get("by"))
            case {"error": error}:
                yield AnswerStep(_error(error))
            case {"results": results}:
                yield ResultsStep(tuple(_result(item, shelf) for item in results))
            case {"decisions": decisions}:
                yield DecisionsStep({label: decision == "accept" for label, decision in decisions.items()})


def turn_of(model: Mapping[str, Any]) -> ScriptTurn:
    """The turn that a `model` step says."""
    return ScriptTurn(
        text=_text(model.get("text", "")),
        calls=tuple(_call(call) for call in model.get("calls", [])),
        reasoning=model.get("reasoning"),
        refusal=model.get("refusal"),
        search=ServerSearch(**model["search"]) if "search" in model else None,
        stop=model.get("stop"),
        finish=model.get("finish"),
        quirks=frozenset(model.get("quirks", ())),
        cut=model.get("cut"),
        fails_with=_error(model["fails_with"]) if "fails_with" in model else None,
        changes=tuple(change_of(change) for change in model.get("changes", [])),
        damaged=model.get("damaged", False),
    )


def change_of(change: Mapping[str, Any]) -> Change:
    """The change that an item of `changes` says."""
    value = change.get("value")
    if "json" in change:
        try:
            value = json.loads(change["json"])
        except (ValueError, RecursionError):
            raise ScenarioError(f"the change at {change['at']} has a value that is no JSON") from None
    return Change(change["do"], change["at"], value, change.get("where", "everywhere"),
                  change.get("evidence", "own host"))  # fmt: skip


def _call(call: Mapping[str, Any]) -> ScriptCall:
    arguments, repeated = call.get("arguments"), call.get("repeated", {})
    if "text" in call:
        return ScriptCall(call["tool"], {TEXT_INPUT: _text(call["text"])}, id=call.get("id"), takes_text=True)
    if "raw" in call and (arguments is not None or repeated):
        raise ScenarioError(f"a call of {call['tool']!r} has both raw and other arguments")
    if repeated:
        arguments = {**(arguments or {}), **{name: _text(text) for name, text in repeated.items()}}
    made_up = "undeclared" in call
    return ScriptCall(call["tool"], arguments, call.get("raw"), call.get("id"), undeclared=made_up)


def _error(error: Mapping[str, Any]) -> ScriptError:
    quirks = frozenset(error.get("quirks", ()))
    return ScriptError(error["kind"], error["message"], error.get("retry_after"), quirks)


def _text(text: Any) -> str:
    if not isinstance(text, dict):
        return str(text)
    if len(text["repeat"]) * text["times"] > MAX_TEXT:
        raise ScenarioError(f"a repeated text may have {MAX_TEXT} characters at most")
    return str(text["repeat"]) * int(text["times"])


def _result(item: Mapping[str, Any], shelf: Shelf) -> ScriptResult:
    if "error" in item:
        return ScriptResult(item["call"], (TextPart(item["error"]),), is_error=True)
    parts = item.get("parts") or [{key: value for key, value in item.items() if key not in ("call", "failed")}]
    return ScriptResult(item["call"], tuple(_part(part, shelf) for part in parts), is_error="failed" in item)


def _part(part: Mapping[str, Json], shelf: Shelf) -> Part:
    if "json" in part:
        return JsonPart(part["json"])
    if "image" in part:
        return shelf.images[_known("image", str(part["image"]), shelf.images)]
    if "resource" in part:
        return ResourcePart(**part["resource"])
    return TextPart(_text(part["text"]))


def _check_labels(steps: tuple[Step, ...]) -> None:
    """Results and decisions are about calls of the turn before, and each call has one result at most."""
    labels: tuple[str, ...] = ()
    for step in steps:
        if isinstance(step, AnswerStep):
            labels = step.labels
            if len(set(labels)) < len(labels):
                raise ScenarioError(f"calls need different labels (as: ...), found {', '.join(labels)}")
        used = [result.label for result in step.results] if isinstance(step, ResultsStep) else []
        if len(set(used)) < len(used):
            raise ScenarioError(f"a call has one result at most, found results of {', '.join(used)}")
        used += list(step.accepted) if isinstance(step, DecisionsStep) else []
        for label in used:
            if label not in labels:
                raise ScenarioError(f"no call {label!r} in the turn before; it has: {', '.join(labels) or 'no calls'}")


def _check_changes(scenario: Scenario) -> None:
    """Changes are about one provider's format, and its answers have the places."""
    if not scenario.has_changes:
        return
    if scenario.providers is None:
        raise ScenarioError("changes are about one provider's answers: say whose, as providers")
    from conformance.wires import wire
    from conformance.wires.changes import unfit_change

    for provider in scenario.providers:
        for streaming in (True,) if scenario.streams_only else (True, False):
            if unfit := unfit_change(
                wire(provider), scenario.id, scenario.answers, kinds_of(scenario.tools), streaming=streaming
            ):
                raise ScenarioError(f"on {provider}, {unfit}")


def _check_tools(tools: tuple[Tool, ...], choice: ToolChoice, steps: tuple[Step, ...]) -> None:
    """Tools have different names; those that are called or forced are declared, but for what the model made up."""
    declared = {tool.name for tool in tools}
    if len(declared) < len(tools):
        raise ScenarioError("tools need different names")
    turns = [step.says for step in steps if isinstance(step, AnswerStep) and isinstance(step.says, ScriptTurn)]
    calls = [call for turn in turns for call in turn.calls]
    for name in [choice.name, *(call.tool for call in calls if not call.undeclared)]:
        if name is not None:
            _known("tool", name, declared)
    for call in (call for call in calls if call.undeclared and call.tool in declared):
        raise ScenarioError(f"the tool {call.tool!r} is declared, although a call says that it is not")
