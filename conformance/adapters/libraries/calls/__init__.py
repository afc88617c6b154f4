"""How each library is called, as text: what a program needs that has the library and nothing of this package.

A family of libraries is a module with a table ``CALLS`` of its own. Nothing here imports a library, so programs can be
made where none is installed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.adapters.libraries import LIBRARIES, Library
from conformance.adapters.libraries.calls import (
    ai_sdk,
    gateways,
    haystack,
    langchain,
    llama_index,
    llm,
    openai_agents,
    pydantic_ai,
    sdks,
)
from conformance.adapters.libraries.calls.contract import Call
from conformance.adapters.libraries.calls.gateways import NAMES

CALLS: Mapping[str, Call] = {
    **sdks.CALLS,
    **gateways.CALLS,
    **pydantic_ai.CALLS,
    **openai_agents.CALLS,
    **langchain.CALLS,
    **llama_index.CALLS,
    **llm.CALLS,
    **haystack.CALLS,
    **ai_sdk.CALLS,
}
"""By library, or by library and provider where that makes a difference."""

_EXTRAS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("openai-chat", "openai-responses", "azure", "deepseek"), frozenset({"openai"})),
    "anthropic": frozenset({"anthropic", "litellm"}),
    "gemini": frozenset({"gemini", "google"}),
    "mistral": frozenset({"mistral"}),
    "ollama": frozenset({"ollama"}),
}
"""The extras that libraries have for one provider."""


def call_of_library(name: str, provider: str) -> Call | None:
    """How a library is called on a provider; ``None`` for one that nothing is known of."""
    return CALLS.get(f"{name}/{provider}") or CALLS.get(name)


def provider_name(provider: str) -> str:
    """What libraries that have a name for each provider call it."""
    return NAMES.get(provider, provider)


def installation(name: str, version: str, provider: str) -> str:
    """The command that installs a library with all that a program needs."""
    library = LIBRARIES[name]
    if library.kind == "node":
        return " ".join(["npm install", f"{library.distribution}@{version}", *library.needs])
    return f"pip install {_requirement(library, version, provider)}"


def _requirement(library: Library, version: str, provider: str) -> str:
    """The requirement for pip, without the extras that the library has for other providers."""
    foreign = frozenset[str]().union(*_EXTRAS.values()) - _EXTRAS.get(provider, frozenset())
    extras = ",".join(extra for extra in library.extras if extra not in foreign)
    needs = "".join(f" '{need}'" if re.search(r"[<>]", need) else f" {need}" for need in library.needs)
    return f"{library.distribution}{f'[{extras}]' if extras else ''}=={version}{needs}"
