"""What goes through doors: arguments as expressions, the source of doors, and the program of a model call."""

from __future__ import annotations

import dataclasses
import enum
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from pydantic import BaseModel, ConfigDict, Field

from conformance.adapters.capture import doors, nodes
from conformance.adapters.capture.calls import DoorCall
from conformance.adapters.capture.doors import Capture
from conformance.adapters.capture.source import SourceSlice
from conformance.adapters.capture.values import ResultReference, UnwritableError, ValueWriter
from conformance.adapters.endpoint import Endpoint
from conformance.adapters.served import HttpAnswer
from conformance.http import Request

# --- values ----------------------------------------------------------------------------------------------------------


class Color(enum.Enum):
    RED = 1


class Shade(enum.StrEnum):
    DARK = "dark"


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0
    made: datetime = dataclasses.field(default_factory=datetime.now)
    norm: int = dataclasses.field(default=0, init=False)


@dataclasses.dataclass
class Result:
    call_id: str = dataclasses.field(default_factory=lambda: uuid4().hex)


class Tool(BaseModel):
    name: str
    kind: str = "function"
    source: str | None = Field(default=None, alias="from")


class Open(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True)
    text: str = Field(alias="content")


class Opaque:
    """No data."""


LINE = Opaque()
"""Left out of programs."""


def made(function: str, **options: Any) -> Any:
    return nodes.call(function, [], options)


VALUES: list[tuple[str, Any, Any]] = [
    ("data", {"a": [1, 1.5, True, None, "x"]}, {"a": [1, 1.5, True, None, "x"]}),
    ("a tuple", (1, "x"), nodes.sequence([1, "x"])),
    ("bytes", b"\x00", nodes.octets(b"\x00")),
    ("the mark as a key", {"$": 1}, {"$": "object", "members": [["$", 1]]}),
    ("an enum", Color.RED, nodes.source("Color.RED")),
    ("an enum that is a text", Shade.DARK, nodes.source("Shade.DARK")),
    ("a class", Point, nodes.source("Point")),
    ("a class of the language", int, nodes.source("int")),
    ("a dataclass without its defaults", Point(1), made("Point", x=1)),
    ("a dataclass inside of data", [Point(1, 2)], [made("Point", x=1, y=2)]),
    ("a dataclass made at some time", Point(1, made=datetime(2020, 1, 1)), made("Point", x=1)),
    ("a dataclass that would make an id", Result("call_8f3a"), made("Result", call_id="call_8f3a")),
    ("pydantic, what was set", Tool(name="t"), made("Tool", name="t")),
    ("pydantic, a default that was set", Tool(name="t", kind="function"), made("Tool", name="t", kind="function")),
    ("pydantic, an alias", Tool(**{"name": "t", "from": "s"}), nodes.call("Tool", [], {"name": "t", "from": "s"})),
    ("pydantic, a name beside an alias", Open(text="x"), made("Open", text="x")),
    ("pydantic, more than its fields", Open(text="x", more=1), made("Open", text="x", more=1)),
    ("left out of an object", {"url": "u", "line": LINE}, {"url": "u"}),
    ("left out of pydantic", Open(text="x", line=LINE), made("Open", text="x")),
    ("left out of a dataclass", Point(1, LINE), made("Point", x=1)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("value", "node"), [case[1:] for case in VALUES], ids=[case[0] for case in VALUES])
def test_a_value_is_an_expression(value: Any, node: Any) -> None:
    assert ValueWriter([LINE]).expression(value) == node


def test_a_class_is_imported_from_the_shortest_module_that_gives_it() -> None:
    writer = ValueWriter()
    writer.expression([json.JSONDecoder, EmailMessage, int])
    assert writer.imports == {
        "from json import JSONDecoder": "JSONDecoder",
        "from email.message import EmailMessage": "EmailMessage",
    }


def local_class() -> Any:
    @dataclasses.dataclass
    class Local:
        x: int

    return Local(1)


@pytest.mark.parametrize("value", [Opaque(), [Opaque()], Point(Opaque()), local_class(), print])  # type: ignore[arg-type]
def test_what_is_no_data_cannot_be_written(value: Any) -> None:
    with pytest.raises(UnwritableError):
        ValueWriter().expression(value)


def endpoint(body: str = "") -> Endpoint:
    """The other end of a line, which has answered ``body``."""
    made = Endpoint("openai-chat", lambda request: HttpAnswer(200, {}, (body.encode(),)))
    made.answer(Request("POST", f"{made.base_url}/chat/completions", {}, b"{}"))
    return made


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("https://api.openai.com", nodes.source("BASE_URL")),
        ("https://api.openai.com/v1", nodes.source('BASE_URL + "/v1"')),
        ("https://example.com/v1", "https://example.com/v1"),
        ("see https://api.openai.com", "see https://api.openai.com"),
    ],
)
def test_an_address_is_that_of_the_program(text: str, node: Any) -> None:
    writer = ValueWriter()
    writer.endpoint = endpoint()
    assert writer.expression(text) == node


