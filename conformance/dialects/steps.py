"""Rewritings that need more than one place of a request. Each returns whether it changed anything."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.model import Json, ResultsTurn, decoded_json
from conformance.transcript import Exchange
from conformance.wires.facts import items, obj

RequestBody = dict[str, Json]


# --- chat ------------------------------------------------------------------------------------------------------------


def names_on_results(document: RequestBody, exchange: Exchange) -> bool:
    """Tool messages say the function's name."""
    names = {
        obj(call).get("id"): obj(obj(call).get("function")).get("name")
        for _, message in items(document.get("messages")) for _, call in items(obj(message).get("tool_calls"))
    }  # fmt: skip
    return _each(_messages(document, "tool"), lambda one: one.update(name=names.get(one.get("tool_call_id"), "a_tool")))


def numbered_calls(document: RequestBody, exchange: Exchange) -> bool:
    """Calls have their ``index``, as streams bring them."""
    calls = (enumerate(message.get("tool_calls") or ()) for message in _messages(document, "assistant"))
    return _each((pair for one in calls for pair in one), lambda pair: pair[1].update(index=pair[0]))


def names_beside_functions(document: RequestBody, exchange: Exchange) -> bool:
    """A tool has its function's name beside the function, as in Responses, and in it."""
    every = ((tool, obj(obj(tool).get("function")).get("name")) for _, tool in items(document.get("tools")))
    return _each([pair for pair in every if pair[1] is not None], lambda pair: pair[0].update(name=pair[1]))


def thinking_as_it_came(member: str) -> Callable[[RequestBody, Exchange], bool]:
    """What the model thought goes back in its message, as it came in the answer: there it has this ``member``."""

    def write(document: RequestBody, exchange: Exchange) -> bool:
        answers = [obj(earlier.answer) for earlier in exchange.earlier]
        came = [obj(obj(choice).get("message")) for one in answers for _, choice in items(one.get("choices"))]
        sent = list(_messages(document, "assistant"))[-len(came) :] if came else []
        pairs = [(one, other) for one, other in zip(sent, came, strict=False) if _thought(other, member)]
        same = [(one, other[member]) for one, other in pairs if _texts(one.get("content")) == _texts(other["content"])]
        return _each(same, lambda pair: pair[0].update({member: _without_states(pair[1])}))

    return write


def _without_states(thought: Json) -> Json:
    """Thinking without the word that it is over."""
    parts = [{name: one for name, one in obj(part).items() if name != "closed"} for _, part in items(thought)]
    return parts or thought


def _thought(message: Mapping[str, Json], member: str) -> bool:
    """Whether an answer's message has thinking there: a text of its own, or parts."""
    return bool(message.get(member)) and (member != "content" or isinstance(message[member], list))


def _texts(content: Json) -> str:
    """What is said, of a text or of parts."""
    said = (obj(part).get("text") for _, part in items(content))
    return content if isinstance(content, str) else "".join(text for text in said if isinstance(text, str))


def older_limit(document: RequestBody, exchange: Exchange) -> bool:
    """The limit by its older name."""
    limit = document.pop("max_completion_tokens", None)
    document.update({} if limit is None else {"max_tokens": limit})
    return limit is not None


def refusals_as_parts(document: RequestBody, exchange: Exchange) -> bool:
    """A refusal is the one part of the content."""
    assistants = _messages(document, "assistant")
    refused = [one for one in assistants if isinstance(one.get("refusal"), str) and not one.get("content")]
    return _each(refused, lambda one: one.update(content=[{"type": "refusal", "refusal": one.pop("refusal")}]))


def allowed_in_chat(document: RequestBody, exchange: Exchange) -> bool:
    """All functions are allowed, by a list; or the one that is forced."""
    named = [_named_in_chat(tool) for _, tool in items(document.get("tools"))]
    choice = document.get("tool_choice")
    mode, tools = _allowed(choice, named, _named_in_chat(choice) if isinstance(choice, dict) else None)
    document["tool_choice"] = {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}
    return bool(tools)


