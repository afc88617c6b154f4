"""Put matrices into the README: the reference adapters' as a terminal shows it, small ones of public libraries, agents,
gateways and servers, and a failure.

``--check`` changes nothing and exits 1 when the README shows something else.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import readme_tables
from readme_failure import failure
from rich.console import Console

from conformance.documents import Document
from conformance.judgements import read_judgements
from conformance.report.terminal import render
from conformance.result import read_result

ROOT = Path(__file__).resolve().parents[2]
REPORTS = ROOT / "reports"
LIBRARIES = REPORTS / "libraries" / "result.json"


def matrix() -> str:
    """The matrix of the reference adapters as text."""
    stream = io.StringIO()
    console = Console(file=stream, width=120, highlight=False, color_system=None)
    render(read_result(REPORTS / "reference" / "result.json"), console, verbose=False)
    text = "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
    return f"```\n{text.strip()}\n```"


def libraries() -> str:
    """The table of public libraries."""
    document = read_result(LIBRARIES)
    day = document["run"]["started"][:10]
    head = f"Run on {day}, newest versions, with the rules and scenarios of that day."
    judged = read_judgements(ROOT / "judgements" / "libraries")
    return "\n".join([head, "", *readme_tables.libraries(document, judged)])


def shown_failure() -> str:
    """A failure of a public library."""
    return failure(read_result(LIBRARIES))


def _table(folder: str, rows: Callable[[Document], Iterator[str]]) -> Callable[[], str]:
    return lambda: "\n".join(rows(readme_tables.published(REPORTS / folder / "result.json")))


BLOCKS: Mapping[str, Callable[[], str]] = {
    "matrix": matrix,
    "libraries": libraries,
    "failure": shown_failure,
    "agents": _table("agents", readme_tables.agents),
    "gateways": _table("gateways", readme_tables.gateways),
    "servers": _table("servers", readme_tables.servers),
}
"""What is put between the comments of these names."""


def _filled(text: str, found: re.Match[str]) -> str:
    return f"{found[1]}\n{text}\n\n{found[2]}"


def main() -> int:
    readme = ROOT / "README.md"
    text = shown = readme.read_text("utf-8")
    for name, made in BLOCKS.items():
        block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        shown = block.sub(partial(_filled, made()), shown)
    if "--check" in sys.argv:
        return 0 if shown == text else 1
    readme.write_text(shown, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
