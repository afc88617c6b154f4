"""Paths in evidence are those of packages, whatever machine they were on."""

from __future__ import annotations

from pathlib import Path

import pytest

import conformance
from conformance.adapters.paths import portable
from conformance.engine.evidence import evidence_of, shown_value
from conformance.masking.door import Mask
from conformance.model import AssistantTurn, ProviderError
from conformance.transcript import Exchange

CHECKOUT = Path(conformance.__file__).parent.parent


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('File "/opt/e/lib/python3.12/site-packages/litellm/main.py", line 3', 'File "litellm/main.py", line 3'),
        ('File "/usr/lib/python3.11/json/decoder.py", line 3', 'File "python3.11/json/decoder.py", line 3'),
        ("at p (file:///srv/e/node_modules/ai/dist/index.js:5:7)", "at p (node_modules/ai/dist/index.js:5:7)"),
        (f'File "{CHECKOUT}/conformance/adapters/bound.py", line 3', 'File "conformance/adapters/bound.py", line 3'),
        (f"{Path.home()}/mine/adapter.py:7", "~/mine/adapter.py:7"),
        ("read /srv/docs/notes.txt and a/b", "read /srv/docs/notes.txt and a/b"),
        ("https://example.org/x/site-packages/y", "https://example.org/x/site-packages/y"),
        ("https://example.org/lib/python3/x", "https://example.org/lib/python3/x"),
    ],
)
def test_a_file_is_named_from_its_package_on(text: str, shown: str) -> None:
    assert portable(text) == shown


def test_a_traceback_in_the_message_of_an_error_is_evidence_without_its_machine() -> None:
    exchange = Exchange("openai-chat")
    error = ProviderError('File "/srv/e/lib/python3.12/site-packages/litellm/main.py", line 3')
    exchange.understood = AssistantTurn(stop="error", error=error)
    assert evidence_of(exchange, 0, Mask())["understood"]["error"]["message"] == 'File "litellm/main.py", line 3'
    assert exchange.understood.error is error


def test_what_a_finding_tells_is_without_its_machine() -> None:
    message = 'File "/srv/e/lib/python3.12/site-packages/litellm/main.py", line 3'
    shown = shown_value({"error": [ProviderError(message)]}, Mask())
    assert shown["error"][0]["message"] == 'File "litellm/main.py", line 3'
    assert shown_value({"id": 1, "text": "/srv/docs/notes.txt"}, Mask()) == {"id": 1, "text": "/srv/docs/notes.txt"}
