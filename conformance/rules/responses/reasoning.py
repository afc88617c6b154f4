"""Responses: reasoning items that go back to the model."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.responses.documents import answered_items, final_items, input_items, is_replay, is_stored
from conformance.rules.shared.pairing import usable
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj


@check("responses.history.reasoning-items-passed-back")
def reasoning_items_passed_back(x: Exchange) -> Verdicts:
    """Only what can be replayed: unless the response is stored, a reasoning item is empty without its encrypted part.

    A user message ends the turn, and with it the use of the reasoning before.
    """
    if x.facts.previous is not None or obj(x.facts.document).get("conversation") is not None:
        return  # the provider has it
    sent = input_items(x)
    began = max((place for place, (_, item) in enumerate(sent) if item.get("role") == "user"), default=-1)
    for earlier in x.earlier:
        for item, call in _leading_to_calls(earlier):
            replays = (place for place, (_, own) in enumerate(sent) if place > began and is_replay(own, call))
            place = next(replays, None)
            if place is not None and (item.get("encrypted_content") or is_stored(earlier)):
                yield _passed_back(item, _forms(earlier, item), sent, place)


def _leading_to_calls(x: Exchange) -> Iterator[tuple[Object, Object]]:
    """Each reasoning item of an answer that a call follows, with that call."""
    output = answered_items(x.answer)
    for place, item in enumerate(output):
        call = next((later for later in output[place:] if later.get("type") == "function_call"), None)
        if item.get("type") == "reasoning" and call is not None:
            yield item, call


def _forms(x: Exchange, item: Object) -> list[Json]:
    """The encrypted contents under which an answer gave one reasoning item."""
    same = [form for form in final_items(x, "reasoning") if form.get("id") == item.get("id")]
    return [form["encrypted_content"] for form in same if usable(form.get("encrypted_content"))]


def _passed_back(item: Object, forms: list[Json], sent: list[tuple[str, Object]], before: int) -> Finding | None:
    """Whether a reasoning item is there, before the call that it led to, and with its summary."""
    places = [place for place, (_, copy) in enumerate(sent) if _is_copy(copy, item, forms)]
    if not places:
        return Finding(sent[before][0], f"the reasoning item {item.get('id')} before this call", "no such item")
    at, copy = sent[places[0]]
    if places[0] > before:
        return Finding(at, f"this item before {sent[before][0]}", copy.get("id"))
    summary = item.get("summary")
    same = copy.get("type") == "item_reference" or copy.get("summary") == summary
    return holds(same, f"{at}/summary", summary, copy.get("summary"))


def _is_copy(copy: Object, item: Object, forms: list[Json]) -> bool:
    """Whether ``copy`` is ``item``: by its id, or, where the client left that out, by its encrypted content."""
    if copy.get("type") not in ("reasoning", "item_reference"):
        return False
    return copy.get("id") == item.get("id") or (copy.get("id") is None and copy.get("encrypted_content") in forms)


@check("responses.history.reasoning-item-followed")
def reasoning_item_followed(x: Exchange) -> Verdicts:
    """Calls are known by their call_id, so they may be rebuilt; a stored message is the model's own only with its id.

    Where nothing is stored, encrypted reasoning brings along all there is to know, and an id would lead nowhere. The
    user may speak after it then, as where a limit ended the turn: no such request was seen to be refused, some were
    answered.
    """
    sent = input_items(x)
    for place, (at, item) in enumerate(sent):
        if item.get("type") == "reasoning" and usable(item.get("id")):
            by_id = is_stored(x) or not usable(item.get("encrypted_content"))
            follower = next((later for _, later in sent[place + 1 :] if later.get("type") != "reasoning"), {})
            if not by_id and (not follower or follower.get("role") == "user"):
                continue
            shown = {key: follower[key] for key in ("type", "role", "id") if key in follower}
            wanted = "the item that followed this one" + (", with its id" if by_id else "")
            yield holds(_is_from_model(follower, by_id=by_id), at, wanted, shown or None)


def _is_from_model(item: Object, *, by_id: bool) -> bool:
    if item.get("role") is not None:
        return item["role"] == "assistant" and (usable(item.get("id")) or not by_id)
    return isinstance(item.get("type"), str) and item["type"] != "function_call_output"


@check("responses.history.encrypted-content-verbatim")
def encrypted_content_verbatim(x: Exchange) -> Verdicts:
    """Any of the final forms will do: streams encrypt anew as the response ends. What the item began with will not."""
    for at, copy in input_items(x, "reasoning"):
        for earlier in x.earlier:
            forms = [
                form
                for item in answered_items(earlier.answer, "reasoning")
                if _is_copy(copy, item, _forms(earlier, item))
                for form in _forms(earlier, item)
            ]
            sent = copy.get("encrypted_content")
            if forms and (sent is not None or not is_stored(earlier)):
                yield holds(sent in forms, f"{at}/encrypted_content", forms[0], sent)


@check("responses.history.item-still-known")
def item_still_known(x: Exchange) -> Verdicts:
    """Where it is not known whose answer an item was, a request that stores nothing hardly follows one that did."""
    for at, item in input_items(x):
        kind = item.get("type")
        if kind not in ("reasoning", "item_reference") or not usable(item.get("id")):
            continue
        origin = next((earlier for earlier in x.earlier if _answered(earlier, item["id"])), None)
        kept = is_stored(origin) if origin is not None else is_stored(x) or kind == "item_reference"
        expected = "encrypted_content, as nothing is stored" if kind == "reasoning" else "the item, which is not stored"
        yield holds(kept or bool(_contents(item)), at, expected, item["id"])


def _contents(item: Object) -> Json:
    """What a reasoning item itself says of the thinking: without it, the provider has to look it up."""
    return item.get("encrypted_content") or item.get("content")


def _answered(x: Exchange, item_id: Json) -> bool:
    """Whether an answer, to a request that is known, has this item."""
    return x.request is not None and any(item.get("id") == item_id for item in answered_items(x.answer))
