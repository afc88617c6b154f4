"""Nothing of the conversation gets lost, on every wire: what was said and called is sent, what is answered is read.

Other rules say how things are written. These only ask whether they are there at all, and unchanged.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

from conformance.http import Request
from conformance.model import AssistantTurn, ImagePart, Json, TextPart, ToolResult, UserTurn, to_json
from conformance.rules.check import Finding, Verdicts, check, equal, holds
from conformance.rules.pairing import answers, call_pairs, tool_pairs
from conformance.transcript import Exchange
from conformance.wires.facts import SentMessage, SentResult

# --- what is sent ----------------------------------------------------------------------------------------------------


@check("common.history.text-kept")
def text_kept(x: Exchange) -> Verdicts:
    """A message may hold several turns, or more than a turn: guidance may stand before what the user says first.

    Turns that the provider keeps need not come again.
    """
    if x.intent is None or not isinstance(x.request, Request) or x.facts.is_partial:
        return
    if x.intent.system is not None and (guidance := x.intent.system.strip()):
        found = "\n".join(text for _, text in x.facts.system if isinstance(text, str))
        first = next((_text(message) for message in x.facts.messages if message.role == "user"), "")
        told = any(_end(said, guidance, 0, set()) is not None for said in (found, first))
        yield holds(told, "", {"system": guidance}, {"system": found})
    messages = [message for message in x.facts.messages if message.role in ("user", "assistant")]
    place, start = 0, 0
    for role, text in _said(x):
        at = _next(messages, place, start, role, text)
        if at is None:
            yield Finding("", {"role": role, "text": text}, [_shown(message) for message in messages[place:]])
        else:
            place, start = at
            yield None


def _said(x: Exchange) -> Iterator[tuple[str, str]]:
    """What was said, with who said it, in order."""
    for turn in x.intent.turns if x.intent is not None else ():
        if isinstance(turn, UserTurn | AssistantTurn) and turn.text.strip():
            yield "user" if isinstance(turn, UserTurn) else "assistant", turn.text.strip()


def _next(messages: list[SentMessage], place: int, start: int, role: str, text: str) -> tuple[int, int] | None:
    """Where ``text`` ends, at or after a place: the number of its message and the position in the message's text."""
    for number in range(place, len(messages)):
        if messages[number].role == role:
            said, edges = _text(messages[number]), _edges(messages[number])
            end = _end(said, text, start if number == place else 0, edges)
            if end is not None:
                return number, end
    return None


def _end(said: str, text: str, start: int, edges: set[int]) -> int | None:
    """Where ``text`` ends in ``said``, standing by itself: what is around it, if anything, is on another line or in
    another part. Parts begin and end at the ``edges``."""
    begin = said.find(text, start)
    while begin >= 0:
        end = begin + len(text)
        opens = begin in edges or not said[:begin].rpartition("\n")[2].strip()
        closes = end in edges or not said[end:].partition("\n")[0].strip()
        if opens and closes:
            return end
        begin = said.find(text, begin + 1)
    return None


def _edges(message: SentMessage) -> set[int]:
    """Where the parts of a message's text begin and end, blank space around them left out."""
    edges, size = set(), 0
    for text in (text for _, text in message.texts if isinstance(text, str)):
        edges |= {size + len(text) - len(text.lstrip()), size + len(text.rstrip())}
        size += len(text)
    return edges


def _text(message: SentMessage) -> str:
    return "".join(text for _, text in message.texts if isinstance(text, str))


def _shown(message: SentMessage) -> Json:
    return {"role": message.role, "text": _text(message)[:200]}


@check("common.history.calls-kept")
def calls_kept(x: Exchange) -> Verdicts:
    """Names have rules of their own, and so has text that was no object."""
    if x.intent is None or not isinstance(x.request, Request) or x.facts.is_partial:
        return
    replays = {id(call): sent for call, sent in call_pairs(x)}
    for call in (call for turn in x.intent.turns if isinstance(turn, AssistantTurn) for call in turn.calls):
        sent = replays.get(id(call))
        if sent is None:
            if len(x.facts.calls) < sum(len(t.calls) for t in x.intent.turns if isinstance(t, AssistantTurn)):
                yield Finding("", to_json(call), [item.name for item in x.facts.calls])
        elif call.arguments is not None and sent.arguments is not None:
            same = _same(dict(call.arguments), dict(sent.arguments))
            yield holds(same, sent.arguments_at, call.arguments, sent.arguments)


