"""What litellm calls a model of each provider. Apart from the shim, because this needs no litellm."""

from __future__ import annotations

from collections.abc import Mapping

MODELS: Mapping[str, str] = {
    "openai-chat": "openai/gpt-4.1",
    "openai-responses": "openai/responses/gpt-5",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "gemini": "gemini/gemini-3.1-pro-preview",
    "ollama": "ollama_chat/qwen3",
    "azure": "azure/gpt-4.1",
    "xai": "xai/grok-4",
    "deepseek": "deepseek/deepseek-v4-flash",
    "mistral": "mistral/mistral-large-latest",
}
"""A model of each provider, under litellm's prefix: it knows from the name what the model can do."""
