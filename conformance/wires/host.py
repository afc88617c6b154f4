"""A host: who speaks a provider's format, with named deviations. One data file says all that is known of it.

The files are ``wires/hosts/<host>.toml`` (see docs/hosts.md); ``schemas/host.schema.json`` describes them. They are
read with the standard library alone, so that workers in a library's environment can read them. Whoever forgets
something is told so by a `HostError`: the file, the place in it, and what to do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, get_args

from conformance.capabilities import CAPABILITIES, OWN_WORDS
from conformance.model import Json, compact_json
from conformance.wires.card import ApiKey, Card, Marks, Takes
from conformance.wires.host_file import HostError, Place, changed
from conformance.wires.measures import MEASURES
from conformance.wires.volatile import Volatile

EntryKind = Literal["takes", "refuses", "sends", "limits"]
KINDS: tuple[EntryKind, ...] = get_args(EntryKind)
SECTIONS = ("card", "takes", "forms", "volatile", "deviations")
"""What an entry may set: fields of `Card`, `Takes`, `Forms`, `Volatile`, and of the wire's own deviations."""
ANYTHING = r"(?s:.*)"
TAKEN = "compat.shape.taken-by-its-host"
"""The rule that tells what a host refuses by the look of a request."""

NOTHING_SPECIAL = Takes(
    empty_tools=True, tool_types=(), untyped=False, choice_words={}, flat_choice=False, modes_without_tools=(),
    choice_without_tools=False, results_by_name=False, empty_schemas=True, calls_passed_over=False,
    object_arguments=False, null_results=False,
)  # fmt: skip
"""What a host takes of which nothing is said. What OpenAI refuses is not held against others."""


