"""Make the pictures of the README: a terminal after a run that failed, and the page of the published libraries.

    python tools/pages/pictures.py            write docs/pictures; the page's want Chromium
    python tools/pages/pictures.py --check    exit 1 when the results that they show are others than today's

Both show published results, so nothing in them is made up.
"""

from __future__ import annotations

import hashlib
import io
import re
import sys
from pathlib import Path

from readme_failure import CELL, WIDTH
from rich.console import Console
from rich.text import Text

from conformance.documents import Document
from conformance.report.terminal import render
from conformance.result import read_result

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))
LIBRARIES = ROOT / "reports" / "libraries"
FOLDER = ROOT / "docs" / "pictures"
MADE_OF = FOLDER / "made-of.txt"
"""The hash of what the pictures show."""
VIEWS = {"page": "", "cell": "#/cell/" + "/".join(CELL)}
"""The views of the page that are shown, by the names of their pictures."""
SIZE = (1200, 760)


def terminal(document: Document) -> str:
    """What a terminal shows of the failure in the README, with the matrix above it, as SVG."""
    name, provider, rule = CELL
    adapter = next(one for one in document["adapters"] if one["id"] == name)
    cells = [one for one in document["cells"] if (one["adapter"], one["provider"]) == (name, provider)]
    causes = [one for one in document["causes"] if (one["adapter"], one["rules"][0]) == (name, rule)]
    told = io.StringIO()
    console = Console(file=told, width=WIDTH, highlight=False, force_terminal=True, color_system="standard")
    render({**document, "adapters": [adapter], "cells": cells, "causes": causes[:1]}, console, verbose=False)
    *shown, _whole_run = told.getvalue().strip().split("\n\n")  # the result has other libraries, too
    command = f"conformance run env:{name}@{adapter['version']} --provider {provider}"
    drawn = Console(file=io.StringIO(), width=WIDTH, record=True)
    drawn.print(f"$ {command}", style="bold", highlight=False)
    drawn.print(Text.from_ansi("\n\n".join(shown)))
    picture = drawn.export_svg(title="toolcall-conformance", unique_id="run")
    return re.sub(r"@font-face \{.*?\}", "", picture, flags=re.DOTALL)  # pictures load nothing


def page(view: str) -> bytes:
    """A view of the published page, as PNG."""
    from website.looking import browser

    shown = browser()
    try:
        shown.set_window_size(*SIZE)
        shown.get((LIBRARIES / "index.html").as_uri() + view)
        shown.implicitly_wait(10)
        shown.find_element("css selector", "main h1, main h2")
        picture: bytes = shown.get_screenshot_as_png()
    finally:
        shown.quit()
    return picture


def made_of() -> str:
    """The hash of the published result and of the page."""
    parts = [(LIBRARIES / name).read_bytes() for name in ("result.json", "index.html")]
    return hashlib.sha256(b"".join(parts)).hexdigest() + "\n"


def main() -> int:
    """Returns 1 when pictures are asked about that show something else."""
    if "--check" in sys.argv:
        return 0 if MADE_OF.exists() and MADE_OF.read_text("utf-8") == made_of() else 1
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "terminal.svg").write_text(terminal(read_result(LIBRARIES / "result.json")), "utf-8")
    for name, view in VIEWS.items():
        (FOLDER / f"{name}.png").write_bytes(page(view))
    MADE_OF.write_text(made_of(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
