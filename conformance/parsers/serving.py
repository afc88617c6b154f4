"""The child's part: a parser in Python, served over the stdio protocol. Standard library only.

It runs in the parser's own interpreter, where nothing of ours is installed: ``python serving.py ADDRESS GRAMMAR``. An
address is ``package.module:Class`` or ``./file.py:Class``. For each play a new parser is made.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

PROTOCOL_VERSION = 1


def load(address: str) -> Any:
    """The class, or whatever makes a parser."""
    module_name, _, attribute = address.rpartition(":")
    sys.path.insert(0, str(Path.cwd()))
    if module_name.endswith(".py"):
        path = Path(module_name)
        spec = importlib.util.spec_from_file_location(f"parser_in_{path.stem}", path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} cannot be imported")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(module_name)
    target: Any = module
    for name in attribute.split("."):
        target = getattr(target, name)
    return target


class PlayServer:
    """Plays texts to the parsers that ``make`` makes."""

    def __init__(self, make: Any, grammar: str) -> None:
        self._make, self._grammar = make, grammar
        self._with_grammar = _places(make) > 1

    def initialize(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Who the parser is, and what it has."""
        info = dict(getattr(self._make, "info", None) or {})
        has = {"stream": "feed", "whole": "parse", "tokens": "encode"}
        return {
            "protocol": PROTOCOL_VERSION,
            "name": str(info.get("name", getattr(self._make, "__name__", "parser"))),
            "version": str(info.get("version", "")),
            "can": [can for can, method in has.items() if hasattr(self._make, method)],
            "thinking": bool(getattr(self._make, "thinking", False)),
        }

    def play(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """TextPlay one text in several ways."""
        tools, pieces = params["tools"], params["pieces"]
        units, widths = self._units(tools, pieces)
        plays = [self._play(tools, units, one) for one in params["plays"]]
        return {"units": len(units), "widths": widths, "plays": plays}

    def _units(self, tools: Any, pieces: Sequence[Any]) -> tuple[list[Any], list[int]]:
        """What the parser takes, as it can be cut: characters and special tokens, or tokens; and where each ends."""
        if not hasattr(self._make, "encode"):
            units = text_units(pieces)
            return units, [sum(map(len, units[: place + 1])) for place in range(len(units))]
        parser = self._parser(tools)
        tokens: list[Any] = []
        widths: list[int] = []
        length = 0
        for text, special in pieces:
            mine = parser.encode(text, special)
            for place in range(1, len(mine) + 1):
                part = len(parser.decode(mine[:place]))
                widths.append(length + (len(text) if place == len(mine) else min(part, len(text))))
            tokens += mine
            length += len(text)
        return tokens, widths

    def _joined(self, units: list[Any]) -> Any:
        return units if hasattr(self._make, "encode") else "".join(units)

    def _parser(self, tools: Any) -> Any:
        return self._make(tools, self._grammar) if self._with_grammar else self._make(tools)

    def _play(self, tools: Any, units: Any, play: Mapping[str, Any]) -> dict[str, Any]:
        end = len(units) if play.get("upto") is None else play["upto"]
        cuts = range(1, end) if play.get("each") else [cut for cut in play.get("cuts", ()) if cut < end]
        news: list[Any] = []
        try:
            parser = self._parser(tools)
            if play.get("whole"):
                return {"news": [list(parser.parse(self._joined(units[:end])))]}
            for start, stop in zip([0, *cuts], [*cuts, end], strict=True):
                news.append(list(parser.feed(self._joined(units[start:stop]))))
            news.append(list(parser.end()) if hasattr(parser, "end") else [])
        except Exception as problem:
            return {"news": news, "error": f"{type(problem).__name__}: {problem}"[:500]}
        return {"news": news}


def text_units(pieces: Sequence[Any]) -> list[str]:
    """Text as it can be cut: a special token is one, as it comes from a model; of other text each character."""
    return [unit for text, special in pieces for unit in ([text] if special else text)]


def _places(make: Any) -> int:
    try:
        parameters = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):
        return 1
    return sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)


def answers(server: PlayServer, method: str, params: Mapping[str, Any]) -> Any:
    """The result of a request."""
    known: dict[str, Callable[[Mapping[str, Any]], Any]] = {"initialize": server.initialize, "play": server.play}
    return known[method](params) if method in known else None


def main(arguments: Sequence[str]) -> int:
    """Answer the requests on standard input, line by line."""
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what the parser prints is no answer
    problem = ""
    try:
        server = PlayServer(load(arguments[0]), arguments[1])
    except Exception as error:
        problem = f"{arguments[0]}: {type(error).__name__}: {error}"
    for line in sys.stdin:
        message = json.loads(line)
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            if problem:
                raise RuntimeError(problem)
            answer["result"] = answers(server, message["method"], message.get("params") or {})
            text = json.dumps(answer)
        except Exception as error:
            answer.pop("result", None)
            text = json.dumps({**answer, "error": {"code": -32000, "message": str(error)[:500]}})
        out.write(text + "\n")
        out.flush()
        if message["method"] == "shutdown":
            break
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