def _same(one: Json, other: Json) -> bool:
    """Whether two values mean the same. ``5`` may be sent as ``5.0``, which is the same number in JSON."""
    pending = [(one, other)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            pending += [(value, right[key]) for key, value in left.items()]
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            pending += zip(left, right, strict=True)
        elif isinstance(left, bool) != isinstance(right, bool) or left != right:
            return False
    return True


# --- pictures --------------------------------------------------------------------------------------------------------

URL_SAFE = str.maketrans("-_", "+/")
"""Gemini takes base64 in the URL-safe alphabet too, which Google's SDK sends (ProtoJSON, ``bytes``)."""


@check("common.binary.image-kept")
def image_kept(x: Exchange) -> Verdicts:
    """Where the provider takes no pictures, or the profile wants none, words stand in their place."""
    everything = answers(x)
    for turn in {answer.turn: None for answer in everything}:
        sent = [(answer.meant, answer.sent) for answer in everything if answer.turn == turn and answer.sent is not None]
        left = [picture for meant, _ in sent for picture in _pictures(meant)]
        for at, media_type, data in (image for _, result in sent for image in result.images):
            untyped = not x.card.forms.typed_images
            plain = data.translate(URL_SAFE) if isinstance(data, str) and x.card.forms.url_safe_base64 else data
            own = next((one for one in left if one[1] == plain and (untyped or one[0] == media_type)), None)
            yield holds(own is not None, at, left[:1] or "no picture", [media_type, str(data)[:60]])
            left = [one for one in left if one is not own]
        for meant, result in sent:
            if pictures := _pictures(meant):
                arrived = not any(picture in left for picture in pictures)
                told = arrived or _has_words(result, meant)
                yield holds(told, result.content_at, "the picture, or words", result.text)


def _pictures(result: ToolResult) -> list[tuple[str, str]]:
    """The pictures of a result: media type and base64 data."""
    pictures = [part for part in result.content if isinstance(part, ImagePart)]
    return [(picture.media_type, base64.b64encode(picture.data).decode()) for picture in pictures]


def _has_words(sent: SentResult, meant: ToolResult) -> bool:
    """Whether the text that was sent says more than the other parts, without being the picture itself."""
    text = sent.text or ""
    for part in meant.content:
        if isinstance(part, TextPart):
            text = text.replace(part.text, "", 1)
    return bool(text.strip()) and not any(data[:64] in text for _, data in _pictures(meant))


# --- what is declared ------------------------------------------------------------------------------------------------


@check("common.declare.strict-as-asked")
def strict_as_asked(x: Exchange) -> Verdicts:
    for tool, sent in tool_pairs(x):
        if tool.strict is not None:
            yield holds((sent.strict is True) == tool.strict, sent.at, {"strict": tool.strict}, {"strict": sent.strict})


@check("common.declare.builtins-kept")
def builtins_kept(x: Exchange) -> Verdicts:
    meant = [tool.builtin for tool in x.intent.tools if tool.builtin is not None] if x.intent is not None else []
    if meant and isinstance(x.request, Request):
        found = [tool.kind for tool in x.facts.tools if tool.kind != "function"]
        yield holds(len(found) >= len(meant), x.facts.tools_at, meant, found)


# --- what is read ----------------------------------------------------------------------------------------------------


def _read(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What was said and what was read of it, where no failure was reported."""
    if x.offered is None or x.parsed is None or x.offered.error is not None:
        return None
    return x.offered, x.parsed


@check("common.parse.text-kept")
def answer_kept(x: Exchange) -> Verdicts:
    """Text beside calls has a rule of its own. How several blocks of text are joined is left open."""
    turns = _read(x)
    if turns is not None and turns[0].text.strip() and not turns[0].calls:
        wanted, found = turns[0].text, turns[1].text
        yield holds("".join(wanted.split()) == "".join(found.split()), "/text", wanted, found)


@check("common.parse.stop-reason")
def stop_reason(x: Exchange) -> Verdicts:
    """Beside calls, finish reasons lie in ways that providers' own rules are about. The gateway's are its own."""
    turns = _read(x)
    if turns is not None and (x.card.forms.honest_stop or not turns[0].calls):
        yield equal("/stop", turns[0].stop, turns[1].stop)


@check("common.parse.refusal-told-apart")
def refusal_told_apart(x: Exchange) -> Verdicts:
    """Why the model refused may be the reader's own words. That it did shows in ``stop`` too."""
    turns = _read(x)
    if turns is None:
        return
    offered, read = turns
    if offered.refusal is None and offered.stop != "refusal":
        yield holds(read.refusal is None and read.stop != "refusal", "/refusal", None, read.refusal)
    elif not offered.calls:
        yield holds(read.refusal is not None or read.stop == "refusal", "/refusal", offered.refusal, read.refusal)


@check("common.parse.usage-kept")
def usage_kept(x: Exchange) -> Verdicts:
    turns = _read(x)
    if turns is not None and turns[0].usage is not None:
        yield equal("/usage", to_json(turns[0].usage), to_json(turns[1].usage))
