"""Recipes: how one agent is installed, started without a hand on it, and led to our server. One YAML file each.

``schemas/agent_recipe.schema.json`` says what may stand in it, docs/agents.md explains it. In all texts ``${name}`` is
replaced (`conformance.agents.surroundings`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.agents.binding import RecipeTool
from conformance.agents.named_files import checked_document, named_file
from conformance.model import Json
from conformance.recipes.installing import RecipeInstall, install_of


@dataclass(frozen=True, slots=True)
class RecipeProvider:
    """How an agent talks to a provider. ``url`` is the base URL that it is given (empty: the usual one), ``values`` are
    further placeholders, ``deliveries`` how it asks for answers."""

    url: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    deliveries: tuple[str, ...] = ("stream",)


@dataclass(frozen=True, slots=True)
class AgentRecipe:
    """One agent. ``setup`` runs before ``command``; ``files`` are written before both. ``resume`` goes on with the
    conversation before (empty: it has no way to). ``values`` are further placeholders, ``thinking`` what they are where
    the script has the model think."""

    id: str
    title: str
    command: tuple[str, ...]
    providers: Mapping[str, RecipeProvider]
    install: RecipeInstall | None = None
    model: str = "test-model"
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    setup: tuple[tuple[str, ...], ...] = ()
    resume: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    thinking: Mapping[str, str] = field(default_factory=dict)
    tools: Mapping[str, RecipeTool] = field(default_factory=dict)
    seconds: float = 180.0


def recipe_of_command(words: Sequence[str], providers: Sequence[str]) -> AgentRecipe:
    """A recipe for a command of the user's own, which is on the path."""
    return AgentRecipe(
        id=Path(words[0]).name,
        title=f"the command {words[0]}",
        command=tuple(words),
        providers={provider: RecipeProvider() for provider in providers},
    )


def load_recipe(name: str) -> AgentRecipe:
    """The recipe of a name, or in a file. Raises `DocumentError`."""
    path = named_file("recipe", name)
    document = checked_document("recipe", path)
    return AgentRecipe(
        id=path.stem,
        title=document["title"],
        command=tuple(document["command"]),
        providers={name: _provider(one or {}) for name, one in document["providers"].items()},
        install=install_of(document["install"]) if "install" in document else None,
        model=document.get("model", "test-model"),
        environment={name: str(value) for name, value in document.get("environment", {}).items()},
        files={name: _text(value) for name, value in document.get("files", {}).items()},
        setup=tuple(tuple(words) for words in document.get("setup", ())),
        resume=tuple(document.get("resume", ())),
        values=document.get("values", {}),
        thinking=document.get("thinking", {}),
        tools={role: _binding(one) for role, one in document.get("tools", {}).items()},
        seconds=document.get("seconds", 180.0),
    )


def _provider(document: Mapping[str, Any]) -> RecipeProvider:
    return RecipeProvider(
        document.get("url", ""), document.get("values", {}), tuple(document.get("deliveries", ("stream",)))
    )


def _binding(document: Mapping[str, Any] | str) -> RecipeTool:
    if isinstance(document, str):
        return RecipeTool(document)
    return RecipeTool(
        document.get("name", ""), document.get("arguments", {}), document.get("text", ""), document.get("command", "")
    )


def _text(value: Json) -> str:
    """What a file holds: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1) + "\n"
