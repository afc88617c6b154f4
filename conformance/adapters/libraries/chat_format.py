"""OpenAI's chat format as an application writes and reads it, for libraries that speak it to every provider."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.adapters.capture import door
from conformance.adapters.libraries.application import (
    OwnMessage,
    call_of,
    function_schema,
    kept,
    names_in,
    replayable,
    reported,
    spoken,
    utterances,
    with_usable_ids,
)
from conformance.model import (
    AssistantTurn,
    Conversation,
    ImagePart,
    Json,
    Part,
    ProviderError,
    Stop,
    ToolCall,
    ToolResult,
    Usage,
    UserTurn,
    compact_json,
    part_text,
    result_text,
)

SPEAKERS = ("openai-chat", "azure", "xai", "deepseek", "mistral")
"""The providers that speak this format themselves."""
STOPS: dict[Any, Stop] = {
    "length": "length", "model_length": "length", "content_filter": "refusal", "refusal": "refusal",
}  # fmt: skip
FAILED = ("error", "insufficient_system_resource")
"""Reasons to end that are failures: OpenRouter's and Mistral's, and DeepSeek's."""


# --- asking ----------------------------------------------------------------------------------------------------------


NO_FORCING = ("anthropic", "deepseek")
"""The providers whose models cannot be forced to call tools while they think."""


def thinks(provider: str, conversation: Conversation) -> bool:
    """Whether to ask for thinking. DeepSeek can do without where a call is forced; Anthropic then is not forced."""
    forced = conversation.choice.mode in ("required", "tool")
    return conversation.reasoning and not (forced and provider == "deepseek")


def tool_arguments(provider: str, conversation: Conversation) -> dict[str, Any]:
    """The arguments ``tools``, ``tool_choice`` and ``parallel_tool_calls``, as far as there is something to say.

    The format has functions alone. What a provider runs by itself is for each library to say.
    """
    functions = [tool for tool in conversation.tools if tool.builtin is None]
    if not functions:
        return {}
    names, choice = names_in(conversation), conversation.choice
    tools = []
    for tool in functions:
        function = {"name": names[tool.name], "description": tool.description, "parameters": function_schema(tool)}
        strict = {} if tool.strict is None else {"strict": tool.strict}
        tools.append({"type": "function", "function": {**function, **strict}})
    asked: dict[str, Any] = {"tools": tools}
    free = provider in NO_FORCING and thinks(provider, conversation)
    if choice.mode == "none" or (choice.mode == "required" and not free):
        asked["tool_choice"] = choice.mode
    elif choice.mode == "tool" and not free:
        asked["tool_choice"] = {"type": "function", "function": {"name": names[choice.name or ""]}}
    if choice.parallel is not None:
        asked["parallel_tool_calls"] = choice.parallel
    return asked


MessageReplayer = Callable[[Any, tuple[ToolCall, ...]], Any]
"""Makes the message to send of the message that the library gave, with the calls as the conversation has them."""


def messages(
    conversation: Conversation,
    replay: MessageReplayer,
    content: Callable[[ToolResult], Json] = lambda result: result_content(result),
) -> Iterator[Any]:
    """The conversation as messages. ``replay`` sends the library's own messages back, ``content`` writes results."""
    if conversation.system is not None:
        yield {"role": "system", "content": conversation.system}
    for item in utterances(conversation):
        match item:
            case UserTurn(text):
                yield {"role": "user", "content": text}
            case AssistantTurn():
                own = kept(item)
                yield written_message(item, conversation) if own is None else replay(own, item.calls)
            case results:
                for result in results:
                    yield {"role": "tool", "tool_call_id": result.call_id, "content": content(result)}


def written_message(turn: AssistantTurn, conversation: Conversation) -> dict[str, Json]:
    """A turn that the library did not give, written by hand."""
    names = names_in(conversation)
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": names.get(call.name, call.name), "arguments": _arguments_text(call)},
        }
        for call in turn.calls
    ]
    return {"role": "assistant", "content": spoken(turn), **({"tool_calls": calls} if calls else {})}


def _arguments_text(call: ToolCall) -> str:
    """The text of a call's arguments, as the provider wrote it where that is known and they can be read."""
    return call.raw if call.raw is not None and not call.invalid else compact_json(replayable(call))


