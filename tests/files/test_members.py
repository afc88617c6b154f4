"""A large JSON file, one member of which stays on disk, says what JSON says."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conformance.files import members
from conformance.files.members import ItemsOnDisk, read_members

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def as_it_is(key: str, item: Any) -> tuple[str, Any]:
    return key, item


@settings(max_examples=60, deadline=None)
@given(
    head=st.dictionaries(st.text(max_size=5).filter("large".__ne__), VALUES, max_size=3),
    large=st.dictionaries(st.text(), VALUES, max_size=5),
    indent=st.sampled_from([None, 1]),
    window=st.integers(1, 40),
    ascii_=st.booleans(),
)
def test_it_is_what_json_reads(
    tmp_path_factory: pytest.TempPathFactory, head: Any, large: Any, indent: Any, window: int, ascii_: bool
) -> None:
    """Whatever the window cuts."""
    document = {**head, "large": large, "last": 12}
    path = tmp_path_factory.mktemp("members") / "x.json"
    path.write_bytes(json.dumps(document, indent=indent, ensure_ascii=ascii_).encode("utf-8", "replace"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(members, "WINDOW", window)
        read = read_members(path, "large", as_it_is)
    assert isinstance(read["large"], ItemsOnDisk)
    assert {**read, "large": dict(read["large"])} == json.loads(path.read_bytes())


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a":1', '{"a":1}}', '{"large":{"a":1}', '{"large":{"a":}}', '{"large":{1:2}}', '{"a" 1}',
     '{"a":1 "b":2}', "\xff"],
)
def test_what_is_no_object_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError):
        read_members(path, "large", as_it_is)


@pytest.mark.parametrize("number", ["10.0", "-1", "1e5", "1.5E+3", "120"])
def test_a_number_that_the_window_cuts_is_whole(tmp_path: Path, number: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_text(f'{{"large": {{"a": {number}}}, "b": {number}}}', "utf-8")
    for window in range(1, 30):
        monkeypatch.setattr(members, "WINDOW", window)
        read = read_members(path, "large", as_it_is)
        assert (read["b"], read["large"]["a"]) == (json.loads(number), json.loads(number))


def test_the_last_of_two_counts_and_what_is_kept_may_be_something_else(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"large": {"a": 1, "b": 2, "a": 3}}', "utf-8")
    kept = read_members(path, "large", lambda key, item: (key.upper(), [item]))["large"]
    assert dict(kept) == {"A": [3], "B": [2]} and len(kept) == 2 and "a" not in kept


def test_a_pipe_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=('{"large": {"a": 1}}',))
    writer.start()
    assert dict(read_members(path, "large", as_it_is)["large"]) == {"a": 1}
    writer.join()
