"""Messages: tools that the provider runs, beside the client's own and by a program of the model's."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Json
from conformance.rules.anthropic.documents import (
    MessageSpeech,
    PlacedObject,
    block_kind,
    blocks_of,
    messages,
    placed,
    speeches,
)
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import obj

PROGRAMS = "code_execution"
"""How the types begin of who calls from a program: ``code_execution_20260120``."""


@check("anthropic.history.server-calls-closed")
def server_calls_closed(x: Exchange) -> Verdicts:
    """What is still open may go on where nobody has spoken since, or only results were sent."""
    listed = speeches(x)
    answered = _answered(listed)
    for number, speech in enumerate(listed):
        after = listed[number + 1] if number + 1 < len(listed) else None
        for at, block in speech.blocks:
            if speech.by_model and block_kind(block) == "server_tool_use" and usable(block.get("id")):
                closed = block["id"] in answered
                goes_on = after is None or bool(after.results)
                yield holds(closed or goes_on, at, f"the result of {block['id']} before the user goes on", None)


def _answered(listed: list[MessageSpeech]) -> set[Json]:
    """The ids of all uses of tools whose results are in the request."""
    blocks = [block for speech in listed for _, block in speech.blocks if block_kind(block).endswith("tool_result")]
    return {block["tool_use_id"] for block in blocks if usable(block.get("tool_use_id"))}


@check("anthropic.continuation.container-named")
def container_named(x: Exchange) -> Verdicts:
    """A program that waits for results waits in its container, which the next request has to name. Where the answers
    are known and none of them named a container, nobody can."""
    given = _container_of(x)
    if (x.earlier and given is None) or next(_waiting(speeches(x)), None) is None:
        return
    container = obj(x.facts.document).get("container")
    named = obj(container).get("id", container)
    right = usable(named) if given is None else named == given
    yield holds(right, "/container", given or "the id of the container, from the answer", container)


def _waiting(listed: list[MessageSpeech]) -> Iterator[PlacedObject]:
    """The uses of tools by a program that still runs, in the turn that goes on."""
    if len(listed) < 2 or listed[-1].by_model or not listed[-1].results:
        return
    answered = _answered(listed)
    for at, block in listed[-2].blocks:
        caller = obj(block.get("caller"))
        if str(caller.get("type")).startswith(PROGRAMS) and caller.get("tool_id") not in answered:
            yield at, block


def _container_of(x: Exchange) -> Json:
    """The id that the latest answer with a container gave."""
    known = [obj(obj(earlier.answer).get("container")).get("id") for earlier in x.earlier]
    return next((one for one in reversed(known) if usable(one)), None)


@check("anthropic.result.references-declared")
def references_declared(x: Exchange) -> Verdicts:
    """The tools of a server that is asked for its own are declared nowhere else."""
    tools = placed("/tools", obj(x.facts.document).get("tools"))
    if any(tool.get("type") == "mcp_toolset" for _, tool in tools):
        return
    names = [tool.get("name") for _, tool in tools]
    for at, block in _references(x):
        name = block.get("tool_name")
        yield None if name in names else Finding(f"{at}/tool_name", names, name)


def _references(x: Exchange) -> Iterator[PlacedObject]:
    """What was found by a search for tools, by the provider's own or by one of the client's."""
    for at, message in messages(x):
        for here, block in blocks_of(at, message):
            kind = block_kind(block)
            found = obj(block.get("content"))
            inside = placed(f"{here}/content/tool_references", found.get("tool_references"))
            if kind.endswith("tool_result"):
                yield from (one for one in [*blocks_of(here, block), *inside] if block_kind(one[1]) == "tool_reference")
