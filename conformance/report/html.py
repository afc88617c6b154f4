"""The page: one HTML file with everything inside, or a folder whose pieces are loaded when somebody asks for them.

A result may come from anyone, so nothing of it is ever markup. Data is JSON without a ``<``, the script puts it on the
page as text only, and the page's Content-Security-Policy runs no script but its own, which it knows by hash, and, of a
folder, what lies beside it. There the pieces are scripts, because a page from disk may load nothing else; each hands
over one text, which is parsed as JSON.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator
from importlib import resources
from typing import Any

from conformance.documents import Document
from conformance.report import summary
from conformance.report.packing import PackedResult, Programs

SCRIPTS = (
    "dom", "data", "route", "outcomes", "table", "needs", "ask", "overview", "matrix", "findings", "library", "lists",
    "rule", "provider", "scenario", "json", "evidence", "cell", "compare", "search", "page",
)  # fmt: skip
"""The parts of the script, in the order in which they need each other."""
INDEX = "index.html"
PIECE = re.compile(r"(?:rules|scenarios|[ae]\d+)\.js")
"""How files in ``data`` are called: those that an earlier page left there can go."""


_COMMENTS = re.compile(r"^[ \t]*(?://.*\n|/\*\*(?:[^*]|\*(?!/))*\*/[ \t]*\n)|^[ \t]+", re.MULTILINE)


def page(document: Document, programs: Programs | None = None) -> str:
    """The result as one HTML file. ``document`` is one that `conformance.report.merge.merged_results` returned.

    ``programs`` holds programs that show findings, by adapter and finding.
    """
    return "".join(page_pieces(document, programs))


def page_pieces(document: Document, programs: Programs | None = None) -> Iterator[str]:
    """`page`, piece by piece: no more than one piece of the evidence is in memory."""
    packing = PackedResult(document, programs)
    start, end = _frame(document, packing, folder=False)
    yield start
    for name, data in packing.chunks():
        yield f'<script type="application/json" id="chunk-{name}">{_embedded(data)}</script>\n'
    yield end


def folder_files(document: Document, programs: Programs | None = None) -> Iterator[tuple[str, str]]:
    """The result as files of a folder for static hosting: pieces in ``data``, and ``index.html`` at last."""
    packing = PackedResult(document, programs)
    for name, data in packing.chunks():
        yield f"data/{name}.js", f"conformancePiece({_quoted(name)},{_quoted(_json(data))});\n"
    yield INDEX, "".join(_frame(document, packing, folder=True))


def _frame(document: Document, packing: PackedResult, *, folder: bool) -> tuple[str, str]:
    """What stands before and after the pieces."""
    style, script, data = _file("page.css"), _script(), _embedded(packing.core())
    own = " 'self'" if folder else ""
    values = {
        "title": html.escape(summary.plain(_title(document))),
        "verdict": html.escape(summary.plain(summary.verdict(document))),
        "policy": f"default-src 'none'; script-src {_hash(script)}{own}; style-src {_hash(style)}; img-src data:{own}; "
        "base-uri 'none'; form-action 'none'",
        "where": "folder" if folder else "file",
        "style": style,
        "script": script,
        "data": data,
        "stamp": hashlib.sha256(data.encode()).hexdigest()[:12],
    }
    text = re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], _file("template.html"))
    end = "</body>\n"
    return text[: text.rindex(end)], text[text.rindex(end) :]


def _title(document: Document) -> str:
    """A short title: the adapter, or how many there are."""
    adapters = document["adapters"]
    whose = summary.titled(adapters[0]) if len(adapters) == 1 else f"{len(adapters)} libraries"
    return f"{whose}: tool calling"


def _script() -> str:
    """The parts as one script, without comments and indentation: those are for who reads the parts."""
    parts = _COMMENTS.sub("", "\n".join(_file(f"{name}.js") for name in SCRIPTS))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _file(name: str) -> str:
    return (resources.files("conformance.report") / "page" / name).read_text("utf-8")


def _hash(text: str) -> str:
    """A source expression of the Content-Security-Policy that allows an inline element with this very text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


def _embedded(value: Any) -> str:
    """JSON that stays inside its element: ASCII only, and no character that could end it or begin another."""
    return _json(value).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _quoted(text: str) -> str:
    """ASCII text as a literal of JavaScript."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
