"""What providers keep of a request to read it again for less: its beginning, as far as it is the same byte for byte.

Only what says the same is compared, so that nobody is blamed for what the application changed. Another order of tools,
or of keys, costs as much as new words do and says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.model import Json, compact_json
from conformance.rules.check import Finding, Verdicts, check
from conformance.rules.shared.cache_marks import without_marks
from conformance.rules.shared.pairing import known_by
from conformance.transcript import Exchange
from conformance.wires.facts import obj

PrefixPart = tuple[str, Json]
"""A part of a request with its pointer, in the order in which providers read them."""

GUIDANCE = ("system", "instructions", "systemInstruction", "system_instruction")


@check("common.http.prefix-kept")
def prefix_kept(x: Exchange) -> Verdicts:
    """Of one conversation with one model, which goes on from the request before."""
    if x.previous is None or x.switched is not None:
        return
    before, after = list(_parts(x.previous)), dict(_parts(x))
    sizes = [len(compact_json(part)) for _, part in before]
    for place, (at, part) in enumerate(before):
        now = after.get(at)
        if now is None or compact_json(part) == compact_json(now):
            continue
        if not _says_the_same(part, now):
            return  # what comes after cannot be kept, whoever changed this
        kept = _alike(compact_json(part), compact_json(now))
        lost = sum(sizes[place:]) - kept
        yield Finding(at, "byte for byte as in the request before", f"{lost} bytes of what was kept are read anew")
        return
    if before:
        yield None


def _parts(x: Exchange) -> Iterator[PrefixPart]:
    """The tools as a whole, the guidance, and each message. Marks for the cache may move on."""
    document = obj(x.facts.document)
    holder, _, last = x.facts.tools_at.rpartition("/")
    declared = obj(document.get(holder.removeprefix("/"))) if holder else document
    if last in declared:
        yield x.facts.tools_at, without_marks(declared[last])
    for name in GUIDANCE:
        if name in document:
            yield f"/{name}", without_marks(document[name])
    name = x.card.forms.conversation
    said = document.get(name)
    for place, message in enumerate(said if isinstance(said, list) else []):
        yield f"/{name}/{place}", without_marks(message)


def _says_the_same(one: Json, other: Json) -> bool:
    """Whether two values differ in the order of keys alone or, where they are lists of tools, in their order."""
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(hash, map(known_by, one))) == sorted(map(hash, map(known_by, other)))
    return known_by(one) == known_by(other)


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    size = min(len(one), len(other))
    return next((place for place in range(size) if one[place] != other[place]), size)
