"""Reading calls, on every wire: arguments that are empty, or no JSON."""

from __future__ import annotations

import json

from conformance.rules.check import Finding, Verdicts, check, holds, same_json
from conformance.rules.common.readings import calls_read
from conformance.transcript import Exchange


@check("common.parse.empty-arguments")
def empty_arguments(x: Exchange) -> Verdicts:
    for offered, read, at in calls_read(x):
        if offered.invalid or offered.arguments != {}:
            continue
        if read is None:
            yield Finding(at, f"a call of {offered.name}", "no such call")
        else:
            right = isinstance(read.arguments, dict) and not read.arguments and not read.invalid
            yield holds(right, f"{at}/arguments", {}, read.raw if read.arguments is None else read.arguments)


@check("common.parse.invalid-json-arguments")
def invalid_json_arguments(x: Exchange) -> Verdicts:
    for offered, read, at in calls_read(x):
        if not offered.invalid:
            continue
        if read is None:
            yield Finding(at, f"a call of {offered.name} that is marked invalid", "no such call")
        else:
            expected = {"arguments": None, "raw": offered.raw, "invalid": True}
            found = {"arguments": read.arguments, "raw": read.raw, "invalid": read.invalid}
            if x.card.forms.arguments == "object" and not x.streamed:  # what is none comes in quotes
                found["raw"] = _unquoted(read.raw)
            yield holds(same_json(expected, found), at, expected, found)


def _unquoted(raw: str | None) -> str | None:
    """The string that ``raw`` is the JSON of, else ``raw``."""
    try:
        value = json.loads(raw or "")
    except ValueError:
        return raw
    return value if isinstance(value, str) else raw
