"""What clients ask besides: whether anybody is there, which models there are, how many tokens a text has.

The forms are those of the providers' references: OpenAI "Models" and "Compact a response", Anthropic "Models" and
"Count Message tokens", Gemini "models.list" and "countTokens", Ollama "List Local Models", "Show Model Information" and
"Version" (2026-11-26). No count of ours is the provider's: four bytes are one token.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from conformance.http import Request, Response
from conformance.model import Json
from conformance.server.address import ServerAddress
from conformance.server.compaction import compacted
from conformance.wires import card

MODEL = "test-model"
"""The one model that there is, where nobody asked for another."""
BYTES_OF_A_TOKEN = 4
MADE = 1_767_225_600
"""When the model was made: the first second of 2026."""
DATE = "2026-01-01T00:00:00Z"

DiscoveryAnswer = Callable[[str, Request], dict[str, Json]]


@dataclass(frozen=True, slots=True)
class DiscoveryEndpoint:
    """An address beside the model calls: its method, how its path ends, and what is told there. Of a pattern's group
    the model's name comes."""

    method: str
    path: re.Pattern[str]
    told: DiscoveryAnswer


def discovered(address: ServerAddress, request: Request) -> Response | None:
    """The answer to a request that is no model call; ``None`` where it is none of these either."""
    if request.method == "HEAD":
        return Response(200, {"content-type": "application/json"}, b"")
    for provider in _asked_of(address):
        for endpoint in ENDPOINTS.get(provider, ()):
            found = endpoint.path.search(address.path)
            if found is not None and request.method == endpoint.method:
                name = found[1] if endpoint.path.groups else MODEL
                return Response.of_json(200, endpoint.told(name, request))
    return None


def _asked_of(address: ServerAddress) -> Sequence[str]:
    """Whose addresses are looked through: the provider's own, and where it was only guessed, all, those first whose
    paths begin so."""
    own = card(address.provider).format
    if address.known:
        return [own]
    begun = [one for one, root in ROOTS.items() if address.path.startswith(root)]
    return list(dict.fromkeys([*begun, own, *ENDPOINTS]))


def _endpoint(method: str, path: str, told: DiscoveryAnswer) -> DiscoveryEndpoint:
    return DiscoveryEndpoint(method, re.compile(f"{path}/?$"), told)


def _tokens(request: Request) -> int:
    return 1 + len(request.body) // BYTES_OF_A_TOKEN


def _openai_model(name: str, request: Request) -> dict[str, Json]:
    return {"id": name, "object": "model", "created": MADE, "owned_by": "conformance"}


def _openai_models(name: str, request: Request) -> dict[str, Json]:
    return {"object": "list", "data": [_openai_model(name, request)]}


def _openai_compacted(name: str, request: Request) -> dict[str, Json]:
    return compacted(request, MADE, _tokens(request))


def _anthropic_model(name: str, request: Request) -> dict[str, Json]:
    return {"type": "model", "id": name, "display_name": name, "created_at": DATE}


def _anthropic_models(name: str, request: Request) -> dict[str, Json]:
    return {"data": [_anthropic_model(name, request)], "has_more": False, "first_id": name, "last_id": name}


def _anthropic_tokens(name: str, request: Request) -> dict[str, Json]:
    return {"input_tokens": _tokens(request)}


def _gemini_model(name: str, request: Request) -> dict[str, Json]:
    return {
        "name": f"models/{name}", "version": "1", "displayName": name, "inputTokenLimit": 1_000_000,
        "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent", "countTokens"],
    }  # fmt: skip


def _gemini_models(name: str, request: Request) -> dict[str, Json]:
    return {"models": [_gemini_model(name, request)]}


def _gemini_tokens(name: str, request: Request) -> dict[str, Json]:
    return {"totalTokens": _tokens(request)}


_OLLAMA_DETAILS: Mapping[str, Json] = {"format": "gguf", "family": "test", "families": ["test"]}


def _ollama_tags(name: str, request: Request) -> dict[str, Json]:
    about = {"name": name, "model": name, "modified_at": DATE, "size": 1, "digest": "0" * 64}
    return {"models": [{**about, "details": dict(_OLLAMA_DETAILS)}]}


def _ollama_show(name: str, request: Request) -> dict[str, Json]:
    return {
        "modelfile": "", "parameters": "", "template": "", "details": dict(_OLLAMA_DETAILS), "model_info": {},
        "capabilities": ["completion", "tools"],
    }  # fmt: skip


def _ollama_version(name: str, request: Request) -> dict[str, Json]:
    return {"version": "0.12.0"}


ROOTS: Mapping[str, str] = {"gemini": "/v1beta/", "ollama": "/api/"}
"""How the paths of a format begin, where no other format's do."""

_OPENAI = (
    _endpoint("GET", "/models", _openai_models),
    _endpoint("GET", "/models/([^/]+)", _openai_model),
    _endpoint("POST", "/responses/compact", _openai_compacted),
)
ENDPOINTS: Mapping[str, tuple[DiscoveryEndpoint, ...]] = {
    "openai-chat": _OPENAI,
    "openai-responses": _OPENAI,
    "anthropic": (
        _endpoint("GET", "/models", _anthropic_models),
        _endpoint("GET", "/models/([^/]+)", _anthropic_model),
        _endpoint("POST", "/messages/count_tokens", _anthropic_tokens),
    ),
    "gemini": (
        _endpoint("GET", "/models", _gemini_models),
        _endpoint("GET", "/models/([^/:]+)", _gemini_model),
        _endpoint("POST", "/models/[^/]+:countTokens", _gemini_tokens),
    ),
    "ollama": (
        _endpoint("GET", "/api/tags", _ollama_tags),
        _endpoint("POST", "/api/show", _ollama_show),
        _endpoint("GET", "/api/version", _ollama_version),
    ),
}
"""By format: who speaks another provider's format has its addresses, too."""
