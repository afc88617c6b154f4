"""How attributes and events tell of a model call. Each layout is read by one function; the first that fits is taken.

| layout | messages | tools |
|---|---|---|
| conventions since 1.37 | ``gen_ai.input.messages`` and ``.output``, as JSON | ``gen_ai.tool.definitions`` |
| older OpenLLMetry | ``gen_ai.prompt.N.*``, ``gen_ai.completion.N.*`` | ``llm.request.functions.N.*`` |
| OpenInference | ``llm.input_messages.N.*``, ``llm.output_messages.N.*`` | ``llm.tools.N.tool.json_schema`` |
| Langfuse's SDK | ``langfuse.observation.input`` and ``.output``, as JSON | in the input |

Sources, read on 2026-11-28: opentelemetry.io/docs/specs/semconv/gen-ai (spans, events, and the schemas of messages and
tools); what the instrumentations that `opentelemetry` names really wrote; langfuse 5.0.4 ``_client/attributes.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from conformance.model import Json
from conformance.recordings.bodies import RecordError
from conformance.traffic.telling.told import (
    MAX_MESSAGES,
    NO_MESSAGES,
    ToldCall,
    call_of,
    messages_of,
    parsed,
    result_of,
    tool_of,
    tools_of,
)
from conformance.wires.facts import items, obj

Attributes = Mapping[str, Json]

BY = "opentelemetry"

OPERATIONS = ("chat", "text_completion", "generate_content")
"""The operations that ask a model. Others tell of agents, which ask a model in spans below, of tools, of embeddings."""

MAX_SEGMENTS = 12
"""How many names the key of an attribute may have."""


def asks_a_model(attributes: Attributes) -> bool:
    """Whether the attributes are those of a span in which a model was asked."""
    kind = attributes.get("openinference.span.kind")
    if kind is not None:
        return bool(kind == "LLM")
    if (observation := attributes.get("langfuse.observation.type")) is not None:
        return bool(observation == "generation")
    operation = attributes.get("gen_ai.operation.name")
    if operation is not None:
        return operation in OPERATIONS
    return attributes.get("llm.request.type") in ("chat", "completion") or "gen_ai.prompt.0.role" in attributes


def told_by_attributes(attributes: Attributes) -> ToldCall:
    """What attributes tell. Raises `RecordError` where they have no messages."""
    for mark, read in LAYOUTS.items():
        if any(name == mark or name.startswith(f"{mark}.") for name in attributes):
            return _with_names(read(attributes), attributes)
    raise RecordError(NO_MESSAGES)


def told_by_events(events: Sequence[tuple[str, Json]], attributes: Attributes) -> ToldCall:
    """What the events of one call tell: one for each message, and the model's choice."""
    call = ToldCall(BY, [])
    for name, told in events:
        body = obj(parsed(obj(told).get("gen_ai.event.content"))) or obj(told)
        if name == "gen_ai.choice":
            if call.answer is None:  # of several choices the first
                message = obj(parsed(body.get("message"))) or body
                call.answer, call.finish = _spoken("assistant", message), body.get("finish_reason")
        else:
            call.messages.append(_spoken(name.split(".")[1], body))
    return _with_names(call, attributes)


def _spoken(role: str, body: Attributes) -> dict[str, Json]:
    """A message of an event: that of the chat format, but for the id of the call that a result answers."""
    if role == "tool":
        return result_of(body.get("id", body.get("tool_call_id")), body.get("content", ""))
    message: dict[str, Json] = {"role": role, "content": body.get("content") or ""}
    calls = [_known_call(obj(call)) for _, call in items(parsed(body.get("tool_calls")))]
    return message | ({"tool_calls": calls} if calls else {})


def _known_call(call: Attributes) -> Json:
    function = obj(call.get("function")) or call
    return call_of(call.get("id"), function.get("name"), function.get("arguments"))


NAMES: Mapping[str, tuple[str, ...]] = {
    "model": ("gen_ai.request.model", "llm.model_name", "langfuse.observation.model.name"),
    "answered_model": ("gen_ai.response.model", "llm.response.model_name"),
    "answer_id": ("gen_ai.response.id",),
    "provider": ("gen_ai.provider.name", "gen_ai.system", "llm.provider", "llm.system"),
    "address": ("gen_ai.openai.api_base", "url.full", "server.address"),
}
"""Where attributes tell what else is known, the best first."""