@dataclass(frozen=True, slots=True)
class HostEvidence:
    """Where an entry was seen: a public page, or a file in a public repository; when; and what was answered."""

    date: str
    url: str = ""
    repository: str = ""
    path: str = ""
    commit: str = ""
    status: int | None = None
    error: str = ""
    """The words of the refusal, at most 200 characters."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a field of a document may be beside its official type: see `conformance.rules.shape_liberties`."""

    schemas: str
    definition: str
    field: str
    also: Mapping[str, Json] | None = None
    when: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a host takes, refuses, sends or limits.

    ``rule`` is the rule whose findings it excuses (``takes``, ``sends``) or confirms (``refuses``, ``limits``).
    ``found`` and ``model`` are patterns, for what a finding found, as text, and for the model's name: only findings
    that fit both are meant. ``capabilities`` are added to those of the wire, or, with ``refuses``, taken away.
    ``request`` is a JSON Schema: the host refuses a request for such a model whose body does not fit it. ``most`` says
    the same of what is counted in a request: a number for some of `MEASURES`. The rule of both is `TAKEN`.
    """

    kind: EntryKind
    what: str
    evidence: HostEvidence
    rule: str = ""
    found: str = ANYTHING
    model: str = ANYTHING
    capabilities: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()
    request: Mapping[str, Json] | None = None
    most: Mapping[str, int] = field(default_factory=dict)
    set: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)

    def is_about(self, rule: str, found: Json, model: str) -> bool:
        """Whether this is about what a rule found in a request for a model."""
        return (
            rule == self.rule
            and re.fullmatch(self.found, found if isinstance(found, str) else compact_json(found)) is not None
            and self.is_of(model)
        )

    def is_of(self, model: str) -> bool:
        """Whether a model of this name is meant."""
        return re.fullmatch(self.model, model) is not None


@dataclass(frozen=True)
class Host:
    """What is known of one host. ``wire`` is the provider on which it is based.

    A provider that has a room may have a file, too, for its entries: then ``id`` and ``wire`` are the same, and its
    card says the rest.
    """

    id: str
    title: str
    wire: str
    file: str
    settings: Mapping[str, Json]
    """The fields of its card that stand at the file's top, in ``address`` and in ``authentication``."""
    entries: tuple[Entry, ...]

    @property
    def is_provider_itself(self) -> bool:
        """Whether it is no other host, but the provider whose wire it is."""
        return self.id == self.wire

    def of(self, *kinds: EntryKind) -> Iterator[Entry]:
        """The entries of some kinds."""
        return (entry for entry in self.entries if entry.kind in kinds)

    @cached_property
    def shapes(self) -> tuple[tuple[str, Shape], ...]:
        """What its documents may have beside the official types, each with the reason."""
        return tuple((entry.what, shape) for entry in self.entries for shape in entry.shapes)

    def excuses(self, rule: str, found: Json, model: str) -> bool:
        """Whether the host takes, or itself sends, what a rule found in a request for a model."""
        return any(entry.is_about(rule, found, model) for entry in self.of("takes", "sends"))

    def confirms(self, rule: str, found: Json, model: str) -> bool:
        """Whether the host refuses what a rule found in a request for a model."""
        return any(entry.is_about(rule, found, model) for entry in self.of("refuses", "limits"))

    def names(self, rule: str) -> bool:
        """Whether the host is known to refuse what a rule finds, of whatever provider the rule is."""
        return rule in self._named

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(entry.rule for entry in self.of("refuses", "limits"))

    def section(self, name: str) -> list[tuple[Place, Mapping[str, Json]]]:
        """What the entries set in one section, each with its place."""
        return [(self.place(entry), entry.set[name]) for entry in self.entries if name in entry.set]

    def place(self, entry: Entry) -> Place:
        """Where an entry stands."""
        own = [one for one in self.entries if one.kind == entry.kind]
        return Place(self.file, f"{entry.kind}[{own.index(entry) + 1}]")

    def card(self, base: Card, provider: str) -> Card:
        """The host's card: what its wire's card says of the format, and what the file says of the host.

        ``provider`` is whose rules judge it. What is known of the wire's own host only does not hold here. Raises
        `HostError` for a setting that there is not.
        """
        lent = replace(
            base,
            provider=provider,
            family="compatible",
            takes=changed(NOTHING_SPECIAL, self.section("takes")),
            forms=changed(base.forms, self.section("forms")),
            volatile=base.volatile | changed(Volatile(), self.section("volatile")),
            quirks=frozenset(),
            elsewhere={},
            error_words={},
            stream_liberties=frozenset(),
            ends={},
            capabilities=self._capabilities(base),
            url_variable=None,
            own_headers=(),
            version_header=None,
            marks=Marks(),
        )
        return changed(replace(lent, **self.settings), self.section("card"))

    def _capabilities(self, base: Card) -> frozenset[str]:
        refused = {name for entry in self.of("refuses") for name in entry.capabilities}
        taken = {name for entry in self.of("takes", "sends") for name in entry.capabilities}
        return frozenset(((base.capabilities - OWN_WORDS) | taken) - refused)


# --- reading a file --------------------------------------------------------------------------------------------------


def read_host(text: str, file: str) -> Host:
    """The host in a TOML text; ``file`` is the file's name. Raises `HostError`."""
    try:
        return host_of(tomllib.loads(text), file)
    except tomllib.TOMLDecodeError as problem:
        raise HostError(Place(file), f"this is no TOML: {problem}") from None


def host_of(document: Mapping[str, Any], file: str) -> Host:
    """The host in a file's document. Raises `HostError`."""
    top = Place(file)
    id_, wire = top.text(document, "id"), top.text(document, "wire")
    if f"{id_}.toml" != file:
        raise HostError(top, f"its id is {id_!r}: name the file {id_}.toml")
    top.only(document, ("id", "title", "wire", "model", "address", "authentication", *KINDS))
    title = top.text(document, "title")
    settings = {} if id_ == wire else {"id": id_, "title": title, **_settings(document, top)}
    entries = tuple(entry for kind in KINDS for entry in _entries(document, kind, file))
    return Host(id_, title, wire, file, settings, entries)


