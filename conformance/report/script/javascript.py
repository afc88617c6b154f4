"""Programs in JavaScript: modules for Node."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from string import Template
from textwrap import indent
from typing import Any

from conformance.adapters.libraries.calls.contract import CallStep, Construction, Extend, Fields, Source
from conformance.report.script.language import WIDTH, laid_out, pieces
from conformance.report.script.replay import ReferenceCall

UNIT = "  "
IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

PROVIDER = """\
const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  console.log(`\\n--> ${request.method} ${request.url}\\n${body}`);
  const [status, headers, chunks] = ANSWERS.length > 1 ? ANSWERS.shift() : ANSWERS[0];
  response.writeHead(status, headers);
  for (const chunk of chunks) response.write(chunk);
  response.end();
});
await new Promise((started) => server.listen(0, "127.0.0.1", started));
const BASE_URL = `http://127.0.0.1:${server.address().port}`;"""


class JavaScript:
    """See `Language`."""

    comment = "// "
    server = 'import { createServer } from "node:http";\nimport { inspect } from "node:util";'
    provider = PROVIDER
    end = "server.close();"

    def imports(self, lines: Iterable[str], names: Collection[str]) -> str:
        """Node's own first."""
        used = {kept for line in lines if (kept := _used(line, names))}
        own = [line for line in used if '"node:' in line]
        groups = (sorted(group, key=_order) for group in (own, used.difference(own)))
        return "\n\n".join("\n".join(group) for group in groups)

    def answers(self, played: list[ReferenceCall]) -> str:
        """A list of lists."""
        answers = [[item.status, item.headers, _chunks(item.chunks)] for item in played]
        return f"const ANSWERS = {self.literal(answers)};"

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

    def name(self, argument: str) -> str:
        """The argument's own."""
        return argument

    def variable(self, name: str, value: Any, *, changing: bool) -> str:
        """A constant, if it is one."""
        return f"{'let' if changing else 'const'} {name} = {self.literal(value, used=len(name) + 10)};"

    def arguments(self, fields: Fields, named: Iterable[str], *, block: bool) -> str:
        """One object."""
        given = [name if name in named else _property(name, _inline(value)) for name, value in fields.items()]
        if not given:
            return ""
        return "{\n" + "".join(f"{UNIT}{item},\n" for item in given) + "}" if block else f"{{ {', '.join(given)} }}"

    def function(self, body: str) -> str:
        """An asynchronous function without arguments."""
        return f"async function ask() {{\n{indent(body, UNIT)}\n}}"

    def asking(self, shown: str, *, first: bool, fails: bool) -> str:
        """What an exception holds is printed with it."""
        printed = f'console.log("\\n<--", inspect({shown}, {{ depth: null }}));'
        if not fails:
            return f"{'let ' if first else ''}answer = await ask();\n{printed}"
        asked = f"{UNIT}answer = await ask();\n{UNIT}{printed}"
        told = 'console.log("\\n<--", inspect(problem, { depth: 4 }));'
        return f"{'let answer;' if first else ''}\ntry {{\n{asked}\n}} catch (problem) {{\n{UNIT}{told}\n}}".lstrip()

    def calls(self, expression: str, *, first: bool) -> str:
        """A variable that each answer has anew."""
        return f"{'let ' if first else ''}calls = {expression};"

    def own_ids(self, ids: list[str], set_id: str, *, first: bool, keep: bool) -> str:
        """Set in the library's own calls."""
        given = set_id.partition(" = ")[0]
        value = f"(ids[place] = {given} || ids[place])" if keep else "ids[place]"
        return (
            f"{'let ' if first else ''}ids = {_inline(ids)}; // the provider gave none that can be used\n"
            f"calls.forEach((call, place) => {{\n{UNIT}{Template(set_id).substitute(id=value)};\n}});"
        )

    def step(self, step: CallStep) -> str:
        """Lists grow in place."""
        if not isinstance(step, Extend):
            return f"{step.name} = {self.literal(step.value, used=len(step.name) + 4)};"
        if len(step.items) == 1:
            return f"{step.name}.push({self.literal(step.items[0], used=len(step.name) + 8)});"
        items = (self.literal(item, 1, 1) for item in step.items)
        return laid_out(f"{step.name}.push(", items, ");", 0, UNIT) if step.items else ""


def _used(line: str, names: Collection[str]) -> str:
    """An import without what the program does not use."""
    imported, module = line.removeprefix("import { ").split(" } from ")
    used = [name for name in imported.split(", ") if name in names]
    return f"import {{ {', '.join(used)} }} from {module}" if used else ""


def _chunks(chunks: list[bytes]) -> Any:
    """The chunks; single bytes as an expression, which is shorter."""
    if len(chunks) > 1 and all(len(chunk) == 1 for chunk in chunks):
        margin = f"\n{UNIT * 4}"

        def written(text: str) -> str:
            return margin + f" +{margin}".join(pieces(text, WIDTH - 10, _quoted)) + f"\n{UNIT * 3}"

        return Source(f"Array.from({_buffer(b''.join(chunks), written)}, (byte) => Buffer.of(byte))")
    return chunks


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
