"""Converse: what a result is made of, pictures in it, and the ids that tie it to its call."""

from __future__ import annotations

import base64
import binascii
import re

from conformance.model import ImagePart, Json
from conformance.rules.bedrock.documents import all_blocks, blocks_of, messages, placed
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import answers, usable
from conformance.transcript import Exchange
from conformance.wires.bedrock.client import FORMATS
from conformance.wires.facts import obj

ID = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
PARTS = ("text", "json", "image", "document", "video", "searchResult")


@check("bedrock.result.json-is-object")
def json_is_object(x: Exchange) -> Verdicts:
    for at, result in all_blocks(x, "toolResult"):
        for here, part in placed(f"{at}/content", result.get("content")):
            if "json" in part:
                yield holds(isinstance(part["json"], dict), f"{here}/json", "an object", part["json"])


@check("bedrock.result.parts")
def parts(x: Exchange) -> Verdicts:
    for at, result in all_blocks(x, "toolResult"):
        content = result.get("content")
        if not isinstance(content, list):
            yield Finding(f"{at}/content", "a list of parts", content)
            continue
        wrong = [(here, part) for here, part in placed(f"{at}/content", content) if not _is_part(part)]
        yield Finding(wrong[0][0], list(PARTS), wrong[0][1]) if wrong else None


def _is_part(part: Json) -> bool:
    kind = next(iter(obj(part)), "")
    return len(obj(part)) == 1 and kind in PARTS and (kind != "text" or isinstance(obj(part)["text"], str))


@check("bedrock.ids.pattern")
def pattern(x: Exchange) -> Verdicts:
    for message in messages(x):
        taken: set[str] = set()
        for at, use in blocks_of(message, "toolUse"):
            own = use.get("toolUseId")
            right = usable(own) and ID.fullmatch(own) is not None and own not in taken
            yield holds(right, f"{at}/toolUseId", f"an id of its own that matches {ID.pattern}", own)
            taken |= {own} if usable(own) else set()


@check("bedrock.binary.image-block")
def image_block(x: Exchange) -> Verdicts:
    for at, result in all_blocks(x, "toolResult"):
        for here, part in placed(f"{at}/content", result.get("content")):
            if "image" in part:
                image = obj(part["image"])
                format_ = image.get("format")
                if format_ not in FORMATS.values():
                    yield Finding(f"{here}/image/format", sorted(FORMATS.values()), format_)
                    continue
                source = obj(image.get("source"))
                right = "s3Location" in source or _bytes(source.get("bytes")) is not None
                yield holds(right, f"{here}/image/source", "bytes as base64", source)
    for answer in answers(x):
        sent = answer.sent
        if sent is None or not sent.images:
            continue
        found = [_bytes(data) for _, _, data in sent.images]
        for picture in answer.meant.content:
            if isinstance(picture, ImagePart) and picture.media_type in FORMATS:
                there = picture.data in found
                yield holds(there, sent.content_at, {"image": picture.media_type}, f"{len(found)} other images")


def _bytes(data: Json) -> bytes | None:
    """What base64 data holds, ``None`` if it is not base64."""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, TypeError, ValueError):
        return None
