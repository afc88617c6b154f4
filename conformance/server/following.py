"""Whether a client follows the script: only then is it known what it means, and its requests are compared with that.

It follows when it says what the scenario's user says, declares the scenario's tools, and its tools return what the
script's return. A client with prompts or tools of its own is judged by what it sends alone. So is a request on the side
that declares no tools, such as one for a title. The prompt alone tells nothing: anybody may ask to list the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from conformance.model import Conversation, Json, ResultsTurn, Tool, result_text
from conformance.responders.names import names_in_request
from conformance.rules.shared.pairing import tool_pairs
from conformance.rules.shared.schema_loss import properties_of
from conformance.scenarios import AnswerStep, Scenario, Step, UserStep
from conformance.server.progress import user_texts
from conformance.transcript import Exchange
from conformance.wires.facts import Facts, SentTool, obj
from conformance.wires.naming import PORTABLE

COMPARED = 60
"""How many characters of a result tell that it is the scripted one."""


def follows(x: Exchange, scenario: Scenario, place: int) -> bool:
    """Whether the client that sent the request of ``x`` follows the scenario up to the answer number ``place``.

    The intent of ``x`` is what the scenario would have the client mean.
    """
    assert x.intent is not None
    return (
        _says_what_the_user_says(x.facts, scenario, place)
        and _declares_the_tools(x, x.intent)
        and _has_scripted_results(x.facts, x.intent)
    )


def _says_what_the_user_says(facts: Facts, scenario: Scenario, place: int) -> bool:
    own = user_texts(scenario)
    asked = [step.text.strip() for step in _steps(scenario, place) if isinstance(step, UserStep)]
    texts = [text for message in facts.messages if message.role == "user" for _, text in message.texts]
    heard = [text.strip() for text in texts if isinstance(text, str) and text.strip() in own]
    return bool(asked) and (facts.previous is not None or heard == asked)


def _steps(scenario: Scenario, place: int) -> Iterator[Step]:
    """What happens before the answer, history included."""
    yield from scenario.history
    number = 0
    for step in scenario.steps:
        number += isinstance(step, AnswerStep)
        if number > place:
            return
        yield step


# --- tools -----------------------------------------------------------------------------------------------------------


def _declares_the_tools(x: Exchange, intent: Conversation) -> bool:
    """Whether the declared tools are the scenario's. What they have lost on the way is for the rules to say."""
    if not x.facts.tools:
        unreadable = bool(obj(x.facts.document).get("tools"))
        return unreadable or not intent.tools or intent.choice.mode == "none"  # then none has to be declared
    pairs, functions = tool_pairs(x), [tool for tool in intent.tools if tool.described]
    known = len(pairs) == len(x.facts.client_tools) and (bool(pairs) or not functions)
    return known and all(_is_declared_as(tool, sent) for tool, sent in pairs)


def undeclared(facts: Facts, intent: Conversation, scenario: Scenario) -> str:
    """A warning for who plays a scenario without its tools: the model calls what the client does not have."""
    tools = tuple(tool for tool in intent.tools if tool.described)
    declared = [tool.name for tool in facts.client_tools]
    missing = [name for name in names_in_request(tools, facts).values() if name not in declared]
    if not missing or intent.choice.mode == "none":
        return ""
    return (
        f"The scenario {scenario.id!r} calls {', '.join(missing)}, which the request does not declare. It is judged by "
        "what it sends alone. Choose no scenario, and the request's own tools are called."
    )


def _is_declared_as(tool: Tool, sent: SentTool) -> bool:
    """Whether a declaration may come of a tool, by name and parameters, and nothing in it is somebody else's.

    The scenario's own description tells, also where parameters were lost. Without one they must all be there.
    """
    wanted, found = properties_of(tool.parameters), properties_of(sent.schema)
    words = [(tool.description, sent.description), *(_words_of(wanted, found, name) for name in found)]
    if not all(_may_come_of(text, other) for text, other in words):
        return False
    if tool.description and sent.description:
        return not wanted or found.keys() <= wanted.keys()
    named = sent.name == tool.name or tool.mcp is not None or not PORTABLE.fullmatch(tool.name)
    return named and found.keys() == wanted.keys()


def _words_of(wanted: Mapping[str, Json], found: Mapping[str, Json], name: str) -> tuple[Json, Json]:
    return obj(wanted.get(name)).get("description"), obj(found[name]).get("description")


def _may_come_of(text: Json, found: Json) -> bool:
    """Whether a description may have come of another: whole, with words around it, cut short, lost or put in."""
    if not text or not found:
        return True
    one, other = str(text).strip(), str(found).strip()
    return one in other or other in one


# --- results ---------------------------------------------------------------------------------------------------------


def _has_scripted_results(facts: Facts, intent: Conversation) -> bool:
    turns = [turn for turn in intent.turns if isinstance(turn, ResultsTurn)]
    expected = [result_text(result).strip() for turn in turns for result in turn.results]
    found = [result.text.strip() for result in facts.results if isinstance(result.text, str)]
    if not any(expected) or not any(found):
        return True
    return any(_says(item, text) for text in expected if text for item in found)


def _says(found: str, text: str) -> bool:
    """Whether a result says a text: by itself, inside of something, or inside of JSON."""
    start = text[:COMPARED]
    return start in found or json.dumps(start, ensure_ascii=False)[1:-1] in found
