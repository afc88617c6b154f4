"""generateContent, client half: a conversation as ``contents``.

Two things govern it. A model turn of our own goes back part for part, because thought signatures are checked against
the parts they came on. And the content right after a model turn with n calls holds exactly n function responses, in the
order of the calls, whatever the order in which the tools finished or the user decided.

Sources: ``google.genai.types.Content``, ``Part``, ``FunctionResponse``; https://ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

import base64
from collections.abc import Mapping

from conformance.model import (
    REJECTED,
    AssistantTurn,
    Conversation,
    DecisionsTurn,
    ImagePart,
    Json,
    JsonPart,
    Profile,
    ResultsTurn,
    ToolCall,
    ToolResult,
    Turn,
    UserTurn,
    result_text,
)
from conformance.wires.facts import obj
from conformance.wires.gemini.keys import field_spelling, get
from conformance.wires.gemini.numbers import exact

OPAQUE = "gemini_parts"
"""The key under which a turn's ``opaque`` holds the parts that the model sent."""


def contents(conversation: Conversation, names: Mapping[str, str]) -> list[Json]:
    """The conversation as contents. ``names`` are the wire names of the tools."""
    history = _History(conversation.profile, names)
    for turn in conversation.turns:
        history.add(turn)
    history.answer_calls()
    return history.contents


class _History:
    """Contents in the making: the calls of the last model turn, and the answers gathered for them so far."""

    def __init__(self, profile: Profile, names: Mapping[str, str]) -> None:
        self.contents: list[Json] = []
        self._native = profile == "native"
        self._names = names
        self._calls: dict[str, Mapping[str, Json]] = {}
        self._answers: list[tuple[int, list[Json]]] = []

    def add(self, turn: Turn) -> None:
        match turn:
            case UserTurn(text):
                self.answer_calls()
                self.contents.append({"role": "user", "parts": [{"text": text}]})
            case AssistantTurn():
                self.answer_calls()
                self._model(turn)
            case ResultsTurn(results):
                for result in results:
                    self._answer(result)
            case DecisionsTurn(decisions):
                for decision in decisions:
                    if not decision.accept:
                        self._answer_with(decision.call_id, decision.name, {"error": REJECTED}, [])

    def answer_calls(self) -> None:
        """Send the answers that were gathered, in one content and in call order."""
        if self._answers:
            self._answers.sort(key=lambda answer: answer[0])
            self.contents.append({"role": "user", "parts": [part for _, parts in self._answers for part in parts]})
            self._answers = []

    def _model(self, turn: AssistantTurn) -> None:
        parts = model_parts(turn, self._names)
        calls = (obj(get(part, "functionCall")) for part in parts if get(part, "functionCall") is not None)
        self._calls = dict(zip((call.id for call in turn.calls), calls, strict=True))
        if not parts:
            return  # a content must have a part, and an empty turn has none
        last = self.contents[-1] if self.contents else None
        if last is not None and last["role"] == "model":
            last["parts"] += parts  # calls must follow a user's turn: two model turns in a row become one
        else:
            self.contents.append({"role": "model", "parts": parts})

    def _answer(self, result: ToolResult) -> None:
        images = [_inline_data(part) for part in result.content if isinstance(part, ImagePart)]
        response = {"error": result_text(result)} if result.is_error else {"output": _output(result)}
        self._answer_with(result.call_id, result.name, response, images)

    def _answer_with(self, call_id: str, name: str, response: dict[str, Json], images: list[Json]) -> None:
        call = self._calls.get(call_id, {})
        answer: dict[str, Json] = {"name": call.get("name") or self._names.get(name, name), "response": response}
        if call.get("id"):
            answer = {"id": call["id"], **answer}
        if images and self._native:
            answer["parts"] = images
        # Beside several responses an image would break the count of responses that the API makes.
        beside = images if not self._native and len(self._calls) == 1 else []
        place = list(self._calls).index(call_id) if call_id in self._calls else len(self._calls)
        self._answers.append((place, [{"functionResponse": answer}, *beside]))


def model_parts(turn: AssistantTurn, names: Mapping[str, str]) -> list[Json]:
    """A model turn as parts: those that this wire received, or else parts made from the neutral turn."""
    own = obj(turn.opaque).get(OPAQUE)
    if isinstance(own, list):
        return [_replayed(part) for part in own]
    text = turn.text or turn.refusal
    return [*([{"text": text}] if text else []), *({"functionCall": _call(call, names)} for call in turn.calls)]


def _replayed(part: Json) -> Json:
    """A received part as it may be sent back: ``willContinue``, on a call that was cut off, is for answers only."""
    key = field_spelling(obj(part), "functionCall")
    call = get(part, key)
    if get(call, "willContinue") is None:
        return part
    return {**part, key: {field: call[field] for field in ("id", "name", "args") if field in call}}


def _call(call: ToolCall, names: Mapping[str, str]) -> Json:
    # The id stays behind: it is not Gemini's, and calls without ids are matched by name and order.
    arguments = call.arguments if call.arguments is not None else {"invalid_arguments": call.raw or ""}
    return {"name": names.get(call.name, call.name), "args": arguments}


def _output(result: ToolResult) -> Json:
    """The output: a structured value as it is, anything else as text, also a value that a Struct would round, or one
    with references, which Gemini would look for among the result's parts."""
    match result.content:
        case (JsonPart(value),) if value is not None and exact(value) and not _refers(value):
            return value
    return result_text(result)


def _refers(value: Json) -> bool:
    """Whether something in a value has a ``$ref``."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            if "$ref" in one:
                return True
            pending += one.values()
        elif isinstance(one, list):
            pending += one
    return False


def _inline_data(image: ImagePart) -> Json:
    return {"inlineData": {"mimeType": image.media_type, "data": base64.b64encode(image.data).decode()}}
