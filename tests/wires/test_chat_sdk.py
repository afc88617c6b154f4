"""The official SDK as a second opinion on the chat wires: it reads what they say, and sends what they send.

The SDK takes its HTTP client, so an ``httpx2.MockTransport`` plays the provider.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import httpx2
import openai
import pytest
from chat_turns import ASK, NOW, PROVIDERS, READ_A, READ_B, TURNS, VOICE, chat_wire, deviations, streamed, variants
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from conformance.model import Json, ResultsTurn, TextPart, ToolChoice, ToolResult
from conformance.script import STATUS, ErrorKind, ScriptError, ScriptTurn
from conformance.wires.base import Wire, stream_headers
from conformance.wires.openai_chat.assemble import content_text

KINDS: tuple[ErrorKind, ...] = tuple(STATUS)

UNREADABLE = {
    "missing_index": "it needs the index",
    "index_zero": "it needs an index for each call",
    "legacy_function_call": "it leaves the field from before tool_calls to others",
    "id_repeated_in_deltas": "it joins repeated ids and names",
    "arguments_object": "it joins text only",
    "arguments_null": "it keeps null",
    "arguments_missing": "it keeps nothing",
    "choice_without_delta": "it needs a delta in each choice",
    "thinking_parts": "it joins text only",
}
"""What the SDK's own assembly of streams does not stand, and why."""


@pytest.fixture(params=PROVIDERS)
def chat(request: pytest.FixtureRequest) -> Wire:
    return chat_wire(request.param)


def client(chat: Wire, respond: Callable[[httpx2.Request], httpx2.Response]) -> openai.OpenAI:
    """The SDK's client for the provider, with ``respond`` at the other end."""
    http_client = httpx2.Client(transport=httpx2.MockTransport(respond))
    if chat.card.id == "azure":
        return openai.AzureOpenAI(
            api_key="test-key",
            azure_endpoint="https://example.openai.azure.com",
            api_version="2024-10-21",
            http_client=http_client,
            max_retries=0,
        )
    base_url = deviations(chat.card.id).endpoint.removesuffix("/chat/completions")
    return openai.OpenAI(api_key="test-key", base_url=base_url, http_client=http_client, max_retries=0)


def blocking(chat: Wire, turn: ScriptTurn) -> ChatCompletion:
    """The turn's response as the SDK reads it."""
    response = chat.respond(turn, VOICE)
    answer = httpx2.Response(response.status, headers=dict(response.headers), content=response.body)
    return client(chat, lambda _: answer).chat.completions.create(model="gpt-test", messages=[])


def streaming(chat: Wire, turn: ScriptTurn) -> list[ChatCompletionChunk]:
    """The turn's chunks as the SDK reads them."""
    answer = httpx2.Response(200, headers=stream_headers("sse"), content=b"".join(streamed(chat, turn)))
    return list(client(chat, lambda _: answer).chat.completions.create(model="gpt-test", messages=[], stream=True))


