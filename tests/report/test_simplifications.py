"""A program says less and does the same: doors stand where they are called, and equal objects are made once."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.adapters.capture.nodes import call, source
from conformance.report.script.inlining import inlined
from conformance.report.script.layout import expression
from conformance.report.script.python import Python
from conformance.report.script.sharing import shared

Step = dict[str, Any]


def step(name: str, value: Any) -> Step:
    return {"name": name, "value": value, "model_call": False}


def captured(definitions: list[str], *steps: Step, imports: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"imports": list(imports), "definitions": definitions, "steps": list(steps)}


def printed(simpler: dict[str, Any]) -> list[str]:
    """The lines of a program: definitions, then steps."""
    python = Python()
    return [
        *simpler["definitions"],
        *(python.assigned(one["name"], expression(one["value"])) for one in simpler["steps"]),
    ]


CREATE = "def create(client, **asked):\n    return client.chat.create(**asked, stream=True)"
RUN = "def run(work):\n    return LOOP.run(work)"
ASK = "def ask(client, text):\n    return run(client.ask(text))"
NESTED = "def new_tool(name):\n    def tool():\n        return name\n    return tool"

CASES: dict[str, tuple[list[str], list[Step], list[str]]] = {
    "a method of what stands there already": (
        [CREATE],
        [step("client", call("Client", [], {"key": "k"})),
         step("answer", call("create", [source("client")], {"model": "m"}))],
        ['client = Client(key="k")', 'answer = client.chat.create(model="m", stream=True)'],
    ),
    "a method of what is made in place: it gets a name": (
        [CREATE],
        [step("answer", call("create", [call("Client", [], {"key": "k"})], {"model": "m"}))],
        ['client = Client(key="k")', 'answer = client.chat.create(model="m", stream=True)'],
    ),
    "two calls of what is equal: it is made once": (
        [CREATE],
        [step("answer", call("create", [call("Client", [], {})], {})),
         step("answer_2", call("create", [call("Client", [], {})], {"messages": [source("answer.message")]}))],
        ["client = Client()", "answer = client.chat.create(stream=True)",
         "answer_2 = client.chat.create(messages=[answer.message], stream=True)"],
    ),
    "two calls of what differs": (
        [CREATE],
        [step("answer", call("create", [call("Client", [1], {})], {})),
         step("answer_2", call("create", [call("Client", [2], {})], {}))],
        ["client = Client(1)", "answer = client.chat.create(stream=True)",
         "client_2 = Client(2)", "answer_2 = client_2.chat.create(stream=True)"],
    ),
    "the name is taken": (
        [CREATE],
        [step("client", call("Client", [], {})), step("answer", call("create", [call("Other", [], {})], {}))],
        ["client = Client()", "client_2 = Other()", "answer = client_2.chat.create(stream=True)"],
    ),
    "a door inside of a door, and what they need": (
        ["LOOP = new_loop()", RUN, ASK],
        [step("answer", call("ask", [source("client"), "hello"], {}))],
        ["LOOP = new_loop()", 'answer = LOOP.run(client.ask("hello"))'],
    ),
    "a door of more than one expression stays": (
        [NESTED],
        [step("answer", call("ask", [call("new_tool", ["a"], {})], {}))],
        [NESTED, 'answer = ask(new_tool("a"))'],
    ),
    "a door whose parameter is not given stays": (
        ["def ask(client, text=None):\n    return client.ask(text)"],
        [step("answer", call("ask", [source("client")], {}))],
        ["def ask(client, text=None):\n    return client.ask(text)", "answer = ask(client)"],
    ),
    "a door that decides something stays": (
        ["def last(answer):\n    return answer and answer.message"],
        [step("answer", call("ask", [call("last", [source("before")], {})], {}))],
        ["def last(answer):\n    return answer and answer.message", "answer = ask(last(before))"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_doors_stand_where_they_are_called(name: str) -> None:
    definitions, steps, expected = CASES[name]
    assert printed(inlined(captured(definitions, *steps))) == expected


def test_what_nothing_needs_any_more_is_not_imported() -> None:
    lines = ("import asyncio", "from functools import cache", "from lib import Client")
    given = captured([CREATE], step("answer", call("create", [call("Client", [], {})], {})), imports=lines)
    assert inlined(given)["imports"] == ["from lib import Client"]


MODEL = call("new ChatModel", [], {"model": "a model with a long name", "key": "test-key", "url": source("BASE_URL")})


def test_equal_objects_are_made_once() -> None:
    steps = [step("answer", call("invoke", [MODEL, []], {})), step("answer2", call("invoke", [MODEL, [1]], {}))]
    assert shared(steps) == [
        step("chatModel", MODEL),
        step("answer", call("invoke", [source("chatModel"), []], {})),
        step("answer2", call("invoke", [source("chatModel"), [1]], {})),
    ]


@pytest.mark.parametrize(
    "steps",
    [
        [step("answer", call("invoke", [MODEL, []], {}))],
        [step("a", call("invoke", [call("new Text", ["short"], {})] * 2, {}))],
        [step("a", call("invoke", [call("createModel", ["x" * 100], {})] * 2, {}))],
    ],
    ids=["once", "short", "a function may answer differently each time"],
)
def test_other_objects_stay_where_they_are(steps: list[Step]) -> None:
    assert shared(steps) == steps
