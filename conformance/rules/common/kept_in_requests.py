"""Nothing that the application asked for gets lost, on every wire: images, strictness, the provider's own tools.

Other rules say how things are written. These only ask whether they are there at all, and unchanged.
"""

from __future__ import annotations

import base64

from conformance.http import Request
from conformance.model import ImagePart, TextPart, ToolResult, compact_json
from conformance.rules.check import Verdicts, check, holds
from conformance.rules.shared.measures import is_beyond
from conformance.rules.shared.pairing import answers, by_turn, tool_pairs
from conformance.transcript import Exchange
from conformance.wires.facts import SentResult, value_at

PICTURES = ("image/png", "image/jpeg")
"""The media types that are taken wherever pictures are."""

URL_SAFE = str.maketrans("-_", "+/")
"""Gemini takes base64 in the URL-safe alphabet too, which Google's SDK sends (ProtoJSON, ``bytes``)."""


@check("common.binary.image-kept", needs_intent=True)
def image_kept(x: Exchange) -> Verdicts:
    """Where the provider takes no pictures, or the profile wants none, words stand in their place."""
    for turn in by_turn(answers(x)).values():
        sent = [(answer.meant, answer.sent) for answer in turn if answer.sent is not None]
        left = [picture for meant, _ in sent for picture in _pictures(meant)]
        for at, media_type, data in (image for _, result in sent for image in result.images):
            untyped = not x.card.forms.typed_images
            plain = data.translate(URL_SAFE) if isinstance(data, str) and x.card.forms.url_safe_base64 else data
            own = next((one for one in left if one[1] == plain and (untyped or one[0] == media_type)), None)
            yield holds(own is not None, at, left[:1] or "no picture", [media_type, str(data)[:60]])
            left = [one for one in left if one is not own]
        for meant, result in sent:
            if pictures := _pictures(meant):
                arrived = not any(picture in left for picture in pictures) or _stand_elsewhere(pictures, x, result)
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


@check("common.binary.picture-sent", needs_intent=True)
def picture_sent(x: Exchange) -> Verdicts:
    """A result that reports a failure may be text only, and not every media type is taken everywhere."""
    for answer in answers(x):
        pictures = [picture for picture in _pictures(answer.meant) if picture[0] in PICTURES]
        if answer.sent is not None and pictures and not answer.meant.is_error:
            seen = bool(answer.sent.images) or _stand_elsewhere(pictures, x, answer.sent)
            yield holds(seen, answer.sent.content_at, "a picture", answer.sent.text)


@check("common.binary.portable-words", needs_intent=True)
def portable_words(x: Exchange) -> Verdicts:
    """Wires whose results have a place for a picture of their own have rules of their own."""
    everything = compact_json(x.facts.document)
    for answer in answers(x):
        if answer.sent is not None:
            for _, data in _pictures(answer.meant):
                yield holds(data not in everything, answer.sent.content_at, "words about the picture", "the picture")


def _stand_elsewhere(pictures: list[tuple[str, str]], x: Exchange, sent: SentResult) -> bool:
    """Whether all pictures are in the request, but not in their result: in a message of the user's after it, say."""
    everything, own = compact_json(x.facts.document), compact_json(value_at(x.facts.document, sent.at))
    return all(everything.count(data) > own.count(data) for _, data in pictures)


@check("common.declare.strict-as-asked", needs_intent=True)
def strict_as_asked(x: Exchange) -> Verdicts:
    """A strict tool that the host would refuse may be sent without strictness: OpenAI's own error says so."""
    pairs = tool_pairs(x)
    together = x.card.forms.strictness == "request" and any(tool.strict for tool, _ in pairs)
    for tool, sent in pairs:
        if tool.strict is not None and not (tool.strict and sent.strict is not True and is_beyond(x, tool)):
            strict, at = tool.strict or together, sent.strict_at or sent.at
            yield holds((sent.strict is True) == strict, at, {"strict": strict}, {"strict": sent.strict})


@check("common.declare.builtins-kept", needs_intent=True)
def builtins_kept(x: Exchange) -> Verdicts:
    meant = [tool.builtin for tool in x.intent.tools if tool.builtin is not None] if x.intent is not None else []
    if meant and isinstance(x.request, Request):
        found = [tool.kind for tool in x.facts.tools if tool.kind != "function"]
        yield holds(len(found) >= len(meant), x.facts.tools_at, meant, found)
