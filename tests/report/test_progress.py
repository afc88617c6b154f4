"""Progress in a log: a line now and then, and nothing where a run is short."""

from __future__ import annotations

import pytest

from conformance.report import progress


def test_a_log_gets_a_line_every_ten_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter([0.0, 4.0, 9.9, 10.0, 15.0, 20.5])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(clock))
    with progress.Progress(1_500) as bar:
        for failed in (False, True, False, False, True):
            bar.advance(failed)
    assert capsys.readouterr().err.splitlines() == [
        "conformance: 3 of 1,500 cases, 1 failed, 10 s", "conformance: 5 of 1,500 cases, 2 failed, 20 s",
    ]  # fmt: skip