# --- values that came out of a door ----------------------------------------------------------------------------------


def answered(result: Any, *, asked: bool = True, body: str = "") -> ValueWriter:
    """A writer that has seen ``result`` come out of a door, after the provider said ``body``."""
    writer = ValueWriter()
    writer.endpoint = endpoint(body)
    writer.enter(DoorCall(print, [], {}, result, asked=asked))
    return writer


def path(node: Any) -> str | None:
    return node.path if isinstance(node, ResultReference) else None


def test_an_id_of_the_library_s_making_is_taken_from_its_result() -> None:
    assert path(answered({"calls": [Open(text="call_8f3a")]}).expression("call_8f3a")) == "['calls'][0].text"


@pytest.mark.parametrize("text", ["completed", "function_call", "ID_X9"])
def test_a_word_and_a_short_text_are_no_ids(text: str) -> None:
    assert answered([text]).expression(text) == text


def test_what_the_provider_said_is_written_as_it_is() -> None:
    assert answered(["call_8f3a"], body='{"id":"call_8f3a"}').expression("call_8f3a") == "call_8f3a"


def test_what_the_application_said_first_is_written_as_it_is() -> None:
    writer = ValueWriter()
    writer.expression({"model": "test-model-4"})
    writer.enter(DoorCall(print, [], {}, {"model": "test-model-4"}, asked=True))
    assert writer.expression("test-model-4") == "test-model-4"


def test_what_a_door_gives_back_of_its_argument_is_the_argument() -> None:
    schema, item = {"type": "object"}, SimpleNamespace(text="x")
    writer = ValueWriter()
    writer.expression({"tools": [schema]})
    writer.enter(DoorCall(print, [], {}, SimpleNamespace(prompt=schema, item=item), asked=True))
    assert writer.expression(schema) == {"type": "object"}
    assert path(writer.expression(item)) == ".item"


def test_an_id_that_a_door_gives_is_its_result() -> None:
    assert path(answered("call_8f3a", asked=False).expression("call_8f3a")) == ""


def test_a_result_without_a_call_of_the_provider_gives_no_texts() -> None:
    assert answered(["call_8f3a"], asked=False).expression("call_8f3a") == "call_8f3a"


def test_another_conversation_gives_no_texts() -> None:
    writer = answered(["call_8f3a"])
    writer.forget_texts()
    assert writer.expression("call_8f3a") == "call_8f3a"


def test_an_object_that_goes_back_is_found_in_its_answer() -> None:
    message, equal = SimpleNamespace(text="x"), SimpleNamespace(text="x")
    writer = answered(SimpleNamespace(choices=[{"message": message}], _hidden=[equal]))
    assert path(writer.expression(message)) == ".choices[0]['message']"
    with pytest.raises(UnwritableError):
        writer.expression(equal)


def test_inside_of_a_client_nothing_is_looked_for() -> None:
    inner = [1]
    client = SimpleNamespace(inner=inner)
    writer = answered(client, asked=False)
    assert path(writer.expression(client)) == ""
    assert writer.expression(inner) == [1]


def test_an_object_that_a_door_changed_is_the_one_that_came_out_of_it() -> None:
    message = SimpleNamespace(text="x")
    writer = answered({"message": message})
    changed = DoorCall(len, [], {}, message)
    writer.enter(changed)
    node = writer.expression(message)
    assert isinstance(node, ResultReference)
    assert (node.call, node.path) == (changed, "")


# --- source ----------------------------------------------------------------------------------------------------------

