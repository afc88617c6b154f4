"""Where providers are."""

from __future__ import annotations

from collections.abc import Mapping

BASE_URLS: Mapping[str, str] = {
    "openai-chat": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
    "ollama": "http://localhost:11434",
    "azure": "https://example.openai.azure.com",
    "xai": "https://api.x.ai/v1",
    "deepseek": "https://api.deepseek.com",
    "mistral": "https://api.mistral.ai/v1",
    "unified": "https://gateway.example/v1",
}
"""The base URL of each provider, as the provider's own SDK (for compatible providers: the openai SDK) wants it."""
