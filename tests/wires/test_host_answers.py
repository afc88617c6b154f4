"""What hosts send and ask for otherwise than their wire: it is played, follows the grammar, and means the same."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from every import each
from test_hosts import MADE_UP

from conformance.http import StreamEvent, frame
from conformance.model import AssistantTurn, Conversation, Json, ResultsTurn, TextPart, Tool, ToolResult, UserTurn
from conformance.script import ScriptCall, ScriptError, ScriptTurn, Voice
from conformance.wires import card, host_ids, wire
from conformance.wires.grammar import follow_events
from conformance.wires.host import read_host
from conformance.wires.host_file import HostError

VOICE = Voice("m", {"now": "now", "read": "read"}, "seed")
TOOLS = (Tool("now", "Tells the time."), Tool("read", "Reads."))
ASKED = Conversation((UserTurn("Hi."),), TOOLS, model="m")
NOW, READ = ScriptCall("now", {}), ScriptCall("read", {"path": "/ä", "n": 12})
TURNS = {
    "text": ScriptTurn("Hello."),
    "call": ScriptTurn(calls=(READ,)),
    "calls": ScriptTurn("Two.", (READ, NOW)),
    "thought": ScriptTurn("So.", (READ,), reasoning="Let me think about it."),
}
THINKING = Conversation((UserTurn("Hi."),), TOOLS, model="m", reasoning=True)


def events(host: str, turn: ScriptTurn) -> list[StreamEvent]:
    return wire(host).render_stream(turn, VOICE)


def chunks(host: str, turn: ScriptTurn) -> list[Any]:
    return [event.document for event in events(host, turn) if event.document is not None]


def fragments(host: str, turn: ScriptTurn) -> list[Any]:
    """The fragments of calls in a stream."""
    deltas = [choice["delta"] for chunk in chunks(host, turn) for choice in chunk["choices"]]
    return [fragment for delta in deltas for fragment in delta.get("tool_calls") or ()]


# --- every host ------------------------------------------------------------------------------------------------------

STREAMING = [name for name in host_ids() if "streaming" in card(name).capabilities]


@each("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("host", STREAMING)
def test_a_stream_follows_the_grammar_with_what_the_host_is_known_to_do(host: str, turn: ScriptTurn) -> None:
    grammar = wire(host).grammar
    assert grammar is not None
    followed = follow_events(grammar.with_liberties(card(host).stream_liberties), events(host, turn))
    assert followed.violation is None


@each("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("host", STREAMING)
def test_a_stream_means_what_the_blocking_answer_means(host: str, turn: ScriptTurn) -> None:
    whole = wire(host).read(wire(host).render(turn, VOICE), ASKED)
    streamed = wire(host).read_stream(frame(events(host, turn), "sse"), ASKED)
    assert (streamed.text or "", streamed.calls, streamed.stop) == (whole.text or "", whole.calls, whole.stop)
    assert streamed.opaque == whole.opaque


@pytest.mark.parametrize("host", STREAMING)
def test_an_error_inside_a_stream_is_told(host: str) -> None:
    turn = replace(TURNS["text"], fails_with=ScriptError("server", "Broken."))
    read = wire(host).read_stream(frame(events(host, turn), "sse"), ASKED)
    assert (read.stop, read.error and read.error.message) == ("error", "Broken.")


# --- what some send --------------------------------------------------------------------------------------------------

LATER = {
    "together": {"id": None, "type": "function", "function": {"name": None}},
    "dashscope": {"id": "", "type": "function", "function": {}},
    "cerebras": {"type": "function", "function": {}},
}


@pytest.mark.parametrize(("host", "repeated"), LATER.items(), ids=LATER)
def test_later_fragments_repeat_what_the_host_repeats(host: str, repeated: dict[str, Any]) -> None:
    first, *later = fragments(host, TURNS["call"])
    assert first["id"] and first["function"]["name"] == "read" and len(later) > 1
    for fragment in later:
        said = {**fragment, "function": {key: fragment["function"][key] for key in repeated["function"]}}
        assert said == {"index": 0, **repeated}


def test_a_first_fragment_may_lack_arguments() -> None:
    first, *later = fragments("vllm", TURNS["call"])
    assert first["function"] == {"name": "read"} and all("arguments" in one["function"] for one in later)
    assert first["id"].startswith("chatcmpl-tool-") and len(first["id"]) == len("chatcmpl-tool-") + 32


def test_usage_may_come_with_the_finish_reason_again() -> None:
    *_, finish, usage = chunks("openrouter", TURNS["call"])
    assert [one["choices"][0]["finish_reason"] for one in (finish, usage)] == ["tool_calls", "tool_calls"]
    assert "usage" in usage and "usage" not in finish
    assert all(choice["delta"]["role"] for chunk in chunks("openrouter", TURNS["call"]) for choice in chunk["choices"])


def test_an_error_inside_a_stream_may_have_a_name_of_its_own() -> None:
    last = events("groq", replace(TURNS["text"], fails_with=ScriptError("server", "Broken.")))[-1]
    assert last.event == "error" and last.document["error"]["message"] == "Broken."


def test_a_chunk_may_report_an_error_beside_choices() -> None:
    text = MADE_UP.replace(
        'set.deviations.no_content = ""',
        """set.deviations.stream_error = '{"choices": [{"index": 0, "delta": {}, "finish_reason": "error"}]}'""",
    )
    own = read_host(text, "made-up.toml")
    speaker = wire("openai-chat").at(own.card(card("openai-chat"), "openai-chat"), own.section("deviations"))
    turn = replace(TURNS["text"], fails_with=ScriptError("server", "Broken."))
    said = speaker.render_stream(turn, VOICE)
    assert said[-1].document["choices"][0]["finish_reason"] == "error"
    assert speaker.read_stream(frame(said, "sse"), ASKED).error is not None


@pytest.mark.parametrize(
    ("old", "told"),
    [
        ("[sends.set.deviations]\nchunk_edits = [{ when = 'more' }]", "at is missing"),
        ("[sends.set.deviations]\nchunk_edits = [{ at = '', when = 'never' }]", "when is 'never': use one of every"),
        ("[sends.set.deviations]\nchunk_edits = [{ at = '', set = '[' }]", "set is '[': it must be the text of a JSON"),
        ("[sends.set.deviations]\nchunk_edits = [{ at = '', calls = true }]", "there is no 'calls' here"),
        ("[sends.set.deviations]\nchunk_edits = [1]", "chunk_edits has 1: each must be a table"),
        ("[sends.set.deviations]\nreasoning_item = '['", "reasoning_item is '[': it must be the text of a JSON object"),
    ],
)
def test_a_mistake_in_an_edit_is_told(old: str, told: str) -> None:
    own = read_host(MADE_UP.replace('set.deviations.no_content = ""', old), "made-up.toml")
    with pytest.raises(HostError) as problem:
        wire("openai-chat").at(own.card(card("openai-chat"), "openai-chat"), own.section("deviations"))
    assert told in str(problem.value)


# --- thinking in items -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("streamed", [False, True])
def test_items_of_thinking_go_back_as_they_came(streamed: bool) -> None:
    own = wire("openrouter")
    body = own.render(TURNS["thought"], VOICE)
    if streamed:
        turn = own.read_stream(frame(events("openrouter", TURNS["thought"]), "sse"), THINKING)
    else:
        turn = own.read(body, THINKING)
    [item] = body["choices"][0]["message"]["reasoning_details"]
    assert item["text"] == "Let me think about it." and item["signature"]
    results = ResultsTurn((ToolResult(turn.calls[0].id, "read", (TextPart("x"),)),))
    request = own.build(replace(THINKING, turns=(*THINKING.turns, turn, results)), stream=False)
    replayed = request.document["messages"][1]
    assert replayed["reasoning_details"] == [item] and "reasoning" not in replayed
    assert request.document["reasoning"] == {"max_tokens": 1024}


def test_items_of_two_thoughts_stay_two() -> None:
    def thought(**item: Json) -> StreamEvent:
        delta = {"role": "assistant", "reasoning_details": [{"type": "reasoning.text", **item}]}
        return StreamEvent(json.dumps({"choices": [{"index": 0, "delta": delta}]}))

    pieces = [thought(index=0, text="a"), thought(index=0, text="b"), thought(index=0, signature="s", text=None),
              thought(index=1, text="c")]  # fmt: skip
    message = wire("openrouter").assemble(pieces).body["choices"][0]["message"]
    first, second = message["reasoning_details"]
    assert (first["text"], first["signature"], second["text"]) == ("ab", "s", "c")


# --- where requests go -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "stream", "path", "version"),
    [
        ("bedrock-anthropic", False, "/model/a%3A0/invoke", "bedrock-2023-05-31"),
        ("bedrock-anthropic", True, "/model/a%3A0/invoke-with-response-stream", "bedrock-2023-05-31"),
        ("vertex-anthropic", False, "/publishers/anthropic/models/a%3A0:rawPredict", "vertex-2023-10-16"),
        ("vertex-anthropic", True, "/publishers/anthropic/models/a%3A0:streamRawPredict", "vertex-2023-10-16"),
    ],
)
def test_the_model_may_stand_in_the_path_and_the_version_in_the_body(
    host: str, stream: bool, path: str, version: str
) -> None:
    request = wire(host).build(replace(ASKED, model="a:0"), stream=stream)
    assert request.path == card(host).base_path + path and request.document["anthropic_version"] == version
    assert "model" not in request.document
    assert request.document.get("stream", False) == (stream and host == "vertex-anthropic")
    assert request.header("authorization") == "Bearer test-key" and request.header("x-api-key") is None


def test_errors_may_be_a_message_alone() -> None:
    failed = wire("bedrock-anthropic").render_error(ScriptError("rate_limit", "Too much."))
    assert (failed.status, failed.document) == (429, {"message": "Too much."})


def test_all_kinds_of_errors_are_said_or_none() -> None:
    text = MADE_UP.replace('"openai-chat"', '"anthropic"').replace(
        'set.deviations.no_content = ""', "set.deviations.errors.server = '{}'"
    )
    own = read_host(text, "made-up.toml")
    with pytest.raises(HostError, match=r"errors lacks 'authentication': say each of invalid_request"):
        wire("anthropic").at(own.card(card("anthropic"), "anthropic"), own.section("deviations"))


def test_what_is_not_asked_for_is_not_replayed() -> None:
    turn = AssistantTurn("So.", opaque={"reasoning_details": [{"text": "x"}]})
    request = wire("groq").build(replace(THINKING, turns=(*THINKING.turns, turn, UserTurn("And?"))), stream=False)
    assert "reasoning_details" not in request.document["messages"][1]