EXAMPLE = '''
import email.message as mail
import json
from collections import abc
from email.generator import Generator
from fractions import Fraction
from functools import cache
from pathlib import PurePosixPath as Posix
from types import SimpleNamespace
from urllib import parse
from urllib.parse import urlsplit

from conformance.adapters.capture import door, left_out

LIMIT = 3

library_object = door(SimpleNamespace)
class_method = door(Fraction.from_decimal)
generator = door(Generator)


@cache
def separator() -> str:
    """What stands between items."""
    return ","


def joined(items: list[str], *more: str, last: str = "") -> str:
    """The items in one text."""
    text: str = separator().join(items)
    return text


@door
def bare(text: str) -> str:
    """Only a docstring, types and a decorator."""
    return text


@door
def nested(items: list[str]) -> str:
    return joined(items[:LIMIT])


@door
def modules(value: abc.Sized) -> object:
    return json.dumps(parse.quote(str(Posix(value)))), urlsplit, isinstance(value, abc.Sized), mail


@door
def inner(items: list[int]) -> object:
    json = [item for item in items]

    def count(json: list[int]) -> int:
        """Shadows a module."""
        return len(json)

    return sorted(items, key=lambda item: -item), count(json)


@door
def new_client(url: str, line=None):
    return SimpleNamespace(call=line)


@door
def ask(client, **asked):
    return SimpleNamespace(message=SimpleNamespace(text="hello"), heard=client.call(asked))


@door
def answer(message, text):
    message.text = text
    return message


@door
def refuse(**asked):
    raise ValueError("no")
'''


@pytest.fixture
def capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Capture:
    """What goes through doors from here on."""
    made = Capture(str(tmp_path / "captured.jsonl"))
    monkeypatch.setattr(doors, "_capture", made)
    return made


