"""What was said once is sent once, on every wire. Results and tools have rules of their own that say so."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Json, ResultsTurn, UserTurn, compact_json, result_text
from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.shared.standing import edges_of, text_of, times
from conformance.transcript import Exchange
from conformance.wires.facts import SentCall


@check("common.history.said-once", needs_intent=True)
def said_once(x: Exchange) -> Verdicts:
    if x.intent is None or not isinstance(x.request, Request):
        return
    yield from _guidance(x, x.intent)
    for role, kind in (("user", UserTurn), ("assistant", AssistantTurn)):
        turns = [turn.text for turn in x.intent.turns if isinstance(turn, kind)]
        for text in dict.fromkeys(filter(None, map(str.strip, turns))):
            meant = _times(text, [*turns, *_beside(x.intent)])
            found, at = _sent(x, role, text)
            yield Finding(at, f"this text {_often(meant)}", text) if found > meant else None
    yield from _calls(x, x.intent)


def _guidance(x: Exchange, intent: Conversation) -> Verdicts:
    """The guidance, which may stand in the first message of the user, too."""
    text = (intent.system or "").strip()
    if not text:
        return
    users = [turn.text for turn in intent.turns if isinstance(turn, UserTurn)]
    meant = _times(text, [intent.system or "", *users])
    guides = [(at, said) for at, said in x.facts.system if isinstance(said, str)]
    in_messages, at = _sent(x, "user", text)
    found = _times(text, [said for _, said in guides]) + in_messages
    at = at or next((place for place, said in reversed(guides) if text in said), "")
    yield Finding(at, f"this guidance {_often(meant)}", text) if found > meant else None


def _beside(intent: Conversation) -> list[str]:
    """What else may stand in messages: guidance, and what tools returned."""
    results = [result for turn in intent.turns if isinstance(turn, ResultsTurn) for result in turn.results]
    return [intent.system or "", *map(result_text, results)]


def _times(text: str, texts: Iterable[str]) -> int:
    return sum(times(said, text, {0, len(said)}) for said in texts)


def _sent(x: Exchange, role: str, text: str) -> tuple[int, str]:
    """How often messages of a role say a text, and the last place where one does."""
    count, at = 0, ""
    for message in x.facts.messages:
        found = times(text_of(message), text, edges_of(message)) if message.role == role else 0
        count, at = count + found, message.at if found else at
    return count, at


def _often(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _calls(x: Exchange, intent: Conversation) -> Verdicts:
    """More calls than there were, of which one is like another."""
    meant = [call for turn in intent.turns if isinstance(turn, AssistantTurn) for call in turn.calls]
    sent = x.facts.calls
    if len(sent) <= len(meant):
        yield from (None for _ in sent)
        return
    alike: dict[str, list[SentCall]] = {}
    for call in sent:
        alike.setdefault(_key(call.name, call.arguments, call.raw), []).append(call)
    often = [_key(None, call.arguments, call.raw) for call in meant]
    for calls in alike.values():
        wanted = often.count(_key(None, calls[0].arguments, calls[0].raw))
        if len(calls) > max(wanted, 1):
            yield Finding(calls[-1].at, f"this call {_often(max(wanted, 1))}", calls[-1].name)


def _key(name: Json, arguments: Json, raw: Json) -> str:
    return compact_json([name, dict(arguments) if arguments else raw if arguments is None else {}])
