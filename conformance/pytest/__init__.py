"""For pytest: a suite that holds an adapter against the rules, a strict provider, and cassettes.

    from conformance.pytest import ConformanceSuite

The fixtures and options are those of `conformance.pytest.plugin`, which pytest loads by itself. docs/pytest.md tells
how to use all of it. Nothing is imported before it is used, because every pytest that has the plugin loads this module.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not from typing, see conformance/__init__.py

if TYPE_CHECKING:
    from conformance.pytest.cassettes import ConformanceCassette as ConformanceCassette
    from conformance.pytest.failing import BrokenRulesError as BrokenRulesError
    from conformance.pytest.failing import BrokenRulesWarning as BrokenRulesWarning
    from conformance.pytest.suite import ConformanceSuite as ConformanceSuite

_HOMES = {
    "ConformanceSuite": "conformance.pytest.suite",
    "ConformanceCassette": "conformance.pytest.cassettes",
    "BrokenRulesError": "conformance.pytest.failing",
    "BrokenRulesWarning": "conformance.pytest.failing",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    """Public names are imported when they are first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'conformance.pytest' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
