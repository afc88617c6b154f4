"""OpenAI Responses: tools that the provider defined and the client runs: shells, and patches.

    {"type": "shell_call", "call_id": "call_1", "action": {"commands": ["ls"], "max_output_length": 4096}}
    {"type": "shell_call_output", "call_id": "call_1", "max_output_length": 4096,
     "output": [{"stdout": "a.txt", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]}

All kinds are alike: the type of the tool is all that declares it, a call is an item of a type of its own, with what it
is given as an object in one member, and it is answered by an item of the type that belongs to it.

Sources: openai 3.57.0 ``openai.types.responses`` (FunctionShellToolParam, ResponseFunctionShellToolCall,
ShellCallOutput, LocalShellCall, LocalShellCallOutput, ApplyPatchToolParam, ResponseApplyPatchToolCall,
ApplyPatchCallOutput); recorded answers of api.openai.com with each of the three calls;
https://platform.openai.com/docs/guides/tools-shell, as quoted in
https://github.com/ag2ai/ag2/issues/2229 ("Developer needs to pass it back with the raw output in shell_call_output").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.model import Json, JsonPart, ToolCall, ToolResult, compact_json, result_text
from conformance.wires.facts import Object, items, obj

Output = Callable[[ToolResult, Object], dict[str, Json]]
"""What an item says of a result beside its type and its id, made of the result and of what the call was given."""


@dataclass(frozen=True, slots=True)
class ClientKind:
    """A kind of tool: its type where it is declared, the type of its calls, the member of a call that holds what it is
    given, how ids of calls begin, and what its outputs say."""

    tool: str
    member: str
    prefix: str
    output: Output
    settings: Mapping[str, Json]
    """What stands beside the type where it is declared."""

    @property
    def call(self) -> str:
        """The type of its calls."""
        return f"{self.tool}_call"

    @property
    def answer(self) -> str:
        """The type of the item that answers a call."""
        return f"{self.tool}_call_output"


def _local_shell(result: ToolResult, given: Object) -> dict[str, Json]:
    text = result_text(result)
    return {"output": compact_json({"error": text}) if result.is_error else text}


def _shell(result: ToolResult, given: Object) -> dict[str, Json]:
    """Outcomes, command by command, are sent as they are. A text is what one command wrote; a failure ended with 1."""
    limit = given.get("max_output_length")
    output: dict[str, Json] = {} if limit is None else {"max_output_length": limit}
    return {**output, "output": _outcomes(result)}


def _outcomes(result: ToolResult) -> Sequence[Json]:
    match result.content:
        case (JsonPart(list() as outcomes),):
            return outcomes
    text, code = result_text(result), int(result.is_error)
    streams = {"stdout": "", "stderr": text} if result.is_error else {"stdout": text, "stderr": ""}
    return [{**streams, "outcome": {"type": "exit", "exit_code": code}}]


def _apply_patch(result: ToolResult, given: Object) -> dict[str, Json]:
    return {"status": "failed" if result.is_error else "completed", "output": result_text(result)}


KINDS: Mapping[str, ClientKind] = {
    kind.tool: kind
    for kind in (
        ClientKind("local_shell", "action", "lsh_", _local_shell, {}),
        ClientKind("shell", "action", "sh_", _shell, {"environment": {"type": "local"}}),
        ClientKind("apply_patch", "operation", "apc_", _apply_patch, {}),
    )
}
"""The kinds, by the word that declares them."""

BY_CALL: Mapping[str, ClientKind] = {kind.call: kind for kind in KINDS.values()}
"""The kinds, by the type of their calls."""

BY_ANSWER: Mapping[str, ClientKind] = {kind.answer: kind for kind in KINDS.values()}
"""The kinds, by the type of what answers their calls."""


def client_kind(item: Object) -> ClientKind | None:
    """The kind of which an item is a call that the client runs. What has a container of the provider's is run there."""
    kind = item.get("type")
    hosted = obj(item.get("environment")).get("type") == "container_reference"
    return None if hosted or not isinstance(kind, str) else BY_CALL.get(kind)


def declared(word: str) -> dict[str, Json]:
    """How a tool of a kind is declared."""
    known = KINDS.get(word)
    return {"type": word, **(known.settings if known is not None else {})}


def call_item(kind: ClientKind, call_id: str, arguments: Json) -> dict[str, Json]:
    """A call that another provider's model made, as an item. ``local_shell_call`` must have an id of its own."""
    own = {"id": f"{kind.prefix}{call_id}"[:64]} if kind.tool == "local_shell" else {}
    return {"type": kind.call, **own, "call_id": call_id, kind.member: arguments, "status": "completed"}


def output_item(kind: ClientKind, call_id: str, result: ToolResult, call: ToolCall | None) -> dict[str, Json]:
    """What answers a call. The types of ``local_shell_call_output`` have the call's id as ``id``, the guide as
    ``call_id`` (https://github.com/openai/openai-python/pull/3923 says that it is missing in the types)."""
    own = {"id": call_id} if kind.tool == "local_shell" else {}
    given = obj(call.arguments) if call is not None else {}
    return {"type": kind.answer, **own, "call_id": call_id, **kind.output(result, given)}


# --- what an output says ---------------------------------------------------------------------------------------------


def text_of(item: Object) -> str | None:
    """What the model reads of an output: of a shell what one command wrote that went well, or that failed as a text
    does (see `_outcomes`), else all outcomes as JSON."""
    output = item.get("output")
    if isinstance(output, str) or output is None:
        return output
    match output:
        case [{"stdout": str(text), "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]:
            return text
        case [{"stdout": "", "stderr": str(text), "outcome": {"type": "exit", "exit_code": 1}}]:
            return text
    return compact_json(output)


def failed(item: Object) -> bool | None:
    """Whether an output says that the call failed; ``None`` where its kind has no word for that."""
    match item.get("type"):
        case "apply_patch_call_output":
            return item.get("status") == "failed"
        case "shell_call_output":
            outcomes = [obj(obj(one).get("outcome")) for _, one in items(item.get("output"))]
            return any(one.get("type") == "timeout" or one.get("exit_code") not in (0, None) for one in outcomes)
    return None
