"""Gemini: the images that tools return."""

from __future__ import annotations

import base64
from collections.abc import Sequence

from conformance.model import ImagePart, Json
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.gemini.choose import OLDER
from conformance.rules.gemini.documents import content_of, contents, fields_of, parts_of, sent_fields
from conformance.rules.shared.pairing import ResultPair, answers
from conformance.transcript import Exchange
from conformance.wires.facts import obj
from conformance.wires.gemini.keys import field_spelling, get


@check("gemini.binary.portable-sibling-inline-data")
def portable_sibling_inline_data(x: Exchange) -> Verdicts:
    """Beside several responses an image would break their count. Inside its response, Gemini 3 takes it anywhere, and
    models before it nowhere."""
    before_3 = OLDER.search(x.asked_model) is not None
    parallel = {content_of(result) for turn in x.facts.rounds if len(turn.calls) > 1 for result in turn.results}
    for at in sorted(parallel):
        beside = _beside(x, at)
        yield Finding(beside[0], "no image beside several responses", "inlineData") if beside else None
    for answer in answers(x):
        sent = answer.sent
        if sent is not None and content_of(sent) not in parallel:
            nested = f"{sent.at}/parts/"
            seen = [data for at, _, data in sent.images if not (before_3 and at.startswith(nested))]
            yield from _each_image(answer, seen, f"{content_of(sent)}/parts")


def _beside(x: Exchange, at: str) -> list[str]:
    """Where images stand in the content at ``at``."""
    found = [fields_of(here, content, "inlineData") for here, content in contents(x) if here == at]
    return [place for places in found for place, _ in places]


def _each_image(answer: ResultPair, sent: Sequence[Json], at: str) -> Verdicts:
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
                at_image = f"{here}/{field_spelling(part, 'inlineData')}"
                yield holds(whole, at_image, {"mimeType": "image/png", "data": "<base64>"}, image)
    images = [obj(image).get("data") for _, image in sent_fields(x, "inlineData")]
    for answer in answers(x):
        if answer.sent is not None and not (answer.sent.text or "").strip():
            nested = [data for _, _, data in answer.sent.images]
            yield from _each_image(answer, [*nested, *images], f"{answer.sent.at}/parts")
