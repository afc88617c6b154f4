"""What an adapter, or a provider, may be able to do.

A scenario names what it needs. What the provider cannot do makes no case; what the adapter does not declare makes the
case ``unsupported``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.obstacles import ObstacleKind

CAPABILITIES: Mapping[str, str] = {
    "blocking": "blocking responses",
    "streaming": "streamed responses",
    "parallel_calls": "several calls in one turn",
    "tool_choice": "forcing or forbidding tool calls",
    "parallel_switch": "asking for at most one call per turn",
    "strict": "strict schemas",
    "json_results": "structured tool results",
    "error_results": "tool results that report a failure",
    "image_results": "tool results that hold images (sent as a summary in the portable profile)",
    "mcp_names": "tools whose names the provider does not take as they are, MCP tools among them",
    "foreign_history": "continuing a conversation that another provider began",
    "reasoning": "thinking that must be handed back: signatures, reasoning items",
    "refusal": "refusals and filtered answers",
    "errors": "HTTP errors and errors in streams, reported as data",
    "server_tools": "tools that the provider runs by itself, such as web search",
    "decisions": "accepting or rejecting a call before it runs",
    "unanswered_calls": "going on where calls were not answered, because the user spoke instead",
    "text_tools": "tools that take one text instead of arguments (custom tools, with a grammar or without)",
    "caching": "asking the provider to keep what stays the same from request to request (prompt caching)",
    "argument_streams": "calls whose arguments come value by value, where the adapter asked the provider for that",
}

SWITCHED_ON = frozenset({"argument_streams"})
"""What a provider only does if it is asked to, by a setting that no shim of a library sets."""

LEFT_TO_APPLICATIONS = frozenset({"unanswered_calls"})
"""What most libraries leave to who calls them: their shims do not claim it unless the library's documentation does."""

UNCLAIMED = SWITCHED_ON | LEFT_TO_APPLICATIONS
"""What shims do not claim unless they say so."""

OPENAI_ONLY = frozenset({"text_tools"})
"""What only OpenAI's formats have a word for. Of hosts that speak them only those have it whose file says so."""

ANTHROPIC_ONLY = frozenset({"caching"})
"""What only Anthropic's format has a word for: the others keep a prefix unasked. As above, a host's file says so."""

OWN_WORDS = OPENAI_ONLY | ANTHROPIC_ONLY
"""What not every format has a word for."""

LackKind = Literal["capability", "access", "responder", "release", "answer"] | ObstacleKind
"""What is not there: a capability that the adapter declares, a key or an address for the provider, somebody who can
answer this kind of adapter, a setting that only other releases of the library have, or the answer that the scenario
changes, on a host that answers otherwise. Or what the library met."""


@dataclass(frozen=True, slots=True)
class Lack:
    """Why a case cannot be played. ``words`` are for people."""

    kind: LackKind
    words: str
    error: str = ""
    """What the library met, on one line."""

    def __str__(self) -> str:
        return self.words
