"""What a gateway asked of the provider, beside what the client asked of it."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.gateways.comparing import answered, same_value, says, schema_shape
from conformance.gateways.crossing import CrossedCall, UpstreamCall
from conformance.gateways.findings import CaseFindings, GatewayFinding, across
from conformance.gateways.losses import format_losses, lacks
from conformance.model import Json
from conformance.server.judging import judged
from conformance.transcript import Exchange
from conformance.wires.facts import Facts, SentResult, obj, settings_at, value_at

FREEDOM = (
    "/temperature", "/top_p", "/generationConfig/temperature", "/generationConfig/topP", "/options/temperature",
)  # fmt: skip
"""Where formats have how freely the model speaks."""
THINKING_BACK = ("thinking-blocks", "thought-signature", "reasoning-items", "thinking-beside-calls")
"""What rules about thinking that must come back have in their names."""


def judge_request(x: CrossedCall, number: int, case: CaseFindings) -> None:
    """Judge the gateway's first request of a model call: by the provider's rules, and beside the client's."""
    call = x.asked
    if call is None:
        return
    _by_the_provider(x, call, number, case)
    told, sent = x.facts, call.facts
    pairs = (
        *_tools(told, sent), *_choice(told, sent, call, case), *_settings(told, sent), *_calls(x, told, sent),
        *_results(told, sent, call, case), *_texts(told, sent),
    )  # fmt: skip
    flattened = any(rule == "gateway.request.not-flattened" for rule, *_ in pairs)
    for rule, expected, found, at in pairs:
        if not (flattened and rule == "gateway.request.nothing-made-up"):
            case.found.append(across(rule, expected, found, number, at))


def exchange_of(x: CrossedCall) -> Exchange:
    """The gateway's model call as one of a client's own, with those before it."""
    call = x.asked
    assert call is not None
    before = exchange_of(x.previous) if x.previous is not None and x.previous.asked is not None else None
    exchange = Exchange(call.provider, request=call.request, previous=before)
    return exchange.receive(call.answer) if call.answer is not None else exchange


def _by_the_provider(x: CrossedCall, call: UpstreamCall, number: int, case: CaseFindings) -> None:
    """The rules of the provider, as the strict server applies them. What the client's format cannot carry is lost."""
    for item in judged(exchange_of(x), x.intent).told:
        rule = item.rule
        if any(word in rule.id for word in THINKING_BACK) and lacks(x.provider, "thinking"):
            case.lose("thinking")
            continue
        case.found.append(GatewayFinding(
            rule.id, rule.level, rule.statement, "request", item.at, item.expected, item.found, number,
            str(item.weight.consequence),
        ))  # fmt: skip


RequestVerdicts = Iterator[tuple[str, Json, Json, str]]
"""A rule, what was expected, what was found, and where."""


def _tools(told: Facts, sent: Facts) -> RequestVerdicts:
    theirs = {tool.name: tool for tool in sent.client_tools}
    for tool in told.client_tools:
        other = theirs.get(tool.name)
        if other is None:
            yield "gateway.request.tools-kept", tool.name, sorted(map(str, theirs)), ""
            continue
        if (tool.description or "") != (other.description or ""):
            yield "gateway.request.tools-kept", tool.description, other.description, other.at
        meant, found = schema_shape(tool.schema), schema_shape(other.schema)
        if tool.schema and not same_value(meant, found):
            yield "gateway.request.schemas-kept", meant, found, other.schema_at or other.at


