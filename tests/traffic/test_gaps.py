"""Published faults: each is seen as it was sent, and not as it should have been sent (docs/notes/gaps.md)."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonpatch
import pytest
from talk import HOSTS, audited, write_lines

from conformance.documents import read_yaml
from conformance.rules import catalogue

Json = Any
GAPS = read_yaml(Path(__file__).parent / "gaps.yaml")
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/{model}:generateContent",
}
PROVIDERS = {"chat": "openai-chat", "responses": "openai-responses", "anthropic": "anthropic", "gemini": "gemini"}
ROW = {f"{gap['row']}-{gap['rule']}": gap for gap in GAPS}
NEIGHBOURS = {
    f"{name}-{what}": (gap, patch) for name, gap in ROW.items() for what, patch in gap.get("also", {}).items()
}


def records(gap: Json, patch: Json) -> Iterator[Json]:
    """The exchanges as lines, the last request patched."""
    for number, exchange in enumerate(gap["exchanges"]):
        request = copy.deepcopy(exchange["request"])
        if "tools" in request and "many_tools" in gap:
            request["tools"] = [{"type": "function", "function": {"name": f"f{n}"}} for n in range(gap["many_tools"])]
        if exchange is gap["exchanges"][-1]:
            request = jsonpatch.apply_patch(request, patch)
        kind = kind_of(request)
        path = exchange.get("path") or gap.get("path") or PATHS[kind]
        yield {
            "id": f"gap-{number}",
            "method": "POST",
            "host": exchange.get("host") or gap.get("host") or HOSTS[PROVIDERS[kind]],
            "path": path.format(model=exchange.get("model")),
            "status": 200,
            "stream": False,
            "fidelity": "wire",
            "request": request,
            "response": exchange.get("response", {}),
            **({"prev": f"gap-{number - 1}"} if number else {}),
        }


def kind_of(request: Json) -> str:
    """The format of a request."""
    if "contents" in request:
        return "gemini"
    return "anthropic" if "max_tokens" in request else "chat" if "messages" in request else "responses"


def found(tmp_path: Path, gap: Json, patch: Json) -> list[str]:
    """What the gap's rule finds."""
    audit = audited(write_lines(tmp_path / "a.jsonl", list(records(gap, patch))), globs=(gap["rule"],))
    assert audit.judged == len(gap["exchanges"]), audit.unreadable
    return [finding.at for finding in audit.findings]


@pytest.mark.parametrize("gap", ROW.values(), ids=ROW)
def test_it_is_seen_and_its_mended_twin_is_not(tmp_path: Path, gap: Json) -> None:
    assert gap["rule"] in catalogue()
    assert found(tmp_path, gap, []) != []
    assert found(tmp_path, gap, gap["mend"]) == []


@pytest.mark.parametrize(("gap", "patch"), NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_a_neighbour_that_no_thread_names_is_seen(tmp_path: Path, gap: Json, patch: Json) -> None:
    assert found(tmp_path, gap, patch) != []
