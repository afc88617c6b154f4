"""A failure as a program that needs only the library: a loopback provider, and the library's own call.

The case is played once more in this process, by the reference adapter and the scripted responder, so answers and
messages are whole, where evidence is shortened. How the library is called is in `conformance.adapters.libraries.calls`.
"""

from __future__ import annotations

import builtins
import keyword
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from pprint import pformat
from string import Template
from textwrap import indent
from typing import Any
from urllib.parse import urlsplit

from conformance.adapters.bound import BoundTranslator
from conformance.adapters.libraries.application import said
from conformance.adapters.libraries.call_fields import Source
from conformance.adapters.libraries.calls import Call, call_of_library, requirement
from conformance.adapters.reference import ReferenceAdapter
from conformance.deliveries import DELIVERIES
from conformance.model import AssistantTurn, Conversation, result_text
from conformance.report.summary import Document, contrast, plain, reproduction
from conformance.responders import Delivered, Scripted
from conformance.scenarios import load_scenarios
from conformance.session.client import served
from conformance.session.play import Play
from conformance.session.seat import ModelCall, Respond, TranslatorSeat
from conformance.transcript import Exchange
from conformance.wires.hosts import BASE_URLS

WIDTH = 110
NAMES = {"openai-chat": "openai"}
"""The providers that the libraries of OpenAI's format call otherwise."""

SERVER = '''\
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
        pass'''
START = '''\
server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{server.server_port}"'''


class NoScriptError(ValueError):
    """There is no program for this cell. The message says why, and what repeats the failure instead."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A model call of the reference adapter: what it was about, and what the provider answered."""

    exchange: Exchange
    status: int
    headers: dict[str, str]
    chunks: list[bytes]

    @property
    def intent(self) -> Conversation:
        """The conversation that the call continues."""
        assert self.exchange.intent is not None
        return self.exchange.intent

    @property
    def fails(self) -> bool:
        """Whether the provider answers with an error."""
        return self.exchange.offered is not None and self.exchange.offered.error is not None


def script(document: Document, cell: Document) -> str:
    """The shortest program that shows a failure of ``cell``, in its earliest model call. Raises `NoScriptError`."""
    if not cell["failures"]:
        raise NoScriptError(f"nothing failed in {cell['adapter']}/{cell['provider']}/{cell['rule']}")
    adapter = next(item for item in document["adapters"] if item["id"] == cell["adapter"])
    again = reproduction(document, cell["failures"][0])
    call = call_of_library(adapter["name"], cell["provider"])
    if call is None:
        raise NoScriptError(f"no program is known for {adapter['name']}; repeat it with: {again}")
    if document["run"].get("responder", "scripted") != "scripted":
        raise NoScriptError(f"the answers are not those of the script; repeat it with: {again}")
    number = {item["evidence"]: _model_call(document, item) for item in cell["failures"]}
    first = min(number.values())
    made = [
        _program(document, cell, adapter, call, failure)
        for failure in cell["failures"]
        if number[failure["evidence"]] == first
    ]
    return min(made, key=len)


def _model_call(document: Document, failure: Document) -> int:
    return int(document["evidence"][failure["evidence"]].get("model_call", 1))


def _program(document: Document, cell: Document, adapter: Document, call: Call, failure: Document) -> str:
    wanted = _model_call(document, failure)
    played = _played(document, cell["provider"], failure)[:wanted]
    streamed = DELIVERIES[_delivery(failure)].streaming
    own = call.own_streamed if streamed else call.own
    writer = _Writer(call, own, cell["provider"], streamed, played if own else played[:1])
    parts = [
        f"# pip install {requirement(adapter['name'], adapter['version'], cell['provider'])}",
        "\n".join(_introduction(cell, failure)),
        f"import json\nimport threading\nfrom http.server import BaseHTTPRequestHandler, ThreadingHTTPServer\n\n"
        f"{call.imports}",
        f"ANSWERS = {_answers(writer.played)}",
        f"\n{SERVER}",
        f"\n{START}",
        writer.data(),
        writer.client(),
        f"\n{writer.ask()}",
        "\n" + "\n".join(writer.conversation()),
        "\n".join([*_left_out(call, writer, wanted), *_conclusion(document, cell, failure)]),
    ]
    text = "\n\n".join(parts) + "\n"
    compile(text, "<program>", "exec")
    return text


def _introduction(cell: Document, failure: Document) -> Iterator[str]:
    yield f"# {plain(failure['case'])} on {cell['provider']}, without the harness: this program is the provider, too."


