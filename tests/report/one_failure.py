"""A result with one cell that fails in one case."""

from __future__ import annotations

from typing import Any

RULE = "common.result.no-orphan"
REPRODUCE = "conformance run somewhere"


def result(adapter: str, provider: str, case: str, model_call: int = 1, **run: str) -> dict[str, Any]:
    """A result with one cell that fails in one case."""
    failure = {"case": case, "at": "/messages/0", "in": "request", "expected": "an id", "found": "a\nline",
               "evidence": "e1"}  # fmt: skip
    evidence = {
        "model_call": model_call,
        "request": {"method": "POST", "url": "http://localhost/x", "headers": {}, "body": {"n": list(range(90))}},
        "response": {"status": 200, "body": {"text": "hello"}},
        "understood": {"text": "hello", "opaque": "never shown"},
        "reproduce": REPRODUCE,
    }
    return {
        "schema": "https://toolcall-conformance.dev/schemas/result-1.json",
        "suite": {"version": "1", "rules": 1, "scenarios": 1},
        "run": {"started": "2026-01-15T10:20:30Z", "duration_s": 1, "profile": "portable", "command": "conformance run",
                "interrupted": False, "exit_code": 1, "cases": {"planned": 2, "finished": 2, "unsupported": 0}, **run},
        "adapters": [{"id": adapter, "name": adapter, "version": "1.2.3", "kind": "client", "providers": [provider]}],
        "rules": [{"id": RULE, "level": "must", "consequence": "rejected", "stage": "result", "side": "build",
                   "providers": [provider], "statement": "Every result has its call.", "source": ["a page"]}],
        "cells": [{"adapter": adapter, "provider": provider, "rule": RULE, "outcome": "fail",
                   "cases": {"fail": 2, "pass": 1}, "failed_cases": [case, "shell.success/blocking"],
                   "failures": [failure]}],
        "evidence": {"e1": evidence},
    }  # fmt: skip