def _with_names(call: ToldCall, attributes: Attributes) -> ToldCall:
    for name, places in NAMES.items():
        told = next((attributes[place] for place in places if attributes.get(place)), None)
        setattr(call, name, told)
    port = attributes.get("server.port")
    if call.address is not None and call.address == attributes.get("server.address") and port not in (None, 443):
        call.address = f"{call.address}:{port}"
    return call


# --- the conventions -------------------------------------------------------------------------------------------------


def _conventions(attributes: Attributes) -> ToldCall:
    told = {name: _listed(attributes, f"gen_ai.{name}.messages") for name in ("input", "output")}
    instructions = _listed(attributes, "gen_ai.system_instructions")
    messages = list(messages_of("system", instructions)) if instructions else []
    for message in map(obj, told["input"]):
        messages += messages_of(message.get("role"), _parts(message))
    answers = [obj(message) for message in told["output"]]
    answer = next(iter(messages_of("assistant", _parts(answers[0]))), None) if answers else None
    tools = tools_of(parsed(attributes.get("gen_ai.tool.definitions")))
    return ToldCall(BY, messages, answer, tools, finish=answers[0].get("finish_reason") if answers else None)


def _listed(attributes: Attributes, name: str) -> list[Json]:
    """An attribute that is a list, or its JSON text. Raises `RecordError` for a text that is none: it was cut off."""
    value = parsed(attributes.get(name, []))
    if not isinstance(value, list):
        raise RecordError(f"{name} is no list in JSON: it may have been cut off")
    return value


def _parts(message: Attributes) -> list[Json]:
    """The parts of a message. Its content may be a text, as in the chat format."""
    parts = message.get("parts", message.get("content"))
    if isinstance(parts, str):
        parts = [{"type": "text", "content": parts}]
    calls = [{"type": "tool_call", **obj(_known_call(obj(one)))["function"], "id": obj(one).get("id")}
             for _, one in items(message.get("tool_calls"))]  # fmt: skip
    return [*(parts if isinstance(parts, list) else []), *calls]


# --- attributes that are numbered ------------------------------------------------------------------------------------


def nested(attributes: Attributes, prefix: str) -> list[Any]:
    """The list that numbered attributes under a prefix tell of. Raises `RecordError` where a number is missing."""
    found: dict[str, Any] = {}
    start = f"{prefix}."
    for key, value in attributes.items():
        if key.startswith(start):
            *holders, last = key[len(start) :].split(".")
            if len(holders) >= MAX_SEGMENTS:
                raise RecordError("an attribute has too many names in its key")
            holder = found
            for name in holders:
                inner = holder.setdefault(name, {})
                holder = inner if isinstance(inner, dict) else {}
            holder[last] = value
    return _in_order(found, prefix)


def _in_order(numbered: Mapping[str, Any], what: str) -> list[Any]:
    numbers = sorted(int(name) for name in numbered if name.isdecimal() and len(name) < 10)
    if len(numbers) > MAX_MESSAGES or numbers != list(range(len(numbers))):
        raise RecordError(f"{what} has gaps: the span has lost attributes")
    return [numbered[str(number)] for number in numbers]


def _openllmetry(attributes: Attributes) -> ToldCall:
    call = ToldCall(BY, [])
    for message in nested(attributes, "gen_ai.prompt"):
        call.messages += _openllmetry_messages(obj(message))
    answers = nested(attributes, "gen_ai.completion")
    if answers:
        told = obj(answers[0])
        call.answer = next(_openllmetry_messages({**told, "role": "assistant"}), None)
        call.finish = told.get("finish_reason")
    functions = [obj(one) for one in nested(attributes, "llm.request.functions")]
    if functions:
        call.tools = [tool_of(one.get("name"), one.get("description"), one.get("parameters")) for one in functions]
    return call