def _settings(document: Mapping[str, Any], top: Place) -> dict[str, Any]:
    at, where = Place(top.file, "address"), top.table(document, "address")
    at.only(where, ("base_url", "own_hosts", "paths", "url_variable", "answers_begin"))
    key_at, key = Place(top.file, "authentication"), top.table(document, "authentication")
    key_at.only(key, ("variables", "header", "prefix", "own_headers"))
    prefix = key.get("prefix")
    if not isinstance(prefix, str):
        raise HostError(key_at, "prefix is missing: say what stands before the key in its header, such as 'Bearer '")
    found: dict[str, Any] = {
        "model": top.text(document, "model"),
        "base_url": at.text(where, "base_url"),
        "own_hosts": at.pattern(where, "own_hosts"),
        "paths": at.texts(where, "paths"),
        "key": ApiKey(key_at.texts(key, "variables"), key_at.text(key, "header"), prefix),
    }
    if "own_headers" in key:
        found["own_headers"] = key_at.texts(key, "own_headers")
    if "url_variable" in where:
        found["url_variable"] = at.text(where, "url_variable")
    if "answers_begin" in where:
        found["marks"] = Marks(opening=at.pattern(where, "answers_begin"))
    return found


def _entries(document: Mapping[str, Any], kind: EntryKind, file: str) -> Iterator[Entry]:
    for number, table in enumerate(Place(file).tables(document, kind), 1):
        yield _entry(table, kind, Place(file, f"{kind}[{number}]"))


def _entry(table: Mapping[str, Any], kind: EntryKind, at: Place) -> Entry:
    names = [one.name for one in fields(Entry) if one.name != "kind"]
    at.only(table, names)
    sections = at.table(table, "set", {})
    Place(at.file, f"{at.at}.set").only(sections, SECTIONS)
    capabilities = at.texts(table, "capabilities", ())
    if unknown := set(capabilities) - CAPABILITIES.keys():
        raise HostError(at, f"there is no capability {min(unknown)!r}: use some of {', '.join(CAPABILITIES)}")
    patterns = {name: at.pattern(table, name) for name in ("found", "model") if name in table}
    request = at.table(table, "request") if "request" in table else None
    most = _most(table, at)
    by_itself = next((name for name in ("request", "most") if name in table), "")
    if by_itself and (kind not in ("refuses", "limits") or "rule" in table or "found" in table):
        raise HostError(
            at, f"{by_itself} is what the host refuses by itself: put it into refuses or limits, without a rule"
        )
    if patterns and "rule" not in table and not by_itself:
        raise HostError(at, f"{min(patterns)} is about a rule's findings: name the rule, too")
    return Entry(
        kind,
        at.text(table, "what"),
        _evidence(at.table(table, "evidence"), Place(at.file, f"{at.at}.evidence")),
        at.text(table, "rule", TAKEN if by_itself else ""),
        capabilities=capabilities,
        shapes=tuple(_shape(one, Place(at.file, f"{at.at}.shapes")) for one in at.tables(table, "shapes")),
        request=request,
        most=most,
        set=sections,
        **patterns,
    )


def _most(table: Mapping[str, Any], at: Place) -> dict[str, int]:
    most = dict(at.table(table, "most", {}))
    Place(at.file, f"{at.at}.most").only(most, MEASURES)
    for name, number in most.items():
        if type(number) is not int or number < 0:
            raise HostError(at, f"most.{name} is {number!r}: say how many there may be, as a number")
    return most


def _evidence(table: Mapping[str, Any], at: Place) -> HostEvidence:
    at.only(table, [one.name for one in fields(HostEvidence)])
    if "url" not in table and not {"repository", "path"} <= table.keys():
        raise HostError(at, "a source is missing: give url, or repository and path")
    status, error = table.get("status"), at.text(table, "error", "")
    if status is not None and (type(status) is not int or not 100 <= status < 600):
        raise HostError(at, f"status is {status!r}: give an HTTP status, such as 400")
    if len(error) > 200:
        raise HostError(at, f"error has {len(error)} characters: keep at most 200")
    date = at.text(table, "date")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        raise HostError(at, f"date is {date!r}: write it as YYYY-MM-DD")
    texts = {name: at.text(table, name, "") for name in ("url", "repository", "path", "commit")}
    return HostEvidence(date, status=status, error=error, **texts)


def _shape(table: Mapping[str, Any], at: Place) -> Shape:
    at.only(table, [one.name for one in fields(Shape)])
    definition = table.get("definition")
    if not isinstance(definition, str):
        raise HostError(at, "definition is missing: name the schema's definition, or '' for the whole document")
    return Shape(at.text(table, "schemas"), definition, at.text(table, "field"), table.get("also"), table.get("when"))