def said_text(content: Any) -> str:
    """The text of a message: itself, or that of its parts, which Mistral sends where the model thinks."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content or ""


def result_content(result: ToolResult) -> str:
    """A result as text. The format has no word for a failure, so the text says it."""
    text = result_text(result)
    return compact_json({"error": text}) if result.is_error else text


def result_parts(result: ToolResult) -> Json:
    """A result as content parts where it holds images, for libraries that take them."""
    if result.is_error or not any(isinstance(part, ImagePart) for part in result.content):
        return result_content(result)
    return list(map(_part, result.content))


def result_writer(provider: str, conversation: Conversation) -> Callable[[ToolResult], Json]:
    """How to write results. The portable profile wants words for images, but not on Gemini."""
    return result_parts if provider == "gemini" or conversation.profile == "native" else result_content


def _part(part: Part) -> Json:
    return image_part(part) if isinstance(part, ImagePart) else {"type": "text", "text": part_text(part)}


def image_part(image: ImagePart) -> Json:
    """An image as a content part."""
    url = f"data:{image.media_type};base64,{base64.b64encode(image.data).decode()}"
    return {"type": "image_url", "image_url": {"url": url}}


# --- hearing ---------------------------------------------------------------------------------------------------------


@dataclass
class ChatAnswer:
    """What came: of a message, or put together from the chunks of a stream by their index, as the format wants it."""

    text: str = ""
    refusal: str | None = None
    calls: dict[Any, dict[str, Any]] = field(default_factory=dict)
    finish: str | None = None
    usage: Any = None
    reasoning: str = ""
    extra: dict[str, Json] = field(default_factory=dict)
    """``extra_content`` of the message, where OpenAI's format leaves room for what other providers must get back."""
    legacy: bool = False
    """Whether the call is a ``function_call``. From here on it is a tool call like others."""
    error: ProviderError | None = None
    """What is told instead of an answer."""

    def add(self, chunk: Any) -> None:
        """Take one chunk of a stream."""
        self.usage = getattr(chunk, "usage", None) or self.usage
        for choice in taken_choices(chunk):
            delta = choice.delta
            self.text += getattr(delta, "content", None) or ""
            self.refusal = (self.refusal or "") + (getattr(delta, "refusal", None) or "") or None
            self.reasoning += getattr(getattr(delta, "reasoning", None), "content", None) or ""
            _merge(self.extra, getattr(delta, "extra_content", None) or {})
            for piece in getattr(delta, "tool_calls", None) or ():
                self._fragment(piece)
            self._legacy(getattr(delta, "function_call", None))
            self.finish = choice.finish_reason or self.finish

    def _fragment(self, piece: Any) -> None:
        place = piece.id if piece.index is None else piece.index
        call = self.calls.setdefault(place, {"id": "", "name": "", "arguments": ""})
        call["id"] = call["id"] or piece.id or ""
        if piece.function is not None:
            call["name"] = call["name"] or piece.function.name or ""
            call["arguments"] += piece.function.arguments or ""
        if getattr(piece, "extra_content", None):
            call["extra_content"] = piece.extra_content

    def _legacy(self, function: Any) -> None:
        """Take a fragment of a ``function_call``, the one call that the format had before there were several."""
        if function is not None:
            self.legacy = True
            call = self.calls.setdefault("function_call", {"id": "", "name": "", "arguments": ""})
            call["name"] = call["name"] or function.name or ""
            call["arguments"] += function.arguments or ""

    def message(self) -> dict[str, Json]:
        """The message that a stream amounts to, written as the chunks wrote it."""
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": call["arguments"]},
                **({"extra_content": call["extra_content"]} if "extra_content" in call else {}),
            }
            for call in self.calls.values()
        ]
        return {
            "role": "assistant",
            "content": self.text,
            **({"refusal": self.refusal} if self.refusal else {}),
            **({"tool_calls": calls} if calls else {}),
            **({"reasoning": self.reasoning} if self.reasoning else {}),
            **({"extra_content": self.extra} if self.extra else {}),
        }

    def turn(self, provider: str, message: Any, conversation: Conversation) -> AssistantTurn:
        """The turn. ``message`` is what the library wants to get back."""
        if self.error is not None:
            return AssistantTurn(stop="error", error=self.error)
        if self.finish in FAILED:
            return AssistantTurn(stop="error", text=self.text, error=stopped(self.finish))
        calls = [
            call_of(call["id"], call["name"], call["arguments"], conversation) for call in self.calls.values()
        ]
        usable = with_usable_ids(calls, conversation)
        usage = self.usage
        return AssistantTurn(
            text=self.text,
            calls=usable,
            stop=self._stop(provider, calls=bool(calls)),
            refusal=self.refusal,
            usage=Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0) if usage else None,
            opaque=OwnMessage(None if self.legacy else message, usable),
        )

    def _stop(self, provider: str, *, calls: bool) -> Stop:
        """Why the turn ended.

        Hosts of OpenAI's format may say ``stop`` beside calls, so there the calls decide. Where the library translates,
        the word is its own, and it is taken at it.
        """
        if self.finish is None:
            return "incomplete"
        if self.finish in STOPS:
            return STOPS[self.finish]
        pending = calls if provider in SPEAKERS else self.finish in ("tool_calls", "function_call")
        return "tool_calls" if pending else "refusal" if self.refusal else "end"


