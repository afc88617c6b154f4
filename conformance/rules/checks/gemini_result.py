"""Gemini: results of calls, and the images that tools return."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from conformance.model import ImagePart, Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.gemini_documents import contents, fields_of, parts_of, sent_fields
from conformance.rules.pairing import Answer, answers, correlate
from conformance.transcript import Exchange
from conformance.wires.facts import SentResult, obj
from conformance.wires.gemini.keys import get, spelling


@check("gemini.result.function-response-part")
def function_response_part(x: Exchange) -> Verdicts:
    called = {id(result): at for at, result in correlate(x.facts).answers.items()}
    names = {call.at: call.name for call in x.facts.calls}
    for result in x.facts.results:
        named = isinstance(result.name, str) and result.name != ""
        expected = names.get(called.get(id(result), ""))
        right = named and (expected is None or result.name == expected)
        yield holds(right, f"{result.at}/name", expected or "the name of the function", result.name)


@check("gemini.result.response-is-object")
def response_is_object(x: Exchange) -> Verdicts:
    """Without a response a call that returned nothing is answered; what a tool did return must not get lost so."""
    said = {id(answer.sent) for answer in answers(x) if answer.meant.content}
    for result in x.facts.results:
        if result.content is not None or id(result) in said:
            yield holds(isinstance(result.content, dict), result.content_at, {"output": "..."}, result.content)


@check("gemini.result.output-and-error-keys")
def output_and_error_keys(x: Exchange) -> Verdicts:
    failed = {id(answer.sent): answer.meant.is_error for answer in answers(x) if answer.sent is not None}
    for result in x.facts.results:
        keys = [key for key in ("output", "error") if key in obj(result.content)]
        if not isinstance(result.content, dict):
            continue
        if len(keys) == 2:
            yield Finding(result.content_at, "output or error, not both", keys)
        elif id(result) in failed:
            right = keys == ["error"] if failed[id(result)] else keys != ["error"]
            yield holds(right, result.content_at, "error" if failed[id(result)] else "output", sorted(result.content))


@check("gemini.result.count-equals-calls")
def count_equals_calls(x: Exchange) -> Verdicts:
    """Calls without any result, and what stands between the results, are left to other rules."""
    for turn in x.facts.rounds:
        if turn.results:
            expected = f"{len(turn.calls)} function responses"
            yield holds(len(turn.results) == len(turn.calls), _content_of(turn.results[0]), expected, len(turn.results))


@check("gemini.result.one-content")
def one_content(x: Exchange) -> Verdicts:
    for turn in x.facts.rounds:
        places = [_content_of(result) for result in turn.results]
        if len(places) > 1:
            apart = next((at for at in places if at != places[0]), None)
            yield Finding(apart, f"all function responses in {places[0]}", places) if apart else None


def _content_of(result: SentResult) -> str:
    return result.at.partition("/parts")[0]


@check("gemini.result.role-user")
def role_user(x: Exchange) -> Verdicts:
    """A role that is left out counts as the user's."""
    for at, content in contents(x):
        if fields_of(at, content, "functionResponse"):
            yield holds(content.get("role") in ("user", None), f"{at}/role", "user", content.get("role"))


@check("gemini.result.no-text-beside-response")
def no_text_beside_response(x: Exchange) -> Verdicts:
    for at, content in contents(x):
        if fields_of(at, content, "functionResponse"):
            texts = fields_of(at, content, "text")
            yield Finding(texts[0][0], "a content of its own", texts[0][1]) if texts else None


# --- images ----------------------------------------------------------------------------------------------------------


@check("gemini.binary.portable-sibling-inline-data")
def portable_sibling_inline_data(x: Exchange) -> Verdicts:
    """Beside several responses an image would break their count. Inside its response, Gemini 3 takes it anywhere."""
    parallel = {_content_of(result) for turn in x.facts.rounds if len(turn.calls) > 1 for result in turn.results}
    for at in sorted(parallel):
        beside = _beside(x, at)
        yield Finding(beside[0], "no image beside several responses", "inlineData") if beside else None
    for answer in answers(x):
        sent = answer.sent
        if sent is not None and _content_of(sent) not in parallel:
            yield from _each_image(answer, [data for _, _, data in sent.images], f"{_content_of(sent)}/parts")


def _beside(x: Exchange, at: str) -> list[str]:
    """Where images stand in the content at ``at``."""
    found = [fields_of(here, content, "inlineData") for here, content in contents(x) if here == at]
    return [place for places in found for place, _ in places]


def _each_image(answer: Answer, sent: Sequence[Json], at: str) -> Verdicts:
    """Whether each image of a result is among those that were sent."""
    found = [_bytes(data) for data in sent]
    for part in answer.meant.content:
        if isinstance(part, ImagePart):
            there = part.data in found
            yield holds(there, at, {"inlineData": {"mimeType": part.media_type}}, f"{len(sent)} other images")


def _bytes(data: Json) -> bytes | None:
    """What base64 data holds, in either alphabet. Protobuf JSON reads both."""
    try:
        return base64.urlsafe_b64decode(data.replace("+", "-").replace("/", "_") + "=" * (-len(data) % 4))
    except (AttributeError, TypeError, ValueError):
        return None


@check("gemini.binary.native-nested-parts")
def native_nested_parts(x: Exchange) -> Verdicts:
    for at, content in contents(x):
        if fields_of(at, content, "functionResponse"):
            for here, image in fields_of(at, content, "inlineData"):
                yield Finding(here, "images in functionResponse.parts", {"mimeType": get(image, "mimeType")})
    for at, response in sent_fields(x, "functionResponse"):
        for here, part in parts_of(at, obj(response)):
            image = get(part, "inlineData")
            if image is not None:
                whole = isinstance(get(image, "mimeType"), str) and isinstance(obj(image).get("data"), str)
                at_image = f"{here}/{spelling(part, 'inlineData')}"
                yield holds(whole, at_image, {"mimeType": "image/png", "data": "<base64>"}, image)
    images = [obj(image).get("data") for _, image in sent_fields(x, "inlineData")]
    for answer in answers(x):
        if answer.sent is not None and not (answer.sent.text or "").strip():
            nested = [data for _, _, data in answer.sent.images]
            yield from _each_image(answer, [*nested, *images], f"{answer.sent.at}/parts")
