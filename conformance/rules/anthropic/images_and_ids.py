"""Messages: the images that tools return, and the ids that tie results to calls."""

from __future__ import annotations

import base64
import binascii
import re

from conformance.model import ImagePart, Json, ToolResult
from conformance.rules.anthropic.documents import block_kind, placed, speeches
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import answers
from conformance.transcript import Exchange
from conformance.wires.facts import Object, obj

ID = re.compile(r"[a-zA-Z0-9_-]+")

IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")
"""``anthropic.types.Base64ImageSourceParam.media_type``."""

SOURCES = {"base64": "data", "url": "url", "file": "file_id"}
"""The kinds of an image's source, and the field that each must have."""


@check("anthropic.ids.pattern-and-uniqueness")
def pattern_and_uniqueness(x: Exchange) -> Verdicts:
    """Turns may share an id: recorded requests with one in two turns were accepted."""
    for speech in speeches(x):
        taken: set[str] = set()
        for call in speech.calls:
            own = call.id if isinstance(call.id, str) and ID.fullmatch(call.id) else None
            expected = f"an id that matches ^{ID.pattern}$" if own is None else "an id of its own"
            yield holds(own is not None and own not in taken, call.id_at, expected, call.id)
            taken |= {own} if own is not None else set()


def _pictures(result: ToolResult) -> list[ImagePart]:
    return [part for part in result.content if isinstance(part, ImagePart)]


@check("anthropic.binary.portable-text-summary")
def portable_text_summary(x: Exchange) -> Verdicts:
    for answer in answers(x):
        pictures, sent = _pictures(answer.meant), answer.sent
        if not pictures or sent is None:
            continue
        data = [base64.b64encode(picture.data).decode()[:64] for picture in pictures]
        if sent.images:
            yield Finding(sent.images[0][0], "text that says what the image is", {"image": sent.images[0][1]})
        elif sent.text is None or not sent.text.strip():
            yield Finding(sent.content_at, "text that says what the image is", sent.content)
        else:
            raw = any(picture in sent.text for picture in data)
            yield holds(not raw, sent.content_at, "text that says what the image is", sent.text[:120])


@check("anthropic.binary.native-image-block")
def native_image_block(x: Exchange) -> Verdicts:
    for result in x.facts.results:
        for at, block in placed(result.content_at, result.content):
            if block_kind(block) == "image":
                yield _image(at, obj(block.get("source")))
    for answer in answers(x):
        sent = answer.sent
        if sent is None or answer.meant.is_error or not sent.images:
            continue
        found = [_bytes(data) for _, _, data in sent.images]
        for picture in _pictures(answer.meant):
            if picture.media_type in IMAGES:
                there = picture.data in found
                yield holds(there, sent.content_at, {"image": picture.media_type}, f"{len(found)} other images")


def _image(at: str, source: Object) -> Finding | None:
    kind = block_kind(source)
    if kind not in SOURCES:
        return Finding(f"{at}/source", {"type": "base64", "media_type": "image/png", "data": "..."}, source or None)
    value = source.get(SOURCES[kind])
    if not isinstance(value, str) or not value:
        return Finding(f"{at}/source/{SOURCES[kind]}", "text", value)
    if kind != "base64":
        return None
    if source.get("media_type") not in IMAGES:
        return Finding(f"{at}/source/media_type", list(IMAGES), source.get("media_type"))
    return holds(_bytes(value) is not None, f"{at}/source/data", "base64, without data:", value[:64])


def _bytes(data: Json) -> bytes | None:
    """What base64 data holds, ``None`` if it is not base64."""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, TypeError, ValueError):
        return None