def _merge(known: dict[str, Json], more: dict[str, Json]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(known.get(key), dict):
            _merge(known[key], value)
        else:
            known[key] = value


def taken_choices(answer: Any) -> list[Any]:
    """The choices of an answer, or of a chunk, that an application takes which asks for one: those of the first."""
    return [choice for choice in answer.choices or () if getattr(choice, "index", None) in (0, None)]


def message_of(answer: Any) -> Any:
    """The library's own message in an answer; ``None`` where that has no choices."""
    return next((choice.message for choice in taken_choices(answer)), None)


def stopped(finish: str) -> ProviderError:
    """The failure that a reason to end is. Another try may go well."""
    return ProviderError(f"the provider stopped: {finish}", type=finish, retryable=True)


def not_answered(answer: Any) -> ProviderError:
    """What an answer without choices says: some hosts send an error so, which some libraries hand on."""
    told = getattr(answer, "error", None)
    return reported(None, {"error": told} if told else {"message": "the answer has no choices"})


def heard(answer: Any) -> ChatAnswer:
    """What a ``ChatCompletion`` says."""
    choices = taken_choices(answer)
    if not choices:
        return ChatAnswer(error=not_answered(answer))
    choice = choices[0]
    message = choice.message
    calls = {
        place: {"id": call.id, "name": call.function.name, "arguments": call.function.arguments}
        for place, call in enumerate(getattr(message, "tool_calls", None) or ())
    }
    legacy = getattr(message, "function_call", None)
    if legacy is not None and not calls:
        calls = {0: {"id": "", "name": legacy.name, "arguments": legacy.arguments}}
    refusal = getattr(message, "refusal", None)
    finish = choice.finish_reason or "stop"
    usage = getattr(answer, "usage", None)
    return ChatAnswer(message.content or "", refusal, calls, finish, usage, legacy=legacy is not None)


def put_together(chunks: Iterable[Any]) -> ChatAnswer:
    """What the chunks of a stream say."""
    made = ChatAnswer()
    for chunk in chunks:
        made.add(chunk)
    return made


def with_ids(message: Any, calls: tuple[ToolCall, ...]) -> Any:
    """A message, an object or a plain document, with its calls under the ids that the conversation uses."""
    own = (message.get("tool_calls") if isinstance(message, dict) else message.tool_calls) or ()
    known = [call["id"] if isinstance(call, dict) else call.id for call in own]
    ids = [call.id for call in calls][: len(known)]
    if known == ids:
        return message
    if not isinstance(message, dict):
        return under_ids(message, *ids)
    return {**message, "tool_calls": [{**call, "id": call_id} for call, call_id in zip(own, ids, strict=True)]}


@door
def under_ids(message: Any, *ids: str) -> Any:
    """The library's own message, with ids that the application gave."""
    for call, call_id in zip(message.tool_calls, ids, strict=True):
        call.id = call_id
    return message
