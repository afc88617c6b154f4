"""The Gemini wire: arguments that arrive in pieces, and numbers that are doubles."""

from __future__ import annotations

import pytest
from gemini_turns import (
    ASKED,
    opening,
    piece,
    pieces,
    signatures,
)

from conformance.wires.gemini.numbers import exact, narrow, struct_value
from conformance.wires.gemini.partial import parse_path
from conformance.wires.gemini.wire import WIRE

PIECES = {
    "string in pieces": (
        [piece("$.a", stringValue="x", willContinue=True), piece("$.a", stringValue="ÿ"), piece(more=False)],
        {"a": "xÿ"},
    ),
    "all kinds": (
        [piece("$.n", numberValue=0.5), piece("$.b", boolValue=False), piece("$.z", nullValue="NULL_VALUE"),
         piece("$['a key'][0]", numberValue=1), piece('$["a key"][1].x', stringValue=""), piece(more=False)],
        {"n": 0.5, "b": False, "z": None, "a key": [1, {"x": ""}]},
    ),
    "value in the last fragment": ([piece("$.a", more=False, stringValue="x")], {"a": "x"}),
    "texts in a list": (
        [piece("$.a[0]", stringValue="x", willContinue=True), piece("$.a[0]", stringValue="y"),
         piece("$.a[1]", stringValue="z"), piece(more=False)],
        {"a": ["xy", "z"]},
    ),
    "no arguments": ([piece(more=False)], {}),
    "never ended": ([piece("$.a", stringValue="x", willContinue=True)], None),
    "no such place": ([piece("$.a[3]", stringValue="x"), piece(more=False)], None),
    "no path": ([piece("$..a", stringValue="x"), piece(more=False)], None),
}  # fmt: skip


@pytest.mark.parametrize("name", PIECES)
def test_arguments_in_pieces(name):
    fragments, expected = PIECES[name]
    events = pieces({"text": "Hm."}, opening(thoughtSignature="c2ln"), *fragments, {"functionCall": {"name": "now"}})
    assembly = WIRE.assemble(events)
    turn = WIRE.finish(assembly, ASKED)
    assert [call.arguments for call in turn.calls] == [expected, {}]
    assert turn.calls[0].invalid == (expected is None)
    assert assembly.open_calls == (frozenset({0}) if expected is None else frozenset())
    assert "willContinue" not in WIRE.build(ASKED.then(turn), stream=False).body.decode()
    assert signatures(turn) == ["c2ln"]


def test_calls_in_pieces_one_after_the_other():
    one = pieces(opening(), piece("$.a", more=False, numberValue=1), opening(), piece("$.a", more=False, numberValue=2))
    assert [call.arguments for call in WIRE.finish(WIRE.assemble(one)).calls] == [{"a": 1}, {"a": 2}]
    cut = WIRE.finish(WIRE.assemble([*one, *pieces(opening(), finish=None)][:3]))
    assert cut.stop == "incomplete" and [call.invalid for call in cut.calls] == [False, True]


@pytest.mark.parametrize(
    ("path", "steps"),
    [("$.a.b[0]", ["a", "b", 0]), ("$['a\\'b'][\"c\"]", ["a'b", "c"]), ("$", []), ("a", None), ("$.*", None),
     ("$..a", None), ("$[*]", None), ("$['']", [""]), ("$[1:2]", None), ("$.a-b", ["a-b"])],
)  # fmt: skip
def test_paths(path, steps):
    assert parse_path(path) == steps


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, 5.0, 5),
        ({"type": "number"}, 5.0, 5.0),
        ({"type": ["integer", "null"]}, 5.0, 5),
        ({"type": ["integer", "number"]}, 5.0, 5.0),
        ({"type": "integer"}, 5.5, 5.5),
        ({"type": "INTEGER"}, 1e30, int(1e30)),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 5.0, 5),
        ({"items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}, [1.0, 2.0], [1, 2]),
        ({"prefixItems": [{"type": "integer"}], "items": {"type": "number"}}, [1.0, 2.0], [1, 2.0]),
        ({"additionalProperties": {"type": "integer"}}, {"a": 1.0}, {"a": 1}),
        ({"properties": {"a": {"type": "object"}}}, {"a": {"b": 1.0}, "c": 1.0}, {"a": {"b": 1.0}, "c": 1.0}),
        ({"$ref": "#"}, {"a": 1.0}, {"a": 1.0}),
        (True, {"a": 1.0}, {"a": 1.0}),
        ({"properties": 3, "items": 3, "anyOf": 3, "$ref": 3, "type": 3}, {"a": [1.0]}, {"a": [1.0]}),
    ],
)
def test_whole_floats_become_integers_where_the_schema_says_so(schema, value, expected):
    assert repr(narrow(value, schema)) == repr(expected)


def test_a_struct_holds_doubles():
    value = {"a": [2**53 + 1, 5.0, 0.1, True, None, "x", 10**22, 10**400]}
    assert repr(struct_value(value)) == repr({"a": [2**53, 5, 0.1, True, None, "x", 1e22, 10**400]})
    assert exact({"a": 2**53}) and not exact({"a": 2**53 + 1})
