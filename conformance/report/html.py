"""The page: one HTML file with its data, style and script inside. It loads nothing, from nowhere.

A result may come from anyone, so nothing of it is ever markup. Data is embedded as JSON without a ``<``, the script
puts it on the page as text only, and the page's Content-Security-Policy runs no script but its own, which it knows by
hash.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib import resources
from typing import Any

from conformance.documents import Document
from conformance.report import summary
from conformance.report.packing import packed, packed_evidence

SCRIPTS = ("dom", "data", "state", "toolbar", "matrix", "overview", "causes", "json", "evidence", "panel", "page")
"""The parts of the script, in the order in which they need each other."""


def page(document: Document) -> str:
    """The result as an HTML page. ``document`` is one that `conformance.report.merge.merged_results` returned."""
    style, script = _file("page.css"), _script()
    values = {
        "title": html.escape(summary.plain(f"Tool-calling conformance: {summary.subjects(document)}")),
        "verdict": html.escape(summary.plain(summary.verdict(document))),
        "policy": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        "style": style,
        "script": script,
        "data": _embedded(packed(document)),
        "evidence": _embedded(packed_evidence(document)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], _file("template.html"))


def _script() -> str:
    parts = "\n".join(_file(f"{name}.js") for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


def _file(name: str) -> str:
    return (resources.files("conformance.report") / "page" / name).read_text("utf-8")


def _hash(text: str) -> str:
    """A source expression of the Content-Security-Policy that allows an inline element with this very text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _embedded(value: Any) -> str:
    """JSON that stays inside its element: ASCII only, and no character that could end it or begin another."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
