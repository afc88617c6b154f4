"""Badges: how many rules pass, as small SVG images for a README."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from conformance.documents import Document
from conformance.outcomes import FAILURES
from conformance.report import summary

GREEN, YELLOW, RED, GREY = "#2c7a3f", "#8a6100", "#b3261e", "#6b7280"
"""White words on each have a contrast of more than 4.5."""

CHARACTER = 6.3
"""About how wide a character is, in pixels. The words are fitted to their room, so it need not be exact."""

TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="20" role="img" aria-label="{label}: {message}">
<title>{label}: {message}</title>
<rect width="{width:.0f}" height="20" rx="3" fill="#374151"/>
<path d="M{left:.0f} 0h{right:.0f}v20h-{right:.0f}z" fill="{colour}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{label_x:.1f}" y="14" textLength="{label_width:.0f}">{label}</text>
<text x="{message_x:.1f}" y="14" textLength="{message_width:.0f}">{message}</text>
</g>
</svg>
"""


def badges(document: Document) -> Iterator[tuple[str, str]]:
    """File names and images: one for each adapter, and one for each of its providers."""
    for adapter in document["adapters"]:
        cells = [cell for cell in document["cells"] if cell["adapter"] == adapter["id"]]
        yield f"{slug(adapter['id'])}.svg", _badge("tool calling", cells)
        for provider in summary.providers_of(document, adapter["id"]):
            own = [cell for cell in cells if cell["provider"] == provider]
            yield f"{slug(adapter['id'])}-{slug(provider)}.svg", _badge(provider, own)


def slug(name: str) -> str:
    """The name of a badge's file, without its suffix."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "adapter"


def _badge(label: str, cells: list[Document]) -> str:
    judged = [cell for cell in cells if cell["outcome"] in summary.JUDGED]
    message = f"{summary.tally(judged)} rules" if judged else "nothing judged"
    left, right = (len(words) * CHARACTER + 10 for words in (label, message))
    return TEMPLATE.format(
        label=escape(summary.plain(label), {'"': "&quot;"}), message=message, colour=_colour(judged),
        left=left, right=right, width=left + right, label_x=left / 2, message_x=left + right / 2,
        label_width=left - 10, message_width=right - 10,
    )  # fmt: skip


def _colour(judged: list[Document]) -> str:
    if not judged:
        return GREY
    if any(cell["outcome"] in FAILURES and summary.shown(cell) != "limit" for cell in judged):
        return RED
    warns = any(cell["outcome"] != "pass" and summary.shown(cell) != "oddity" for cell in judged)
    return YELLOW if warns else GREEN
