"""Each mutant of what an agent sends is told by a rule that fits. Nothing is told of what goes through unchanged."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import httpx
import pytest
from every import every
from playing_here import HereRun
from test_agent_following import WireAgent

from conformance.http import Request
from conformance.mutants.between.requests import REQUEST_MUTANTS
from conformance.server import Running, serving
from conformance.server.between import changing_proxy

BESIDE = {
    "strips_thinking": "the tiny agent does not ask for thinking",
    "pictures_as_text": "the tiny agent sends no pictures",
    "drops_system": "the tiny agent has no system prompt",
}
MISSED = {
    "openai-responses/puts_words_between": "the provider takes outputs anywhere after their calls",
    "gemini/results_as_user_words": "a user may speak instead of results, who interrupts",
}
"""What no rule tells, and why."""
PROVIDERS = ("openai-chat", "openai-responses", "anthropic", "gemini")


class MutatedRun(HereRun):
    """A run whose requests are changed on their way."""

    mutant = "nothing"

    def answered(self, request: Request) -> tuple[int, Any]:
        """The answer to the changed request."""
        provider = request.header("x-conformance-provider") or "openai-chat"
        return super().answered(REQUEST_MUTANTS[self.mutant](provider, request))


def found(folder: Path, mutant: str, provider: str) -> set[str]:
    """The rules that tell something of the tiny agent with a mutant."""
    run = MutatedRun(folder / provider / mutant, REQUEST_MUTANTS[mutant].script)
    run.mutant = mutant
    agent = WireAgent(run.post, run.workspace)
    agent.provider = provider
    agent.speak(run)
    return set(run.found())


@pytest.mark.slow
@pytest.mark.parametrize("provider", PROVIDERS)
def test_each_mutant_is_told(provider: str, tmp_path: Path) -> None:
    def told(mutant: str) -> None:
        rules = found(tmp_path, mutant, provider)
        forms = REQUEST_MUTANTS[mutant].told_by
        if any(fnmatch(f"{provider}/{mutant}", one) for one in MISSED):
            assert not rules
            return
        assert any(fnmatch(rule, form) for rule in rules for form in forms) or (not forms and not rules), rules

    assert not found(tmp_path, "nothing", provider)
    every({name: (name,) for name in REQUEST_MUTANTS if name not in BESIDE}, told)


def test_the_proxy_passes_on_what_comes() -> None:
    with serving() as strict:
        _passes_on(strict)


def _passes_on(strict: Running) -> None:
    sent: list[str] = []

    def noted(provider: str, request: Request) -> Request:
        sent.append(provider)
        return replace(request, body=request.body.replace(b"first", b"second"))

    document = {"model": "any", "stream": True, "messages": [{"role": "user", "content": "first"}]}
    headers = {"authorization": "Bearer any"}
    with changing_proxy(strict.origin, noted) as origin:
        path = "/p/openai-chat/v1/chat/completions"
        answer = httpx.post(origin + path, json=document, headers=headers)
        plain = httpx.post(strict.origin + path, json=document, headers=headers)
        models = httpx.get(origin + "/p/openai-chat/v1/models")
    assert (answer.status_code, models.status_code, sent) == (200, 200, ["openai-chat"])
    assert answer.headers["content-type"] == plain.headers["content-type"]
    assert answer.text.rstrip().endswith("[DONE]")
