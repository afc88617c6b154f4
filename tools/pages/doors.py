"""Makes reports/doors: what public libraries offer that is about tools, and what of it their shims play.

    python tools/pages/doors.py [NAME ...]       make the inventories of these libraries anew
    python tools/pages/doors.py --from FILE ...  take in inventories that `conformance doors --format json` wrote

A library is read and played where it is installed, else in its newest environment (``conformance env NAME``). One that
is in neither is told as not inventoried, and what was published of it before stays.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.adapters.libraries import LIBRARIES
from conformance.doors.inventory import DoorInventory, shims_of
from conformance.doors.pages import inventory_markdown
from conformance.doors.table import known

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "reports" / "doors"
FIGURES = HERE / "figures.json"
HEAD = """# Doors of public libraries

What each library offers its users that is about tools, derived from its installed release, and how much of it the
scenarios go through: played / all. [How it is derived and measured](../../docs/libraries.md#the-inventory-of-doors).
*Options* are the branches, values and fields inside of parameters; most of those that are not played belong to tools
that a provider runs itself. *Shown first* is the door that the library's own documentation shows first.

| library | version | methods | parameters | providers | outputs | options | shown first |
|---|---|--:|--:|--:|--:|--:|---|"""


def made(name: str) -> dict[str, Any] | None:
    """The inventory of a library, as the command writes it; ``None`` where the library is not there."""
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "doors", name, "--format", "json"],
        stdout=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    document: dict[str, Any] | None = json.loads(done.stdout) if done.stdout.startswith("{") else None
    return document


def keep(document: dict[str, Any], figures: dict[str, Any]) -> None:
    """Write the page of a library, and its figures."""
    found = DoorInventory.of_document(document)
    page = HERE / f"{found.library.replace('/', '-')}.md"
    page.write_text(inventory_markdown(found) + "\n", "utf-8")
    figures[found.library] = {"page": page.name, **{key: document[key] for key in ("version", "first", "figures")}}


def rows(figures: dict[str, Any]) -> Iterator[str]:
    """A row for each distribution of the table of libraries."""
    for distribution in dict.fromkeys(one.distribution for one in LIBRARIES.values()):
        one = figures.get(distribution)
        if one is None:
            why = "its roots are not written down" if known(distribution) is None else "it was not there"
            yield f"| {distribution} | | not inventoried: {why} | | | | | |"
            continue
        cells = ("method", "parameter", "provider", "output", "option")
        shown = " | ".join(f"{one['figures'][kind]['played']} / {one['figures'][kind]['all']}" for kind in cells)
        first = f"`{one['first']['door']}` {'is' if one['first']['played'] else 'is **not**'} played"
        yield f"| [{distribution}]({one['page']}) | {one['version']} | {shown} | {first} |"


def index(figures: dict[str, Any]) -> str:
    """The page that has them all."""
    return "\n".join([HEAD, *rows(figures)]) + "\n"


def main() -> int:
    """Returns 1 when a library that was asked for is not there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LIBRARIES)}")
    parser.add_argument("--from", dest="taken", type=Path, nargs="+", default=[], metavar="FILE", help="take these in")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(LIBRARIES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    HERE.mkdir(exist_ok=True)
    figures: dict[str, Any] = json.loads(FIGURES.read_text("utf-8")) if FIGURES.exists() else {}
    first_shims = [shims_of(one)[0] for one in dict.fromkeys(library.distribution for library in LIBRARIES.values())]
    missing = []
    for document in [json.loads(path.read_text("utf-8")) for path in asked.taken]:
        keep(document, figures)
    for name in () if asked.taken else asked.names or first_shims:
        document = made(name)
        if document is None:
            missing.append(name)
        else:
            keep(document, figures)
    FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", "utf-8")
    (HERE / "README.md").write_text(index(figures), "utf-8")
    return 1 if set(missing) & set(asked.names) else 0


if __name__ == "__main__":
    sys.exit(main())
