"""Programs in Python."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from string import Template
from typing import Any

from conformance.adapters.served import HttpAnswer
from conformance.report.script.language import (
    WIDTH,
    Construction,
    Source,
    is_chunked,
    is_lost,
    kept_headers,
    laid_out,
    pieces,
)

UNIT = "    "

PROVIDER = '''\
class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        if "$path" not in self.path: return self.send_error(404)
        print(f"--> POST {self.path}\\n{body}\\n")
        status, headers, chunks = ANSWERS.pop(0) if len(ANSWERS) > 1 else ANSWERS[0]
        self.send_response(status)
$headers
        self.end_headers()
$sending

server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
BASE_URL = f"http://127.0.0.1:{server.server_port}"'''


ONE = """\
        self.send_header("content-type", headers["content-type"])"""
ALL = """\
        for name, value in headers.items():
            self.send_header(name, value)"""
WHOLE = """\
        self.wfile.write(b"".join(chunks))"""
CHUNKED = """\
        for chunk in [*chunks, b""]:
            self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(chunk), chunk))"""


LOST = """\
        self.close_connection = LOST in chunks
        for chunk in [*chunks, b""]:
            if chunk is LOST: break
            self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(chunk), chunk))"""


class Python:
    """See `Language`."""

    comment = "# "
    imports = ("import threading", "from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer")
    imports_to_show = ()
    end = ()

    def imported(self, lines: Iterable[str]) -> str:
        own = {line for line in lines if line.split()[1].partition(".")[0] in sys.stdlib_module_names}
        groups = (sorted(group, key=_order) for group in (own, set(lines) - own))
        return "\n\n".join("\n".join(_gathered(group)) for group in groups if group)

    def provider(self, answers: Sequence[HttpAnswer], path: str) -> str:
        one = all(list(kept_headers(answer)) == ["content-type"] for answer in answers)
        if not is_chunked(answers):
            return Template(PROVIDER).substitute(path=path, headers=ONE if one else ALL, sending=WHOLE)
        text = Template(PROVIDER).substitute(path=path, headers=ALL, sending=LOST if is_lost(answers) else CHUNKED)
        head = "class Provider(BaseHTTPRequestHandler):\n"
        return text.replace(head, f'{head}{UNIT}protocol_version = "HTTP/1.1"\n\n')

    def answers(self, answers: Sequence[HttpAnswer], *, dense: bool) -> str:
        chunked = {"transfer-encoding": "chunked"} if is_chunked(answers) else {}
        lines = [*(["LOST = None  # no end: the connection is lost"] if is_lost(answers) else []), "ANSWERS = ["]
        for answer in answers:
            lines.append(f"{UNIT}({answer.status}, {_inline({**kept_headers(answer), **chunked})}, [")
            for chunk in filter(None, answer.chunks):
                *begin, last = pieces(chunk, WIDTH - 2 * len(UNIT) - 1, _quoted, dense=dense)
                lines += [*(f"{UNIT * 2}{piece}" for piece in begin), f"{UNIT * 2}{last},"]
            lines += [f"{UNIT * 2}LOST,"] if answer.lost else []
            lines.append(f"{UNIT}]),")
        return "\n".join([*lines, "]"])

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
            case [dict() | list() | Construction() as only]:
                return f"[{self.literal(only, depth, used + 2)}]"
            case list():
                return laid_out("[", (self._item("", item, depth) for item in value), "]", depth, UNIT)
            case tuple():
                return laid_out("(", (self._item("", item, depth) for item in value), ")", depth, UNIT)
            case Construction(constructor, (dict() | list() | Construction() as only,), options) if not options:
                return f"{constructor}({self.literal(only, depth, used + len(constructor) + 2)})"
            case Construction(constructor, (), options) if len(options) == 1:
                [(name, only)] = options.items()
                start = f"{constructor}({name}="
                return f"{start}{self.literal(only, depth, used + len(start) + 1)})"
            case Construction(constructor, arguments, options):
                positional = (self._item("", item, depth) for item in arguments)
                named = (self._item(f"{name}=", item, depth) for name, item in options.items())
                return laid_out(f"{constructor}(", [*positional, *named], ")", depth, UNIT)
        return text

    def _item(self, start: str, value: Any, depth: int) -> str:
        return start + self.literal(value, depth + 1, len(start) + 1)

    def assigned(self, name: str, value: Any) -> str:
        return f"{name} = {self.literal(value, used=len(name) + 3)}"

    def call(self, value: Any) -> str:
        return self.literal(value)

    def shown(self, name: str) -> str:
        return f'print("<--", {name})'


def _gathered(lines: list[str]) -> list[str]:
    """Imports from one module in one line, where there is room."""
    joined: list[str] = []
    for line in lines:
        head, _, name = line.partition(" import ")
        last = joined[-1] if joined else ""
        if line.startswith("from ") and last.startswith(f"{head} import ") and len(last) + len(name) + 2 <= WIDTH:
            joined[-1] = f"{last}, {name}"
        else:
            joined.append(line)
    return joined


def _order(line: str) -> tuple[bool, str, str]:
    return line.startswith("from "), line.split()[1], line


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