def _named_in_chat(tool: Json) -> Json:
    """A function or a custom tool by its name alone."""
    kind = obj(tool).get("type")
    return {"type": kind, kind: {"name": obj(obj(tool).get(kind)).get("name")}} if isinstance(kind, str) else None


def _allowed(choice: Json, names: list[Json], named: Json) -> tuple[str, list[Json]]:
    if choice == "none":
        return "auto", []
    mode = "auto" if choice in (None, "auto") else "required"
    return mode, [named] if named is not None else names


# --- Responses -------------------------------------------------------------------------------------------------------


def input_as_text(document: RequestBody, exchange: Exchange) -> bool:
    """The one message of the user is the input's text."""
    given = items(document.get("input"))
    only = obj(given[0][1]) if len(given) == 1 else {}
    if only.get("role") != "user" or not isinstance(only.get("content"), str):
        return False
    document["input"] = only["content"]
    return True


def instructions_as(role: str) -> Callable[[RequestBody, Exchange], bool]:
    """The instructions are the first message."""

    def move(document: RequestBody, exchange: Exchange) -> bool:
        if not isinstance(document.get("instructions"), str) or not isinstance(document.get("input"), list):
            return False
        document["input"].insert(0, {"role": role, "content": document.pop("instructions")})
        return True

    return move


def allowed_in_responses(document: RequestBody, exchange: Exchange) -> bool:
    """All tools are allowed, by a list; or the one that is forced."""
    chosen = obj(document.get("tool_choice"))
    every = [obj(tool) for _, tool in items(document.get("tools"))]
    functions = [tool.get("name") for tool in every if tool.get("type") == "function"]
    if len(functions) < len(every) or (chosen and chosen.get("type") != "function"):
        return False
    mode, names = _allowed(document.get("tool_choice"), functions, chosen.get("name"))
    tools: list[Json] = [{"type": "function", "name": name} for name in names]
    document["tool_choice"] = {"type": "allowed_tools", "mode": mode, "tools": tools}
    return bool(names)


def callers_on_results(document: RequestBody, exchange: Exchange) -> bool:
    """Results say who called, as their calls do."""
    given = [obj(item) for _, item in items(document.get("input"))]
    callers = {item.get("call_id"): item.get("caller") for item in given if item.get("type") == "function_call"}
    outputs = [item for item in given if item.get("type") == "function_call_output"]
    results = [item for item in outputs if callers.get(item.get("call_id"))]
    return _each(results, lambda item: item.update(caller=callers[item["call_id"]]))


def continued_by_id(document: RequestBody, exchange: Exchange) -> bool:
    """Only what is new is sent, with the id of the response that goes on."""
    before = exchange.previous
    answer = obj(before.answer) if before is not None else {}
    given, said = document.get("input"), [obj(item).get("id") for _, item in items(answer.get("output"))]
    if not isinstance(given, list) or document.get("store") is False or not isinstance(answer.get("id"), str):
        return False
    if not _own_ids(given, exchange):
        return False
    last = max((place for place, item in enumerate(given) if said and obj(item).get("id") == said[-1]), default=None)
    if last is None or last + 1 == len(given):
        return False
    document["previous_response_id"] = answer["id"]
    document["input"] = given[last + 1 :]
    return True


def _own_ids(given: list[Json], exchange: Exchange) -> bool:
    """Whether the calls of all answers went back with the ids that they came with."""
    answers = [obj(earlier.answer) for earlier in exchange.earlier]
    came = [item.get("call_id") for answer in answers for item in _calls(answer.get("output"))]
    sent = {item.get("call_id") for item in _calls(given)}
    return len(set(came)) == len(came) and (set(came) <= sent)


def _calls(given: Json) -> list[Mapping[str, Json]]:
    return [obj(item) for _, item in items(given) if obj(item).get("type") == "function_call"]


KEPT = ("function_call", "reasoning", "message")


def items_by_reference(document: RequestBody, exchange: Exchange) -> bool:
    """Items of earlier answers are named by their ids."""
    given = document.get("input")
    if not isinstance(given, list) or document.get("store") is False:
        return False
    if not _own_ids(given, exchange):
        return False
    named = [isinstance(obj(item).get("id"), str) and obj(item).get("type") in KEPT for item in given]
    pairs = zip(named, given, strict=True)
    document["input"] = [{"type": "item_reference", "id": item["id"]} if known else item for known, item in pairs]
    return any(named)


