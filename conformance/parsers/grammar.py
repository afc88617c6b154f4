"""Grammars: how a family of models writes text, thinking and calls. One YAML file each, with its evidence.

``schemas/parser_grammar.schema.json`` says what may stand in it, docs/parsers.md explains it. A piece of a pattern is
text that stands there as it is; a field, ``$name``; or, for calls that are JSON objects, the members by what they hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from conformance.documents import DocumentError, read_yaml
from conformance.hints import nearest
from conformance.schemas import problems

GrammarPiece = str | Mapping[str, str]
"""Text, a field that begins with ``$``, or the members of a JSON object: role to key."""

_OWN = (".yaml", ".yml", ".json")


@dataclass(frozen=True, slots=True)
class ParserGrammar:
    """One grammar. Patterns are empty where the family has no such thing."""

    id: str
    title: str
    call: Sequence[GrammarPiece]
    special: Sequence[str]
    looks_alike: Sequence[str]
    evidence: Sequence[Mapping[str, str]]
    text: Sequence[str] = ()
    text_beside_calls: Sequence[str] = ()
    thinking: Sequence[str] = ()
    section: Sequence[str] = ()
    section_end: Sequence[str] = ()
    parameter: Sequence[str] = ()
    between_messages: str = ""
    before_calls: str = ""
    between_calls: str = ""
    id_form: str = ""
    ids: Sequence[str] = ()
    many: bool = True
    text_beside: bool = True
    text_between: bool = False
    text_after: bool = True
    calls_at_start: bool = False
    tokens_only: bool = False

    @property
    def has_ids(self) -> bool:
        """Whether the model writes ids."""
        return "$id" in self.call or any("id" in piece for piece in self.call if isinstance(piece, Mapping))


def known_grammars() -> dict[str, Path]:
    """The grammars that come with the package, by name."""
    folder = Path(str(resources.files("conformance.parsers") / "grammars"))
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def load_grammar(name: str) -> ParserGrammar:
    """The grammar of a name, or in a file. Raises `DocumentError`."""
    known = known_grammars()
    if name not in known and not name.endswith(_OWN):
        hint = nearest(name, known, "'conformance list grammars'")
        raise DocumentError(f"there is no grammar {name!r}{hint}")
    path = known.get(name, Path(name))
    document: Any = read_yaml(path)
    for at, why in problems("parser_grammar", document):
        raise DocumentError(f"{path}: at {at or '/'}: {why}")
    return ParserGrammar(id=path.stem, **document)
