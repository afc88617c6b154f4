"""A child that speaks the protocol well, but for one step: ``python misbehaving_child.py LIE [METHOD]``.

Each function in `LIES` is one way to answer wrongly; its docstring tells the way. Nothing is imported from the harness,
so that the two ends cannot agree on a mistake.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

TURN = {"text": "hello", "stop": "end"}
RESULTS: dict[str, Any] = {
    "initialize": {
        "protocol": 1,
        "adapter": {
            "name": "misbehaving",
            "language": "python",
            "kind": "translator",
            "providers": {"openai-chat": ["blocking", "streaming"]},
        },
    },
    "build_request": {"method": "POST", "url": "https://example.invalid/", "headers": {}, "body": {"base64": "e30="}},
    "parse_response": TURN,
    "parse_stream": TURN,
    "complete": TURN,
    "run": {"text": "done"},
    "shutdown": None,
}


def write(text: str | bytes) -> None:
    """Write to standard output, as it is."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    while data:
        data = data[os.write(1, data) :]


def answered(number: Any, result: Any) -> str:
    """The line of a good answer."""
    return json.dumps({"jsonrpc": "2.0", "id": number, "result": result}) + "\n"


def message(**fields: Any) -> str:
    """The line of any message."""
    return json.dumps({"jsonrpc": "2.0", **fields}) + "\n"


def good(number: int, result: Any) -> None:
    """Does nothing wrong."""
    write(answered(number, result))


def silent(number: int, result: Any) -> None:
    """Says nothing."""
    time.sleep(60)


def stubborn(number: int, result: Any) -> None:
    """Says nothing, wants no signals, and has started another process that does not either."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    sys.stderr.write("still here\n")
    sys.stderr.flush()
    time.sleep(60)


def exits(number: int, result: Any) -> None:
    """Ends in the middle of its work."""
    sys.stderr.write("about to exit\n")
    sys.exit(7)


def dies(number: int, result: Any) -> None:
    """Is killed."""
    os.kill(os.getpid(), signal.SIGKILL)


def leaves_a_process(number: int, result: Any) -> None:
    """Ends, but what it started keeps its pipes open."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    os._exit(3)


def garbage(number: int, result: Any) -> None:
    """Writes what is no JSON."""
    write("Traceback (most recent call last):\n")


def not_a_number(number: int, result: Any) -> None:
    """Writes a token that many languages take for JSON."""
    write(f'{{"jsonrpc":"2.0","id":{number},"result":{{"text":NaN}}}}\n')


def deep(number: int, result: Any) -> None:
    """Nests without end."""
    write("[" * 200_000 + "\n")


def half_and_exits(number: int, result: Any) -> None:
    """Writes half a line and ends."""
    write(answered(number, result)[:20])
    os._exit(0)


def half_and_silent(number: int, result: Any) -> None:
    """Writes half a line and no more."""
    write(answered(number, result)[:20])
    time.sleep(60)


def not_utf8(number: int, result: Any) -> None:
    """Writes Latin-1."""
    write(f'{{"jsonrpc":"2.0","id":{number},"result":"caf'.encode() + b'\xe9"}\n')


def gigantic(number: int, result: Any) -> None:
    """Writes a line that never ends."""
    while True:
        write(b"x" * 65536)


def empty_line(number: int, result: Any) -> None:
    """Writes an empty line first."""
    write("\n" + answered(number, result))


def not_a_message(number: int, result: Any) -> None:
    """Writes a JSON document that is no message."""
    write("[1, 2]\n")


def old_version(number: int, result: Any) -> None:
    """Speaks JSON-RPC 1.0."""
    write(json.dumps({"id": number, "result": result}) + "\n")


def wrong_id(number: int, result: Any) -> None:
    """Answers a request that nobody made."""
    write(answered(number + 40, result))


def text_id(number: int, result: Any) -> None:
    """Makes text of the id."""
    write(answered(str(number), result))


def no_id(number: int, result: Any) -> None:
    """Forgets the id."""
    write(message(result=result))


def twice(number: int, result: Any) -> None:
    """Answers twice at once."""
    write(answered(number, result) * 2)


def twice_later(number: int, result: Any) -> None:
    """Answers again after a while."""
    write(answered(number, result))
    time.sleep(0.05)
    write(answered(number, result))


def prints_before(number: int, result: Any) -> None:
    """Prints to standard output before its answer."""
    print("thinking", flush=True)
    time.sleep(0.05)
    write(answered(number, result))


def prints_after(number: int, result: Any) -> None:
    """Prints to standard output after its answer."""
    write(answered(number, result) + "done\n")


def notifies(number: int, result: Any) -> None:
    """Sends a notification."""
    write(message(method="log", params={"level": "info"}))


def closes(number: int, result: Any) -> None:
    """Closes its standard output and stays."""
    os.close(1)
    time.sleep(60)


def neither(number: int, result: Any) -> None:
    """Answers with neither result nor error."""
    write(message(id=number))


def both(number: int, result: Any) -> None:
    """Answers with both result and error."""
    write(message(id=number, result=result, error={"code": -32000, "message": "no"}))


def error(number: int, result: Any) -> None:
    """Answers with an error, as it should when it fails."""
    write(message(id=number, error={"code": -32000, "message": "ValueError: no such luck", "data": {"detail": "at 5"}}))


def no_method(number: int, result: Any) -> None:
    """Has no such method."""
    write(message(id=number, error={"code": -32601, "message": "unknown"}))


def wordless_error(number: int, result: Any) -> None:
    """Answers with an error that says nothing."""
    write(message(id=number, error={"code": -32000}))


def null_result(number: int, result: Any) -> None:
    """Forgets to return."""
    write(answered(number, None))


def wrong_result(number: int, result: Any) -> None:
    """Answers with a result of another form."""
    write(answered(number, {"txet": "hello"}))


def floods_stderr(number: int, result: Any) -> None:
    """Writes a lot to standard error, which is nobody's business."""
    for _ in range(40):
        os.write(2, b"warning: deprecated\n" * 2000)
    write(answered(number, result))


def floods_for_ever(number: int, result: Any) -> None:
    """Writes to standard error and never stops."""
    while True:
        os.write(2, b"warning: deprecated\n" * 2000)


def drips(number: int, result: Any) -> None:
    """Writes its answer so slowly that it never comes."""
    while True:
        write(b" ")
        time.sleep(0.01)


LIES: dict[str, Callable[[int, Any], None]] = {
    function.__name__: function
    for function in (
        good, silent, stubborn, exits, dies, leaves_a_process, garbage, not_a_number, deep, half_and_exits,
        half_and_silent, not_utf8, gigantic, empty_line, not_a_message, old_version, wrong_id, text_id, no_id, twice,
        twice_later, prints_before, prints_after, notifies, closes, neither, both, error, no_method, wordless_error,
        null_result, wrong_result, floods_stderr, floods_for_ever, drips,
    )
}  # fmt: skip


def main() -> None:
    lie, at, *rest = [*sys.argv[1:], "initialize"] if len(sys.argv) == 2 else sys.argv[1:]
    changed: dict[str, Any] = json.loads(rest[0]) if rest else {}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        method = request["method"]
        result = changed.get(method, RESULTS.get(method))
        (LIES[lie] if method == at else good)(request["id"], result)
        if method == "shutdown":
            return


if __name__ == "__main__":
    main()
