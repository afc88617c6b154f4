"""Recordings for tests of replay."""

from __future__ import annotations

from typing import Any

import orjson

from conformance.http import Request
from conformance.recordings.interaction import Cassette, Interaction, Provenance

URL = "https://api.openai.com/v1/chat/completions"


def post(document: Any, url: str = URL, **headers: str) -> Request:
    """A request with a body in JSON."""
    return Request("POST", url, {"content-type": "application/json", **headers}, orjson.dumps(document))


def recorded(request: Request, body: bytes = b'{"ok":true}', status: int = 200, **more: Any) -> Interaction:
    """A request with its answer, in one piece unless ``chunks`` says otherwise."""
    headers = more.pop("headers", (("content-type", "application/json"),))
    chunks = more.pop("chunks", (body,) if body else ())
    return Interaction(request, status, headers, chunks, **more)


def tape(*interactions: Interaction, source: str = "tape.json", provider: str | None = None) -> Cassette:
    """A cassette; one of ours when it has a ``provider``."""
    provenance = provider and Provenance(
        provider, "model-1", "conformance serve", "2026-11-22T00:00:00Z", "reference", "shell.one", "blocking", "0"
    )
    return Cassette(interactions, provenance or None, source)
