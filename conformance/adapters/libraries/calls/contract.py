"""What a program must know about a library: templates of its source, and functions that give arguments as data.

Templates are `string.Template`s in the library's own language, Python or JavaScript, as its documentation writes them.
Data is language-neutral: JSON values, bytes, and among them `Source` and `Construction`, which have no equal in JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.model import Conversation

Fields = dict[str, Any]
"""Arguments by name."""


@dataclass(frozen=True, slots=True)
class Source:
    """Source of the program among data."""

    text: str


@dataclass(frozen=True, slots=True)
class Construction:
    """A call of a constructor or a function among data. JavaScript gets the options as one object."""

    constructor: str
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]


def made(constructor: str, /, *arguments: Any, **options: Any) -> Construction:
    """A call of ``constructor``."""
    return Construction(constructor, arguments, options)


@dataclass(frozen=True, slots=True)
class Extend:
    """The history grows."""

    name: str
    items: list[Any]


@dataclass(frozen=True, slots=True)
class Assign:
    """An argument changes."""

    name: str
    value: Any


CallStep = Extend | Assign

Reference = Callable[[str], Any]
"""What stands for the id of a call: an expression for a call that the library has just given, else the id itself."""


@dataclass(frozen=True, slots=True)
class ConversationGrowth:
    """A conversation as it was when the library answered, and as it is when the library is asked again."""

    provider: str
    streamed: bool
    before: Conversation
    after: Conversation
    reference: Reference


LOOP = "loop = asyncio.new_event_loop()  # for all calls, because connections are kept for one"
"""A helper for libraries that are asynchronous."""


def _nothing(provider: str, conversation: Conversation) -> Fields:
    return {}


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask a library, blocking or streaming."""

    ask: str
    """The body of a function that returns the answer, with the call's fields as ``$arguments``.

    ``$bound`` is what they are beside the history, ``$rest`` beside the history and the tools, with a comma before it.
    """
    own: str
    """Puts the ``answer`` into the history."""
    also: Mapping[str, Any] = field(default_factory=dict)
    """What the fields have beside what both ways have."""
    calls: str = ""
    """The calls of the answer, when it is in the history."""
    call_id: str = ""
    """The id of the call ``$n`` of ``calls``."""
    missing_id: str = ""
    """The same where the provider gave none, if that is different."""
    set_id: str = ""
    """Gives a ``call`` that has no usable id the id ``$id``. Empty where the library gives ids of its own, or none."""
    shown: str = "answer"
    """What is printed of an answer."""
    helpers: str = ""
    """What stands before all of this, and is used by it."""


@dataclass(frozen=True, slots=True)
class Call:
    """How a library makes a model call.

    ``client`` is the source that makes its client or model, with the base URL as ``$url`` and what ``options`` gives as
    ``$options``. ``$model`` and ``$name`` are the names of model and provider.
    """

    imports: str
    """A line each. What a program does not use is left out."""
    client: str
    fields: Callable[[str, Conversation, bool], Fields]
    """The arguments of the call."""
    blocking: Way
    streaming: Way
    grow: Callable[[Call, ConversationGrowth], Iterable[CallStep]]
    """What the conversation says beside the model's own turn: results, and what the user says."""
    options: Callable[[str, Conversation], Fields] = _nothing
    history: str = "messages"
    """The name of the argument that holds the conversation."""
    changing: tuple[str, ...] = ()
    """Other arguments that change from call to call."""
    without_tools: Call | None = None
    """How a call is made that has no tools, where that is another function."""
