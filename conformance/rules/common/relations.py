"""Relations between two requests: what must not depend on a change is equal in both.

The engine asks the adapter again with one thing changed (`conformance.session.variants`), and the rules compare. So
they need no example of a right request, and hold for whatever an adapter sends.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.http import Request
from conformance.model import Json
from conformance.outcomes import OperationFailure
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.cache_marks import differences_but_for_marks
from conformance.rules.shared.varied import choice_places, equal_but_for, failed, shown, varied
from conformance.transcript import Exchange, VariantName
from conformance.wires.facts import Facts, value_at


@check("common.http.same-request-twice")
def same_request_twice(x: Exchange) -> Verdicts:
    yield from equal_but_for(x, "again", lambda facts: ())
    other = varied(x, "again")
    if isinstance(x.request, Request) and other is not None and isinstance(other.request, Request):
        one, two = x.request, other.request
        same = (one.method, one.url, one.body) == (two.method, two.url, two.body)
        if same or one.url != two.url:
            yield holds(same, "", f"{one.method} {one.url}, byte for byte", f"{two.method} {two.url}")


@check("common.http.nothing-of-another")
def nothing_of_another(x: Exchange) -> Verdicts:
    yield from equal_but_for(x, "after-another", lambda facts: ())


@check("common.http.stream-changes-nothing-else")
def stream_changes_nothing_else(x: Exchange) -> Verdicts:
    for finding in equal_but_for(x, "streamed", lambda _: ()):
        about_streams = finding is not None and "stream" in finding.at.rpartition("/")[2]
        yield None if about_streams else finding


@check("common.choose.changes-nothing-else")
def changes_nothing_else(x: Exchange) -> Verdicts:
    yield from equal_but_for(x, "free-choice", choice_places)


@check("common.history.guidance-changes-nothing-else")
def guidance_changes_nothing_else(x: Exchange) -> Verdicts:
    yield from equal_but_for(x, "other-system", lambda facts: [at for at, _ in facts.system])


@check("common.result.structure-changes-nothing-else")
def structure_changes_nothing_else(x: Exchange) -> Verdicts:
    yield from equal_but_for(x, "results-as-text", lambda facts: [result.content_at for result in facts.results])


@check("common.declare.unmoved-by-other-tools")
def unmoved_by_other_tools(x: Exchange) -> Verdicts:
    yield from _declared_alike(x, "tool-beside")


@check("common.declare.strict-tool-by-tool")
def strict_tool_by_tool(x: Exchange) -> Verdicts:
    yield from _declared_alike(x, "strict-tool-beside")


@check("common.declare.order-kept")
def order_kept(x: Exchange) -> Verdicts:
    other = varied(x, "tools-reversed")
    if other is None:
        return
    if isinstance(other.request, OperationFailure):
        yield failed(other.request)
        return
    yield from _declared_alike(x, "tools-reversed")
    names = [tool.name for tool in x.facts.functions]
    turned = [tool.name for tool in other.facts.functions]
    yield holds(turned == names[::-1], x.facts.tools_at, names[::-1], turned)


@check("common.history.only-extended", needs_intent=True)
def only_extended(x: Exchange) -> Verdicts:
    earlier = x.previous
    if earlier is None or earlier.intent is None or x.intent is None or x.facts.is_partial:
        return
    name = x.card.forms.conversation
    before, after = (_messages(facts, name) for facts in (earlier.facts, x.facts))
    if not before or not after or earlier.facts.is_partial:
        return
    for place, message in enumerate(before):
        found = after[place] if place < len(after) else None
        if place == len(before) - 1:
            found = _as_far_as(message, found)
        first = next(differences_but_for_marks(message, found), None)
        at = f"/{name}/{place}"
        if first is None:
            yield None
        else:
            yield Finding(at + first.at, shown(first.recorded), shown(first.sent))


def _as_far_as(message: Json, found: Json) -> Json:
    """``found`` without what is new at the end of its lists: the last message may go on, where sides must alternate."""
    if not isinstance(message, dict) or not isinstance(found, dict):
        return found
    lengths = {name: len(value) for name, value in message.items() if isinstance(value, list)}
    return {name: value[: lengths[name]] if name in lengths and isinstance(value, list) else value
            for name, value in found.items()}  # fmt: skip


# --- comparing -------------------------------------------------------------------------------------------------------


def _declared_alike(x: Exchange, name: VariantName) -> Iterator[Finding | None]:
    """Whether each function of the one request is declared alike in the other."""
    other = varied(x, name)
    if other is None:
        return
    if isinstance(other.request, OperationFailure):
        yield failed(other.request)
        return
    by_name = {str(tool.name): tool for tool in other.facts.functions}
    for tool in x.facts.functions:
        twin = by_name.get(str(tool.name))
        if twin is None:
            yield Finding(tool.at, f"{tool.name}, whatever stands beside it", "no such tool")
            continue
        one, two = value_at(x.facts.document, tool.at), value_at(other.facts.document, twin.at)
        first = next(differences_but_for_marks(one, two), None)
        yield None if first is None else Finding(tool.at + first.at, shown(first.recorded), shown(first.sent))


def _messages(facts: Facts, name: str) -> list[Json]:
    document = facts.document
    messages = document.get(name) if isinstance(document, dict) else None
    return messages if isinstance(messages, list) else []
