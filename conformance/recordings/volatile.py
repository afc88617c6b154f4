"""What may differ between two requests that ask the same: of each provider, and of any.

`conformance.wires.volatile` explains the fields, each provider's card holds its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields

from conformance.wires import card, cards, known_ids
from conformance.wires.volatile import Volatile

VOLATILE: Mapping[str, Volatile] = {name: card(name).volatile for name in known_ids()}
"""By provider and host. Those of providers that stand apart (`Card.apart`) are not right for traffic of others."""


def _together(all_of_them: Iterable[Volatile]) -> Volatile:
    """What all have, each thing named once."""
    found = Volatile()
    for one in all_of_them:
        news = (
            tuple(item for item in getattr(one, part.name) if item not in getattr(found, part.name))
            for part in fields(one)
        )
        found |= Volatile(*news)
    return found


BUILT_IN = _together(one.volatile for one in cards() if not one.apart)
"""What may differ in traffic of any provider: all but what only Azure and Ollama do not go by, whose messages are like
OpenAI's. For theirs, ``VOLATILE[provider]`` is more forgiving."""

NOTHING = Volatile()
"""Every field counts."""