def _choice(told: Facts, sent: Facts, call: UpstreamCall, case: CaseFindings) -> RequestVerdicts:
    mine, theirs = told.choice, sent.choice
    asked = mine.mode if mine is not None else "auto"
    got = theirs.mode if theirs is not None else "auto"
    if not told.client_tools:
        return
    if asked == "none" and not sent.client_tools:
        got = "none"  # whoever declares no tools cannot be answered with calls
    if asked != "auto" and lacks(call.provider, "tool-choice"):
        yield from _lost("tool-choice", case, asked)
    elif asked != got and not (_is_one(told) and {asked, got} == {"tool", "required"}):
        yield "gateway.request.choice-kept", asked, got, theirs.at if theirs is not None else ""
    elif asked == got == "tool" and mine is not None and theirs is not None and mine.name != theirs.name:
        yield "gateway.request.choice-kept", mine.name, theirs.name, theirs.at
    if told.parallel is False and sent.parallel is not False:
        if lacks(call.provider, "one-at-a-time"):
            yield from _lost("one-at-a-time", case, "one call at a time")
        else:
            yield "gateway.request.one-at-a-time-kept", False, sent.parallel, sent.parallel_at


def _is_one(told: Facts) -> bool:
    return len(told.client_tools) == 1


def _lost(name: str, case: CaseFindings, asked: Json) -> RequestVerdicts:
    """What the format has no field for: lost, and a fault where it could have been refused."""
    case.lose(name)
    if format_losses()[name].refusable:
        yield "gateway.request.loss-is-told", f"a refusal, or words: the format has no field for {name}", asked, ""


def _settings(told: Facts, sent: Facts) -> RequestVerdicts:
    """The limit of an answer, and how freely the model speaks: a gateway has no opinion of that."""
    mine, theirs = ([one.value for one in facts.settings.limits] for facts in (told, sent))
    if mine and not told.settings.thinking and mine[0] not in theirs:
        yield "gateway.request.limit-kept", mine[0], theirs, sent.settings.limits[0].at if theirs else ""
    before = {place.rpartition("/")[2] for place, _ in _freedom(told)}
    for place, value in _freedom(sent):
        if place.rpartition("/")[2] not in before:
            yield "gateway.request.nothing-made-up", "nothing", value, place


def _freedom(facts: Facts) -> Iterator[tuple[str, Json]]:
    for one in settings_at(facts.document, *FREEDOM):
        yield one.at.replace("topP", "top_p"), one.value


def _texts(told: Facts, sent: Facts) -> RequestVerdicts:
    theirs = [(message.role, text) for message in sent.messages for _, text in message.texts if isinstance(text, str)]
    theirs += [("system", text) for _, text in sent.system if isinstance(text, str)]
    mine = [
        (message.role, text)
        for message in told.messages
        for at, text in message.texts
        if isinstance(text, str) and not _is_thinking(told.document, at)
    ]
    mine += [("system", text) for _, text in told.system if isinstance(text, str)]
    for role, text in dict.fromkeys(mine):
        if text.strip() and not any(role == other and text.strip() in said for other, said in theirs):
            elsewhere = next((other for other, said in theirs if text.strip() in said), None)
            found = f"by {elsewhere}" if elsewhere else [said for other, said in theirs if other == role][:3]
            yield "gateway.request.text-kept", f"{role}: {text}", found, ""
    known = "\n".join(text for _, text in mine)
    said = [*sent.system, *(one for message in sent.messages if message.role != "tool" for one in message.texts)]
    for at, text in dict(said).items():
        if isinstance(text, str) and text.strip() and not _is_known(text, known, told):
            yield "gateway.request.nothing-made-up", "words of the client's", text, at


def _is_thinking(document: Json, at: str) -> bool:
    """Whether a place is inside of what the model thought, which rules of the formats look after."""
    words = at.split("/")
    inside = (value_at(document, "/".join(words[:length])) for length in range(1, len(words)))
    return any(obj(value).get("type") in ("reasoning", "thinking") for value in inside)


def _is_known(text: str, known: str, told: Facts) -> bool:
    """Whether words are the client's: all of them, or a result that the format wants among them."""
    if text.strip() in known or any(one in text for one in known.split("\n") if one.strip()):
        return True
    if any(result.images for result in told.results):
        return True  # words about the picture
    return any(result.text and result.text.strip() and result.text.strip() in text for result in told.results)