def calls_of(message: Any) -> list[tuple[Any, Any, Any]]:
    if message.function_call is not None:
        return [(None, message.function_call.name, message.function_call.arguments)]
    return [(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or []]


def test_the_sdk_reads_responses(chat: Wire) -> None:
    for name, turn in variants(chat.card.id):
        completion = blocking(chat, turn)
        ours = chat.read(json.loads(chat.respond(turn, VOICE).body))
        [choice] = completion.choices
        assert (content_text(choice.message.content), choice.message.refusal) == (ours.text, ours.refusal), name
        assert [call[1] for call in calls_of(choice.message)] == [call.name for call in ours.calls], name
        assert [_object(call[2]) for call in calls_of(choice.message)] == [call.arguments for call in ours.calls], name
        assert [call[0] for call in calls_of(choice.message)] == chat.ids(turn, VOICE), name
        assert completion.usage is not None and ours.usage is not None, name
        assert completion.usage.prompt_tokens == ours.usage.input_tokens, name


def test_the_sdk_puts_streams_together_as_we_do(chat: Wire) -> None:
    for name, turn in variants(chat.card.id):
        if turn.quirks and not name.startswith(("text_and_calls/", "no_arguments/")):
            continue
        chunks = streaming(chat, turn)
        assert len(chunks) == len(chat.render_stream(turn, VOICE)) - 1, name
        if turn.quirks & UNREADABLE.keys() or (chat.card.id == "mistral" and turn.calls):
            continue  # Mistral's calls have no type, which the SDK takes for an error of its own
        state: ChatCompletionStreamState[Any] = ChatCompletionStreamState()
        for chunk in chunks:
            list(state.handle_chunk(chunk))
        snapshot = state.current_completion_snapshot
        message = snapshot.choices[0].message
        ours = chat.assemble(chat.render_stream(turn, VOICE)).body["choices"][0]["message"]
        assert (message.content or "", message.refusal or "") == (ours["content"] or "", ours.get("refusal", "")), name
        assert calls_of(message) == [
            (call["id"], call["function"]["name"], call["function"]["arguments"]) for call in ours.get("tool_calls", [])
        ], name
        assert snapshot.usage is not None and snapshot.usage.completion_tokens == turn.usage.output_tokens, name


@pytest.mark.parametrize("name", ["text", "one_call", "text_and_calls", "nasty_arguments", "refusal"])
def test_the_sdks_stream_helper_ends_with_the_same_turn(chat: Wire, name: str) -> None:
    turn = TURNS[name]
    if (chat.card.id == "mistral" and turn.calls) or (turn.refusal and "refusal" not in chat.card.capabilities):
        pytest.skip("not readable by the SDK, or not said by the provider")
    answer = httpx2.Response(200, headers=stream_headers("sse"), content=b"".join(streamed(chat, turn)))
    with client(chat, lambda _: answer).chat.completions.stream(model="gpt-test", messages=[]) as stream:
        final = stream.get_final_completion().choices[0].message
    body = chat.render(turn, VOICE)["choices"][0]["message"]
    assert (final.content or None, final.refusal) == (body["content"] or None, body.get("refusal"))
    assert [call[:2] for call in calls_of(final)] == [
        (call["id"], call["function"]["name"]) for call in body.get("tool_calls") or []
    ]
    assert [json.loads(call[2]) for call in calls_of(final)] == [
        json.loads(call["function"]["arguments"]) for call in body.get("tool_calls") or []
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_the_sdk_raises_our_errors(chat: Wire, kind: ErrorKind) -> None:
    response = chat.render_error(ScriptError(kind, "Something went wrong.", retry_after=3))
    answer = httpx2.Response(response.status, headers=dict(response.headers), content=response.body)
    with pytest.raises(openai.APIStatusError) as caught:
        client(chat, lambda _: answer).chat.completions.create(model="gpt-test", messages=[])
    assert caught.value.status_code == STATUS[kind]
    assert "Something went wrong." in caught.value.response.text
    assert caught.value.response.headers["retry-after"] == "3"


def test_the_sdk_raises_errors_inside_streams(chat: Wire) -> None:
    turn = ScriptTurn("Let me", (READ_A,), fails_with=ScriptError("server", "Something went wrong."))
    if chat.card.id == "mistral":
        assert streaming(chat, turn)[-1].choices is None, "the SDK takes Mistral's flat error for a chunk"
        return
    with pytest.raises(openai.APIError, match=r"Something went wrong\.|error occurred"):
        streaming(chat, turn)


def test_the_sdk_sends_what_we_send(chat: Wire) -> None:
    turn = chat.read(chat.render(ScriptTurn("Let me look.", (READ_A, READ_B, NOW)), VOICE), ASK)
    results = ResultsTurn(tuple(ToolResult(call.id, call.name, (TextPart("ok"),)) for call in turn.calls))
    asked = replace(ASK, system="Be brief.", choice=ToolChoice("tool", "read file", parallel=False))
    ours = chat.build(asked.then(turn, results), stream=True)
    seen: list[httpx2.Request] = []

    def respond(request: httpx2.Request) -> httpx2.Response:
        seen.append(request)
        return httpx2.Response(200, headers=stream_headers("sse"), content=b"data: [DONE]\n\n")

    document: dict[str, Json] = {"model": ASK.model, **json.loads(ours.body)}
    extra = {key: document.pop(key) for key in ("thinking",) if key in document}
    client(chat, respond).chat.completions.create(**document, extra_body=extra)
    [request] = seen
    assert str(request.url) == ours.url
    assert json.loads(request.content) == {**document, **extra}
    assert all(request.headers[name] == value for name, value in chat.card.key.placeholder.items())


def _object(arguments: Any) -> Any:
    """The object that arguments mean, as far as they mean one."""
    if isinstance(arguments, dict):
        return arguments
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return None
