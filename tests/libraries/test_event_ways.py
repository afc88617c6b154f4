"""Ways by the events of an SDK's stream: each reads what it says it reads, so that a wrong event is seen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from every import of_every

from conformance.adapters.libraries.anthropic_events import by_blocks, by_fragments, by_snapshots, with_text
from conformance.adapters.libraries.anthropic_events import fragment_news as anthropic_fragments
from conformance.adapters.libraries.anthropic_events import snapshot_news as anthropic_snapshots
from conformance.adapters.libraries.openai_events import by_ends, fragment_news, snapshot_news
from conformance.adapters.libraries.openai_events import by_fragments as openai_fragments
from conformance.adapters.libraries.openai_events import by_snapshots as openai_snapshots
from conformance.adapters.libraries.response_events import by_deltas
from conformance.adapters.libraries.response_events import by_ends as by_response_ends
from conformance.model import Conversation, Tool, UserTurn

ASKED = Conversation((UserTurn("Go on."),), (Tool("read_file", parameters={"properties": {}}),))


class Item(SimpleNamespace):
    """An object with the attributes that it is given, which can be copied as those of SDKs can."""

    def model_copy(self, *, deep: bool) -> Item:
        assert deep
        return Item(**{
            name: value.model_copy(deep=True) if isinstance(value, Item) else _copied(value)
            for name, value in vars(self).items()
        })


def _copied(value: Any) -> Any:
    items = value if isinstance(value, list) else []
    return [one.model_copy(deep=True) for one in items] if any(isinstance(one, Item) for one in items) else value


def _blocks() -> list[Item]:
    return [
        Item(type="thinking", thinking="", signature=""),
        Item(type="text", text="", citations=None),
        Item(type="tool_use", id="a", name="read_file", input={}),
    ]


def _stream() -> list[Item]:
    """The events of a turn in which fragments, snapshots, ends of blocks and the end each say another thing."""
    delta = "content_block_delta"
    thinking, text, call = _blocks()
    return [
        Item(type="message_start", message=Item(content=[], usage=Item(input_tokens=3, output_tokens=1))),
        Item(type="content_block_start", index=0, content_block=thinking),
        Item(type=delta, index=0),
        Item(type="thinking", thinking="Fragment", snapshot="Snapshot"),
        Item(type="signature", signature="sig"),
        Item(type="content_block_stop", index=0, content_block=Item(type="thinking", thinking="Block")),
        Item(type="content_block_start", index=1, content_block=text),
        Item(type=delta, index=1),
        Item(type="text", text="frag", snapshot="snap"),
        Item(type="citation", citation="one", snapshot=["first"]),
        Item(type="text", text="ment", snapshot="snapshot"),
        Item(type="content_block_stop", index=1, content_block=Item(type="text", text="block")),
        Item(type="content_block_start", index=2, content_block=call),
        Item(type=delta, index=2),
        Item(type="input_json", partial_json='{"by": ', snapshot={}),
        Item(type="input_json", partial_json='"fragment"}', snapshot={"by": "snapshot"}),
        Item(type="content_block_stop", index=2, content_block=Item(type="tool_use", input={"by": "block"})),
        Item(type="message_delta", delta=Item(stop_reason="tool_use", stop_details=None), usage=Item(output_tokens=9)),
        Item(
            type="message_stop",
            message=Item(stop_reason="at the end", stop_details=None, usage=Item(input_tokens=3, output_tokens=8)),
        ),
    ]


@of_every({
    "fragments": (by_fragments, ["Fragment", "fragment", {"by": "fragment"}], "tool_use", 9),
    "snapshots": (by_snapshots, ["Snapshot", "snapshot", {"by": "snapshot"}], "at the end", 8),
    "blocks": (by_blocks, ["Block", "block", {"by": "block"}], "at the end", 8),
})
def test_each_way_reads_its_own_part_of_an_event(read: Any, said: list[Any], stop: str, output: int) -> None:
    made = read(_stream())
    thinking, text, call = made.content
    assert [thinking.thinking, text.text, call.input] == said
    assert (made.stop_reason, made.usage.output_tokens) == (stop, output)


def test_what_is_about_a_block_is_kept_with_it() -> None:
    for read, citations in ((by_fragments, ["one"]), (by_snapshots, ["first"])):
        thinking, text, _ = read(_stream()).content
        assert (thinking.signature, text.citations) == ("sig", citations)


def test_a_stream_that_breaks_off_has_what_came() -> None:
    cut = _stream()[:15]
    assert by_fragments(cut).content[2].input == '{"by": '
    assert by_snapshots(cut).content[2].input == {} and by_snapshots(cut).stop_reason is None
    assert by_blocks(cut).content[2].input == {}


def test_nothing_is_read_after_the_end() -> None:
    again = Item(type="content_block_stop", index=1, content_block=Item(type="text", text="late"))
    assert by_blocks([*_stream(), again]).content[1].text == "block"


def test_text_that_is_told_apart_is_what_was_said() -> None:
    message = Item(content=["blocks"], usage=None, stop_reason="end_turn", stop_details=None)
    assert with_text((["to", "gether"], message)).said == with_text(("together", message)).said == "together"


def test_anthropics_events_are_news() -> None:
    told = [(news.kind, news.text) for news in anthropic_fragments(_stream(), ASKED)]
    assert told == [
        ("thinking", "Fragment"), ("text", "frag"), ("text", "ment"), ("call", "read_file"),
        ("arguments", '{"by": '), ("arguments", '"fragment"}'), ("call_end", "read_file"),
    ]  # fmt: skip
    grown = [(news.kind, news.text) for news in anthropic_snapshots(_stream(), ASKED)]
    assert grown == [
        ("thinking", "Snapshot"), ("text", "snap"), ("text", "shot"), ("call", "read_file"), ("call_end", "read_file"),
    ]  # fmt: skip


# --- openai ----------------------------------------------------------------------------------------------------------


def _completion() -> Item:
    call = Item(id="a", type="function", function=Item(name="read_file", arguments="{}", parsed_arguments=None))
    own = Item(id="b", type="custom", custom={"name": "patch", "input": "x"})
    message = Item(content="last", refusal=None, tool_calls=[call, own])
    return Item(choices=[Item(message=message, finish_reason="tool_calls")], usage=None)


def _events() -> list[Item]:
    called = "tool_calls.function.arguments"
    return [
        Item(type="chunk"),
        Item(type="content.delta", delta="frag", snapshot="snap", parsed="sn"),
        Item(type="content.delta", delta="ment", snapshot="snapshot", parsed="so far"),
        Item(type="content.done", content="end", parsed="in the end"),
        Item(type=f"{called}.delta", index=0, name="f", arguments_delta="[1", arguments="[2", parsed_arguments=[]),
        Item(type=f"{called}.delta", index=0, name="f", arguments_delta="]", arguments="[2]", parsed_arguments=[2]),
        Item(type=f"{called}.done", index=0, name="f", arguments="[3]", parsed_arguments=[3]),
    ]


@of_every({
    "fragments": (openai_fragments, "fragment", "[1]", None),
    "snapshots": (openai_snapshots, "snapshot", "[2]", [2]),
    "ends": (by_ends, "end", "[3]", [3]),
})
def test_each_way_reads_its_own_part_of_an_accumulators_event(
    read: Any, text: str, arguments: str, parsed: Any
) -> None:
    snapshot = _completion()
    message = read((_events(), snapshot)).choices[0].message
    call, own = message.tool_calls
    assert (message.content, call.id, own.custom["input"]) == (text, "a", "x")
    assert (call.function.name, call.function.arguments, call.function.parsed_arguments) == ("f", arguments, parsed)
    assert snapshot.choices[0].message.content == "last"


def test_a_call_that_the_events_do_not_tell_has_no_arguments() -> None:
    for read in (openai_fragments, openai_snapshots, by_ends):
        call = read(([], _completion())).choices[0].message.tool_calls[0]
        assert (call.function.name, call.function.arguments) == ("", "")
    unended = _completion()
    unended.choices[0].finish_reason = None
    assert by_ends(([], unended)).choices[0].message.tool_calls[0].function.arguments == "{}"


def test_what_ends_twice_is_there_twice() -> None:
    message = by_ends(([*_events(), _events()[3], _events()[-1]], _completion())).choices[0].message
    assert message.content == "endend"
    assert [call.id for call in message.tool_calls] == ["a", "b", "a"]


def test_refusals_are_told_by_events() -> None:
    told = (("I ", "I"), ("won't", "I w"))
    fragments = [Item(type="refusal.delta", delta=delta, snapshot=snapshot) for delta, snapshot in told]
    for read, said in ((openai_fragments, "I won't"), (openai_snapshots, "I w"), (by_ends, "no")):
        events = [*fragments, Item(type="refusal.done", refusal="no")]
        assert read((events, _completion())).choices[0].message.refusal == said


def test_an_accumulators_events_are_news() -> None:
    told = [(news.kind, news.text) for news in fragment_news(_events(), ASKED)]
    assert told == [
        ("text", "frag"), ("text", "ment"), ("call", "f"), ("arguments", "[1"), ("arguments", "]"), ("call_end", "f"),
    ]  # fmt: skip
    grown = [(news.kind, news.text) for news in snapshot_news(_events(), ASKED)]
    assert grown == [
        ("text", "snap"), ("text", "shot"), ("call", "f"), ("arguments", "[2"), ("arguments", "]"), ("call_end", "f"),
    ]  # fmt: skip


# --- openai-agents ---------------------------------------------------------------------------------------------------


def _thinking(*, summary: list[str], content: list[str] | None) -> Any:
    from openai.types.responses import ResponseReasoningItem

    return ResponseReasoningItem.model_validate({
        "id": "t",
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": text} for text in summary],
        "content": None if content is None else [{"type": "reasoning_text", "text": text} for text in content],
        "provider_data": {"model": "m"},
    })


def _thought_events(item: Any, *, summary: bool) -> list[Any]:
    """The events of an item that says ``item`` at its end, and other things in the events before."""
    at = {"output_index": 0, "summary_index": 0}
    added = {"type": "response.output_item.added", "item": item, "output_index": 0}
    done = {"type": "response.output_item.done", "item": item, "output_index": 0}
    told = [
        {"type": "response.reasoning_summary_part.added", "part": Item(text="", type="summary_text"), **at},
        {"type": "response.reasoning_summary_text.delta", "delta": "frag", **at},
        {"type": "response.reasoning_summary_text.delta", "delta": "ment", **at},
        {"type": "response.reasoning_summary_part.done", "part": Item(text="end", type="summary_text"), **at},
    ] if summary else [
        {"type": "response.reasoning_text.delta", "delta": "frag", "output_index": 0},
        {"type": "response.reasoning_text.delta", "delta": "ment", "output_index": 0},
        {"type": "response.reasoning_text.done", "text": "end", "output_index": 0},
    ]
    return [SimpleNamespace(**event) for event in (added, *told, done)]


@of_every({"deltas": (by_deltas, "fragment"), "ends": (by_response_ends, "end")})
def test_thinking_is_read_from_the_events_of_a_way(read: Any, said: str) -> None:
    [item] = read(_thought_events(_thinking(summary=["item"], content=None), summary=True))
    assert [part.text for part in item.summary] == [said]
    assert item.provider_data == {"model": "m"}
    whole = _thinking(summary=[], content=["item"])
    [item] = read(_thought_events(whole, summary=False))
    assert [part.text for part in item.content] == [said]
    assert whole.content[0].text == "item"


def test_thinking_that_no_event_tells_is_the_items() -> None:
    for read in (by_deltas, by_response_ends):
        events = _thought_events(_thinking(summary=["item"], content=["thought"]), summary=True)
        [item] = read([events[0], events[-1]])
        assert [item.summary[0].text, item.content[0].text] == ["item", "thought"]