def _calls(x: CrossedCall, told: Facts, sent: Facts) -> RequestVerdicts:
    mine, theirs = [call.name for call in told.calls], [call.name for call in sent.calls]
    if mine != theirs:
        words = " ".join(str(text) for message in sent.messages for _, text in message.texts)
        lost = [name for name in mine if name not in theirs]
        flattened = bool(lost) and any(str(name) in words for name in lost)
        rule = "gateway.request.not-flattened" if flattened else "gateway.request.calls-kept"
        yield rule, mine, words[:300] if flattened else theirs, ""
        return
    for call, other in zip(told.calls, sent.calls, strict=True):
        if call.arguments is not None and not same_value(call.arguments, other.arguments):
            yield "gateway.request.arguments-kept", call.arguments, other.raw, other.arguments_at or other.at
    yield from _ids(x, sent)


def _ids(x: CrossedCall, sent: Facts) -> RequestVerdicts:
    ids = [call.id for call in sent.calls]
    known = [one for one in ids if one]
    if len(set(map(str, known))) < len(known) and _are_different(x.facts):
        yield "gateway.request.ids-stable", "different ids", known, sent.calls[-1].id_at or sent.calls[-1].at
    before = x.previous.asked if x.previous is not None else None
    if before is None or before.provider != (x.asked.provider if x.asked else ""):
        return
    for call, earlier in zip(sent.calls, before.facts.calls, strict=False):
        if call.id != earlier.id and call.name == earlier.name:
            yield "gateway.request.ids-stable", earlier.id, call.id, call.id_at or call.at


def _are_different(told: Facts) -> bool:
    ids = [str(call.id) for call in told.calls]
    return len(set(ids)) == len(ids)


def _results(told: Facts, sent: Facts, call: UpstreamCall, case: CaseFindings) -> RequestVerdicts:
    if [one.name for one in told.calls] != [one.name for one in sent.calls]:
        return
    mine, theirs = answered(told), answered(sent)
    for place, result in mine.items():
        other = theirs.get(place)
        text = result.text or ""
        if text.strip() and not says(other, text):
            elsewhere = next((one for one, its in theirs.items() if one != place and says(its, text)), None)
            found, at = (other.text, other.at) if other is not None else (None, "")
            if elsewhere is not None:
                yield "gateway.request.result-of-its-call", text, found, at
                continue
            flat = [said for message in sent.messages for _, said in message.texts if text.strip() in str(said)]
            rule = "gateway.request.not-flattened" if flat else "gateway.request.results-kept"
            yield rule, text, flat[0] if flat else found, at
        elif other is None:
            yield "gateway.request.results-kept", text, None, ""
        if result.error and other is not None:
            yield from _failure(other, call, case)
        for at, _, data in result.images:
            yield from _picture(str(data), other, call, case, at)


def _failure(other: SentResult, call: UpstreamCall, case: CaseFindings) -> RequestVerdicts:
    if other.error:
        return
    if lacks(call.provider, "failed-result"):
        case.lose("failed-result")
    else:
        yield "gateway.request.error-kept", True, other.error, other.at


def _picture(data: str, other: SentResult | None, call: UpstreamCall, case: CaseFindings, at: str) -> RequestVerdicts:
    plain = data.replace("-", "+").replace("_", "/").rstrip("=")
    if other is not None and plain[:200] in (other.text or ""):
        yield "gateway.request.not-flattened", "a picture, or words that there was one", "its bytes as text", other.at
        return
    body = call.request.body.decode("utf-8", "replace").replace("-", "+").replace("_", "/").replace("\\/", "/")
    if plain in body:
        return
    if not lacks(call.provider, "picture-in-result"):
        yield "gateway.request.picture-kept", f"the picture at {at}", "none", other.at if other else ""
        return
    case.lose("picture-in-result")
    if other is None or not (other.text or "").strip():
        yield "gateway.request.loss-is-told", "words that there was a picture", other.text if other else None, ""


