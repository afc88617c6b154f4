"""The shims of the official SDKs, and what all shims stand on. What the SDKs understand is proven in ``tests/sdk``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from conformance.adapters.addresses import find_adapter
from conformance.adapters.contract import AdapterError
from conformance.adapters.endpoint import Endpoint, HttpAnswer
from conformance.adapters.libraries import LIBRARIES, Library, application, load_shim
from conformance.adapters.libraries.chat_format import heard, messages, put_together, tool_arguments, with_ids
from conformance.adapters.libraries.shim import Shim, http_library
from conformance.capabilities import ACCUMULATED, UNCLAIMED
from conformance.model import AssistantTurn, Conversation, ProviderError, Tool, ToolCall, ToolChoice, UserTurn
from conformance.wires import wire

ASKED = Conversation((UserTurn("Go on."),), (Tool("read file", parameters={"properties": {}}),))
SDKS = ("openai", "openai-responses", "anthropic", "google-genai", "ollama")


class Thing:
    """An object with the attributes that it is given, as SDKs have them."""

    def __init__(self, **attributes: object) -> None:
        self.__dict__.update(attributes)

    def __getattr__(self, name: str) -> None:
        return None


def chunk(finish: str | None = None, **delta: object) -> Thing:
    return Thing(choices=[Thing(delta=Thing(**delta), finish_reason=finish)])


def piece(index: int | None, call_id: str | None, name: str | None, arguments: str) -> Thing:
    return Thing(index=index, id=call_id, function=Thing(name=name, arguments=arguments))


def read(*chunks: Thing, provider: str = "gemini") -> AssistantTurn:
    return put_together(chunks).turn(provider, None, ASKED)


def test_a_strict_tool_that_takes_nothing_is_closed() -> None:
    open_to_all = {"type": "object", "properties": {}}
    assert application.function_schema(Tool("f")) == open_to_all
    assert application.function_schema(Tool("f", strict=True)) == {
        **open_to_all, "required": [], "additionalProperties": False,
    }  # fmt: skip


# --- the table -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SDKS)
def test_an_sdk_goes_by_its_name(name: str) -> None:
    distribution = LIBRARIES[name].distribution
    pytest.importorskip({"google-genai": "google.genai"}.get(distribution, distribution))
    found = find_adapter(name)
    assert (found.kind, found.info.name) == ("client", name)
    assert found.info.version[0].isdecimal()
    left = UNCLAIMED - (ACCUMULATED if name in ("openai", "anthropic") else frozenset())
    assert found.info.capabilities == {
        provider: wire(provider).card.capabilities - left for provider in found.info.capabilities
    }


def test_every_library_says_which_shim_it_is() -> None:
    for name, library in LIBRARIES.items():
        module, _, attribute = library.shim.partition(":")
        assert (library.kind == "node") or (module and attribute), name


def test_a_library_that_is_not_there_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIBRARIES, "absent", Library("anthropic:Anthropic", "no-such-distribution"))  # type: ignore[arg-type]
    with pytest.raises(AdapterError) as raised:
        find_adapter("absent")
    advice = "no-such-distribution is not installed: pip install no-such-distribution, or conformance env absent"
    assert str(raised.value) == advice


def test_a_library_that_the_shim_does_not_know_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIBRARIES, "odd", Library("no_such_module:Shim", "pytest"))  # type: ignore[arg-type]
    with pytest.raises(AdapterError, match=r"^odd: pytest \S+ cannot be used: ModuleNotFoundError: "):
        load_shim("odd")


def test_unknown_names_are_told_the_nearest() -> None:
    with pytest.raises(AdapterError, match="did you mean 'litellm'"):
        find_adapter("litelm")


def test_an_environment_is_for_workers() -> None:
    with pytest.raises(AdapterError, match="only a worker"):
        find_adapter("env:litellm@1.82.0")


@pytest.mark.parametrize(
    ("required", "library"),
    [
        (["httpx2<3,>=2.0", 'httpx<1,>=0.28; extra == "httpx"'], "httpx2"),
        (["httpx<1,>=0.23"], "httpx"),
        (["httpx<1,>=0.23", 'httpx2>=2; extra == "next"'], "httpx"),
        (None, "httpx"),
    ],
)
def test_the_http_library_is_the_one_the_sdk_asks_for(
    required: list[str] | None, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.metadata.requires", lambda distribution: required)
    assert http_library.__wrapped__("some-sdk") == library


# --- failures --------------------------------------------------------------------------------------------------------


class Failing(Shim):
    """Raises what it is given, after a model call or without one."""

    name = "failing"
    distribution = "pytest"
    providers = {"openai-chat": ()}  # noqa: RUF012

    def __init__(self, problem: Exception, *, calls: bool) -> None:
        super().__init__()
        self._problem, self._calls = problem, calls

    def ask(self, provider: str, conversation: Conversation, endpoint: Endpoint, *, stream: bool) -> AssistantTurn:
        if self._calls:
            endpoint.requests.append(wire(provider).build(conversation, stream=stream))
        raise self._problem

    def failure(self, problem: Exception) -> ProviderError | None:
        return ProviderError(str(problem)) if isinstance(problem, ValueError) else None

    def broken_off(self, problem: Exception) -> bool:
        return isinstance(problem, EOFError)


def complete(shim: Shim, *, stream: bool = False) -> AssistantTurn:
    endpoint = Endpoint("openai-chat", lambda request: HttpAnswer(500, {}, ()))
    return shim.complete("openai-chat", ASKED, stream=stream, endpoint=endpoint)


def test_a_provider_that_fails_is_a_turn() -> None:
    turn = complete(Failing(ValueError("too many requests"), calls=True))
    assert (turn.stop, turn.error) == ("error", ProviderError("too many requests"))


def test_a_stream_that_breaks_off_is_incomplete() -> None:
    assert complete(Failing(EOFError(), calls=True), stream=True).stop == "incomplete"
    with pytest.raises(EOFError):
        complete(Failing(EOFError(), calls=True))


@pytest.mark.parametrize(("problem", "calls"), [(ValueError("no model"), False), (KeyError("bug"), True)])
def test_what_is_the_library_s_own_failure_is_raised(problem: Exception, calls: bool) -> None:
    with pytest.raises(type(problem)):
        complete(Failing(problem, calls=calls))


@pytest.mark.parametrize(
    ("document", "message", "kind"),
    [
        ({"error": {"message": "slow down", "type": "rate_limit_error"}}, "slow down", "rate_limit_error"),
        ({"message": "slow down", "code": "429"}, "slow down", "429"),
        ({"code": "exhausted", "error": "slow down"}, "slow down", "exhausted"),
        ({"detail": "slow down"}, '{"detail":"slow down"}', None),
        ("slow down", "slow down", None),
    ],
)
def test_errors_are_read_in_all_their_shapes(document: object, message: str, kind: str | None) -> None:
    told = application.reported(429, document, {"retry-after": "7"})
    assert told == ProviderError(message, 429, kind, retryable=True, retry_after=7.0)


# --- the history -----------------------------------------------------------------------------------------------------


def test_a_library_s_message_goes_back_unless_the_turn_was_put_right() -> None:
    call = ToolCall("a", "read file", {"path": "x"})
    turn = AssistantTurn(calls=(call,), opaque=application.OwnMessage("own", (call,)))
    assert application.kept(turn) == "own"
    renamed = AssistantTurn(calls=(ToolCall("b", call.name, call.arguments),), opaque=turn.opaque)
    assert application.kept(renamed) == "own"
    other = AssistantTurn(calls=(ToolCall("a", call.name, {"path": "y"}),), opaque=turn.opaque)
    assert application.kept(other) is None
    assert application.kept(AssistantTurn()) is None


# --- the chat format -------------------------------------------------------------------------------------------------


def test_fragments_belong_to_the_call_of_their_index() -> None:
    turn = read(
        chunk(tool_calls=[piece(0, "a", "read_file", '{"pa')]),
        chunk(tool_calls=[piece(1, "b", "read_file", '{"path"')]),
        chunk(tool_calls=[piece(0, None, None, 'th": 1}'), piece(1, "", "read_file", ": 2}")]),
        chunk("tool_calls"),
    )
    assert [(call.id, call.name, call.arguments) for call in turn.calls] == [
        ("a", "read file", {"path": 1}),
        ("b", "read file", {"path": 2}),
    ]
    assert turn.stop == "tool_calls"


def test_calls_without_index_are_told_apart_by_id() -> None:
    pieces = [piece(None, "a", "x", "{}"), piece(None, "b", "x", "{}")]
    turn = read(chunk(tool_calls=pieces[:1]), chunk("stop", tool_calls=pieces[1:]))
    assert [call.id for call in turn.calls] == ["a", "b"]


@pytest.mark.parametrize(
    ("provider", "finish", "stop"),
    [
        ("gemini", "stop", "end"),  # the library's own word, which is wrong
        ("gemini", "tool_calls", "tool_calls"),
        ("gemini", None, "incomplete"),
        ("gemini", "length", "length"),
        ("openai-chat", "stop", "tool_calls"),  # the provider says so itself, see quirks.finish_stop
    ],
)
def test_a_library_is_taken_at_its_word(provider: str, finish: str | None, stop: str) -> None:
    assert read(chunk(finish, tool_calls=[piece(0, "a", "x", "{}")]), provider=provider).stop == stop


def test_what_the_chunks_add_to_the_format_goes_back() -> None:
    one, other = piece(0, "a", "x", "{}"), piece(0, None, None, "")
    one.extra_content = {"google": {"thought_signature": "s"}}
    made = put_together([
        chunk(tool_calls=[one], reasoning=Thing(content="Hm"), extra_content={"anthropic": {"kind": "t"}}),
        chunk(tool_calls=[other], reasoning=Thing(content="m."), extra_content={"anthropic": {"signature": "z"}}),
    ])  # fmt: skip
    message = made.message()
    assert message["tool_calls"][0]["extra_content"] == {"google": {"thought_signature": "s"}}
    assert (message["reasoning"], message["extra_content"]) == ("Hmm.", {"anthropic": {"kind": "t", "signature": "z"}})


def test_a_refusal_goes_back_with_what_was_streamed() -> None:
    made = put_together([chunk(content="Well."), chunk(refusal="I will"), chunk(refusal=" not.")])
    assert made.message() == {"role": "assistant", "content": "Well.", "refusal": "I will not."}


def test_only_the_first_choice_counts() -> None:
    first, second = (Thing(message=Thing(content=text), finish_reason="stop") for text in ("one", "two"))
    assert heard(Thing(choices=[first, second])).text == "one"


def test_of_the_choices_in_a_stream_only_the_first_counts() -> None:
    first, second = chunk("stop", content="one"), chunk("stop", content="two")
    second.choices[0].index = 1
    assert read(first, second).text == "one"


@pytest.mark.parametrize(
    ("answer", "message"),
    [(Thing(choices=[]), "the answer has no choices"), (Thing(error={"message": "no model"}), "no model")],
)
def test_an_answer_without_choices_is_an_error(answer: Thing, message: str) -> None:
    """Some hosts send an error with HTTP 200, which SDKs hand on as an answer without choices."""
    turn = heard(answer).turn("openai-chat", None, ASKED)
    assert turn.stop == "error"
    assert turn.error is not None
    assert turn.error.message == message


@pytest.mark.parametrize("message", [{"tool_calls": [{"id": "a"}]}, Thing(tool_calls=[Thing(id="a")])])
def test_calls_go_back_under_the_conversation_s_ids(message: object) -> None:
    sent = with_ids(message, (ToolCall("b", "x"),))
    [call] = sent["tool_calls"] if isinstance(sent, dict) else sent.tool_calls
    assert (call["id"] if isinstance(call, dict) else call.id) == "b"


def choices() -> Iterator[tuple[str, bool, ToolChoice, object]]:
    forced = {"type": "function", "function": {"name": "read_file"}}
    yield "openai-chat", True, ToolChoice("tool", "read file"), forced
    yield "openai-chat", False, ToolChoice("required"), "required"
    yield "anthropic", False, ToolChoice("required"), "required"
    yield "anthropic", True, ToolChoice("required"), None
    yield "anthropic", True, ToolChoice("none"), "none"
    yield "openai-chat", False, ToolChoice(), None


@pytest.mark.parametrize(("provider", "reasoning", "choice", "sent"), list(choices()))
def test_tool_choice(provider: str, reasoning: bool, choice: ToolChoice, sent: object) -> None:
    conversation = Conversation(ASKED.turns, ASKED.tools, choice, reasoning=reasoning)
    assert tool_arguments(provider, conversation).get("tool_choice") == sent


def test_foreign_turns_are_written_by_hand() -> None:
    call = ToolCall("a", "read file", {"path": "x"})
    history = ASKED.then(AssistantTurn("Let me see.", (call,)))
    sent = list(messages(history, with_ids))[-1]
    assert sent["tool_calls"][0]["function"] == {"name": "read_file", "arguments": '{"path":"x"}'}
