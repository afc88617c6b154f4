"""What an adapter, or a provider, may be able to do.

A scenario names what it needs. What the provider cannot do makes no case; what the adapter does not declare makes the
case ``unsupported``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.model import NewsKind
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
    "resource_results": "tool results that hold resources of MCP servers, or links to them",
    "mcp_names": "tools whose names the provider does not take as they are, MCP tools among them",
    "foreign_history": "continuing a conversation that another provider began",
    "reasoning": "thinking that must be handed back: signatures, reasoning items",
    "refusal": "refusals and filtered answers",
    "errors": "HTTP errors and errors in streams, reported as data",
    "server_tools": "tools that the provider runs by itself, such as web search",
    "decisions": "accepting or rejecting a call before it runs",
    "unanswered_calls": "going on where calls were not answered, because the user spoke instead",
    "text_tools": "tools that take one text instead of arguments (custom tools, with a grammar or without)",
    "provider_kinds": "tools that the provider defined and the application runs, such as a shell",
    "caching": "asking the provider to keep what stays the same from request to request (prompt caching)",
    "output_schema": "asking for an answer in JSON that fits a schema (structured output), also beside tools",
    "whole_news": "telling of a stream while it is open all that can be told: thinking and the text of arguments, too",
    "whole_message": "handing over the whole answer that is put together from a stream, in the provider's own form",
    "argument_streams": "calls whose arguments come value by value, where the adapter asked the provider for that",
}

SWITCHED_ON = frozenset({"argument_streams"})
"""What a provider only does if it is asked to, by a setting that no shim of a library sets."""

OWED_NEWS: Mapping[str, frozenset[NewsKind]] = {"whole_news": frozenset({"thinking", "arguments"})}
"""The news that may be left out, by what an adapter declares that leaves none out. No scenario needs it: it says how
much the rules about news ask for."""

LEFT_TO_APPLICATIONS = frozenset({"unanswered_calls", "resource_results"})
"""What most libraries leave to who calls them: their shims do not claim it unless the library's documentation does."""

ACCUMULATED = frozenset({"whole_message"})
"""What some official SDKs do, on two formats. The reference adapters do not: what they put together is what the judge
reads."""

UNCLAIMED = SWITCHED_ON | LEFT_TO_APPLICATIONS | OWED_NEWS.keys() | ACCUMULATED
"""What shims do not claim unless they say so."""

OPENAI_ONLY = frozenset({"text_tools"})
"""What only OpenAI's formats have a word for. Of hosts that speak them only those have it whose file says so."""

ANTHROPIC_ONLY = frozenset({"caching"})
"""What only Anthropic's format has a word for: the others keep a prefix unasked. As above, a host's file says so."""

NOT_EVERYWHERE = frozenset({"output_schema"})
"""What some formats and hosts refuse beside tools, or have no word for. As above, a host's file says who takes it."""

OWN_KINDS = frozenset({"provider_kinds"})
"""Who defines tools of its own that the application runs: OpenAI in Responses, and Anthropic."""

OWN_WORDS = OPENAI_ONLY | ANTHROPIC_ONLY | NOT_EVERYWHERE | OWN_KINDS | ACCUMULATED
"""What not every format has a word for."""


def owed_news(claimed: Collection[str]) -> frozenset[NewsKind]:
    """The news that nobody must tell but who claims to."""
    return frozenset().union(*(kinds for name, kinds in OWED_NEWS.items() if name in claimed))


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