def tools_in_the_input(document: RequestBody, exchange: Exchange) -> bool:
    """The functions are declared by an item of the input."""
    found = _functions_taken(document)
    return bool(found) and _put_first(document, {"type": "additional_tools", "role": "developer", "tools": found})


SEARCH = {"query": "tools"}
FOUND_AT = "call_search_for_tools"


def tools_found(document: RequestBody, exchange: Exchange) -> bool:
    """The model has searched for tools, and the client has found the functions."""
    found = _functions_taken(document)
    ran = {"call_id": FOUND_AT, "execution": "client", "status": "completed"}
    search = {"type": "tool_search", "description": "Finds tools", "parameters": {"type": "object"}}
    document["tools"] = [{**search, "execution": "client"}, *document.get("tools", ())]
    called = {"type": "tool_search_call", "arguments": SEARCH, **ran}
    return bool(found) and _put_first(document, called, {"type": "tool_search_output", "tools": found, **ran})


def _functions_taken(document: RequestBody) -> list[Json]:
    """The functions, which are declared no more."""
    tools = [tool for _, tool in items(document.pop("tools", None))]
    functions = [tool for tool in tools if obj(tool).get("type") == "function"]
    others = [tool for tool in tools if tool not in functions]
    document.update({"tools": others} if others else {})
    return functions


def _put_first(document: RequestBody, *new: Json) -> bool:
    """Items in front of the input. Returns whether it is a list."""
    if not isinstance(document.get("input"), list):
        return False
    document["input"][:0] = new
    return True


def results_as_files(document: RequestBody, exchange: Exchange) -> bool:
    """A result that is a text is a file of plain text."""
    given = [obj(item) for _, item in items(document.get("input"))]
    results = [one for one in given if one.get("type") == "function_call_output" and isinstance(one["output"], str)]
    return _each(results, lambda one: one.update(output=[_file(one["output"])]))


def _file(text: str) -> Json:
    data = base64.b64encode(text.encode()).decode()
    return {"type": "input_file", "filename": "result.txt", "file_data": f"data:text/plain;base64,{data}"}


# --- Messages --------------------------------------------------------------------------------------------------------


def texts_after_results(document: RequestBody, exchange: Exchange) -> bool:
    """What the user says after results is a message of its own. The API joins them."""
    messages: list[Json] = []
    for message in document["messages"]:
        blocks = [block for _, block in items(obj(message).get("content"))]
        results = [block for block in blocks if obj(block).get("type") == "tool_result"]
        rest = blocks[len(results) :]
        if message["role"] == "user" and results and rest and blocks[: len(results)] == results:
            messages += [{**message, "content": results}, {**message, "content": rest}]
        else:
            messages.append(message)
    changed: bool = messages != document["messages"]
    document["messages"] = messages
    return changed


def cache_marks(document: RequestBody, exchange: Exchange) -> bool:
    """The last tool and the last block of the last message are marked for the cache, as agents do it."""
    mark = {"cache_control": {"type": "ephemeral"}}
    tools, last = document.get("tools"), document["messages"][-1]
    if isinstance(last["content"], str):
        last["content"] = [{"type": "text", "text": last["content"]}]
    last["content"][-1].update(mark)
    if tools:
        tools[-1].update(mark)
    return True


def tools_by_reference(document: RequestBody, exchange: Exchange) -> bool:
    """A result that names a declared tool refers to it, and that tool is loaded no sooner."""
    named = {obj(tool).get("name"): tool for _, tool in items(document.get("tools"))}
    blocks = [obj(block) for message in _messages(document, "user") for _, block in items(message.get("content"))]
    found = [one for one in blocks if one.get("type") == "tool_result" and str(one.get("content")) in named]
    for one in found:
        name = one["content"]
        named[name].update(defer_loading=True)
        one.update(content=[{"type": "tool_reference", "tool_name": name}])  # type: ignore[attr-defined]
    return bool(found)


