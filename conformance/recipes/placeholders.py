"""``${name}`` in recipes and scripts: replaced by what is known when the agent is run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.model import Json
from conformance.wording import LineError

_PLACE = re.compile(r"\$\{(\w+)\}")


class PlaceholderError(LineError):
    """A placeholder that nothing is known for."""


def filled_in(text: str, values: Mapping[str, str]) -> str:
    """``text`` with its placeholders replaced. Raises `PlaceholderError`."""

    def known(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise PlaceholderError(f"nothing is known for ${{{found[1]}}}; there are {', '.join(sorted(values))}")
        return values[found[1]]

    return _PLACE.sub(known, text)


def all_filled(value: Json, values: Mapping[str, str]) -> Json:
    """The same for all texts in a JSON value, keys of objects aside."""
    if isinstance(value, str):
        return filled_in(value, values)
    if isinstance(value, list):
        return [all_filled(item, values) for item in value]
    if isinstance(value, dict):
        return {name: all_filled(item, values) for name, item in value.items()}
    return value
