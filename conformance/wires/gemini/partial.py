"""A call whose arguments arrive piece by piece: Vertex AI's ``streamFunctionCallArguments``.

The first fragment names the call, later ones carry ``partialArgs``, the last one says no more ``willContinue``. Each
piece names its place by a JSONPath; a string comes in several pieces, which are added up.

Source: ``google.genai.types.FunctionCall.partial_args`` and ``PartialArg``; recorded Vertex AI streams, in which the
later fragments carry neither name nor id, and the last one is ``{}``.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from typing import Any

from conformance.model import Json, compact_json
from conformance.wires.facts import items, obj
from conformance.wires.gemini.keys import get

_STEP = re.compile(
    r"""
    \.(?!\*) (?P<name>[^.\[\]]+)
    | \[ (?P<index>\d+) \]
    | \[ (?P<quote>['"]) (?P<key>(?:\\.|(?!(?P=quote))[^\\])*) (?P=quote) \]
    """,
    re.VERBOSE | re.DOTALL,
)


def starts_partial(call: Mapping[str, Json]) -> bool:
    """Whether a ``functionCall`` is the first fragment of a call that comes in pieces."""
    return get(call, "willContinue") is True


class PartialCall:
    """One call that is being put together, inside the part that opened it.

    The part's ``functionCall`` is kept up to date. While more is to come, or when a piece could not be placed, it says
    ``willContinue``: such a call is not whole.
    """

    def __init__(self, part: dict[str, Json]) -> None:
        self._call: dict[str, Json] = {}
        self._broken = False
        self.part = {key: value for key, value in part.items() if key not in ("functionCall", "function_call")}
        self.part["functionCall"] = self._call
        self.add(part)

    def continues(self, part: Mapping[str, Json]) -> bool:
        """Whether ``part`` goes on with this call: it is a fragment without a name."""
        call = get(part, "functionCall")
        return isinstance(call, dict) and not call.get("name")

    def add(self, part: Mapping[str, Json]) -> None:
        """Take one fragment."""
        fragment = obj(get(part, "functionCall"))
        for field in ("id", "name"):
            if fragment.get(field) and not self._call.get(field):
                self._call[field] = fragment[field]
        signature = get(part, "thoughtSignature")
        if signature is not None:
            self.part["thoughtSignature"] = signature
        arguments = self._call.setdefault("args", {})
        if given := obj(fragment.get("args")):
            arguments.update(json.loads(compact_json(given)))  # a copy: pieces are put into it, and the event stays
        for _, piece in items(get(fragment, "partialArgs")):
            self._broken |= not _placed(arguments, obj(piece))
        self._call.pop("willContinue", None)
        if get(fragment, "willContinue") is True or self._broken:
            self._call["willContinue"] = True


def _placed(arguments: dict[str, Json], piece: Mapping[str, Json]) -> bool:
    """Put a piece where it belongs. False when there is no such place."""
    path = get(piece, "jsonPath")
    steps = parse_path(path) if isinstance(path, str) else None
    return bool(steps) and _put(arguments, steps or [], _value(piece))


def parse_path(path: str) -> list[str | int] | None:
    """The steps of a JSONPath of names and indexes (RFC 9535 normalised or dotted); ``None`` for any other."""
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    position = 1
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            return None
        if found["index"] is not None:
            steps.append(int(found["index"]))
        else:
            steps.append(found["name"] or re.sub(r"\\(.)", r"\1", found["key"] or "", flags=re.DOTALL))
        position = found.end()
    return steps


def _value(piece: Mapping[str, Json]) -> Json:
    """The piece's value. ``nullValue`` is an enum whose only word is ``NULL_VALUE``."""
    values = (get(piece, field) for field in ("stringValue", "numberValue", "boolValue"))
    return next((value for value in values if value is not None), None)


def _put(target: Any, steps: list[Any], value: Json) -> bool:
    """Put ``value`` at ``steps``, making what is missing on the way. False when the steps do not fit what is there."""
    for step, following in itertools.pairwise(steps):
        if not _fits(target, step):
            return False
        empty: Json = [] if isinstance(following, int) else {}
        if isinstance(target, list) and step == len(target):
            target.append(empty)
        elif isinstance(target, dict):
            target.setdefault(step, empty)
        target = target[step]
    last = steps[-1]
    if not _fits(target, last):
        return False
    if isinstance(target, list) and last == len(target):
        target.append(value)
        return True
    known = target[last] if isinstance(target, list) else target.get(last)
    target[last] = known + value if isinstance(known, str) and isinstance(value, str) else value
    return True


def _fits(target: Json, step: str | int) -> bool:
    """Whether ``step`` can be taken: a name in an object, an index in a list or just after its end."""
    if isinstance(step, int):
        return isinstance(target, list) and step <= len(target)
    return isinstance(target, dict)
