"""Clients around public libraries. Each is a small file that calls its library and repairs nothing it does.

`LIBRARIES` is the table of them, by the name that addresses use: ``conformance run litellm`` where the library is
installed, ``env:litellm@1.82.0`` for one in an environment of its own (`conformance.environments`). Nothing is imported
until it is asked for, so no library needs to be there.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from conformance.adapters.contract import AdapterError
from conformance.adapters.inventory import VARIABLE
from conformance.adapters.libraries.ways import Way, split_way, way_at, ways_of
from conformance.obstacles import HEADS


@dataclass(frozen=True, slots=True)
class Library:
    """One way to call a library.

    ``shim`` is ``module:class``, the module inside this package; for Node it is a module in the folder ``node``.
    ``distribution`` is the library's name in its package index, ``extras`` are those of its extras that it needs for
    the providers of the shim, ``needs`` are further requirements. Shims of one distribution share its environments when
    they ask for the same. ``mends`` are extras that the library documents for something else, and that a release may
    need to run at all: they are installed only where it does (`conformance.cli.env_trial`).
    """

    shim: str
    distribution: str
    extras: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    kind: Literal["python", "node"] = "python"
    mends: tuple[str, ...] = ()


_MCP = ("mcp",)  # litellm 1.106.2 and aisuite 0.2.0 use mcp when a call has tools, and bring it only by this extra
_ANY_LLM = ("anthropic", "gemini", "mistral", "ollama")
_AISUITE = ("anthropic", "gemini", "mistral", "openai")
_PYDANTIC_AI = ("anthropic", "google", "mistral", "openai")
_LLAMA_INDEX = ("llama-index-llms-openai", "llama-index-llms-anthropic", "anthropic<1")  # its 0.12.3 breaks with 1.x
_LANGCHAIN_JS = ("@langchain/core",)

LIBRARIES: Mapping[str, Library] = {
    "openai": Library("openai_chat:OpenAIChat", "openai"),
    "openai-responses": Library("openai_responses:OpenAIResponses", "openai"),
    "anthropic": Library("anthropic:Anthropic", "anthropic"),
    "google-genai": Library("google_genai:GoogleGenAI", "google-genai"),
    "ollama": Library("ollama:Ollama", "ollama"),
    "cohere": Library("cohere:Cohere", "cohere"),
    "litellm": Library("litellm_completion:LiteLLM", "litellm", mends=_MCP),
    "litellm-responses": Library("litellm_responses:LiteLLMResponses", "litellm", mends=_MCP),
    "litellm-messages": Library("litellm_messages:LiteLLMMessages", "litellm", mends=("proxy",)),
    "any-llm": Library("any_llm:AnyLLM", "any-llm-sdk", extras=_ANY_LLM),
    "aisuite": Library("aisuite:AISuite", "aisuite", extras=_AISUITE, mends=_MCP),
    "pydantic-ai": Library("pydantic_ai:PydanticAI", "pydantic-ai-slim", extras=_PYDANTIC_AI),
    "openai-agents": Library("openai_agents:OpenAIAgents", "openai-agents", extras=("litellm",)),
    "langchain-openai": Library("langchain_openai:LangChainOpenAI", "langchain-openai"),
    "langchain-anthropic": Library("langchain_anthropic:LangChainAnthropic", "langchain-anthropic"),
    "langchain-google-genai": Library("langchain_google_genai:LangChainGoogleGenAI", "langchain-google-genai"),
    "langchain-ollama": Library("langchain_ollama:LangChainOllama", "langchain-ollama"),
    "llama-index": Library("llama_index:LlamaIndex", "llama-index-core", needs=_LLAMA_INDEX),
    "llm": Library("llm:Llm", "llm"),
    "haystack-anthropic": Library("haystack:HaystackAnthropic", "anthropic-haystack"),
    "ai-sdk-openai": Library("ai_openai", "@ai-sdk/openai", needs=("ai",), kind="node"),
    "ai-sdk-anthropic": Library("ai_anthropic", "@ai-sdk/anthropic", needs=("ai",), kind="node"),
    "ai-sdk-google": Library("ai_google", "@ai-sdk/google", needs=("ai",), kind="node"),
    "langchain-js-openai": Library("langchain_openai", "@langchain/openai", needs=_LANGCHAIN_JS, kind="node"),
    "langchain-js-anthropic": Library("langchain_anthropic", "@langchain/anthropic", needs=_LANGCHAIN_JS, kind="node"),
    "langchain-js-google-genai": Library(
        "langchain_google_genai", "@langchain/google-genai", needs=_LANGCHAIN_JS, kind="node"
    ),
}
"""The shims by name."""


def load_shim(address: str) -> Any:
    """The class of a shim, by its name or as ``NAME:WAY``.

    Raises `AdapterError` when its library is not there, or too old or new, or has no such way.
    """
    (name, _), way = split_way(address), known_way(address)
    library = LIBRARIES[name]
    if library.kind != "python":
        raise AdapterError(f"{name} runs in an environment of its own: `conformance env {name}` makes it")
    version = installed(library.distribution, name)
    module, _, attribute = (way.shim if way is not None and way.shim else library.shim).partition(":")
    if VARIABLE in os.environ:
        from conformance.adapters.inventory.watching import watch_if_asked

        watch_if_asked(name)
    try:
        made = getattr(importlib.import_module(f"{__name__}.{module}"), attribute)
        return made if way is None else made.by(way)
    except Exception as problem:
        raise _unusable(name, library.distribution, version, problem) from None


def known_way(address: str) -> Way | None:
    """The way at an address; ``None`` for the usual one. Raises `AdapterError` for one that is not in the table."""
    try:
        return way_at(address)
    except KeyError as unknown:
        names = ", ".join(way.name for way in ways_of(address))
        raise AdapterError(f"{address}: there is no way {unknown}; ways are {names}") from None


def _unusable(name: str, distribution: str, version: str, problem: Exception) -> AdapterError:
    """Why a shim could not be loaded, and whose doing that is."""
    from conformance.adapters.obstructed import obstacle_of

    met = obstacle_of(problem)
    if met is None:
        text = " ".join(str(problem).split())
        return AdapterError(f"{name}: {distribution} {version} cannot be used: {type(problem).__name__}: {text}")
    words = f"{name}: {distribution} {version}: {HEADS[met.kind]}: {met.error}"
    return AdapterError(words, replace(met, library=name, version=version))


def installed(distribution: str, name: str | None = None) -> str:
    """The version of a library. Raises `AdapterError` when it is not installed, saying how to get it."""
    from importlib import metadata  # it needs much, and an adapter that is no library's shim does not need it

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        advice = f"pip install {distribution}, or conformance env {name or distribution}"
        raise AdapterError(f"{distribution} is not installed: {advice}") from None
