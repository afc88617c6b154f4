"""What an adapter is given, before and after: an adapter that changes it, changes what its application holds.

A copy is `marshal`'s bytes of the plain data: exact (``1`` is not ``true``, the order of keys counts), and fast.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from conformance.adapters.beside import Near, OtherStream
from conformance.adapters.telling import Due, NewsReport
from conformance.model import (
    AssistantTurn,
    Conversation,
    Decision,
    DecisionsTurn,
    ImagePart,
    Json,
    JsonPart,
    ResourcePart,
    ResultsTurn,
    TextInput,
    TextPart,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    Usage,
    UserTurn,
)
from conformance.outcomes import InputChange, Operation

MAX_CHANGES = 5
"""How many changes of one operation are told."""

_VERSION = 2
"""Of marshal's format: the last one whose bytes do not depend on how often an object is referred to."""

_FIELDS: Mapping[type, tuple[str, ...]] = {
    Conversation: ("turns", "tools", "choice", "system", "model", "max_tokens", "reasoning", "caching", "output",
                   "profile"),
    Tool: ("name", "description", "parameters", "strict", "mcp", "builtin", "text", "kind", "server"),
    TextInput: ("syntax", "definition"),
    ToolChoice: ("mode", "name", "parallel"),
    UserTurn: ("text",),
    AssistantTurn: ("text", "calls", "stop", "refusal"),
    ToolCall: ("id", "name", "arguments", "raw", "invalid"),
    ResultsTurn: ("results",),
    ToolResult: ("call_id", "name", "content", "is_error"),
    TextPart: ("text",),
    JsonPart: ("value",),
    ImagePart: ("media_type", "data"),
    ResourcePart: ("uri", "name", "description", "media_type", "text"),
    DecisionsTurn: ("decisions",),
    Decision: ("call_id", "name", "accept"),
    Usage: ("input_tokens", "output_tokens"),
}
"""What is the application's. The ``opaque`` of a turn is the adapter's own, so it may do with it what it likes."""


_NESTED = frozenset({Conversation, AssistantTurn, ResultsTurn, ToolResult, DecisionsTurn})
"""The classes whose fields hold others of these."""


def _reader(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    one = attrgetter(*names)
    return lambda value: (one(value),)


_READERS = {kind: _reader(names) for kind, names in _FIELDS.items()}
_dumps, _loads = marshal.dumps, marshal.loads


Copy = Mapping[str, bytes]
"""A copy of what an operation is given, by the names of its arguments."""


class Copies:
    """Makes copies, to be compared with later ones. A conversation mostly comes twice: then its last copy serves."""

    def __init__(self) -> None:
        self._last: tuple[object, bytes] = object(), b""

    def before(self, given: Mapping[str, object]) -> Copy:
        """What an operation is given. What was changed since the last look is told of the operation that comes."""
        last, copy = self._last
        return {name: copy if value is last else _copy_of(value) for name, value in given.items()}

    def after(self, given: Mapping[str, object]) -> Copy:
        """What the operation left of it."""
        found = {name: _copy_of(value) for name, value in given.items()}
        if "conversation" in given:
            self._last = given["conversation"], found["conversation"]
        return found


def _copy_of(value: object) -> bytes:
    plain = _plain(value)
    try:
        return _dumps(plain, _VERSION)
    except ValueError:  # something in there is no plain data
        return _dumps(_shown(plain), _VERSION)


def _shown(plain: object) -> str:
    try:
        return repr(plain)
    except BaseException:  # it may be the adapter's own object
        return "something that cannot be shown"


def _plain(value: Any) -> Any:
    """``value`` as plain data: a dataclass is a tuple of its fields after its class's name. Documents stay."""
    kind = type(value)
    reader = _READERS.get(kind)
    if reader is None:
        return [_plain(item) for item in value] if kind is tuple else value
    if kind in _NESTED:
        return kind.__name__, *[_plain(item) for item in reader(value)]
    return kind.__name__, *reader(value)


def input_changes(operation: Operation, before: Copy, after: Copy) -> tuple[InputChange, ...]:
    """What is different in two copies: the first places, in their order."""
    found = []
    for name in before:
        if before[name] != after[name]:
            for at, was, now in _differences(f"/{name}", _named(_loads(before[name])), _named(_loads(after[name]))):
                found.append(InputChange(operation, at, was, now))
                if len(found) == MAX_CHANGES:
                    return tuple(found)
    return tuple(found)


class DistantAdapter:
    """An adapter in another process, which has copies of its own and says itself what became of them."""

    reads_near = False
    """Whether its ``parse_stream`` takes ``other``: the stream of another conversation, to be read before or beside."""
    ways: Sequence[Near] = ()
    """In which ways a client makes two calls near each other, where it can be told both at once."""

    def complete_near(
        self, provider: str, conversation: Conversation, *, chunks: Sequence[bytes], other: OtherStream
    ) -> AssistantTurn:
        """The turn that a client makes of a streamed call, answered with ``chunks``, near another one."""
        raise NotImplementedError

    def hear(
        self, provider: str, chunks: Sequence[bytes], conversation: Conversation, due: Sequence[Due]
    ) -> NewsReport | None:
        """What it tells while a stream is open; ``None`` when it does not."""
        return None

    def changes(self) -> tuple[InputChange, ...] | None:
        """What the last operation changed; ``None`` when its process does not say."""
        raise NotImplementedError


_NAMES = {kind.__name__: names for kind, names in _FIELDS.items()}


def _named(plain: Any) -> Json:
    """Plain data as documents, with the names of fields."""
    if isinstance(plain, tuple) and plain and plain[0] in _NAMES:
        return {name: _named(item) for name, item in zip(_NAMES[plain[0]], plain[1:], strict=True)}
    return [_named(item) for item in plain] if type(plain) is list else plain


def _differences(at: str, before: Json, after: Json) -> Iterator[tuple[str, Json, Json]]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            place = f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}"
            if key not in before or key not in after:
                yield place, before.get(key), after.get(key)
            else:
                yield from _differences(place, before[key], after[key])
        if list(before) != list(after) and before.keys() == after.keys():
            yield at, list(before), list(after)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (was, now) in enumerate(zip(before, after, strict=True)):
            yield from _differences(f"{at}/{number}", was, now)
    elif type(before) is not type(after) or (before != after and before == before):  # not-a-number is no difference
        yield at, before, after
