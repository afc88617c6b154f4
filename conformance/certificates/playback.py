"""An adapter that is a transcript: it answers what it is asked as the subject did, and says where it was not asked.

Started as ``python -m conformance.certificates.playback FILE``. It speaks the stdio protocol. A request is looked up by
what it says: instances, endpoints, and the numbers of objects that a child keeps, count for nothing.
"""

from __future__ import annotations

import json
import signal
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

MISSING = -32001
UNSEEN = "the transcript does not hold this: it was recorded with another suite"
COUNTED = ("instance", "endpoint")
"""What of a request may be another each time."""
CRASHES = ("CrashError", "GarbageError")


def key_of(method: str, params: Any) -> str:
    """What is the same whenever the same is asked."""
    if isinstance(params, dict):
        params = {name: value for name, value in params.items() if name not in COUNTED}
    return f"{method} {json.dumps(_without_numbers(params), sort_keys=True)}"


def _without_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: 0 if name == "held" else _without_numbers(item) for name, item in value.items()}
    return [_without_numbers(item) for item in value] if isinstance(value, list) else value


class Transcript:
    """What was said, by what was asked."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.hello: Any = None
        self._kept: dict[str, list[Any]] = defaultdict(list)
        for line in lines:
            entry = json.loads(line)
            if entry["method"] == "initialize":
                self.hello = entry["said"][0]["result"]
            else:
                self._kept[key_of(entry["method"], entry["params"])].append(entry)

    def taken(self, method: str, params: Any) -> list[Any]:
        """What was said to a request: each time that it was made, the time that was played least first."""
        found = self._kept.get(key_of(method, params), [])
        if found:
            found.append(found.pop(0))
        return found[-1:] + found[:-1]


def main(path: Path) -> None:
    """Answer requests until there are no more."""
    signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    with path.open(encoding="ascii") as file:
        transcript = Transcript(file)
    last: Any = None
    for line in sys.stdin:
        asked = json.loads(line)
        number, method, params = asked["id"], asked["method"], asked["params"]
        if params.get("conversation") == "again":
            params["conversation"] = last
        last = params.get("conversation", last)
        if method == "initialize":
            _say({"jsonrpc": "2.0", "id": number, "result": _introduction(transcript.hello)})
        elif method in ("rest", "shutdown"):
            _say({"jsonrpc": "2.0", "id": number, "result": None})
            if method == "shutdown":
                return
        else:
            _answer(number, transcript.taken(method, params))


def _introduction(hello: Any) -> Any:
    """What the subject said of itself, without what needs it to be there."""
    told = hello["adapter"]
    return hello if told.get("ours") else {**hello, "adapter": {**told, "streams": False, "tells": False, "ways": []}}


def _answer(number: int, times: list[Any]) -> None:
    """Say what the subject said. What it asks meanwhile must be answered as it was then."""
    place = 0
    while times:
        said = times[0]["said"]
        if place >= len(said):
            if times[0].get("lost") in CRASHES:
                sys.exit(1)
            break
        message = said[place]
        if not isinstance(message, dict):
            break
        if "method" not in message:
            _say({**message, "id": number})
            return
        _say(message)
        heard = json.loads(sys.stdin.readline() or "{}")
        begun = [*said[: place + 1], {**heard, "id": 0}]
        times = [one for one in times if one["said"][: place + 2] == begun]
        place += 2
    obstacle = {"kind": "misfit", "error": UNSEEN}
    error = {"code": MISSING, "message": UNSEEN, "data": {"obstacle": obstacle}}
    _say({"jsonrpc": "2.0", "id": number, "error": error})


def _say(message: Any) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
