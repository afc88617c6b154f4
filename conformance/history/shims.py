"""Whether a case of a history says nothing of its library, because it was our shim that failed.

A run holds what a shim's own frame raised against nobody where the release is older than the shim
(`conformance.engine.shims`). A history compares releases, so it does so for all of them.
"""

from __future__ import annotations

from conformance.engine.report import CaseReport
from conformance.engine.shims import raised_in_shim
from conformance.obstacles import HEADS


def shim_trouble(report: CaseReport) -> str:
    """Why a case says nothing of its library, in words; empty where it does."""
    for shown in report.evidence.values():
        failure = shown.get("failure") or {}
        if raised_in_shim(failure.get("traceback") or ""):
            return f"{HEADS['misfit']}: {failure.get('message', '')}"
    return ""
