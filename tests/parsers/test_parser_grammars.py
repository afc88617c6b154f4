"""Grammars: what their files say, and how a turn is written in them."""

from __future__ import annotations

import json

import pytest

from conformance.documents import DocumentError
from conformance.parsers.cases import parser_cases
from conformance.parsers.grammar import known_grammars, load_grammar
from conformance.parsers.writing import WantedCall, WantedTurn, written_turn
from tests.every import of_every

TWO = (WantedCall("read_file", {"path": "a"}), WantedCall("read_file", {"path": "b"}))
TURN = WantedTurn("Look.", TWO, "Hm.")
ONE = WantedTurn("", (WantedCall("read_file", {"path": "a"}),))

WRITTEN = {
    "hermes": (
        "<think>\nHm.\n</think>\n\nLook.\n"
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "b"}}\n</tool_call>'
    ),
    "mistral-args": (
        '[THINK]Hm.[/THINK]Look.[TOOL_CALLS]read_file[ARGS]{"path": "a"}[TOOL_CALLS]read_file[ARGS]{"path": "b"}'
    ),
    "deepseek-v31": (
        "<think>Hm.</think>Look.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>"
        '{"path": "a"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>{"path": "b"}<｜tool▁call▁end｜>'
        "<｜tool▁calls▁end｜>"
    ),
    "qwen3-coder": (
        "Look.\n<tool_call>\n<function=read_file>\n<parameter=path>\na\n</parameter>\n</function>\n</tool_call>\n"
        "<tool_call>\n<function=read_file>\n<parameter=path>\nb\n</parameter>\n</function>\n</tool_call>"
    ),
}
ALONE = {
    "llama3-json": '{"name": "read_file", "parameters": {"path": "a"}}',
    "mistral-list": '[TOOL_CALLS][{"name": "read_file", "arguments": {"path": "a"}, "id": "9Ae3bDc2F"}]',
    "kimi-k2": (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>"
        '{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>'
    ),
    "harmony": '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a"}<|call|>',
    "deepseek-v3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n"
        '{"path": "a"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'
    ),
}


ALL = {name: (name, text, TURN) for name, text in WRITTEN.items()}
ALL |= {name: (name, text, ONE) for name, text in ALONE.items()}


@of_every(ALL)
def test_a_turn_is_written_as_the_family_writes_it(name: str, text: str, turn: WantedTurn) -> None:
    grammar = load_grammar(name)
    thinking = turn if grammar.thinking else WantedTurn(turn.text, turn.calls)
    assert written_turn(grammar, thinking).text == text


@of_every({name: (name,) for name in known_grammars()})
def test_calls_stand_where_the_writer_says(name: str) -> None:
    for case in parser_cases(load_grammar(name), thinking=True):
        for call in case.written.calls:
            told = case.written.text[call.start : call.end]
            if case.kind == "turn" and name != "qwen3-coder":
                assert json.loads(told) == call.arguments


@of_every({name: (name,) for name in known_grammars()})
def test_markup_is_told_from_text(name: str) -> None:
    grammar = load_grammar(name)
    for text, special in (piece for case in parser_cases(grammar, thinking=True) for piece in case.written.pieces):
        assert special == (text in grammar.special)


def test_a_grammar_that_is_not_there_has_a_hint() -> None:
    with pytest.raises(DocumentError, match="hermes"):
        load_grammar("hermse")
