"""How to install a library with all that a program needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from conformance.adapters.libraries import LIBRARIES, Library
from conformance.adapters.libraries.table import is_pin

_EXTRAS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("openai-chat", "openai-responses", "azure", "deepseek"), frozenset({"openai"})),
    "anthropic": frozenset({"anthropic", "litellm"}),
    "gemini": frozenset({"gemini", "google"}),
    "mistral": frozenset({"mistral"}),
    "ollama": frozenset({"ollama"}),
}
"""The extras that libraries have for one provider."""


def installation(name: str, version: str, provider: str, mends: Sequence[str] | None = None) -> str:
    """The command that installs a library with all that a program needs.

    ``mends`` are the extras and pins that made it run; unless it is known which, they are all that it may need.
    """
    library = LIBRARIES[name]
    mends = library.mends if mends is None else mends
    extras, pins = [mend for mend in mends if not is_pin(mend)], filter(is_pin, mends)
    library = replace(library, extras=(*library.extras, *extras), needs=(*library.needs, *pins))
    if library.kind == "node":
        return " ".join(["npm install", f"{library.distribution}@{version}", *library.needs])
    return f"pip install {_requirement(library, version, provider)}"


def _requirement(library: Library, version: str, provider: str) -> str:
    """The requirement for pip, without the extras that the library has for other providers."""
    foreign = frozenset[str]().union(*_EXTRAS.values()) - _EXTRAS.get(provider, frozenset())
    extras = ",".join(sorted(extra for extra in library.extras if extra not in foreign))
    needs = "".join(f" '{need}'" if is_pin(need) else f" {need}" for need in library.needs)
    return f"{library.distribution}{f'[{extras}]' if extras else ''}=={version}{needs}"
