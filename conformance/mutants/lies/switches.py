"""Lies about a conversation that goes on with another model."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import AssistantTurn, Conversation, Json
from conformance.mutants.liar import Liar
from conformance.rules.common.seals import seals_in
from conformance.wires.facts import items, obj


class PassesSealsOn(Liar):
    """A signature is a signature, whoever wrote it."""

    aims = ("common.history.no-foreign-seals",)
    scenarios = ("handoff.three_thinkers",)

    def __init__(self) -> None:
        super().__init__()
        self._seal = ""

    def means(self, conversation: Conversation) -> Conversation:
        kept = [turn.opaque for turn in conversation.turns if isinstance(turn, AssistantTurn)]
        self._seal = next((seal for opaque in kept for _, seal in seals_in(opaque)), "")
        return conversation

    def sends(self, body: Json) -> Json:
        for content in (one for _, one in items(body.get("contents")) if one["role"] == "model"):
            content["parts"][0]["thoughtSignature"] = self._seal
        for message in (one for _, one in items(body.get("messages")) if one["role"] == "assistant"):
            message["content"].insert(0, {"type": "thinking", "thinking": "Hm.", "signature": self._seal})
        if "input" in body:
            body["input"] = list(self._with_thinking(body["input"]))
        return body

    def _with_thinking(self, sent: list[Json]) -> Iterator[Json]:
        for number, item in enumerate(sent):
            if obj(item).get("type") == "function_call":
                yield {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": self._seal}
            yield item