PROGRAMS = "code_execution_20260120"


def called_by_programs(document: RequestBody, exchange: Exchange) -> bool:
    """Programs that the model writes may call the tools as well, and the provider runs them."""
    own = [tool for _, tool in items(document.get("tools")) if "input_schema" in obj(tool)]
    document["tools"] = [*document.get("tools", ()), {"type": PROGRAMS, "name": "code_execution"}]
    return _each(own, lambda tool: tool.update(allowed_callers=["direct", PROGRAMS]))


# --- Gemini ----------------------------------------------------------------------------------------------------------

WORDS = {
    "type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
    "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
    "default", "items", "minimum", "maximum",
}  # fmt: skip
"""Keywords of Gemini's schema language that mean what JSON Schema means by them."""


def own_schemas(upper: bool) -> Callable[[RequestBody, Exchange], bool]:
    """Parameters in Gemini's own schema language, where it can say them."""

    def write(document: RequestBody, exchange: Exchange) -> bool:
        functions = [
            obj(one) for _, tool in items(document.get("tools"))
            for _, one in items(obj(tool).get("functionDeclarations")) if "parametersJsonSchema" in obj(one)
        ]  # fmt: skip
        schemas = [own_schema(one["parametersJsonSchema"], upper=upper) for one in functions]
        for function, schema in zip(functions, schemas, strict=True):
            if schema is not None:
                function["parameters"] = schema  # type: ignore[index]
                del function["parametersJsonSchema"]  # type: ignore[attr-defined]
        return any(schema is not None for schema in schemas)

    return write


def own_schema(schema: Json, *, upper: bool) -> Json:
    """A JSON Schema in Gemini's language; ``None`` where it has no word for something in it."""
    if not isinstance(schema, dict) or not isinstance(schema.get("type"), str) or schema.keys() - WORDS:
        return None
    if "enum" in schema and (schema["type"] != "string" or not all(isinstance(one, str) for one in schema["enum"])):
        return None
    written = {**schema, "type": schema["type"].upper() if upper else schema["type"]}
    if schema["type"] == "object" and not schema.get("properties"):
        return None
    items_of = {"items": schema["items"]} if "items" in schema else {}
    inner = {"properties": schema.get("properties") or {}, "items": items_of}
    if not isinstance(inner["properties"], dict) or "anyOf" in schema:
        return None
    made = {key: {name: own_schema(one, upper=upper) for name, one in held.items()} for key, held in inner.items()}
    if any(one is None for held in made.values() for one in held.values()):
        return None
    return {**written, **({"properties": made["properties"]} if made["properties"] else {}), **made["items"]}


def in_snake_case(document: RequestBody, exchange: Exchange) -> bool:
    """Names of members with underscores, as protobuf's JSON takes them as well. What is data keeps its names."""
    before = dict(document)
    document.clear()
    document.update(_snake(before))
    return document != before


DATA = {"args", "response", "parametersJsonSchema", "parameters", "responseJsonSchema", "properties"}


def _snake(value: Json) -> Any:
    if isinstance(value, list):
        return [_snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub(r"(?<=[a-z])([A-Z])", lambda letter: "_" + letter[1].lower(), name): one if name in DATA else _snake(one)
        for name, one in value.items()
    }


def no_response_of_nothing(document: RequestBody, exchange: Exchange) -> bool:
    """A function whose result has no content has no response. (An empty text is one.)"""
    turns = exchange.intent.turns if exchange.intent is not None else ()
    results = [result for turn in turns if isinstance(turn, ResultsTurn) for result in turn.results]
    parts = [obj(part) for _, one in items(document.get("contents")) for _, part in items(obj(one).get("parts"))]
    sent = [obj(part["functionResponse"]) for part in parts if "functionResponse" in part]
    if len(sent) != len(results):
        return False
    pairs = zip(sent, results, strict=True)
    found = [one for one, result in pairs if one.get("response") == {"output": ""} and not result.content]
    return _each(found, lambda one: one.pop("response"))


