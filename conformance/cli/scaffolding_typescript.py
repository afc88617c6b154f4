"""Small adapters in TypeScript, put together from their parts: a file for each provider's format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conformance.cli.scaffolding import adapter_files, filled_scaffold, listed, template

SMALL_TYPESCRIPT: Mapping[str, str] = {
    "anthropic": "anthropic",
    "openai-responses": "openaiResponses",
    "gemini": "gemini",
}
"""The providers for which there is one, each with the name of its format in the code."""
FOLDER = "typescript-small"
SHARED = ("adapter", "exact", "format")
OWN = ("README.md", "src/adapter.ts")
"""What the scaffold for OpenAI Chat Completions has, and this one has its own of."""


def small_typescript(providers: Sequence[str], name: str) -> dict[str, str]:
    """Path and text of each file."""
    from conformance.wires import card

    values = {
        "name": name,
        "titles": listed([card(provider).title for provider in providers]),
        "providers": listed([f"`{provider}`" for provider in providers]),
        "imports": "\n".join(sorted(_imported(provider) for provider in providers)),
        "formats": "\n".join(f'  "{provider}": {SMALL_TYPESCRIPT[provider]},' for provider in providers),
    }
    files = {path: text for path, text in adapter_files("typescript", name) if path not in OWN}
    return {**files, **{path: filled_scaffold(template(f"{FOLDER}/{path}"), values) for path in _own_files(providers)}}


def _own_files(providers: Sequence[str]) -> Iterator[str]:
    yield "README.md"
    yield from (f"src/{part}.ts" for part in (*SHARED, *providers))


def _imported(provider: str) -> str:
    return f'import {{ {SMALL_TYPESCRIPT[provider]} }} from "./{provider}.js";'
