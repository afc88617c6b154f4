"""What is published about servers: every finding is judged, and the page says what the data say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_report_is_judged_and_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools" / "pages"))
    import servers

    document = json.loads(servers.RESULT.read_text("utf-8"))
    judgements = servers.judgements_of("servers", "server")
    assert servers.unread() == []
    assert servers.PAGE.read_text("utf-8") == "\n".join(servers._lines(document, judgements)) + "\n"
    assert {one["outcome"] for one in document["servers"] if "conformance serve" in one["server"]} == {"pass"}
