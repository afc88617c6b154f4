"""What a search for secrets found, for people: file by file, place by place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.report.summary import plain


def secrets_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the table. Files may have any names, so nothing in them reaches the terminal as it is."""
    for found in document["secrets"]:
        yield plain(f"{found['source']}:{found['line']}  {found['side']}, {found['place']}: {found['looks_like']}")
    for item in document["unreadable"]:
        yield plain(f"{item['source']}:{item['line']}  not searched: {item['why']}")
    kinds = Counter(found["looks_like"] for found in document["secrets"])
    found = ", ".join(f"{count} × {kind}" for kind, count in kinds.most_common()) or "none"
    yield plain(f"{document['exchanges']} exchanges, {len(document['unreadable'])} not searched; secrets: {found}")
