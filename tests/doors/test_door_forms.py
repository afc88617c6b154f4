"""What types allow, which of it is a choice about tools, and values held against it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NotRequired, Required, TypedDict

import pytest
import typeguard
from pydantic import BaseModel, Field

from conformance.adapters.inventory.forms import form_of
from conformance.adapters.inventory.handed import remember
from conformance.adapters.inventory.matching import matched
from conformance.adapters.inventory.options import counted
from conformance.adapters.inventory.relevance import is_about_tools, leads_to_tools


class Omit:
    """Says that nothing is given."""


class Function(TypedDict, total=False):
    name: Required[str]
    strict: bool | None


class FunctionTool(TypedDict):
    type: Literal["function"]
    function: Function


class Search(TypedDict):
    type: Literal["search"]
    depth: NotRequired[int]


class ToolMessage(TypedDict):
    role: Literal["tool"]
    content: str | Iterable[str]


class Base(TypedDict, total=False):
    warmth: float


class Wider(Base, total=False):
    acme_thinking: bool


class UserMessage(TypedDict):
    role: Literal["user"]
    content: str


class Call(BaseModel):
    id: str
    caller: str | None = Field(default=None, alias="from")


class Answer(BaseModel):
    role: str = "tool"
    content: str = ""
    parsed: Any = None


class Fork(TypedDict):
    left: Fork
    right: Fork


@dataclasses.dataclass
class Settings:
    tool_choice: Literal["auto", "none"] = "auto"
    warmth: float = 0


Tools = Iterable[FunctionTool | Search]
Messages = Iterable[UserMessage | ToolMessage]

ABOUT_TOOLS = ("tools", "ToolChoice", "parallel_tool_calls", "functionCall", "FunctionDeclaration", "mcp_servers")
NOT_ABOUT_TOOLS = ("temperature", "function", "stool", "response", "FunctionMessage")


@pytest.mark.parametrize("name", ABOUT_TOOLS)
def test_a_name_with_a_word_for_tools_is_about_tools(name: str) -> None:
    assert is_about_tools(name)


@pytest.mark.parametrize("name", NOT_ABOUT_TOOLS)
def test_other_names_are_not(name: str) -> None:
    assert not is_about_tools(name)


LEADS: list[tuple[Any, bool]] = [
    (Messages, True), (UserMessage, False), (list[UserMessage], False), (Mapping[str, list[FunctionTool]], True),
    (Settings, True), (str | None, False), (Any, False),
]  # fmt: skip


@pytest.mark.parametrize(("annotation", "leads"), LEADS, ids=[str(one) for one, _ in LEADS])
def test_a_type_leads_to_tools_by_what_can_be_in_it(annotation: Any, leads: bool) -> None:
    assert leads_to_tools(form_of(annotation)) is leads


OPTIONS: list[tuple[str, Any, list[str]]] = [
    ("temperature", float | None, []),
    ("parallel_tool_calls", bool | Omit, ["parallel_tool_calls: True", "parallel_tool_calls: False"]),
    ("tool_choice", Literal["auto", "none"] | None, ["tool_choice: 'auto'", "tool_choice: 'none'"]),
    ("mode", Literal["fast", "slow"], []),
    (
        "tools", Tools | Omit,
        ["tools: FunctionTool", "tools: Search", "Search.depth", "Function.strict",
         "Function.strict: True", "Function.strict: False"],
    ),
    ("messages", Messages, ["messages: ToolMessage", "ToolMessage.content: str", "ToolMessage.content: Iterable[str]"]),
    ("settings", Settings, ["Settings.tool_choice", "Settings.tool_choice: 'auto'", "Settings.tool_choice: 'none'"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "annotation", "options"), OPTIONS, ids=[name for name, _, _ in OPTIONS])
def test_options_are_what_a_user_may_choose_about_tools(name: str, annotation: Any, options: list[str]) -> None:
    assert sorted(counted(name, form_of(annotation), frozenset({Omit}))) == sorted(options)


TOOL: dict[str, Any] = {"type": "function", "function": {"name": "f"}}
RIGHT: list[tuple[Any, Any]] = [
    (1, float), (True, bool), (None, str | None), ("auto", Literal["auto"]), ([1], Sequence[int]),
    ({"a": [1]}, Mapping[str, list[int]]), ((1, "x"), tuple[int, str]), (TOOL, FunctionTool),
    ({"type": "search", "depth": 1}, Search), (Settings(), Settings), (len, Callable[..., int]),
    ([TOOL], list[FunctionTool]),
]  # fmt: skip
WRONG: list[tuple[Any, Any]] = [
    ("1", int), (1.5, int), (None, str), ("any", Literal["auto"]), (["x"], list[int]), ({"a": 1}, Mapping[str, str]),
    ({**TOOL, "name": "f"}, FunctionTool), ({"type": "function"}, FunctionTool),
    ({"type": "search", "depth": "1"}, Search),
    ({"type": "else"}, FunctionTool | Search), ({"tool_choice": "auto"}, Settings), ([TOOL, {}], list[FunctionTool]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "annotation", "right"),
    [(*case, True) for case in RIGHT] + [(*case, False) for case in WRONG],
    ids=str,
)
def test_a_value_fits_as_typeguard_says(value: Any, annotation: Any, right: bool) -> None:
    try:
        typeguard.check_type(value, annotation, collection_check_strategy=typeguard.CollectionCheckStrategy.ALL_ITEMS)
    except typeguard.TypeCheckError:
        assert not right
    else:
        assert right
    assert (matched("value", form_of(annotation), value).wrong is None) is right


def test_items_of_an_iterable_are_looked_at_unless_it_can_be_gone_through_only_once() -> None:
    assert matched("tools", form_of(Tools), [{}]).wrong is not None
    assert matched("tools", form_of(Tools), iter([{}])).wrong is None


ALLOWED: list[tuple[str, Any, Any]] = [
    ("what the library gave out goes back", Answer(role="tool", content="x", parsed=1), ToolMessage),
    ("a dictionary stands for an object of pydantic's", {"id": "1", "from": "model"}, Call),
]
ALLOWED += [("a dictionary that has more keys, as another class of the library", {"acme_thinking": True}, Base)]
REFUSED: list[tuple[str, Any, Any]] = [
    ("another object", Answer(role="user"), ToolMessage),
    ("a dictionary with a key that the object has not", {"id": "1", "name": "f"}, Call),
    ("a dictionary that lacks one", {"from": "model"}, Call),
    ("a dictionary for a dataclass", {}, Settings),
    ("a key that no wider class has", {"acme_thought": True}, Base),
]


@pytest.mark.parametrize(("value", "annotation"), [case[1:] for case in ALLOWED], ids=[case[0] for case in ALLOWED])
def test_what_documentation_shows_is_allowed(value: Any, annotation: Any) -> None:
    assert matched("value", form_of(annotation), value).wrong is None


@pytest.mark.parametrize(("value", "annotation"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_no_more_than_that_is_allowed(value: Any, annotation: Any) -> None:
    assert matched("value", form_of(annotation), value).wrong is not None


def test_the_very_dictionary_that_came_out_of_a_door_may_go_back() -> None:
    own = {"role": "tool", "content": "x", "more": 1}
    assert matched("message", form_of(ToolMessage), own).wrong is not None
    remember([own])
    assert matched("message", form_of(ToolMessage), own).wrong is None
    assert matched("message", form_of(ToolMessage), dict(own)).wrong is not None


def test_options_of_a_value_are_among_those_that_are_counted() -> None:
    found = matched("tools", form_of(Tools | Omit), [{"type": "search", "depth": 1}, TOOL], frozenset({Omit})).options
    assert set(found) == {"tools: Search", "Search.depth", "tools: FunctionTool"}
    assert set(found) <= set(counted("tools", form_of(Tools | Omit), frozenset({Omit})))


def test_what_is_wrong_is_told_with_its_place() -> None:
    wrong = matched("tools", form_of(Tools), [TOOL, {**TOOL, "name": "f"}]).wrong
    assert wrong == "tools[1]: FunctionTool has no 'name'"


def test_an_object_that_holds_itself_is_looked_at_for_a_bounded_time() -> None:
    own: dict[str, Any] = {}
    own |= {"left": own, "right": own}
    assert matched("value", form_of(Fork), own).wrong is None