def one_tool_object(document: RequestBody, exchange: Exchange) -> bool:
    """A list of one is that one, as protobuf's JSON takes it, and in its spelling with underscores."""
    tools = document.get("tools")
    if not isinstance(tools, list) or len(tools) != 1:
        return False
    document["tools"] = _snake(tools[0])
    return True


# --- Cohere ----------------------------------------------------------------------------------------------------------


def results_as_documents(*, text: bool) -> Callable[[RequestBody, Exchange], bool]:
    """A result that is a JSON object is a document's data, as the ``text`` of it or as itself."""

    def write(document: RequestBody, exchange: Exchange) -> bool:
        found = ((one, _json_object(one.get("content"))) for one in _messages(document, "tool"))
        results = [(one, data) for one, data in found if data is not None]
        for one, data in results:
            one["content"] = [{"type": "document", "document": {"data": one["content"] if text else data}}]
        return bool(results)

    return write


def _json_object(text: Json) -> Json:
    """The JSON object that a text is; ``None`` where it is none."""
    data = decoded_json(text) if isinstance(text, str) else None
    return data if isinstance(data, dict) else None


# --- Converse --------------------------------------------------------------------------------------------------------

HELD = {"image": {"format": "png", "source": {"s3Location": {"uri": "s3://harbour/berths.png"}}}}


def pictures_held(document: RequestBody, exchange: Exchange) -> bool:
    """Beside the text of a result comes a picture that the provider fetches."""
    results = (obj(block["toolResult"]) for block in _blocks(document, "user") if "toolResult" in block)
    contents = [content for result in results if isinstance(content := result.get("content"), list)]
    return _each((one for one in contents if any("text" in obj(part) for part in one)), lambda one: one.append(HELD))


def own_tools_declared(document: RequestBody, exchange: Exchange) -> bool:
    """The tools whose calls, which the provider ran itself, stand in the history."""
    uses = [obj(block["toolUse"]) for block in _blocks(document, "assistant") if "toolUse" in block]
    ran = dict.fromkeys(use.get("name") for use in uses if use.get("type") == "server_tool_use")
    return _each(ran, lambda name: document["toolConfig"]["tools"].append({"systemTool": {"name": name}}))


def _blocks(document: Mapping[str, Json], role: str) -> Iterator[Mapping[str, Json]]:
    for message in _messages(document, role):
        yield from (obj(block) for _, block in items(message.get("content")))


# -------------------------------------------------------------------------------------------------------------------


def _messages(document: Mapping[str, Json], role: str) -> Iterator[dict[str, Json]]:
    for _, message in items(document.get("messages")):
        if isinstance(message, dict) and message.get("role") == role:
            yield message


def _each(found: Any, do: Callable[[Any], Any]) -> bool:
    every = list(found)
    for one in every:
        do(one)
    return bool(every)


CALLS: Mapping[str, Callable[[RequestBody, Exchange], bool]] = {
    "names on results": names_on_results,
    "numbered calls": numbered_calls,
    "refusals as parts": refusals_as_parts,
    "names beside functions": names_beside_functions,
    "thinking in parts": thinking_as_it_came("content"),
    "thinking beside": thinking_as_it_came("reasoning_content"),
    "allowed in chat": allowed_in_chat,
    "input as text": input_as_text,
    "instructions as system": instructions_as("system"),
    "instructions as developer": instructions_as("developer"),
    "allowed in responses": allowed_in_responses,
    "callers on results": callers_on_results,
    "continued by id": continued_by_id,
    "items by reference": items_by_reference,
    "tools in the input": tools_in_the_input,
    "tools found": tools_found,
    "results as files": results_as_files,
    "tools by reference": tools_by_reference,
    "called by programs": called_by_programs,
    "no response of nothing": no_response_of_nothing,
    "one tool object": one_tool_object,
    "texts after results": texts_after_results,
    "cache marks": cache_marks,
    "own schemas": own_schemas(upper=True),
    "own schemas, lower case": own_schemas(upper=False),
    "snake case": in_snake_case,
    "results as documents": results_as_documents(text=True),
    "results as objects in documents": results_as_documents(text=False),
    "older limit": older_limit,
    "pictures held": pictures_held,
    "own tools declared": own_tools_declared,
}
