"""Programs in JavaScript: modules for Node."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from string import Template
from typing import Any

from conformance.adapters.served import HttpAnswer
from conformance.report.script.language import (
    WIDTH,
    Construction,
    Source,
    is_lost,
    kept_headers,
    laid_out,
    pieces,
)

UNIT = "  "
IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

PROVIDER = """\
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  if (!request.url.includes("$path")) return response.writeHead(404).end();
  console.log(`--> ${request.method} ${request.url}\\n${body}\\n`);
  const [status, headers, chunks] = ANSWERS.length > 1 ? ANSWERS.shift() : ANSWERS[0];
  response.writeHead(status, headers);
$sending
  response.end();
});
await new Promise((started) => server.listen(0, "127.0.0.1", started));
const BASE_URL = `http://127.0.0.1:${server.address().port}`;"""

WHOLE = "  for (const chunk of chunks) response.write(chunk);"
LOST = """\
  for (const chunk of chunks) {
    if (chunk === LOST) return response.socket.end();
    response.write(chunk);
  }"""


class JavaScript:
    """See `Language`."""

    comment = "// "
    imports = ('import { createServer } from "node:http";',)
    imports_to_show = ('import { inspect } from "node:util";',)
    end = ("server.close();",)

    def imported(self, lines: Iterable[str]) -> str:
        own = {line for line in lines if '"node:' in line}
        groups = (sorted(group, key=_order) for group in (own, set(lines) - own))
        return "\n\n".join("\n".join(group) for group in groups if group)

    def provider(self, answers: Sequence[HttpAnswer], path: str) -> str:
        return Template(PROVIDER).safe_substitute(path=path, sending=LOST if is_lost(answers) else WHOLE)

    def answers(self, answers: Sequence[HttpAnswer], *, dense: bool) -> str:
        lines = ["const LOST = null; // no end: the connection is lost"] if is_lost(answers) else []
        lines.append("const ANSWERS = [")
        for answer in answers:
            lines.append(f"{UNIT}[{answer.status}, {_inline(kept_headers(answer))}, [")
            for chunk in filter(None, answer.chunks):
                lines.append(f"{UNIT * 2}{_chunk(chunk, dense=dense)},")
            lines += [f"{UNIT * 2}LOST,"] if answer.lost else []
            lines.append(f"{UNIT}]],")
        return "\n".join([*lines, "];"])

    def literal(self, value: Any, depth: int = 0, used: int = 0) -> str:
        """``value`` as JavaScript."""
        text, room = _inline(value), WIDTH - len(UNIT) * depth - used
        if len(text) <= room:
            return text
        match value:
            case bytes():
                return _bytes(value, lambda held: self.literal(held, depth, used))
            case str():
                return f" +\n{UNIT * (depth + 1)}".join(pieces(value, room - len(UNIT) - 2, _quoted))
            case dict():
                items = (_property(key, self._item(key, item, depth)) for key, item in value.items())
                return laid_out("{", items, "}", depth, UNIT)
            case [dict() | list() | Construction() as only]:
                return f"[{self.literal(only, depth, used + 2)}]"
            case list() | tuple():
                return laid_out("[", (self._item("", item, depth) for item in value), "]", depth, UNIT)
            case Construction(constructor, arguments, options):
                given = [*arguments, *([dict(options)] if options else [])]
                return (
                    f"{constructor}({', '.join(self._argument(item, depth, len(constructor) + 2) for item in given)})"
                )
        return text

    def _argument(self, value: Any, depth: int, used: int) -> str:
        """What stands in parentheses; what has an item a line begins and ends beside them."""
        return self.literal(value, depth, WIDTH if isinstance(value, dict | list | Construction) else used)

    def _item(self, key: str, value: Any, depth: int) -> str:
        return self.literal(value, depth + 1, len(key) + 5)

    def assigned(self, name: str, value: Any) -> str:
        return f"const {name} = {self.literal(value, used=len(name) + 10)};"

    def call(self, value: Any) -> str:
        return f"{self.literal(value)};"

    def shown(self, name: str) -> str:
        return f'console.log("<--", inspect({name}, {{ depth: null }}));'


def _chunk(chunk: bytes, *, dense: bool) -> str:
    """A chunk, in as many lines as it needs."""

    def written(text: str) -> str:
        return f" +\n{UNIT * 2}".join(pieces(text, WIDTH - 2 * len(UNIT) - 2, _quoted, dense=dense))

    return _bytes(chunk, written)


def _inline(value: Any) -> str:
    """``value`` in one line."""
    match value:
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case bytes():
            return _bytes(value, _quoted)
        case str():
            return _quoted(value)
        case dict():
            items = ", ".join(_property(key, _inline(item)) for key, item in value.items())
            return f"{{ {items} }}" if items else "{}"
        case list() | tuple():
            return "[" + ", ".join(map(_inline, value)) + "]"
        case Source(text):
            return text
        case Construction(constructor, arguments, options):
            given = [*arguments, *([dict(options)] if options else [])]
            return f"{constructor}({', '.join(map(_inline, given))})"
    return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(repr(value), repr(value))


def _bytes(value: bytes, written: Callable[[str], str]) -> str:
    """Bytes: as text where they are some, since Node writes it as UTF-8."""
    try:
        return written(value.decode())
    except UnicodeDecodeError:
        return _buffer(value, written)


def _buffer(value: bytes, written: Callable[[str], str]) -> str:
    try:
        return f"Buffer.from({written(value.decode())})"
    except UnicodeDecodeError:
        return f'Buffer.from({written(value.decode("latin-1"))}, "latin1")'


def _property(key: str, value: str) -> str:
    """A property of an object. ``__proto__`` without brackets would be no property."""
    if key == "__proto__":
        return f'["{key}"]: {value}'
    if key == value:
        return key
    return f"{key if IDENTIFIER.fullmatch(key) else _quoted(key)}: {value}"


def _quoted(text: str) -> str:
    """A string in the quotes of which it has fewer."""
    quote = "'" if text.count('"') > text.count("'") else '"'
    return quote + "".join(f"\\{quote}" if letter == quote else _character(letter) for letter in text) + quote


def _character(letter: str) -> str:
    if letter in ESCAPES:
        return ESCAPES[letter]
    if letter.isprintable():
        return letter
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\u{{{ord(letter):x}}}"


def _order(line: str) -> tuple[str, str]:
    return line.split(" from ")[1], line
