"""Inventories for people: as text, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.doors.inventory import KINDS, DoorInventory, DoorKind, LibraryDoor
from conformance.doors.table import LeftOutReason

HEADS: dict[DoorKind, str] = {
    "method": "methods", "parameter": "parameters", "option": "options", "output": "outputs", "provider": "providers",
}  # fmt: skip
LONGEST = 110


def inventory_text(found: DoorInventory) -> str:
    """The figures first, then the doors that are not played, by kind."""
    lines = [f"{found.library} {found.version}, played by {', '.join(found.shims)}"]
    lines += [f"  {HEADS[kind]:<11} {found.figure(kind)!s:>9}" for kind in KINDS]
    first = "played" if found.first_is_played else "not played"
    lines.append(f"  shown first {found.first_door}: {first} ({found.first_page})")
    lines += [f"  ways of {shim}: {', '.join(ways)}" for shim, ways in found.ways.items()]
    for kind in KINDS:
        missing = [door for door in found.of(kind) if not door.played and door.counts]
        if missing:
            lines += ["", f"{HEADS[kind]} that no scenario plays:", *(f"  {_told(door)}" for door in missing)]
    lines += _without(found)
    if found.wrong:
        lines += ["", "arguments that do not fit the library's types:", *(f"  {one}" for one in found.wrong)]
    return "\n".join(lines)


def _told(door: LibraryDoor) -> str:
    name = door.name if len(door.name) <= LONGEST else f"{door.name[:LONGEST]}…"
    return f"{name}   ({door.of})" if door.kind in ("parameter", "option") else name


def _without(found: DoorInventory) -> Iterator[str]:
    """What is not counted, by reason."""
    for why, doors in _by_reason(found.doors).items():
        counts = ", ".join(f"{sum(door.kind == kind for door in doors)} {HEADS[kind]}" for kind in KINDS)
        links = {door.left_out.link for door in doors if door.left_out is not None}
        yield from ("", " ".join([f"not counted, {why}: {counts}", *sorted(links - {""})]))


def _by_reason(doors: Iterable[LibraryDoor]) -> dict[LeftOutReason, list[LibraryDoor]]:
    """The doors that are not counted, by reason."""
    found: dict[LeftOutReason, list[LibraryDoor]] = {}
    for door in doors:
        if door.left_out is not None and not door.counts:
            found.setdefault(door.left_out.why, []).append(door)
    return found


def inventory_markdown(found: DoorInventory) -> str:
    """A page: figures, then every door with what became of it."""
    lines = [f"# Doors of {found.library} {found.version}", ""]
    lines += ["| doors | played / all |", "|---|--:|"]
    lines += [f"| {HEADS[kind]} | {found.figure(kind)} |" for kind in KINDS]
    played = "played" if found.first_is_played else "**not played**"
    shims = ", ".join(f"`{name}`" for name in found.shims)
    lines += ["", f"Played by {shims}. Its [documentation]({found.first_page})"]
    lines += [f"shows `{found.first_door}` first: {played}.", ""]
    for shim, ways in found.ways.items():
        others = ", ".join(f"`{way}`" for way in ways[1:])
        lines += [f"`{shim}` plays everything by `{ways[0]}`, and a selection by {others}.", ""]
    for kind in KINDS:
        lines += _section(found, kind)
    return "\n".join(lines).rstrip()


def _section(found: DoorInventory, kind: DoorKind) -> Iterator[str]:
    doors = found.of(kind)
    if not doors:
        return
    yield from (f"## {HEADS[kind].capitalize()}", "")
    played = [door for door in doors if door.played]
    yield from _list("played", played)
    yield from _list("not played", [door for door in doors if door.counts and not door.played])
    for why, rest in _by_reason(doors).items():
        yield from _list(f"not counted: {why}", rest)


def _list(head: str, doors: list[LibraryDoor]) -> Iterator[str]:
    if not doors:
        return
    yield from (f"{head.capitalize()} ({len(doors)}):", "")
    if doors[0].kind == "option":
        yield from (f"- `{owner}`: {', '.join(options)}" for owner, options in sorted(_by_owner(doors).items()))
    else:
        yield from (f"- `{_short(door.name)}`" for door in sorted(doors, key=lambda one: one.name))
    yield ""


def _by_owner(doors: list[LibraryDoor]) -> dict[str, list[str]]:
    """Options by the record or the place that has them: there are many."""
    found: dict[str, list[str]] = {}
    for door in doors:
        owner, choice, value = door.name.partition(": ")
        if not choice:
            owner, _, value = door.name.rpartition(".")
        found.setdefault(owner, []).append(f"`{_short(value)}`")
    return found


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[:LONGEST]}…"
