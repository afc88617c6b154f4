"""Children that speak the protocol alone, and are told of streams as they happen: a translator and a client.

They are written by hand, as one in another language would be. The first argument says which, the second what it does
wrongly.
"""

from __future__ import annotations

import json
import sys
import threading
import urllib.request
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

KIND, *WRONG = sys.argv[1:]
CAPABILITIES = ["blocking", "streaming", "parallel_calls", "parallel_switch", "tool_choice", "json_results"]
INFO = {"name": KIND, "language": "by-hand", "kind": KIND, "providers": {"ollama": CAPABILITIES}, "tells": True}
MORE = {"translator": {"streams": True}, "client": {"ways": ["beside"]}}


class Reader:
    """Puts the lines of a stream together. What a chunk brings is news at once."""

    def __init__(self) -> None:
        self.rest, self.text, self.calls, self.done = b"", "", list[Any](), False

    def feed(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """Take a chunk."""
        *lines, self.rest = (self.rest + chunk).split(b"\n")
        for line in filter(None, lines):
            said = json.loads(line)
            self.done, message = said["done"], said["message"]
            if message.get("content"):
                self.text += message["content"]
                yield {"kind": "text", "text": message["content"]}
            for call in message.get("tool_calls") or ():
                yield {"kind": "call", "text": call["function"]["name"], "call": len(self.calls)}
                self.calls.append(call["function"])

    def turn(self) -> dict[str, Any]:
        """What came of it."""
        calls = [{"id": f"c{place}", "name": call["name"], "arguments": call["arguments"]}
                 for place, call in enumerate(self.calls)]  # fmt: skip
        stop = ("tool_calls" if calls else "end") if self.done else "incomplete"
        return {"text": self.text, "calls": calls, "stop": stop}


READERS: dict[int, Reader] = {}
HELD: list[dict[str, Any]] = []


def write(message: dict[str, Any]) -> None:
    """Write a line."""
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def body_of(talk: dict[str, Any], *, stream: bool) -> bytes:
    """A request that is good enough to be answered."""
    words = [turn["text"] for turn in talk["turns"] if turn["type"] == "user"]
    messages = [{"role": "user", "content": text} for text in words]
    return json.dumps({"model": talk["model"], "messages": messages, "stream": stream}).encode()


def answered(endpoint: dict[str, str], talk: dict[str, Any], *, stream: bool = True) -> Any:
    """The response to a model call."""
    headers = {"content-type": "application/json"}
    asked = urllib.request.Request(f"{endpoint['url']}/api/chat", body_of(talk, stream=stream), headers)
    return urllib.request.urlopen(asked)


def completed(params: dict[str, Any]) -> dict[str, Any]:
    """The turn of a call; with another one beside it, both at once."""
    reader = Reader()
    beside = params.get("other")
    thread = threading.Thread(target=read, args=(params["endpoint"], (beside or params)["conversation"], Reader()))
    if beside:
        thread.start()
    read(params["endpoint"], params["conversation"], READERS.setdefault(0, reader) if "mixes" in WRONG else reader)
    if beside:
        thread.join()
    return reader.turn()


def read(endpoint: dict[str, str], talk: dict[str, Any], reader: Reader) -> None:
    """Read a streamed answer."""
    with answered(endpoint, talk) as response:
        for line in response:
            list(reader.feed(line))


def tell(params: dict[str, Any]) -> None:
    """Tell the news of a call, until nobody wants more."""
    reader, number = Reader(), 0
    with answered(params["endpoint"], params["conversation"]) as response:
        lines = list(response) if "buffers" in WRONG else response
        for line in lines:
            for news in reader.feed(line):
                number += 1
                write({"id": f"t{number}", "method": "tell", "params": news})
                if not json.loads(sys.stdin.readline())["result"]["more"] and "goes on" not in WRONG:
                    return
    write({"id": "end", "method": "tell", "params": {"kind": "end", "text": reader.turn()["stop"]}})
    sys.stdin.readline()


def result_of(method: str, params: dict[str, Any]) -> Any:
    """The result of a request."""
    match method:
        case "initialize":
            return {"protocol": 1, "adapter": {**INFO, **MORE[KIND]}}
        case "build_request":
            body = body_of(params["conversation"], stream=params["stream"])
            return {"method": "POST", "url": "http://localhost:11434/api/chat",
                    "headers": {"content-type": "application/json"}, "body": {"base64": _base64(body)}}  # fmt: skip
        case "parse_stream":
            reader = Reader()
            list(reader.feed(b"".join(map(b64decode, params["chunks"]))))
            return reader.turn()
        case "open_stream":
            READERS[params["stream"]] = READERS[0] if "mixes" in WRONG and 0 in READERS else Reader()
        case "feed":
            news = list(READERS[params["stream"]].feed(b64decode(params["chunk"])))
            if "buffers" in WRONG:
                HELD.extend(news)
                news = []
            return {"news": news}
        case "end_stream":
            turn = READERS[params["stream"]].turn()
            held, HELD[:] = [*HELD], []
            return {"turn": turn, "news": [*held, {"kind": "end", "text": turn["stop"]}]}
        case "complete" if params["stream"]:
            return completed(params)
        case "stream_news":
            tell(params)
    return None


def _base64(data: bytes) -> str:
    from base64 import b64encode

    return b64encode(data).decode()


for asked in iter(sys.stdin.readline, ""):
    request = json.loads(asked)
    write({"id": request["id"], "result": result_of(request["method"], request["params"])})
