"""OpenAI Responses, provider half: the events of a call of a kind that the provider defined.

    output_item.added (no command yet), for each command shell_call_command.added, .delta …, .done, output_item.done
    output_item.added (an empty diff), apply_patch_call_operation_diff.delta …, .done, output_item.done
    output_item.added (an empty command), output_item.done: of ``local_shell``, and of a patch that deletes a file

Sources: recorded streams of api.openai.com with each of them; openai 3.57.0 ``openai.types.responses``
(ResponseShellCallCommandDeltaEvent and its neighbours). Events of a command name no item, only its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set

from conformance.model import Json
from conformance.wires.base import fragments, mint
from conformance.wires.openai_responses.kinds import BY_CALL

EventData = dict[str, Json]
"""One event: its ``type`` and its fields, still without a sequence number."""


def begun(item: EventData) -> EventData:
    """The item as it begins: in progress, and nothing is said yet of what the model writes."""
    member = BY_CALL[item["type"]].member
    given = {name: _nothing(value) if name in ("command", "commands", "diff") else value
             for name, value in item[member].items()}  # fmt: skip
    return {**item, "status": "in_progress", member: given}


def _nothing(value: Json) -> Json:
    return [] if isinstance(value, list) else ""


def kind_steps(item: EventData, index: int, item_id: str, quirks: Set[str]) -> Iterator[EventData]:
    """The events between an item's two ends."""
    steps = STEPS.get(item["type"])
    if steps is not None and "no_deltas" not in quirks:
        yield from steps(item, {"output_index": index}, item_id, frozenset(quirks))


def _commands(item: EventData, here: EventData, item_id: str, quirks: frozenset[str]) -> Iterator[EventData]:
    for place, command in enumerate(item["action"]["commands"]):
        at = {**here, "command_index": place}
        yield {"type": "response.shell_call_command.added", **at, "command": ""}
        yield from _deltas("response.shell_call_command.delta", command, at, quirks)
        yield {"type": "response.shell_call_command.done", **at, "command": command}


def _diff(item: EventData, here: EventData, item_id: str, quirks: frozenset[str]) -> Iterator[EventData]:
    diff, at = item["operation"].get("diff"), {**here, "item_id": item_id}
    if diff is not None:
        yield from _deltas("response.apply_patch_call_operation_diff.delta", diff, at, quirks)
        yield {"type": "response.apply_patch_call_operation_diff.done", **at, "diff": diff}


def _deltas(kind: str, text: str, at: EventData, quirks: frozenset[str]) -> Iterator[EventData]:
    for piece in fragments(text, quirks):
        yield {"type": kind, **at, "delta": piece, "obfuscation": mint(piece, max(16 - len(piece), 1))}


STEPS: Mapping[str, Callable[[EventData, EventData, str, frozenset[str]], Iterator[EventData]]] = {
    "shell_call": _commands,
    "apply_patch_call": _diff,
}
"""By the type of the item. Of others all comes at once."""
