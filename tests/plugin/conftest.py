"""An inner pytest in this process keeps what it imports: only the modules of its own folder are forgotten after it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from _pytest import pytester


@pytest.fixture(autouse=True)
def _imports_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = pytester.SysModulesSnapshot

    def lasting(preserve: Callable[[str], bool] | None = None) -> pytester.SysModulesSnapshot:
        return snapshot(lambda name: name not in ("mylib", "conftest") and not name.startswith("test_"))

    monkeypatch.setattr(pytester, "SysModulesSnapshot", lasting)
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("PYTEST_ADDOPTS", "CI", "BUILD_NUMBER"):  # they change what pytest prints
        monkeypatch.delenv(name, raising=False)
