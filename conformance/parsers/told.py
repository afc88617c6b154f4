"""What a parser tells: its news, put together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.model import Json, decoded_json


@dataclass(slots=True)
class ParserCall:
    """A call, as far as it was told."""

    number: int
    name: str | None = None
    id: str | None = None
    arguments: str = ""
    ends: int = 0

    @property
    def object(self) -> Mapping[str, Json] | None:
        """The arguments as an object, if they are one."""
        value = decoded_json(self.arguments)
        return value if isinstance(value, dict) else None

    def document(self) -> dict[str, Json]:
        """As JSON."""
        return {"name": self.name, "arguments": self.arguments, "id": self.id}


@dataclass(slots=True)
class ParserTurn:
    """What was told in one play. ``faults`` is what is wrong with the order of the news; ``steps`` are the news."""

    text: str = ""
    thinking: str = ""
    calls: list[ParserCall] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    steps: list[list[Mapping[str, Any]]] = field(default_factory=list)
    error: str = ""

    def call(self, number: int) -> ParserCall | None:
        """The call of this number."""
        return next((call for call in self.calls if call.number == number), None)

    @property
    def same(self) -> tuple[Any, ...]:
        """What must be the same however a text is cut. Blanks around markup are not looked at, ids neither."""
        calls = tuple((call.name, call.arguments if call.object is None else repr(call.object)) for call in self.calls)
        return " ".join(self.text.split()), " ".join(self.thinking.split()), calls, bool(self.error)

    def document(self) -> dict[str, Json]:
        """As JSON, for a finding."""
        told: dict[str, Json] = {"text": self.text, "calls": [call.document() for call in self.calls]}
        extra: dict[str, Json] = {"thinking": self.thinking, "problems": self.problems, "error": self.error}
        return told | {name: value for name, value in extra.items() if value}


def told_turn(answer: Json) -> ParserTurn:
    """The news of a play as one turn."""
    if not isinstance(answer, dict) or not isinstance(answer.get("news"), list):
        return ParserTurn(error="the answer to a play is an object with news")
    told = ParserTurn(error=str(answer.get("error") or ""))
    for step in answer["news"]:
        told.steps.append([one for one in step if isinstance(one, dict)] if isinstance(step, list) else [])
        for one in told.steps[-1]:
            add_news(told, one)
    return told


def turn_after(told: ParserTurn, steps: int) -> ParserTurn:
    """The turn as it was after so many steps."""
    so_far = ParserTurn()
    for step in told.steps[:steps]:
        for one in step:
            add_news(so_far, one)
    return so_far


def turns_on_the_way(told: ParserTurn) -> Iterator[ParserTurn]:
    """The turn as it was after each step: one object, which grows."""
    so_far = ParserTurn()
    for step in told.steps:
        for one in step:
            add_news(so_far, one)
        yield so_far


def add_news(told: ParserTurn, news: Mapping[str, Any]) -> None:
    """One more piece of news."""
    told.text += _text(news.get("text"))
    told.thinking += _text(news.get("thinking"))
    if "problem" in news:
        told.problems.append(str(news["problem"]))
    if isinstance(news.get("call"), int):
        _add_to_call(told, news["call"], news)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _add_to_call(told: ParserTurn, number: int, news: Mapping[str, Any]) -> None:
    call = told.call(number)
    if call is None:
        if number != len(told.calls):
            told.faults.append(f"call {number} begins after {len(told.calls)} calls")
        if "name" not in news:
            told.faults.append(f"call {number} has no name when it begins")
        call = ParserCall(number)
        told.calls.append(call)
    elif "name" in news:
        told.faults.append(f"call {number} begins twice")
    if call.ends:
        told.faults.append(f"call {number} goes on after its end")
    if "name" in news:
        call.name = str(news["name"])
    if isinstance(news.get("id"), str):
        if call.id not in (None, news["id"]):
            told.faults.append(f"call {number} changes its id")
        call.id = news["id"]
    arguments: Sequence[Any] | None = news.get("arguments")
    if isinstance(arguments, str):
        call.arguments += arguments
    call.ends += bool(news.get("end"))
