"""Messages: who says what in a request."""

from __future__ import annotations

from conformance.rules.anthropic.documents import (
    THINKING,
    block_kind,
    blocks_of,
    messages,
    placed,
    speeches,
    text_blocks,
)
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.anthropic.models import takes_prefill
from conformance.wires.facts import Object, obj

ROLES = ("user", "assistant", "system")
"""``system`` is for guidance in the middle of a conversation: ``anthropic.types.SystemMessageParam``."""


@check("anthropic.history.user-assistant-roles")
def user_assistant_roles(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        role = message.get("role")
        yield holds(role in ROLES, f"{at}/role", ["user", "assistant"], role)
    for sent in x.facts.messages:
        if sent.role == "assistant" and sent.results:
            yield Finding(sent.results[0].at, 'results in a message with the role "user"', "assistant")


@check("anthropic.history.system-top-level")
def system_top_level(x: Exchange) -> Verdicts:
    document, said = obj(x.facts.document), messages(x)
    if said and said[0][1].get("role") == "system":
        yield Finding(said[0][0], "guidance in the field system", {"role": "system"})
        return
    system = document.get("system")
    wanted = x.intent.system if x.intent is not None else None
    if wanted is not None and wanted.strip():
        texts = [str(text) for at, text in x.facts.system if at.startswith("/system")]
        yield holds(wanted.strip() in "\n".join(texts), "/system", wanted, system)
    elif system is not None:
        kinds = [block_kind(block) for _, block in placed("/system", system)]
        right = isinstance(system, str) or (isinstance(system, list) and set(kinds) <= {"text"})
        yield holds(right, "/system", "text, or blocks of text", system)


@check("anthropic.history.no-prefill")
def no_prefill(x: Exchange) -> Verdicts:
    """A turn that is not over (``pause_turn``) goes back as it came, and calls want results: neither is a prefill."""
    if not x.facts.messages or takes_prefill(x.asked_model):
        return
    last, speech = x.facts.messages[-1], speeches(x)[-1:]
    words = all(block_kind(block) in ("text", *THINKING) for said in speech for _, block in said.blocks)
    yield holds(last.role != "assistant" or not words, last.at, "a message of the user at the end", "assistant")


@check("anthropic.history.no-empty-text-blocks")
def no_empty_text_blocks(x: Exchange) -> Verdicts:
    said = messages(x)
    for place, (at, message) in enumerate(said):
        by_model = message.get("role") == "assistant"
        if by_model and place == len(said) - 1:
            continue  # the model goes on from what it is given
        content, blocks = message.get("content"), blocks_of(at, message)
        if isinstance(content, str) or content == []:
            yield holds(bool(content and content.strip()), f"{at}/content", "text, or no message at all", content)
        beside = by_model and any(block_kind(block) != "text" for _, block in blocks)
        yield from (_spoken(here, block, blank=beside) for here, block in text_blocks(blocks))


def _spoken(at: str, block: Object, *, blank: bool) -> Finding | None:
    """Whether a text block says something. ``blank``: white space will do, as it does beside calls (recorded)."""
    text = block["text"]
    return holds(bool(text if blank else text.strip()), f"{at}/text", "text, or no block at all", text)
