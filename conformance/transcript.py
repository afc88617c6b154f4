"""What happened: one `Exchange` per model call, in the order of the case.

The same type holds an adapter's exchange, a recorded one and a rule's example, so the same rules judge all three. What
is not known is ``None``, and a rule that needs it then has nothing to examine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, wraps
from operator import is_
from typing import Literal, TypeVar, get_args

from conformance.adapters.telling import NewsReport
from conformance.answers import Answer
from conformance.deliveries import Delivery
from conformance.http import Request, Response, StreamEvent, url_parts
from conformance.model import AssistantTurn, Conversation, Json, Profile, ToolCall
from conformance.outcomes import InputChange, OperationFailure
from conformance.wires import card, wire
from conformance.wires.base import is_damaged
from conformance.wires.card import Card
from conformance.wires.facts import Facts
from conformance.wires.models import model_answered, model_asked, model_switch, other_maker

T = TypeVar("T")

VariantName = Literal[
    "again", "after-another", "streamed", "tool-beside", "strict-tool-beside", "tools-reversed", "free-choice",
    "other-system", "results-as-text", "other-limit", "idle-choice", "calls-forbidden", "renewed",
]  # fmt: skip
"""A way in which a model call is asked for once more, with one thing changed (`conformance.session.variants`)."""

ReadingName = Literal["after-one-that-broke-off", "beside-another", "beside-another-on-a-loop"]
"""A way in which a stream is read once more, near another conversation (`conformance.session.readings`)."""

TurnOrFailure = AssistantTurn | OperationFailure
"""What an adapter made of an answer."""

Switch = Literal["model", "family", "host"]
"""What changed between an exchange and an earlier one: the model, within its family; its family; the host, whatever
the models are. A host is another provider, too: a conversation that goes on in another format is with another host."""
SWITCHES: tuple[Switch, ...] = get_args(Switch)

SAME_REQUESTS = 32
"""How many requests are remembered in neutral words: each delivery of a scenario brings the same ones again."""


@dataclass
class Exchange:
    """One model call: what the adapter was asked to send, what it sent, what came back, what it understood.

    ``offered`` is what the provider really said, in neutral words: names as the application knows them, and ids as
    they were on the wire (``""`` where the wire carried none). ``answer`` is the body of the blocking response, or the
    one that the stream amounts to. ``twin`` is what the adapter understood of the same turn when it came blocking.
    """

    provider: str
    """Whose rules judge it; a host's own id where one is played or served."""
    profile: Profile = "native"
    intent: Conversation | None = None
    request: Request | OperationFailure | None = None
    response: Response | None = None
    chunks: list[bytes] | None = None
    events: list[StreamEvent] | None = None
    answer: Json = None
    offered: AssistantTurn | None = None
    complete: bool = True
    lost: bool = False
    """Whether the connection was lost where the stream broke off. Else its body just ended."""
    meant: AssistantTurn | None = None
    """What the stream would have said if one of its events had not arrived broken, where that is known."""
    whole: Json = None
    """The body that the provider would have sent for a streamed turn without a stream, where that is known."""
    understood: AssistantTurn | OperationFailure | None = None
    twin: AssistantTurn | None = None
    delivery: Delivery | None = None
    previous: Exchange | None = None
    quirks: frozenset[str] = field(default=frozenset())
    real: bool = False
    """Whether a provider answered, live or recorded, where the scenario has a turn and no failure."""
    replayed: bool = False
    """Whether the answers come from recordings, so that the request must be one of those recorded."""
    unanswered: tuple[str, Json, Json] | None = None
    """Where a request differs from the nearest that was recorded: pointer, recorded, sent."""
    nearest: str = ""
    """The name of the nearest recording of a request that was not recorded."""
    unused: tuple[str, ...] = ()
    """The recordings that nobody asked for, on the last exchange of a case."""
    model_choice: str = ""
    """What a real model did instead of what the scenario is about."""
    variants: Mapping[VariantName, Exchange] = field(default_factory=dict)
    """The same model call with one thing changed, where a rule compares the requests."""
    readings: Mapping[ReadingName, TurnOrFailure] = field(default_factory=dict)
    """The same stream read near another conversation, where a rule compares what was understood."""
    telling: NewsReport | None = None
    """What the adapter told while the stream was open, if it can tell and was asked."""
    changes: tuple[InputChange, ...] | None = None
    """What the adapter changed of that which it was given; ``None`` where that cannot be seen."""
    redacted: bool | None = None
    """Whether a recorder put placeholders in the place of ids; ``None`` where nobody has looked."""
    elsewhere: tuple[Exchange, ...] = ()
    """What the adapter read itself, at other providers, before it was asked to go on at this one."""
    with_host: str = ""
    """The host that a recorded exchange was with, if it has a file. ``""``: the provider."""

    def receive(self, answer: Answer, chunks: list[bytes] | None = None, *, lost: bool = False) -> Exchange:
        """This exchange with its answer, delivered in ``chunks`` if it is a stream, after which the connection may be
        ``lost``."""
        self.response, self.events, self.chunks, self.lost = answer.response, answer.events, chunks, lost
        self.answer, self.offered, self.complete = answer.body, answer.offered, answer.complete
        self.meant, self.whole = answer.meant, answer.whole
        return self

    @property
    def speaker(self) -> str:
        """The host or provider whose file tells what is taken here."""
        return self.with_host or self.provider

    @property
    def card(self) -> Card:
        """The provider's card."""
        return card(self.provider)

    @property
    def streamed(self) -> bool:
        """Whether the answer came as a stream."""
        return self.events is not None

    @cached_property
    def facts(self) -> Facts:
        """The request in neutral words; empty when there is none."""
        return _facts_of(self.provider, self.request) if isinstance(self.request, Request) else Facts()

    @cached_property
    def documents(self) -> list[Json]:
        """The stream's events as JSON, in order. What is not JSON is left out."""
        return [event.document for event in self.events or () if event.document is not None]

    @cached_property
    def damaged(self) -> bool:
        """Whether an event of the stream arrived broken, other than the last, which a connection may cut."""
        return any(map(is_damaged, (self.events or [])[:-1]))

    @property
    def rightly_raised(self) -> bool:
        """Whether the adapter raised where an event arrived broken, or the connection was lost: so that was told, and
        nothing was taken for whole."""
        raised = isinstance(self.understood, OperationFailure) and self.understood.kind == "error"
        return raised and (self.damaged or self.lost)

    @property
    def turn(self) -> AssistantTurn | None:
        """What the adapter understood, if it understood anything."""
        return self.understood if isinstance(self.understood, AssistantTurn) else None

    @cached_property
    def parsed(self) -> AssistantTurn | None:
        """What the adapter understood, as far as reading the message is to blame for it.

        A stream that was understood differently from its blocking twin is a matter of the stream rules. So is a
        stream that did not end as it should.
        """
        turn = self.turn
        if turn is None or not self.complete:
            return None
        return turn if self.twin is None or same_meaning(turn, self.twin, ids=self.comparable_ids) else None

    @cached_property
    def usable_ids(self) -> bool:
        """Whether the provider gave every call an id of its own, so that nobody needs to mint one."""
        ids = [call.id for call in self.offered.calls] if self.offered else []
        return all(ids) and len(set(ids)) == len(ids) and "null" not in ids

    @cached_property
    def comparable_ids(self) -> bool:
        """Whether a stream must have the ids of its blocking twin: that took the provider's, and minted none."""
        if self.twin is None or self.offered is None:
            return self.usable_ids
        return self.usable_ids and {call.id for call in self.twin.calls} <= {call.id for call in self.offered.calls}

    @property
    def earlier(self) -> list[Exchange]:
        """The exchanges before this one, the oldest first. They are looked up once: many rules ask."""
        before: Exchange | None
        known: list[Exchange]
        before, known = self.__dict__.get("_earlier", (None, []))
        if before is not self.previous:
            exchange, known = self.previous, []
            while exchange is not None:
                known.append(exchange)
                exchange = exchange.previous
            known.reverse()
            self.__dict__["_earlier"] = self.previous, known
        return known

    def alike(self) -> Exchange:
        """Another exchange that is the same, with all that was computed from this one."""
        other = Exchange.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.__dict__["_found"] = dict(self.__dict__.get("_found", {}))
        return other

    @property
    def host(self) -> str:
        """The host that was called, with its port; empty where it is not known."""
        return _host_in(self.request.url) if isinstance(self.request, Request) else ""

    @property
    def asked_model(self) -> str:
        """The model that the request asks for, ``""`` if that is not known."""
        return model_asked(self.request.path, self.facts.document) if isinstance(self.request, Request) else ""

    @property
    def switched(self) -> Switch | None:
        """What changed since the exchange before this one, if anything did."""
        return self.switched_from(self.previous) if self.previous is not None else None

    def switched_from(self, earlier: Exchange) -> Switch | None:
        """What changed since an earlier exchange. What is not known of one of the two has not changed.

        Two requests tell the model by what they ask for; where these names differ, or one is missing, an answer's own
        name for its model may show that it is the same.
        """
        if self.provider != earlier.provider or (self.host and earlier.host and self.host != earlier.host):
            return "host"
        if self.asked_model and self.asked_model == earlier.asked_model:
            return None
        return model_switch(self._model_names(), earlier._model_names())

    def is_of_another_maker(self, earlier: Exchange) -> bool:
        """Whether an earlier exchange was with a model of another maker, as far as the names tell."""
        return other_maker(self._model_names(), earlier._model_names())

    def _model_names(self) -> frozenset[str]:
        return frozenset({self.asked_model, model_answered(self.answer)})


