"""The Gemini wire against the official SDK: it reads our answers and accepts our requests."""

from __future__ import annotations

import base64
from dataclasses import replace

import httpx2
import pytest
from gemini_turns import (
    ASKED,
    IMAGE,
    QUIRKS,
    TURNS,
    VOICE,
    body_of,
    finished,
    signatures,
)
from google import genai
from google.genai import types

from conformance.http import Request, frame
from conformance.model import (
    JsonPart,
    TextPart,
    ToolChoice,
)
from conformance.script import ScriptError, ScriptTurn
from conformance.wires.base import stream_headers
from conformance.wires.gemini.wire import WIRE


class Google:
    """The provider, as the SDK's client sees it: says ``says`` and keeps what was sent to it."""

    def __init__(self):
        self.says: ScriptTurn | ScriptError = ScriptTurn()
        self.sent: Request | None = None

    def answer(self, request):
        self.sent = Request(request.method, str(request.url), dict(request.headers), request.content)
        if "stream" in request.url.path:
            data = b"".join(frame(WIRE.render_stream(self.says, VOICE), "sse"))
            return httpx2.Response(200, headers=stream_headers("sse"), content=data)
        failed = isinstance(self.says, ScriptError)
        response = WIRE.render_error(self.says) if failed else WIRE.respond(self.says, VOICE)
        return httpx2.Response(response.status, headers=dict(response.headers), content=response.body)


PIECES = frozenset({"arguments_in_pieces"})
"""What Gemini does when it is asked to, which the SDK does not do by itself."""
UNASKED = [quirks for quirks in QUIRKS if not quirks & PIECES]


@pytest.fixture(scope="module")
def connected():
    """The official client and the provider that answers it in process. One for all: making one costs 0.1 s."""
    google = Google()
    http = httpx2.Client(transport=httpx2.MockTransport(google.answer))
    client = genai.Client(api_key="k", http_options=types.HttpOptions(api_version="v1beta", httpx_client=http))
    return client, google


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("quirks", UNASKED, ids=lambda quirks: "+".join(sorted(quirks))[:30] or "plain")
@pytest.mark.parametrize("name", ["text", "calls", "thinking-text", "thinking-calls", "search", "malformed"])
def test_the_sdk_reads_the_same(name, quirks, streamed, connected):
    client, google = connected
    google.says = says = replace(TURNS[name], quirks=quirks)
    asked = {"model": "gemini-3-pro", "contents": "go"}
    if streamed:
        answers = list(client.models.generate_content_stream(**asked))
    else:
        answers = [client.models.generate_content(**asked)]
    contents = [candidate.content for answer in answers for candidate in answer.candidates or [] if candidate.content]
    parts = [part for content in contents for part in content.parts or []]
    calls = [part.function_call for part in parts if part.function_call]
    ours = WIRE.read_response(WIRE.respond(says, VOICE))  # without a conversation: wire names, numbers as they came
    assert [call.id for call in calls] == WIRE.ids(says, VOICE)
    assert [(call.name, call.args or {}) for call in calls] == [(call.name, call.arguments) for call in ours.calls]
    assert "".join(part.text or "" for part in parts if not part.thought) == ours.text
    signed = [part.thought_signature for part in parts if part.thought_signature]
    assert signed == [base64.b64decode(mark) for mark in signatures(ours)]
    assert answers[-1].candidates[0].finish_reason.value == (says.finish or "STOP")


def test_the_sdk_accepts_our_requests_and_says_the_same(connected):
    client, google = connected
    google.says = TURNS["text"]
    turn = WIRE.read_response(WIRE.respond(TURNS["thinking-calls"], VOICE), ASKED)
    results = finished((TextPart("a"),), IMAGE, (JsonPart({"b": 1}),))(turn)
    for profile in ("portable", "native"):
        conversation = replace(ASKED.then(turn, results), profile=profile, system="Be brief.", reasoning=True)
        request = WIRE.build(replace(conversation, choice=ToolChoice("tool", "now")), stream=False)
        body = body_of(request)
        config = types.GenerateContentConfig(
            tools=[types.Tool.model_validate(tool) for tool in body["tools"]],
            tool_config=types.ToolConfig.model_validate(body["toolConfig"]),
            system_instruction=types.Content.model_validate(body["systemInstruction"]),
            thinking_config=types.ThinkingConfig.model_validate(body["generationConfig"]["thinkingConfig"]),
            automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
        )
        contents = [types.Content.model_validate(content) for content in body["contents"]]
        client.models.generate_content(model=conversation.model, contents=contents, config=config)
        assert google.sent.path == request.path
        assert said(WIRE.facts(google.sent)) == said(WIRE.facts(request))


def said(facts):
    """What facts say, without the pointers: the SDK spells some fields in snake_case."""
    return (
        facts.system,
        (facts.choice.mode, facts.choice.name),
        [(tool.name, tool.description, tool.schema) for tool in facts.tools],
        [(message.wire_role, message.texts) for message in facts.messages],
        [(call.id, call.name, call.arguments) for call in facts.calls],
        [(result.ref, result.name, result.text, result.error) for result in facts.results],
        [image[1:] for result in facts.results for image in result.images],
    )


def test_the_sdk_reports_our_errors(connected):
    client, google = connected
    google.says = ScriptError("invalid_request", "no such tool")
    with pytest.raises(genai.errors.ClientError) as raised:
        client.models.generate_content(model="m", contents="go")
    assert (raised.value.code, raised.value.status, raised.value.message) == (400, "INVALID_ARGUMENT", "no such tool")
