"""The forms of recorded traffic: what providers' own hosts sent, and took with success."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from conformance.coverage.documents import documents_of, forms_in, orders
from conformance.coverage.scope import is_counted
from conformance.http import Response
from conformance.transcript import Exchange

REQUEST_ID = re.compile(r"request-?id$", re.IGNORECASE)
NOBODY = re.compile(r"0{8}(-0{4}){3}-0{12}")

RecordedForms = Mapping[str, Mapping[str, int]]
"""By provider, and then by form: in how many exchanges it was seen."""


def forms_recorded(paths: Iterable[Path], unreadable: Callable[[str], None] = lambda line: None) -> RecordedForms:
    """The forms in files of recorded traffic. ``unreadable`` is told a line of each record that cannot be read.

    Only what went over the wire counts, to and from a host of the provider's own, and only what was answered with
    success: what an SDK wrote down has other absences than what was sent, and what somebody made up was sent by nobody.
    """
    from conformance.traffic.audit import Audit, AuditedExchange
    from conformance.traffic.files import find_files

    found: dict[str, Counter[str]] = {}

    def watch(audited: AuditedExchange) -> None:
        sent = audited.who.own and audited.record.framed and not is_made_up(audited.exchange)
        if sent and audited.record.status < 400:
            found.setdefault(audited.exchange.provider, Counter()).update(exchange_forms(audited.exchange))

    audit = Audit(globs=("no rule",), watch=watch)
    for path in find_files(paths):
        for _ in audit.read(path):
            pass
    for record in audit.unreadable:
        unreadable(f"{record.source}:{record.line}: {record.why}")
    return found


def is_made_up(exchange: Exchange) -> bool:
    """Whether an answer was written by hand: no host gives out a request id of zeros."""
    headers = exchange.response.headers if isinstance(exchange.response, Response) else {}
    return any(REQUEST_ID.search(name) and NOBODY.fullmatch(value) for name, value in headers.items())


def recorded_text(recorded: RecordedForms) -> str:
    """The forms that count, as a document: a line for each."""
    counted = {
        provider: {form: count for form, count in sorted(forms.items()) if is_counted(provider, form)}
        for provider, forms in sorted(recorded.items())
    }
    return json.dumps(counted, ensure_ascii=False, indent=0) + "\n"


def exchange_forms(exchange: Exchange) -> set[str]:
    """The forms of both sides of an exchange."""
    provider = exchange.provider
    found = {each.form for document in documents_of(exchange) for each in forms_in(document, provider)}
    if exchange.events is not None:
        found.update(form for form, _ in orders(exchange.events, provider))
    return found
