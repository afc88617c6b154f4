"""The protocol's document and schema say what really happens."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import transcript
from test_stdio_values import conforms

from conformance.adapters.stdio.lines import error_line
from conformance.schemas import problems, schema


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Any, Any]]:
    """Each request of a real conversation, with its answer."""
    folder = tmp_path_factory.mktemp("adapter")
    return [(json.loads(asked), json.loads(answered)) for asked, answered in transcript.lines(str(folder))]


def test_the_transcript_is_real() -> None:
    assert transcript.documented() == transcript.transcript(), "run python tests/stdio/transcript.py"


def test_every_message_is_as_the_schema_says(lines: list[tuple[Any, Any]]) -> None:
    for asked, answered in lines:
        assert list(problems("stdio", asked)) == []
        assert list(problems("stdio", answered)) == []
        assert conforms("request", asked)
        if "result" in answered:
            assert conforms(f"{asked['method']}_result", answered["result"]), answered
        else:
            assert conforms("error", answered)
    assert [asked["method"] for asked, _ in lines] == [
        "initialize", "build_request", "parse_response", "parse_stream", "complete", "shutdown"
    ]  # fmt: skip


def test_the_schema_is_valid_and_closed() -> None:
    document = schema("stdio")
    jsonschema_rs.meta.validate(document)
    assert not conforms("request", {"jsonrpc": "2.0", "id": 1, "method": "translate", "params": {}})
    assert not conforms("request", {"jsonrpc": "2.0", "id": 1, "method": "shutdown", "params": {"now": True}})
    assert conforms("error", json.loads(error_line(1, -32000, "no", "why")))
    used = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(document)))
    results = {name for name in document["$defs"] if name.endswith("_result")}
    assert document["$defs"].keys() == used | results


def test_every_definition_is_documented() -> None:
    text = (Path(transcript.DOCUMENT)).read_text("utf-8")
    for name in schema("stdio")["$defs"]:
        method = name.removesuffix("_params")
        if method != name:
            assert f"`{method}`" in text
