"""Chat Completions: the images that tools return, and how long ids may be."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping

from conformance.model import ImagePart, Json, ToolResult
from conformance.rules.chat.documents import has_image, messages
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import answers, given_results, usable
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj

DATA_URL = re.compile(r"data:image/[\w.+-]+;base64,[A-Za-z0-9+/]{16}")


@check("chat.binary.no-image-in-tool-message")
def no_image_in_tool_message(x: Exchange) -> Verdicts:
    pictures = {picture for answer in answers(x) for picture in _pictures(answer.meant)}
    summaries = {answer.sent.at for answer in answers(x) if answer.sent is not None and _pictures(answer.meant)}
    given = set(filter(usable, given_results(x)))
    for result in (one for one in x.facts.results if not (usable(one.ref) and one.ref in given)):
        text = result.text if isinstance(result.text, str) else ""
        if result.images:
            at, media_type, _ = result.images[0]
            yield Finding(at, "text that says what the image is", {"image": media_type})
        elif any(picture in text for picture in pictures) or DATA_URL.search(text):
            yield Finding(result.content_at, "text that says what the image is", text[:120])
        elif result.at in summaries:
            yield None


def _pictures(result: ToolResult) -> list[str]:
    """How the images of a result begin, in base64."""
    return [base64.b64encode(part.data).decode()[:64] for part in result.content if isinstance(part, ImagePart)]


@check("chat.binary.image-in-following-user-message")
def image_in_following_user_message(x: Exchange) -> Verdicts:
    between = {message.at for turn in x.facts.rounds for message in turn.between}
    before: Json = None
    for at, message in messages(x):
        if message.get("role") == "user" and has_image(message):
            if at in between:
                yield Finding(at, "images after all tool messages of the turn", "an image between them")
            elif before == "tool":
                yield next(_altered(x, at, message), None)
        before = message.get("role")


def _altered(x: Exchange, at: str, message: Mapping[str, Json]) -> Iterator[Finding]:
    """The images of a message that are none of those that the tools returned, as far as that is known."""
    returned = [part for answer in answers(x) for part in answer.meant.content if isinstance(part, ImagePart)]
    urls = [f"data:{part.media_type};base64,{base64.b64encode(part.data).decode()}" for part in returned]
    for place, part in items(message.get("content")):
        url = obj(obj(part).get("image_url")).get("url")
        if urls and obj(part).get("type") == "image_url" and url not in urls:
            yield Finding(f"{at}/content/{place}/image_url/url", urls[0][:60], str(url)[:60])


@check("chat.ids.max-length")
def max_length(x: Exchange) -> Verdicts:
    ids = [(call.id_at, call.id) for call in x.facts.calls] + [(item.ref_at, item.ref) for item in x.facts.results]
    for at, value in ids:
        if isinstance(value, str):
            yield holds(len(value) <= 64, at, "at most 64 characters", f"{value} ({len(value)} characters)")
