"""Recipes: how one gateway is installed, set up and started, what it takes and what it talks. One YAML file each.

``schemas/gateway_recipe.schema.json`` says what may stand in it, docs/gateways.md explains it. In all texts ``${name}``
is replaced (`conformance.gateways.surroundings`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.documents import DocumentError
from conformance.hints import nearest
from conformance.model import Json
from conformance.recipes.installing import RecipeInstall, install_of
from conformance.recipes.named_files import NamedFiles
from conformance.wires import PROVIDERS

FILES = NamedFiles("gateway", "conformance.gateways", "recipes", "gateways", "gateway_recipe")


@dataclass(frozen=True, slots=True)
class Inbound:
    """A format that a gateway takes. ``url`` is the base URL that a user gives the provider's SDK, ``headers`` are sent
    beside the usual ones, ``lacks`` are outbound providers that cannot be reached by it, each with the reason."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    lacks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outbound:
    """A provider that a gateway talks to. ``model`` is what a client asks for to reach it."""

    model: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GatewayRecipe:
    """One gateway. ``setup`` runs before ``command``; ``ready`` is a path that is answered once it can be used."""

    id: str
    title: str
    command: tuple[str, ...]
    inbound: Mapping[str, Inbound]
    outbound: Mapping[str, Outbound]
    ready: str
    install: RecipeInstall | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    setup: tuple[tuple[str, ...], ...] = ()
    seconds: float = 120.0
    """How long it may take until it is ready."""


def load_gateway(name: str) -> GatewayRecipe:
    """The recipe of a name, or in a file. Raises `DocumentError`."""
    path = FILES.named(name)
    document = FILES.checked(path)
    for side in ("inbound", "outbound"):
        for provider in document[side]:
            if provider not in PROVIDERS:
                hint = nearest(provider, PROVIDERS)
                raise DocumentError(f"{path}: at /{side}: there is no provider {provider!r}{hint}")
    return GatewayRecipe(
        id=path.stem,
        title=document["title"],
        command=tuple(document["command"]),
        inbound={name: _inbound(one) for name, one in document["inbound"].items()},
        outbound={name: Outbound(one["model"], one.get("headers", {})) for name, one in document["outbound"].items()},
        ready=document["ready"],
        install=install_of(document["install"]) if "install" in document else None,
        environment={name: str(value) for name, value in document.get("environment", {}).items()},
        files={name: _text(value) for name, value in document.get("files", {}).items()},
        setup=tuple(tuple(words) for words in document.get("setup", ())),
        seconds=document.get("seconds", 120.0),
    )


def _inbound(document: Mapping[str, Any]) -> Inbound:
    return Inbound(document["url"], document.get("headers", {}), document.get("lacks", {}))


def _text(value: Json) -> str:
    """What a file holds: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1) + "\n"
