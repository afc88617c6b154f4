"""Programs in Python."""

from __future__ import annotations

import builtins
import keyword
import sys
from collections.abc import Collection, Iterable
from string import Template
from textwrap import indent
from typing import Any

from conformance.adapters.libraries.calls.contract import CallStep, Construction, Extend, Fields, Source
from conformance.report.script.language import WIDTH, laid_out, pieces
from conformance.report.script.replay import ReferenceCall

UNIT = "    "

PROVIDER = '''\
class Provider(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if not {"messages", "contents", "input"} & json.loads(body).keys():
            return self.send_error(404)  # not a model call
        print(f"\\n--> POST {self.path}\\n{body.decode()}", flush=True)
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
        for name, value in {**headers, "transfer-encoding": "chunked"}.items():
            self.send_header(name, value)
        self.end_headers()
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(chunk), chunk))

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
server.handle_error = lambda *args: None  # a client that hangs up
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"'''


class Python:
    """See `Language`."""

    comment = "# "
    server = "import json\nimport threading\nfrom http.server import BaseHTTPRequestHandler, ThreadingHTTPServer"
    provider = f"\n{PROVIDER}"
    end = ""

    def imports(self, lines: Iterable[str], names: Collection[str]) -> str:
        """The standard library first."""
        used = {kept for line in lines if (kept := _used(line, names))}
        own = [line for line in used if line.split()[1].partition(".")[0] in sys.stdlib_module_names]
        groups = (sorted(group, key=_order) for group in (own, used.difference(own)))
        return "\n\n".join("\n".join(group) for group in groups)

    def answers(self, played: list[ReferenceCall]) -> str:
        """A list of tuples."""
        return "ANSWERS = " + self.literal([(item.status, item.headers, _chunks(item.chunks)) for item in played])

    def literal(self, value: Any, depth: int = 0, used: int = 0) -> str:
        """``value`` as Python."""
        text, room = _inline(value), WIDTH - len(UNIT) * depth - used
        if len(text) <= room:
            return text
        match value:
            case str() | bytes():
                return "(" + f"\n{UNIT * depth} ".join(pieces(value, room - 3, _quoted)) + ")"
            case dict():
                items = (self._item(f"{_quoted(key)}: ", item, depth) for key, item in value.items())
                return laid_out("{", items, "}", depth, UNIT)
            case list():
                return laid_out("[", (self._item("", item, depth) for item in value), "]", depth, UNIT)
            case tuple():
                return laid_out("(", (self._item("", item, depth) for item in value), ")", depth, UNIT)
            case Construction(constructor, arguments, options):
                positional = (self._item("", item, depth) for item in arguments)
                named = (self._item(f"{name}=", item, depth) for name, item in options.items())
                return laid_out(f"{constructor}(", [*positional, *named], ")", depth, UNIT)
        return text

    def _item(self, start: str, value: Any, depth: int) -> str:
        return start + self.literal(value, depth + 1, len(start) + 1)

    def name(self, argument: str) -> str:
        """The argument's own, unless Python has it already."""
        return "items" if hasattr(builtins, argument) or keyword.iskeyword(argument) else argument

    def variable(self, name: str, value: Any, *, changing: bool) -> str:
        """An assignment."""
        return f"{name} = {self.literal(value, used=len(name) + 3)}"

    def arguments(self, fields: Fields, named: Iterable[str], *, block: bool) -> str:
        """Keyword arguments."""
        values = {name: self.name(name) if name in named else _inline(value) for name, value in fields.items()}
        given = [f"{name}={value}" for name, value in values.items()]
        return "\n" + "".join(f"{UNIT}{item},\n" for item in given) if block else ", ".join(given)

    def function(self, body: str) -> str:
        """A function without arguments."""
        return f"\ndef ask():\n{indent(body, UNIT)}\n"

    def asking(self, shown: str, *, first: bool, fails: bool) -> str:
        """What an exception holds is printed with it."""
        asked = f'answer = ask()\nprint(f"\\n<-- {{{shown}!r}}")'
        if not fails:
            return asked
        told = 'print(f"\\n<-- {problem!r}\\n    {vars(problem)}")'
        return f"try:\n{indent(asked, UNIT)}\nexcept Exception as problem:\n{UNIT}{told}"

    def calls(self, expression: str, *, first: bool) -> str:
        """An assignment."""
        return f"calls = {expression}"

    def own_ids(self, ids: list[str], set_id: str, *, first: bool, keep: bool) -> str:
        """Set in the library's own calls."""
        given = Template(set_id.partition(" = ")[0]).substitute()
        value = f"ids[place] = {given} or ids[place]" if keep else "ids[place]"
        return (
            f"ids = {_inline(ids)}  # the provider gave none that can be used\n"
            f"for place, call in enumerate(calls):\n{UNIT}{Template(set_id).substitute(id=value)}"
        )

    def step(self, step: CallStep) -> str:
        """Lists grow in place."""
        name = self.name(step.name)
        if isinstance(step, Extend):
            return f"{name} += {self.literal(step.items, used=len(name) + 4)}" if step.items else ""
        return self.variable(name, step.value, changing=True)


def _used(line: str, names: Collection[str]) -> str:
    """An import without what the program does not use."""
    head, _, imported = line.rpartition("import ")
    used = [name for name in imported.split(", ") if name.partition(".")[0] in names]
    return f"{head}import {', '.join(used)}" if used else ""


def _order(line: str) -> tuple[bool, str, str]:
    return line.startswith("from "), line.split()[1], line


def _chunks(chunks: list[bytes]) -> Any:
    """The chunks; single bytes as an expression, which is shorter."""
    if len(chunks) > 1 and all(len(chunk) == 1 for chunk in chunks):
        lines = "".join(f"{UNIT * 3}{line}\n" for line in pieces(b"".join(chunks), WIDTH - 3 * len(UNIT), _quoted))
        return Source(f"[bytes([byte]) for byte in (\n{lines}{UNIT * 2})]")
    return chunks


def _inline(value: Any) -> str:
    """``value`` in one line."""
    match value:
        case str() | bytes():
            return _quoted(value)
        case dict():
            return "{" + ", ".join(f"{_quoted(key)}: {_inline(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_inline, value)) + "]"
        case tuple():
            return "(" + ", ".join(map(_inline, value)) + ("," if len(value) == 1 else "") + ")"
        case Source(text):
            return text
        case Construction(constructor, arguments, options):
            given = [*map(_inline, arguments), *(f"{name}={_inline(item)}" for name, item in options.items())]
            return f"{constructor}({', '.join(given)})"
    return repr(value)


def _quoted(value: str | bytes) -> str:
    """A string with double quotes, unless it holds some."""
    text = repr(value)
    quote = text.index("'") if text[-1] == "'" else -1
    if quote < 0 or '"' in text or "\\'" in text:
        return text
    return f'{text[:quote]}"{text[quote + 1 : -1]}"'
