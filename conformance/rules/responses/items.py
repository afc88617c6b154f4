"""Responses: the items of a request as such: their ids, the marks on them, and which of them wait for an answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.responses.documents import answered_items, input_items
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

LONGEST_ID = 64

ANSWERING = ("_output", "_response")
"""How the types of items end that answer others. Some have the id of what they answer."""


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """How an item that waits for the client is answered: by an item of this type, which names it in this member."""

    kind: str
    ref: str = "call_id"
    own: tuple[str, ...] = ("call_id",)
    """The members of the waiting item that may be named."""
    also: tuple[str, ...] = ()
    """Other types that were seen to answer it."""


WAITING: Mapping[str, AnswerForm] = {
    "local_shell_call": AnswerForm("local_shell_call_output", "call_id", ("call_id", "id"), ("function_call_output",)),
    "shell_call": AnswerForm("shell_call_output"),
    "apply_patch_call": AnswerForm("apply_patch_call_output"),
    "computer_call": AnswerForm("computer_call_output"),
}
"""Items that the client runs. Calls of its own functions and custom tools have rules of their own."""

APPROVAL = AnswerForm("mcp_approval_response", "approval_request_id", ("id",))

TOOLS: Mapping[str, tuple[str, ...]] = {
    "local_shell_call": ("local_shell",),
    "shell_call": ("shell",),
    "apply_patch_call": ("apply_patch",),
    "computer_call": ("computer", "computer_use_preview"),
    "mcp_approval_request": ("mcp",),
}
"""The types of tools, one of which is declared where such an item comes."""

MARKS: Mapping[str, tuple[str, ...]] = {
    "message": ("phase",),
    "function_call": ("namespace", "caller"),
    "custom_tool_call": ("namespace", "caller"),
    "shell_call": ("caller",),
    "apply_patch_call": ("caller",),
    "compaction": ("encrypted_content",),
}
"""What is on an item beside what it says, and means something when it comes back."""


@check("responses.ids.items-unique")
def items_unique(x: Exchange) -> Verdicts:
    """A reference counts as the item that it names. An item that answers may have the id of what it answers.

    Ids that the answers themselves hold twice are the provider's."""
    known: dict[str, str] = {}
    came = Counter(str(item.get("id")) for earlier in x.earlier for item in answered_items(earlier.answer))
    for at, item in input_items(x):
        own, kind = item.get("id"), item.get("type")
        if isinstance(own, str) and own and came[own] < 2 and not (isinstance(kind, str) and kind.endswith(ANSWERING)):
            first = known.setdefault(own, at)
            yield holds(first == at, f"{at}/id", f"another id than that of {first}, or no id", own)


@check("responses.ids.item-length-64")
def item_length_64(x: Exchange) -> Verdicts:
    for at, item in input_items(x):
        if isinstance(own := item.get("id"), str):
            fits = len(own) <= LONGEST_ID
            shown = f"{own} ({len(own)} characters)"
            yield holds(fits, f"{at}/id", f"at most {LONGEST_ID} characters, or no id", shown)


# --- what waits for the client ---------------------------------------------------------------------------------------


@check("responses.result.client-items-answered")
def client_items_answered(x: Exchange) -> Verdicts:
    """What the provider runs in a container of its own waits for nobody."""
    for at, item in _open_to(x, WAITING):
        if obj(item.get("environment")).get("type") != "container_reference":
            yield _answered(x, at, item, WAITING[str(item["type"])])


@check("responses.result.approval-answered")
def approval_answered(x: Exchange) -> Verdicts:
    for at, item in _open_to(x, {"mcp_approval_request": APPROVAL}):
        yield _answered(x, at, item, APPROVAL)


def _open_to(x: Exchange, kinds: Mapping[str, AnswerForm]) -> Iterator[tuple[str, Object]]:
    """The items of some kinds in the request, and in the answer that it goes on from. What came though its tool was not
    declared is left out: nobody can answer that."""
    unasked = _unasked(x)
    before = x.previous.answer if x.previous is not None else None
    kept = answered_items(before) if usable(x.facts.previous) and obj(before).get("id") == x.facts.previous else []
    for at, item in [*input_items(x), *(("/input", item) for item in kept)]:
        kind = item.get("type")
        if isinstance(kind, str) and kind in kinds and unasked.isdisjoint(_ids(item)):
            yield at, item


def _ids(item: Object) -> list[str]:
    return [one for one in (item.get("id"), item.get("call_id")) if isinstance(one, str)]


def _unasked(x: Exchange) -> set[str]:
    """The ids of items in earlier answers whose tool the request before did not declare."""
    found: set[str] = set()
    for earlier in x.earlier:
        declared = {str(obj(tool).get("type")) for _, tool in items(obj(earlier.facts.document).get("tools"))}
        for item in answered_items(earlier.answer):
            tools = TOOLS.get(str(item.get("type")), ())
            if tools and declared.isdisjoint(tools):
                found.update(_ids(item))
    return found


def _answered(x: Exchange, at: str, item: Object, by: AnswerForm) -> Finding | None:
    """Whether an item is answered by one of the right kind. Any item that names it shows what was sent instead."""
    names = [item.get(member) for member in by.own if usable(item.get(member))]
    found = [other for _, other in input_items(x) if other is not item and _names(other, names, by)]
    right = any(other.get("type") in (by.kind, *by.also) for other in found)
    shown = [{"type": other.get("type")} for other in found]
    return holds(right or not names, at, {"type": by.kind, by.ref: names[:1]}, shown or "no item that names it")


def _names(item: Object, names: list[Json], by: AnswerForm) -> bool:
    kind = item.get("type")
    return isinstance(kind, str) and kind.endswith(ANSWERING) and any(
        item.get(member) in names for member in (by.ref, "call_id", "id")
    )


# --- marks -----------------------------------------------------------------------------------------------------------


@check("responses.history.marks-kept")
def marks_kept(x: Exchange) -> Verdicts:
    """An item is known by its ids; a message also by what it says, where nothing else says that."""
    came = [item for earlier in x.earlier for item in answered_items(earlier.answer) if _marks(item)]
    if not came:
        return
    for at, item in input_items(x):
        forms = [own for own in came if _is_one(item, own)]
        if forms:
            yield _lost(at, forms, item)


def _marks(item: Object) -> list[str]:
    kind = item.get("type")
    return [name for name in MARKS.get(kind if isinstance(kind, str) else "", ()) if item.get(name) is not None]


def _is_one(sent: Object, came: Object) -> bool:
    kind = sent.get("type", "message" if sent.get("role") == "assistant" else None)
    if kind != came["type"]:
        return False
    for name in ("id", "call_id"):
        if usable(sent.get(name)) and usable(came.get(name)):
            return bool(sent[name] == came[name])
    return kind == "message" and sent.get("role") == "assistant" and _words(sent) == _words(came) != ""


def _words(message: Object) -> str:
    content = message.get("content")
    parts = [obj(part).get("text") for _, part in items(content)]
    return content if isinstance(content, str) else "".join(part for part in parts if isinstance(part, str))


def _lost(at: str, forms: list[Object], item: Object) -> Finding | None:
    """What the item lost of all that it may have come with."""
    for name in _marks(forms[-1]):
        if not any(same_json(own.get(name), item.get(name)) for own in forms):
            return Finding(f"{at}/{name}", forms[-1][name], item.get(name))
    return None
