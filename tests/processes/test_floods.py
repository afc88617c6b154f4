"""What an adapter prints or sends has bounds, in memory and on the disk: the harness pays for none of it."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import time
from pathlib import Path

import pytest
from marked import PATIENCE, POLLED, Marked

from conformance.adapters.endpoint import MAX_REQUESTS, Endpoint
from conformance.adapters.loopback import Loopback
from conformance.adapters.served import HttpAnswer
from conformance.adapters.stdio.mishaps import GarbageError, WrongFormError
from conformance.adapters.stdio.pipes import _only_line
from conformance.engine.evidence import bounded, shown_request
from conformance.http import MAX_BODY, MAX_HEAD, MAX_VALUES, Request
from conformance.masking.door import Mask
from conformance.model import Json

MEGABYTE = 1 << 20
MOST = 200 * MEGABYTE
"""How much memory a process of the harness may take at most: four times what it takes for well-behaved adapters."""
MOST_WRITTEN = 5 * MEGABYTE


def peak(pid: int) -> int:
    """The most memory that a process has had, or 0 for one of the adapter's."""
    with contextlib.suppress(OSError, AttributeError, TypeError):
        if b"stdio.serve" not in Path(f"/proc/{pid}/cmdline").read_bytes():
            return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) * 1024
    return 0


FLOODS = {
    "Prints": 200 * MEGABYTE, "SendsMuch": 200 * MEGABYTE, "SendsMany": 50 * MEGABYTE, "SendsManyMembers": 5 * MEGABYTE,
    "LongAddress": 50 * MEGABYTE, "ManyHeaders": 10 * MEGABYTE, "Raises": 100 * MEGABYTE, "RaisesInARow": 50 * MEGABYTE,
    "LongName": 50 * MEGABYTE, "Understands": 10 * MEGABYTE, "Calls": 20 * MEGABYTE, "CallsInPieces": 100 * MEGABYTE,
    "CallsThroughTheTransport": 20 * MEGABYTE, "Runs": 20 * MEGABYTE,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is looked up in /proc")
@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_is_an_outcome_of_the_adapter_and_costs_little(tmp_path: Path, name: str) -> None:
    words = ["run", f"python:flooding:{name}", "--provider", "openai-chat", "--scenario", "shell.success", "-j", "1"]
    most = 0
    words += ["--generated", "none", "--delivery", "blocking", "--out", "result.json", "--timeout", "50"]
    with Marked(words, tmp_path, FLOOD=str(FLOODS[name])) as command:
        until = time.monotonic() + PATIENCE
        while command.process.poll() is None:
            assert time.monotonic() < until
            most = max([most, *map(peak, command.alive())])
            time.sleep(POLLED)
        assert command.ends() == {"Prints": 0, "LongName": 2}.get(name, 1), command.said()
        assert "conformance/" not in command.said().partition("Traceback")[2], "a traceback of ours"
        assert len(command.said()) < 10_000
        assert command.left() == []
    assert 0 < most < MOST
    assert name == "LongName" or (tmp_path / "result.json").stat().st_size < MOST_WRITTEN


# --- the bounds, one by one ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "request_",
    [
        Request("POST", "https://x/", {}, b"x" * (MAX_BODY + 1)),
        Request("POST", "https://x/", {}, b"[" + b"0," * MAX_VALUES + b"0]"),
        Request("POST", "https://x/", {}, b"[" * (MAX_VALUES + 1)),
        Request("POST", "https://x/" + "x" * MAX_HEAD),
        Request("POST", "https://x/", {"x" * MAX_HEAD: ""}),
        Request("POST", "https://x/", {"x": "x" * MAX_HEAD}),
        Request("POST", "https://x/", {str(number): "" for number in range(MAX_HEAD)}),
    ],
    ids=range(7),
)
def test_a_request_may_be_too_much(request_: Request) -> None:
    assert "more than" in request_.excess
    assert len(json.dumps(shown_request(request_, Mask()))) < MEGABYTE


