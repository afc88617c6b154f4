"""By which rule each provider refuses each mistake, and the shape of its error: ``refused/<provider>.yaml``.

In ``rules``, ``null`` stands where the provider takes the request, which is reported instead. What a provider of the
chat format does not say itself stands in ``chat.yaml``. The gateway's rules of its own and Ollama's reject little: what
they pass over is lost, and told as a finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from conformance.wires import card

FILES = sorted((Path(__file__).parent / "refused").glob("*.yaml"))
REFUSED: Mapping[str, Mapping[str, Any]] = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in FILES}


def refused_by(mistake: str, provider: str) -> str | None:
    """The rule that a refusal must name. Raises `KeyError` where the provider's file does not say it."""
    rules: Mapping[str, str | None] = REFUSED[provider].get("rules", {})
    if mistake not in rules and card(provider).format == "openai-chat":
        rules = REFUSED["chat"]["rules"]
    return rules[mistake]


def error_shape(provider: str, status: int) -> Any:
    """The keys of a provider's error body, each with the kind of its value."""
    own = REFUSED[provider]
    return own["error_without_key"] if status == 401 and "error_without_key" in own else own["error"]