ENTERED = ("provider", "intent", "request", "previous", "answer", "offered", "understood", "twin", "events")
"""What is entered into an exchange while it is played."""


def once(find: Callable[[Exchange], T]) -> Callable[[Exchange], T]:
    """``find``, which looks at an exchange once, because many rules ask for the same. Nobody changes what it found.

    It looks again where anything has been entered into the exchange since, such as its answer.
    """

    @wraps(find)
    def found(x: Exchange) -> T:
        entered = tuple(map(vars(x).get, ENTERED))
        kept: dict[object, tuple[tuple[object, ...], T]] = vars(x).setdefault("_found", {})
        known = kept.get(find)
        if known is None or not all(map(is_, known[0], entered)):
            known = kept[find] = entered, find(x)
        return known[1]

    return found


@lru_cache(maxsize=SAME_REQUESTS)
def _facts_of(provider: str, request: Request) -> Facts:
    return wire(provider).facts(request)


@lru_cache(maxsize=1_000)
def _host_in(url: str) -> str:
    return url_parts(url).netloc.rpartition("@")[2].lower().removesuffix(":443")


def same_meaning(one: AssistantTurn, other: AssistantTurn, *, ids: bool) -> bool:
    """Whether two turns say the same. ``ids`` compares ids too: minted ones may differ each time."""
    return (
        one.text == other.text
        and one.stop == other.stop
        and one.refusal == other.refusal
        and one.usage == other.usage
        and one.error == other.error
        and [_call(call, ids) for call in one.calls] == [_call(call, ids) for call in other.calls]
    )


def _call(call: ToolCall, ids: bool) -> tuple[object, ...]:
    return (call.id if ids else None, call.name, call.arguments, call.raw, call.invalid)