def test_a_large_request_may_be_none_too_much() -> None:
    assert Request("POST", "https://x/", {}, b'{"text":"' + b"x" * (MAX_BODY - 100) + b'"}').excess == ""
    assert Request("POST", "https://x/", {}, b"[" + b"0," * (MAX_VALUES // 2) + b"0]").excess == ""


def test_a_line_of_too_many_values_is_garbage() -> None:
    with pytest.raises(GarbageError, match="values"):
        _only_line([b"[" + b"0," * MAX_VALUES + b"0]\n"])


def test_words_of_a_child_are_short_in_an_error() -> None:
    assert len(str(WrongFormError("/x" * MEGABYTE, "y" * MEGABYTE))) < 1100


def wide(depth: int, breadth: int) -> Json:
    """A document that is wide at each depth."""
    return {f"{number}": wide(depth - 1, breadth) for number in range(breadth)} if depth else "x"


def nested(depth: int) -> Json:
    """A document that is deep."""
    value: Json = 0
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [
        [[]] * MEGABYTE, {str(number): number for number in range(300_000)}, {"x" * MEGABYTE: 1}, ["x" * 6000] * 5000,
        wide(4, 25), nested(900), 10**5000, [10**5000] * 1000, ["x" * MEGABYTE] * 3, [{"a": ["b"] * 1000}] * 1000,
    ],
    ids=range(10),
)  # fmt: skip
def test_evidence_is_bounded(value: Json) -> None:
    assert len(json.dumps(bounded(value))) < MEGABYTE


def test_evidence_of_usual_size_is_whole() -> None:
    names: Json = {str(number): number for number in range(900)}
    value: Json = {"a": [1, 2.5, None, True, "x" * 5000, {"b": list(range(5000))}], "c": names}
    assert bounded(value) == value


def test_what_is_left_out_is_told() -> None:
    shown = bounded(list(range(100_000)))
    assert isinstance(shown, list)
    assert str(shown[-1]).endswith(" more")


# --- calls over a socket ---------------------------------------------------------------------------------------------


def calls(loopback: Loopback, body: bytes, headers: dict[str, str]) -> int:
    """The status of one call."""
    line = http.client.HTTPConnection("127.0.0.1", int(loopback.origin.rpartition(":")[2]), timeout=20)
    line.putrequest("POST", "/v1/chat/completions")
    for name, value in headers.items():
        line.putheader(name, value)
    line.endheaders()
    with contextlib.suppress(ConnectionError):
        line.send(body)
    try:
        return line.getresponse().status
    except ConnectionError:
        return 413  # the answer was lost with the connection
    finally:
        line.close()


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (b"", {"content-length": str(MAX_BODY + 1)}),
        (b"", {"content-length": "-1"}),
        (b"", {"content-length": "9" * 5000}),
        (b"", {"content-length": "many"}),
        (b"ffffffffffff\r\n", {"transfer-encoding": "chunked"}),
        (b"-5\r\n", {"transfer-encoding": "chunked"}),
        (b"xyz\r\n", {"transfer-encoding": "chunked"}),
        (b"100000\r\n%b\r\n" % (b"x" * 0x100000) * 9, {"transfer-encoding": "chunked"}),
    ],
    ids=range(8),
)
def test_a_body_that_is_too_large_is_not_taken(body: bytes, headers: dict[str, str]) -> None:
    loopback, served = Loopback(), []
    loopback.serve = lambda request: served.append(request) or HttpAnswer(200, {}, (b"",))  # type: ignore[func-returns-value]
    assert calls(loopback, body, headers) == 413
    assert not served


def test_who_calls_again_and_again_has_had_enough() -> None:
    endpoint = Endpoint("openai-chat", lambda request: HttpAnswer(200, {}, (b"{}",)))
    sent = Request("POST", f"{endpoint.base_url}/chat/completions", {}, b"{}")
    said = [endpoint.answer(sent).status for _ in range(2 * MAX_REQUESTS)]
    assert said == [200] * MAX_REQUESTS + [429] * MAX_REQUESTS
    large = Endpoint("openai-chat", lambda request: HttpAnswer(200, {}, (b"{}",)))
    assert large.answer(Request("POST", sent.url, {}, b"x" * (MAX_BODY + 1))).status == 413
    said = [large.answer(Request("POST", sent.url, {}, b"x" * MAX_BODY)).status for _ in range(6)]
    assert said == [200] * 4 + [429] * 2