@pytest.fixture
def shim(capture: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module of ours with doors."""
    file = tmp_path / "example.py"
    file.write_text(EXAMPLE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("conformance.capture_example", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    spec.loader.exec_module(module)
    return module


SEPARATOR = '@cache\ndef separator():\n    return \',\''
JOINED = "def joined(items, *more, last=''):\n    text = separator().join(items)\n    return text"
SOURCES: dict[str, tuple[list[str], list[str]]] = {
    "bare": ([], ["def bare(text):\n    return text"]),
    "nested": (
        ["from functools import cache"],
        [SEPARATOR, JOINED, "LIMIT = 3", "def nested(items):\n    return joined(items[:LIMIT])"],
    ),
    "modules": (
        [
            "import json",
            "from urllib.parse import urlsplit",
            "from collections import abc",
            "import email.message as mail",
            "from urllib import parse",
            "from pathlib import PurePosixPath as Posix",
        ],
        [
            "def modules(value):\n"
            "    return (json.dumps(parse.quote(str(Posix(value)))), urlsplit, isinstance(value, abc.Sized), mail)"
        ],
    ),
    "inner": (
        [],
        [
            "def inner(items):\n"
            "    json = [item for item in items]\n\n"
            "    def count(json):\n"
            "        return len(json)\n"
            "    return (sorted(items, key=lambda item: -item), count(json))"
        ],
    ),
    "library_object": (["from types import SimpleNamespace"], []),
    "class_method": (["from fractions import Fraction"], []),
}


@pytest.mark.parametrize("name", SOURCES)
def test_the_source_of_a_door_and_what_it_needs(name: str, shim: ModuleType) -> None:
    found = SourceSlice([getattr(shim, name).__wrapped__])
    imports, definitions = SOURCES[name]
    assert (sorted(found.imports), found.definitions) == (sorted(imports), definitions)


def test_what_two_doors_need_is_there_once(shim: ModuleType) -> None:
    found = SourceSlice([shim.nested.__wrapped__, shim.modules.__wrapped__, shim.nested.__wrapped__])
    assert [line for line in found.definitions if "nested" in line] == [SOURCES["nested"][1][-1]]
    assert len(found.imports) == len(set(found.imports)) == 7


# --- programs --------------------------------------------------------------------------------------------------------

ModelCall = Callable[[Callable[[], None]], dict[str, Any]]


@pytest.fixture
def model_call(capture: Capture, other_end: Endpoint) -> ModelCall:
    """Do something as a model call, and read what was captured of it."""

    def called(work: Callable[[], None]) -> dict[str, Any]:
        with doors.model_call(other_end):
            work()
        line = Path(capture.path).read_text(encoding="utf-8").splitlines()[-1]
        captured: dict[str, Any] = json.loads(line)
        return captured

    return called


@pytest.fixture
def other_end() -> Iterator[Endpoint]:
    yield Endpoint("openai-chat", lambda request: HttpAnswer(200, {}, (b'{"text":"hello"}',)))


@pytest.fixture
def client(capture: Capture, shim: ModuleType, other_end: Endpoint) -> Callable[[], Any]:
    """Makes a client of the example's library that ends in the other end."""

    def line(asked: Any) -> str:
        request = Request("POST", f"{other_end.base_url}/chat/completions", {}, json.dumps(str(asked)).encode())
        return other_end.answer(request).chunks[0].decode()

    return lambda: shim.new_client(f"{other_end.base_url}", line=doors.left_out(line))


CLIENT = nodes.call("new_client", [nodes.source('BASE_URL + "/v1"')], {})


def named(function: str, *arguments: Any, **options: Any) -> Any:
    return nodes.call(function, list(arguments), options)


def values(program: dict[str, Any]) -> dict[str, Any]:
    return {step["name"]: step["value"] for step in program["steps"]}


def test_what_is_needed_once_stands_where_it_is_needed(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall
) -> None:
    captured = model_call(lambda: shim.ask(client(), text="hi"))
    assert captured["imports"] == ["from types import SimpleNamespace"]
    assert [line.split("(")[0] for line in captured["definitions"]] == ["def new_client", "def ask"]
    assert captured["steps"] == [{"name": "answer", "value": named("ask", CLIENT, text="hi"), "model_call": 1}]


def test_an_earlier_answer_and_what_is_needed_twice_have_names(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall
) -> None:
    made: list[Any] = []
    model_call(lambda: made.extend([one := client(), shim.ask(one, text="hi")]))
    captured = model_call(lambda: shim.ask(made[0], text="go on", history=[made[1].message]))
    assert values(captured) == {
        "client": CLIENT,
        "answer": named("ask", nodes.source("client"), text="hi"),
        "answer_2": named("ask", nodes.source("client"), text="go on", history=[nodes.source("answer.message")]),
    }
    assert [step["model_call"] for step in captured["steps"]] == [False, 1, 2]


def test_a_result_has_the_noun_of_its_class(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall
) -> None:
    captured = model_call(lambda: shim.ask(client(), parts=[one := shim.generator(None), one]))
    assert values(captured) == {
        "generator": named("Generator", None),
        "answer": named("ask", CLIENT, parts=[nodes.source("generator"), nodes.source("generator")]),
    }


def test_an_answer_that_is_not_needed_is_left_out(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall
) -> None:
    made: list[Any] = []
    model_call(lambda: made.extend([one := client(), shim.ask(one, color=Color.RED)]))
    captured = model_call(lambda: shim.ask(made[0], text="alone"))
    assert captured["steps"] == [{"name": "answer", "value": named("ask", CLIENT, text="alone"), "model_call": 2}]
    assert not any("Color" in line for line in captured["imports"])


def test_what_arguments_are_made_of_is_imported(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall
) -> None:
    captured = model_call(lambda: shim.ask(client(), color=Color.RED, at=Point(1)))
    assert {line.rpartition(" ")[2] for line in captured["imports"]} == {"SimpleNamespace", "Color", "Point"}


def test_a_name_that_a_door_has_is_taken(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall
) -> None:
    made: list[Any] = []
    model_call(lambda: made.extend([one := client(), shim.ask(one, text="hi")]))
    captured = model_call(lambda: shim.ask(made[0], history=shim.answer(made[1].message, "changed")))
    assert list(values(captured)) == ["client", "answer_2", "answer_3"]
    changed = named("answer", nodes.source("answer_2.message"), "changed")
    assert values(captured)["answer_3"] == named("ask", nodes.source("client"), history=changed)


def test_a_door_that_raises_is_the_last_step(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall, capture: Capture
) -> None:
    model_call(lambda: shim.ask(client(), text="hi"))
    with pytest.raises(ValueError, match="no"):
        model_call(lambda: shim.refuse(text="hi"))
    captured = json.loads(Path(capture.path).read_text(encoding="utf-8").splitlines()[-1])
    assert captured["steps"] == [{"name": "answer", "value": named("refuse", text="hi"), "model_call": False}]


def test_a_model_call_that_comes_to_no_door_is_an_empty_program(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall
) -> None:
    model_call(lambda: shim.ask(client(), text="hi"))
    assert model_call(lambda: None) == {"imports": [], "definitions": [], "steps": []}


def test_what_a_door_does_to_its_arguments_is_not_captured(
    shim: ModuleType, client: Callable[[], Any], model_call: ModelCall
) -> None:
    history = [{"text": "before"}]
    one = client()
    one.call = lambda asked: asked["history"][0].update(text="after")
    captured = model_call(lambda: shim.ask(one, history=history))
    assert history == [{"text": "after"}]
    assert values(captured)["answer"]["options"] == {"history": [{"text": "before"}]}


def test_without_capture_a_door_is_the_function_itself() -> None:
    assert doors._capture is None
    assert doors.door(print) is print
    with doors.model_call(endpoint()):
        assert doors.left_out(LINE) is LINE
