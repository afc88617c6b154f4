"""What hosts do otherwise that speak a provider's format: proof in recorded traffic, by name.

Two things are kept here, so that neither a rule nor a grammar is made weaker for all. *Leniency* is what a host was
seen to take although a rule says that the provider would not. *Liberties* (see `conformance.wires.grammar`) are what
its streams do beyond the grammar. A host that nobody has described may take all liberties, because nothing is claimed
about it, but every rule is applied to what is sent there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformance.model import Json, compact_json
from conformance.wires import PROVIDERS, wire

BY_RECORDERS = frozenset({"no_done", "no_event_names", "no_role", "joined"})
"""What those liberties tell that recorders take who write down what an SDK gave them, or make fixtures by hand."""

LIBERTIES = frozenset(
    name for grammar in (wire(provider).grammar for provider in PROVIDERS) if grammar for name in grammar.liberties
)
"""The names of all liberties."""

BY_HOSTS = LIBERTIES - {"joined", "no_role"}
"""What compatible hosts were seen to take."""

@dataclass(frozen=True, slots=True)
class Lenient:
    """What a host was seen to take, although the rule says that the provider whose format it speaks would not.

    ``host``, ``model`` and ``found`` are patterns: for the host, port included, for the model's name, and for what a
    finding found, as text. Only findings that fit all of them are excused.
    """

    host: str
    provider: str
    rule: str
    reason: str
    found: str = r"(?s:.*)"
    model: str = r"(?s:.*)"

    def excuses(self, rule: str, found: Json, model: str) -> bool:
        """Whether this excuses what a rule found in a request for a model."""
        return (
            rule == self.rule
            and re.fullmatch(self.found, found if isinstance(found, str) else compact_json(found)) is not None
            and re.fullmatch(self.model, model) is not None
        )


_OPENROUTER, _GROQ, _XIAOMI = r"openrouter\.ai", r"api\.groq\.com", r"api\.xiaomimimo\.com"
_HUGGING_FACE, _OLLAMA, _WRITER = r"router\.huggingface\.co", r"[^/]+:11434", r"api\.writer\.com"
_DEEPSEEK, _ANTHROPIC, _XAI = r"api\.deepseek\.com", r"api\.anthropic\.com", r"api\.x\.ai"
_CHAT, _RESPONSES = "openai-chat", "openai-responses"
_XAI_TOOLS = r"(x_search|collections_search|code_execution|view_image|view_x_video)(_call)?"
_PROMPT = "Ollama puts what there is into the prompt, and counts no results"
_RETIRED = "in 2024 this model was answered with ids that no call had; it is retired, and its successors refuse them"

LENIENT: tuple[Lenient, ...] = (
    Lenient(_OPENROUTER, _CHAT, "chat.declare.function-tools-only", "has tools of its own", found=r"openrouter:\w+"),
    Lenient(_OPENROUTER, _CHAT, "chat.declare.strict-schema-closed", "hands strict schemas on to models of any maker"),
    Lenient(_OPENROUTER, _CHAT, "chat.choose.mode-mapping", "takes Anthropic's word for required", found="any"),
    Lenient(
        _GROQ, _CHAT, "chat.declare.function-tools-only", "has a tool of its own", found="browser_search",
        model=r"openai/gpt-oss-.*",
    ),
    Lenient(_XIAOMI, _CHAT, "chat.declare.function-tools-only", "has a tool of its own", found="web_search"),
    Lenient(_HUGGING_FACE, _CHAT, "chat.choose.forced-function-nested", "takes a forced function without its type"),
    Lenient(_HUGGING_FACE, _CHAT, "common.declare.empty-tools-omitted", "takes an empty list of tools", found=r"\[\]"),
    Lenient(_HUGGING_FACE, _CHAT, "chat.shape.request-types", "takes null for what is absent", found="null"),
    Lenient(_OLLAMA, _CHAT, "chat.result.adjacent-and-complete", _PROMPT),
    Lenient(_OLLAMA, _CHAT, "common.result.exactly-one-per-call", _PROMPT),
    Lenient(_WRITER, _CHAT, "chat.history.assistant-call-fields", "takes calls without ids", found="null"),
    Lenient(_DEEPSEEK, _RESPONSES, "responses.history.item-id-prefix", "gives its items UUIDs, and takes them back"),
    Lenient(_DEEPSEEK, _RESPONSES, "responses.history.reasoning-item-followed", "keeps no items: each stands alone"),
    Lenient(_XAI, _RESPONSES, "responses.shape.request-types", "has tools of its own, and calls of them", _XAI_TOOLS),
    Lenient(_XAI, _RESPONSES, "responses.shape.request-types", "its tools need no options", r"only \['type'\]"),
    Lenient(_XAI, _RESPONSES, "responses.shape.request-types", "takes Anthropic's form of a forced tool", "tool"),
    Lenient(_XAI, _RESPONSES, "responses.declare.strict-schema-closed", "takes open strict schemas"),
    Lenient(
        _ANTHROPIC, "anthropic", "anthropic.result.references-tool-use-id", _RETIRED, model="claude-3-opus-20240229"
    ),
    Lenient(_ANTHROPIC, "anthropic", "common.result.no-orphan", _RETIRED, model="claude-3-opus-20240229"),
)  # fmt: skip
"""Each was seen in recorded traffic: a request that breaks the rule, answered 2xx by this host. What xAI takes is also
in its clients: https://github.com/vercel/ai/blob/main/packages/xai/src/responses/xai-responses-api.ts, and
https://github.com/TanStack/ai/issues/812 for ``x_search``."""