def _left_out(call: Call, writer: _Writer, wanted: int) -> Iterator[str]:
    """What the program does not do, although the case does."""
    intent = writer.played[0].intent
    if len(writer.played) < wanted:
        yield f"# The failure is in model call {wanted}. This program makes the first: it has no way to go on."
    foreign = any(isinstance(turn, AssistantTurn) for turn in intent.turns)
    if not call.whole_history and (foreign or any(tool.builtin for tool in intent.tools)):
        yield "# Turns of another provider, and tools that the provider runs, are left out here."
    if call.thinking is None and intent.reasoning:
        yield "# In the case the model is asked to think. This program does not ask it."
    if any(answered.exchange.offered and not answered.exchange.usable_ids for answered in writer.played[:-1]):
        yield "# The provider gives no usable ids here: an application makes its own, which this program does not."


def _conclusion(document: Document, cell: Document, failure: Document) -> Iterator[str]:
    rule = next(item for item in document["rules"] if item["id"] == cell["rule"])
    expected, found = contrast(failure, 2000)
    yield f"# {rule['id']}: {plain(rule['statement'])}"
    yield f"#   at:       {plain(failure['at']) or '(whole)'} in the {failure['in']}"
    yield f"#   expected: {expected}"
    yield f"#   found:    {found}"
    yield f"#   harness:  {plain(reproduction(document, failure))}"


# --- playing it again ------------------------------------------------------------------------------------------------


def _delivery(failure: Document) -> str:
    """The delivery in a case's name, ``scenario/delivery`` or ``scenario/delivery#attempt``."""
    return str(failure["case"]).partition("/")[2].partition("#")[0]


class _Listening:
    """A seat that writes down what the provider answers."""

    def __init__(self, provider: str) -> None:
        self._seat = TranslatorSeat(BoundTranslator(ReferenceAdapter(), provider))
        self.answers: list[Delivered] = []
        self.seconds = 0.0

    def call(self, conversation: Conversation, delivery: Any, respond: Respond) -> ModelCall:
        made = self._seat.call(conversation, delivery, respond)
        if made.delivered is not None:
            self.answers.append(made.delivered)
        return made

    def read(self, chunks: list[bytes], conversation: Conversation, delivery: Any) -> Any:
        return self._seat.read(chunks, conversation, delivery)


def _played(document: Document, provider: str, failure: Document) -> list[Answered]:
    """The model calls of the failure's case, as the reference adapter makes them."""
    name = str(failure["case"]).partition("/")[0]
    words = shlex.split(reproduction(document, failure))
    root = Path(words[words.index("--scenarios") + 1]) if "--scenarios" in words else None
    scenario = load_scenarios(root).get(name)
    if scenario is None:
        raise NoScriptError(f"there is no scenario {name} here, so the answers are not known")
    seat = _Listening(provider)
    delivery, profile = DELIVERIES[_delivery(failure)], document["run"]["profile"]
    exchanges = Play(scenario, provider, profile, delivery, seat, Scripted(scenario, provider)).run()
    return [
        _answered(exchange, delivered, provider)
        for exchange, delivered in zip(exchanges, seat.answers, strict=False)
    ]


def _answered(exchange: Exchange, delivered: Delivered, provider: str) -> Answered:
    answer = served(delivered, provider)
    headers = {name: value for name, value in answer.headers.items() if name.lower() != "content-length"}
    return Answered(exchange, answer.status, headers, [chunk for chunk in answer.chunks if chunk])


# --- writing ---------------------------------------------------------------------------------------------------------


def _answers(played: list[Answered]) -> str:
    return _literal([(item.status, item.headers, _chunks(item.chunks)) for item in played])


def _chunks(chunks: list[bytes]) -> Any:
    """The chunks; single bytes as an expression, which is shorter."""
    if len(chunks) > 1 and all(len(chunk) == 1 for chunk in chunks):
        return Source(f"[bytes([byte]) for byte in {b''.join(chunks)!r}]")
    return chunks


def _literal(value: Any, depth: int = 0) -> str:
    """``value`` as Python: in one line where there is room, else an item a line."""
    text, room = repr(value), WIDTH - 4 * depth
    if isinstance(value, str | bytes) and len(text) > room:
        return pformat(value, width=room).replace("\n", "\n" + "    " * depth)
    if len(text) <= room:
        return text
    if isinstance(value, dict):
        return _block("{", (f"{key!r}: {_literal(item, depth + 1)}" for key, item in value.items()), "}", depth)
    if isinstance(value, list):
        return _block("[", (_literal(item, depth + 1) for item in value), "]", depth)
    if isinstance(value, tuple):
        return _block("(", (_literal(item, depth + 1) for item in value), ")", depth)
    if is_dataclass(value):
        named = ((field.name, getattr(value, field.name)) for field in fields(value))
        lines = (f"{name}={_literal(item, depth + 1)}" for name, item in named)
        return _block(f"{type(value).__name__}(", lines, ")", depth)
    return text


