"""Scripts in roles: what the model does, what its tools must show, and what the workspace must hold in the end.

A script is a YAML file (``schemas/agent_script.schema.json``). It names no tool: calls have roles, and the agent's own
tools are found for them. What a call does is known before it runs, because the workspace is ours: what its result must
show (`Effect`) is said beside it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, cast

from conformance.agents.named_files import checked_document, named_file
from conformance.agents.roles import ROLES, RoleName
from conformance.documents import DocumentError
from conformance.model import Json
from conformance.script import CutPlace, ScriptError

FailKind = Literal["exit code", "missing file", "unknown tool", "no match", "interrupted"]
SignalName = Literal["INT", "KILL"]
DEFAULT = "all_roles"
CHANGING: tuple[RoleName, ...] = ("write", "edit")
"""The roles whose calls change files."""
PASSES = "This failure passes: try again."
FINISHING: RoleName = "finish"
"""The role whose call ends a task."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What the model must be able to see of a call.

    ``shows`` are texts that the result has, all of them. ``fails`` says that the call fails, and as what; ``exit_code``
    is the number then. ``picture`` wants a picture, or words that there can be none. ``long`` is a text from the end of
    a long output: it is there, or words say that something was cut. ``succeeds`` is a call that works, so that its
    result tells of no failure. ``binary`` is a file that is no text: the model is told so, or gets its bytes unchanged.
    """

    shows: tuple[str, ...] = ()
    fails: FailKind | None = None
    exit_code: int | None = None
    picture: bool = False
    long: str = ""
    succeeds: bool = False
    binary: bool = False


@dataclass(frozen=True, slots=True)
class RoleCall:
    """A call of the model. ``values`` are what the role says (`conformance.agents.roles.RoleForm.values`)."""

    role: RoleName
    values: Mapping[str, Json]
    effect: Effect


@dataclass(frozen=True, slots=True)
class ScriptInterruption:
    """The agent is ended by a signal as soon as a file is there, which a call of the answer makes."""

    by: SignalName
    when: str


@dataclass(frozen=True, slots=True)
class RoleAnswer:
    """One answer of the model: words, thinking and calls. One without calls ends the task.

    ``error`` is a failure that the provider reports instead; ``inside`` is one that comes after the first words of the
    stream; ``breaks`` is where the stream of the answer breaks off. All are for now: the next answer is for whoever
    asks again. ``interrupted`` says that the agent is ended in the middle of the calls, and started again.
    """

    calls: tuple[RoleCall, ...] = ()
    text: str = ""
    thinks: str = ""
    sealed: bool = False
    """Whether a part of the thinking comes encrypted, where a provider has that."""
    refusal: str = ""
    error: ScriptError | None = None
    inside: ScriptError | None = None
    breaks: CutPlace | None = None
    interrupted: ScriptInterruption | None = None

    @property
    def fails(self) -> bool:
        """Whether it is no answer, but a failure that passes."""
        return self.error is not None or self.inside is not None or self.breaks is not None


@dataclass(frozen=True, slots=True)
class AgentScript:
    """A script. ``files`` are there at the beginning, ``after`` says what a file holds in the end (``None``: it is not
    there)."""

    id: str
    title: str
    task: str
    files: Mapping[str, bytes]
    answers: tuple[RoleAnswer, ...]
    after: Mapping[str, str | None] = field(default_factory=dict)
    resumes: str = ""
    """What the agent is asked when it is started again."""

    @property
    def interruption(self) -> ScriptInterruption | None:
        """How the agent is ended in the middle, if it is."""
        return next((answer.interrupted for answer in self.answers if answer.interrupted is not None), None)

    @property
    def thinks(self) -> bool:
        """Whether the model thinks."""
        return any(answer.thinks for answer in self.answers)

    @property
    def roles(self) -> list[RoleName]:
        """The roles of its calls, each once."""
        return list(dict.fromkeys(call.role for answer in self.answers for call in answer.calls))


@cache
def load_script(name: str) -> AgentScript:
    """A script by its name, or by the path of a file. Raises `DocumentError`."""
    path = named_file("script", name)
    document = checked_document("script", path)
    return AgentScript(
        id=path.stem,
        title=document["title"],
        task=document["task"],
        files={name: _content(value) for name, value in document.get("files", {}).items()},
        answers=tuple(_answer(one, path) for given in document["answers"] for one in _repeated(given)),
        after=document.get("after", {}),
        resumes=document.get("resumes", ""),
    )


def _repeated(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """An answer as often as it says; ``#`` in its texts is the number."""
    for number in range(1, answer.get("times", 1) + 1):
        yield _numbered(answer, str(number)) if "times" in answer else answer


def _numbered(value: Any, number: str) -> Any:
    if isinstance(value, str):
        return value.replace("#", number)
    if isinstance(value, list):
        return [_numbered(item, number) for item in value]
    if isinstance(value, dict):
        return {name: _numbered(item, number) for name, item in value.items()}
    return value


def _content(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if "base64" in value:
        return base64.b64decode(value["base64"])
    return "".join(value["line"].replace("#", str(number)) + "\n" for number in range(1, value["times"] + 1)).encode()


def _answer(document: Mapping[str, Any], path: Path) -> RoleAnswer:
    calls = tuple(_call(one, path) for one in document.get("calls", ()))
    interrupted = document.get("interrupted")
    return RoleAnswer(
        calls=calls,
        text=document.get("text", ""),
        thinks=document.get("thinks", ""),
        sealed=document.get("sealed", False),
        refusal=document.get("refusal", ""),
        error=ScriptError(document["error"], PASSES, document.get("retry_after")) if "error" in document else None,
        inside=ScriptError(document["fails_inside"], PASSES) if "fails_inside" in document else None,
        breaks=document.get("breaks"),
        interrupted=None if interrupted is None else ScriptInterruption(interrupted["by"], interrupted["when"]),
    )


def _call(document: Mapping[str, Any], path: Path) -> RoleCall:
    role = cast(RoleName, document["role"])
    wanted: Sequence[str] = ("tool", "arguments") if role == "unknown_tool" else ROLES[role].values
    missing = [name for name in wanted if name not in document]
    if missing:
        raise DocumentError(f"{path}: a call of the role {role!r} lacks {', '.join(missing)}")
    effect = Effect(
        tuple(document.get("shows", ())),
        document.get("fails"),
        document.get("exit_code"),
        document.get("picture", False),
        document.get("long", ""),
        document.get("works", role in CHANGING and "fails" not in document),
        document.get("binary", False),
    )
    return RoleCall(role, {name: document[name] for name in wanted}, effect)
