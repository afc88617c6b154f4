"""Converse: messages, and what goes back of what the model said."""

from __future__ import annotations

from conformance.rules.bedrock.documents import all_blocks, messages, placed
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import obj

SIDES = ("user", "assistant")


@check("bedrock.history.roles-alternate")
def roles_alternate(x: Exchange) -> Verdicts:
    """Two messages of the user were recorded to be accepted by amazon.titan-text-express-v1."""
    if "titan" in x.asked_model:
        return
    said = [(at, message.get("role")) for at, message in messages(x) if message.get("role") in SIDES]
    for place, (at, role) in enumerate(said):
        yield holds(role == SIDES[place % 2], f"{at}/role", SIDES[place % 2], role)
        if role != SIDES[place % 2]:
            return


@check("bedrock.history.message-form")
def message_form(x: Exchange) -> Verdicts:
    document = obj(x.facts.document)
    if not document:
        return
    listed = document.get("messages")
    if not isinstance(listed, list):
        yield Finding("/messages", "a list of messages", listed)
    for at, message in messages(x):
        role, content = message.get("role"), message.get("content")
        if role not in (*SIDES, "system"):
            yield Finding(f"{at}/role", SIDES, role)
        else:
            yield holds(isinstance(content, list), f"{at}/content", "a list of blocks", content)


@check("bedrock.history.no-empty-text")
def no_empty_text(x: Exchange) -> Verdicts:
    """Text of white space alone was recorded to be accepted beside other blocks."""
    for at, message in messages(x):
        content = message.get("content")
        if content == []:
            yield Finding(f"{at}/content", "a block at least, or no message", content)
        for here, block in placed(f"{at}/content", content):
            if isinstance(block.get("text"), str):
                yield holds(block["text"] != "", f"{here}/text", "text, or no block", "")


@check("bedrock.history.input-is-object")
def input_is_object(x: Exchange) -> Verdicts:
    for at, use in all_blocks(x, "toolUse"):
        yield holds(isinstance(use.get("input"), dict), f"{at}/input", "an object", use.get("input"))


@check("bedrock.history.system-in-field")
def system_in_field(x: Exchange) -> Verdicts:
    wanted = x.intent.system if x.intent is not None else None
    if wanted is not None and wanted.strip():
        texts = [str(text) for at, text in x.facts.system if at.startswith("/system")]
        yield holds(wanted.strip() in "\n".join(texts), "/system", wanted, obj(x.facts.document).get("system"))