def _block(start: str, items: Iterable[str], end: str, depth: int) -> str:
    inner = "".join(f"{'    ' * (depth + 1)}{item},\n" for item in items)
    return f"{start}\n{inner}{'    ' * depth}{end}"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the library's side of a program. ``own`` puts an answer into the history; empty where it cannot go on."""

    call: Call
    own: str
    provider: str
    streamed: bool
    played: list[Answered]

    def data(self) -> str:
        """The arguments that deserve a name of their own."""
        named = (f"{_name(name)} = {_literal(value)}" for name, value in self._fields(0).items() if _is_big(value))
        return "\n".join(named)

    def client(self) -> str:
        """The library's client, or its model."""
        return self._filled(self.call.client)

    def ask(self) -> str:
        """The function that makes a model call."""
        body = self._filled(self.call.streaming if self.streamed else self.call.blocking)
        return f"def ask():\n{indent(body, '    ')}"

    def conversation(self) -> Iterator[str]:
        """The model calls, and between them the results as the library wants them."""
        for place, answered in enumerate(self.played):
            last = place + 1 == len(self.played)
            if answered.fails and not last:
                yield 'try:\n    ask()\nexcept Exception as problem:\n    print(f"\\n<-- {problem!r}")'
            else:
                yield 'answer = ask()\nprint(f"\\n<-- {answer!r}")'
            if last:
                return
            yield from self._between(place, fails=answered.fails)

    def _between(self, place: int, *, fails: bool) -> Iterator[str]:
        if not fails:
            yield self.own
            if self.call.call_id:
                yield f"calls = {self.call.calls}"
        added = self._added(place)
        if added:
            yield f"{_name(self.call.history)} += {_literal(added)}"

    def _added(self, place: int) -> list[Any]:
        """What is new in the next request after the model's own turn: results and what the user says."""
        before, after = (self._fields(number)[self.call.history] for number in (place, place + 1))
        new = after[len(before) :]
        while new and _is_models(new[0]):
            new = new[1:]
        intent = self.played[place + 1].intent
        turns = [turn for turn in intent.turns if isinstance(turn, AssistantTurn)]
        calls = [call.id for call in turns[-1].calls] if turns else []
        if self.call.result:
            return list(self._results(new, intent, calls))
        return [_with_ids(item, calls, self.call.call_id) for item in new]

    def _results(self, new: list[Any], intent: Conversation, calls: list[str]) -> Iterator[Any]:
        """Results as objects of the library, where it has its own."""
        results = {item.call_id: item for group in said(intent) if isinstance(group, tuple) for item in group}
        for item in new:
            if item["role"] != "tool":
                yield item
                continue
            result = results[item["tool_call_id"]]
            yield Source(Template(self.call.result).substitute(
                text=repr(result_text(result)),
                id=Template(self.call.call_id).substitute(n=calls.index(result.call_id)),
                status=repr("error" if result.is_error else "success"),
            ))  # fmt: skip

    def _fields(self, place: int) -> dict[str, Any]:
        return self.call.fields(self.provider, self.played[place].intent, self.streamed)

    def _filled(self, template: str) -> str:
        asked, intent = self._fields(0), self.played[0].intent
        bound = [item for item in asked.items() if item[0] not in (self.call.history, "tools")]
        return Template(template).substitute(
            url=_url(self.provider),
            arguments=_arguments(list(asked.items())),
            bound=f".bind_tools({', '.join(['tools', *filter(None, [_arguments(bound)])])})" if intent.tools else "",
            model=intent.model,
            name=NAMES.get(self.provider, self.provider),
            thinking=(self.call.thinking or "") if intent.reasoning else "",
        )


def _url(provider: str) -> str:
    path = urlsplit(BASE_URLS[provider]).path
    return f'URL + "{path}"' if path else "URL"


def _arguments(asked: list[tuple[str, Any]]) -> str:
    return ", ".join(f"{name}={_name(name) if _is_big(value) else repr(value)}" for name, value in asked)


def _is_big(value: Any) -> bool:
    return not isinstance(value, str | int | float | bool | None)


def _name(argument: str) -> str:
    """The name of the variable for an argument."""
    taken = hasattr(builtins, argument) or keyword.iskeyword(argument)
    return "items" if taken else argument


def _is_models(item: Any) -> bool:
    """Whether an item of the history is the model's own."""
    if "role" in item:
        return str(item["role"]) in ("assistant", "model")
    return str(item.get("type")) != "function_call_output"


def _with_ids(value: Any, calls: list[str], call_id: str) -> Any:
    """``value`` with the ids of calls as expressions: the library says what they are."""
    if isinstance(value, list):
        return [_with_ids(item, calls, call_id) for item in value]
    if isinstance(value, dict):
        return {
            key: Source(Template(call_id).substitute(n=calls.index(item)))
            if key in ("tool_call_id", "call_id", "tool_use_id", "id") and item in calls
            else _with_ids(item, calls, call_id)
            for key, item in value.items()
        }
    return value
