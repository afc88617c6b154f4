"""Mutants made by bending what is sent or read, place by place.

The places are found in what the reference adapter sends and reads, so new scenarios and new fields bring new mutants.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from conformance.http import Request
from conformance.model import Json
from conformance.mutants.edits import ARRAY, ELEMENT, FIELD, OBJECT, SCHEMA, TEXT, Edit, bend, changes
from conformance.mutants.inside import AROUND, INSIDE, SAID, inside_text
from conformance.mutants.liar import Liar
from conformance.mutants.mutant import Mutant, MutantKind
from conformance.mutants.paths import PAYLOADS, paths
from conformance.mutants.trace import Trace, TraceCase
from conformance.transcript import Exchange
from conformance.wires.facts import decode

SAID_AT = frozenset({"text", "content", "output", "description", "system", "instructions"})
"""Keys of what is said to the model or by it, where every character counts."""
SCHEMA_AT = re.compile(
    r".*/(parameters|input_schema|parametersJsonSchema|inputSchema/json|format/schema|json_schema/schema)/.+"
)
"""Paths inside a tool's schema, or an answer's."""
MARK = 500
"""How much of a value's text tells it from others: enough to try each kind of value once."""


class Sends(Liar):
    """Bends what it sends."""

    def __init__(self, change: Edit) -> None:
        super().__init__()
        self._change = change

    def sends(self, body: Json) -> Json:
        """The document, bent."""
        return self._change(body)


class Reads(Liar):
    """Bends what it reads."""

    def __init__(self, change: Edit) -> None:
        super().__init__()
        self._change = change

    def reads(self, body: Json) -> Json:
        """The document, bent."""
        return self._change(body)


def request_mutants(trace: Trace) -> Iterator[Mutant]:
    """The mutants that send one thing wrong."""
    yield from _mutants("request", Sends, _places(trace, _sent), lambda path: not IGNORED_IN_REQUESTS.fullmatch(path))


def answer_mutants(trace: Trace) -> Iterator[Mutant]:
    """The mutants that read one thing wrong, or do not read it."""
    yield from _mutants("answer", Reads, _places(trace, _answered), is_carried)


IGNORED_IN_REQUESTS = re.compile(
    r"/(model|max_tokens|max_completion_tokens|max_output_tokens|stream_options|store|options)(/.*)?"
    r"|/(reasoning|include|thinking|think|generationConfig|additionalModelRequestFields)(/.*)?"
    r"|.*/(minimum|maximum|exclusiveMinimum|minItems|uniqueItems|pattern|format|[$]schema|default|additionalProperties)"
)
"""What no rule about tools asks for: models, limits, and whether to think; constraints in schemas, which several
providers refuse."""

CARRIED_IN_ANSWERS = re.compile(
    r"(/response)?/(choices|usage|error|code|message|detail|output|status|incomplete_details|content|stop_reason"
    r"|candidates|usageMetadata|promptFeedback|done|done_reason|prompt_eval_count|eval_count)(/.*)?"
)
"""The parts of an answer that hold what the neutral model carries. The rest is names, dates and settings."""

IGNORED_IN_ANSWERS = re.compile(
    r".*/(logprobs|annotations|citations|total_tokens|totalTokenCount|groundingMetadata)(/.*)?"
    r"|.*/(input|output|prompt|completion)_tokens_details(/.*)?|.*TokensDetails(/.*)?"
)
"""What the neutral model does not carry of those."""

HOSTED = "mcp_(call|list_tools)|(code_interpreter|file_search|image_generation)_call|tool_search_(call|output)"
IGNORED = re.compile(
    r".*(x_u|xU)nknown.*|.*:(web_search|url_citation).*|.*:server_tool_use/input.*|.*[/:]citations.*"
    rf"|.*:({HOSTED}).*|.*/(caller|phase|executableCode|codeExecutionResult)(/.*)?|.*:(mcp_tool_use|[a-z_]+_tool_result)/.*"
)
"""What nobody knows, and what the provider did by itself: it is sent back, but rules look only at its kind."""


def is_carried(path: str) -> bool:
    """Whether a path of an answer leads to something that the neutral model carries."""
    return bool(CARRIED_IN_ANSWERS.fullmatch(path)) and not IGNORED_IN_ANSWERS.fullmatch(path)


@dataclass(slots=True)
class _Place:
    """A path with the different values at it, and the cases in which each occurs."""

    values: dict[str, Json] = field(default_factory=dict)
    cases: dict[str, dict[TraceCase, None]] = field(default_factory=dict)

    def add(self, value: Json, case: TraceCase) -> None:
        key = json.dumps(value, sort_keys=True)[:MARK]
        self.values.setdefault(key, value)
        self.cases.setdefault(key, {})[case] = None

    def changed_in(self, edit: Edit) -> tuple[TraceCase, ...]:
        """The cases in which an edit makes another value of one of these."""
        found = (self.cases[key] for key, value in self.values.items() if changes(edit, value))
        return tuple(dict.fromkeys(case for cases in found for case in cases))


def _mutants(
    kind: MutantKind, make: Callable[[Edit], Liar], places: Mapping[str, _Place], matters: Callable[[str], bool]
) -> Iterator[Mutant]:
    pointless = ("rename",) if kind == "answer" else ()  # whoever reads a field under another name does not read it
    for path, place in places.items():
        if IGNORED.fullmatch(path) or not matters(path):
            continue
        for name, edit in _edits(path, place.values.values()).items():
            if name not in pointless and (cases := place.changed_in(edit)):
                change = partial(bend, path=path, edit=edit)
                says = f"{path}: {(edit.__doc__ or '').strip().rstrip('.')}"
                yield Mutant(f"{kind}:{name}:{path}", kind, says, partial(make, change), cases=cases)


def _edits(path: str, values: Iterable[Json]) -> dict[str, Edit]:
    """What may go wrong at a path."""
    last = path.rpartition("/")[2]
    if SCHEMA_AT.fullmatch(path):
        return dict(SCHEMA)
    if last.startswith(":"):
        return dict(ELEMENT)
    kinds = {type(value) for value in values}
    edits = dict(FIELD)
    edits |= TEXT if str in kinds else {}
    edits |= OBJECT if dict in kinds else {}
    edits |= ARRAY if list in kinds else {}
    if last in PAYLOADS and list not in kinds:
        edits |= {name: inside_text(edit) if name not in AROUND else edit for name, edit in INSIDE.items()}
    elif last in SAID_AT:
        edits |= SAID
    return edits


def _places(trace: Trace, document: Callable[[Exchange], Json]) -> dict[str, _Place]:
    """Every path in the documents of a provider's cases."""
    found: dict[str, _Place] = {}
    for record in trace.records:
        for exchange in record.exchanges:
            for path, values in paths(document(exchange)).items():
                place = found.setdefault(path, _Place())
                for value in values:
                    place.add(value, record.case)
    return found


def _sent(exchange: Exchange) -> Json:
    return decode(exchange.request) if isinstance(exchange.request, Request) else None


def _answered(exchange: Exchange) -> Json:
    return exchange.answer
