"""The release that each shim was written for: the one on which all of its failures were read and judged.

What a shim's own frame raises on an older one is held against nobody (docs/libraries.md, Old releases). A test holds
these to what is judged (``judgements/libraries``), so none of them is newer.
"""

from __future__ import annotations

from collections.abc import Mapping

WRITTEN_FOR: Mapping[str, str] = {
    "openai": "3.54.0",
    "openai-responses": "3.54.0",
    "anthropic": "2.12.0",
    "google-genai": "3.4.0",
    "ollama": "0.6.3",
    "cohere": "7.3.1",
    "litellm": "1.106.2",
    "litellm-responses": "1.106.2",
    "litellm-messages": "1.106.2",
    "any-llm": "1.40.2",
    "aisuite": "0.2.0",
    "pydantic-ai": "2.68.0",
    "openai-agents": "0.24.0",
    "langchain-openai": "1.7.3",
    "langchain-anthropic": "1.7.7",
    "langchain-google-genai": "4.4.2",
    "langchain-ollama": "1.1.0",
    "llama-index": "0.14.25",
    "llm": "0.36",
    "haystack-anthropic": "8.0.1",
    "ai-sdk-openai": "4.0.118",
    "ai-sdk-anthropic": "4.0.105",
    "ai-sdk-google": "4.0.121",
    "langchain-js-openai": "1.6.0",
    "langchain-js-anthropic": "1.5.11",
    "langchain-js-google-genai": "2.3.2",
}
"""By the shim's name. One that is not here is judged as written for every release."""