def _openllmetry_messages(message: Attributes) -> Iterator[dict[str, Json]]:
    role, content = message.get("role"), message.get("content")
    blocks = parsed(content)
    if isinstance(blocks, list) and blocks and all(obj(block).get("type") for block in blocks):
        yield from messages_of(role, blocks)  # as Anthropic has them
        return
    if role == "tool" or message.get("tool_call_id") is not None:
        yield result_of(message.get("tool_call_id"), content if content is not None else "")
        return
    calls = _in_order(obj(message.get("tool_calls")), "tool_calls")
    told: dict[str, Json] = {"role": role, "content": content or ""}
    yield told | ({"tool_calls": [_known_call(obj(one)) for one in calls]} if calls else {})


def _openinference(attributes: Attributes) -> ToldCall:
    call = ToldCall(BY, [_openinference_message(one) for one in nested(attributes, "llm.input_messages")])
    answers = nested(attributes, "llm.output_messages")
    call.answer = _openinference_message(answers[0]) if answers else None
    call.finish = attributes.get("llm.finish_reason")
    schemas = [obj(obj(one).get("tool")).get("json_schema") for one in nested(attributes, "llm.tools")]
    call.tools = tools_of(schemas) if schemas else None
    return call


def _openinference_message(told: Json) -> dict[str, Json]:
    message = obj(obj(told).get("message"))
    contents = [obj(obj(one).get("message_content")) for one in _in_order(obj(message.get("contents")), "contents")]
    texts = [one["text"] for one in contents if isinstance(one.get("text"), str)]
    content = message.get("content", "\n".join(texts))
    if message.get("role") == "tool" or message.get("tool_call_id") is not None:
        return result_of(message.get("tool_call_id"), content)
    calls = [obj(obj(one).get("tool_call")) for one in _in_order(obj(message.get("tool_calls")), "tool_calls")]
    spoken: dict[str, Json] = {"role": message.get("role"), "content": content}
    return spoken | ({"tool_calls": [_known_call(one) for one in calls]} if calls else {})


def langfuse(told_input: Json, told_output: Json) -> ToldCall:
    """What Langfuse keeps of a generation: the messages, alone or with the tools, and the answer's message."""
    asked, answered = parsed(told_input), parsed(told_output)
    listed = obj(asked).get("messages") if isinstance(asked, dict) else asked
    if not isinstance(listed, list):
        raise RecordError("the input of the generation is no list of messages")
    call = ToldCall("langfuse", [message for one in listed for message in chat_messages(obj(one))])
    call.tools = tools_of(obj(asked).get("tools")) if isinstance(asked, dict) else None
    choices = items(obj(answered).get("choices"))
    message = obj(obj(choices[0][1]).get("message")) if choices else obj(answered)
    if isinstance(answered, str):
        message = {"content": answered}
    call.answer = next(chat_messages({**message, "role": "assistant"}), None) if message else None
    return call


def chat_messages(message: Attributes) -> Iterator[dict[str, Json]]:
    """A message of the chat format, or one whose content are Anthropic's blocks, as messages of the chat format."""
    content = message.get("content")
    kinds = {str(obj(block).get("type")) for _, block in items(content)}
    if kinds & {"tool_use", "tool_result"}:
        yield from messages_of(message.get("role"), [block for _, block in items(content)])
    elif message.get("role") == "tool":
        yield {**result_of(message.get("tool_call_id"), content if content is not None else "")}
    else:
        calls = [_known_call(obj(one)) for _, one in items(message.get("tool_calls"))]
        yield {"role": message.get("role"), "content": content} | ({"tool_calls": calls} if calls else {})


def _langfuse_span(attributes: Attributes) -> ToldCall:
    return langfuse(attributes.get("langfuse.observation.input"), attributes.get("langfuse.observation.output"))


LAYOUTS: Mapping[str, Callable[[Attributes], ToldCall]] = {
    "gen_ai.input.messages": _conventions,
    "gen_ai.output.messages": _conventions,
    "gen_ai.prompt": _openllmetry,
    "llm.input_messages": _openinference,
    "langfuse.observation.input": _langfuse_span,
}
"""What reads the attributes, by the name that marks a layout, or with which its names begin."""
