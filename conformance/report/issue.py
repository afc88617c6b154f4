"""A failing cell as the text of an issue for the library's tracker: what its maintainers need, and nothing of ours.

It is Markdown. Its first line is the title. Whoever files it reads it first: it says where it accuses nobody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.documents import Document
from conformance.report.markdown import code, escaped
from conformance.report.rule_address import rule_address
from conformance.report.summary import clipped, consequence, counted, cut_words, shown, titled

MOST_BYTES = 4_000
"""How much of a body, or of a stream, is quoted."""
MOST_CASES = 6
"""How many cases are named."""

HARM = {
    "rejected": "The provider refuses such a request.",
    "presumed": "The provider probably refuses such a request; no record says either.",
    "lost": "Data, or the link between a call and its result, is lost.",
    "degraded": "It works, but worse than it could.",
}
CAUTION = {
    "oddity": "Only hosts that deviate from the provider make this show. It is no fault against the provider itself.",
    "limit": "Somebody read all of these failures, and none is a fault: the library has no place for this, or decided "
    "so.",
}
"""What has to be known before such a cell is told to anybody."""


class NoIssueError(ValueError):
    """A cell of which there is nothing to tell. The message says why."""


def issue(document: Document, cell: Document, program: str | None, why_none: str = "") -> str:
    """The issue about ``cell``. ``program`` reproduces it; else ``why_none`` says why there is none.

    Raises `NoIssueError` where nothing failed.
    """
    if not cell["failures"]:
        raise NoIssueError(f"nothing failed in {cell['adapter']}/{cell['provider']}/{cell['rule']}")
    return "\n".join(_lines(document, cell, program, why_none)).rstrip() + "\n"


def _lines(document: Document, cell: Document, program: str | None, why_none: str) -> Iterator[str]:
    rule = next(item for item in document["rules"] if item["id"] == cell["rule"])
    adapter = next(item for item in document["adapters"] if item["id"] == cell["adapter"])
    failure = cell["failures"][0]
    evidence = document["evidence"][failure["evidence"]]
    yield from (f"# {_title(cell, rule)}", "")
    if caution := CAUTION.get(shown(cell)):
        yield from (f"> **Before you file this:** {caution}", "")
    yield from _happens(cell, rule, failure)
    yield from _seen(evidence)
    yield from _documented(rule)
    yield from _program(evidence, adapter, program, why_none)
    yield from _versions(document, adapter)
    yield from _threads(cell)


def kept_program(cell: Document, folder: Path) -> str | None:
    """The program of one of the cell's findings that lies beside the result: ``programs/ADAPTER/FINDING.*``."""
    wanted = {(cell["adapter"], finding["id"]) for finding in cell.get("judged", ())}
    found = sorted((folder / "programs").glob("*/*.*"))
    path = next((path for path in found if (path.parent.name, path.stem) in wanted), None)
    return None if path is None else path.read_text("utf-8")


def _title(cell: Document, rule: Document) -> str:
    """What somebody called it who read it; else what ought to hold."""
    judged = cell.get("judged", ())
    told = judged[0]["title"] if judged else f"Not so: {rule['statement']}"
    return f"{escaped(cell['provider'])}: {_prose(clipped(told, 120))}"


def _happens(cell: Document, rule: Document, failure: Document) -> Iterator[str]:
    yield from ("## What happens", "")
    for finding in cell.get("judged", ()):
        yield from (_prose(finding["why"]), "")
    harm = HARM[consequence(rule, [cell])]
    failed = cell.get("failed_cases") or [one["case"] for one in cell["failures"]]
    place = code(failure["at"]) if failure["at"] else "the whole"
    yield from (f"At {place} of the {escaped(failure['in'])}. {harm}", "", "Expected:", "")
    yield from _quoted(failure.get("expected"))
    yield from ("Found:", "")
    yield from _quoted(failure.get("found"))
    of = sum(count for name, count in cell["cases"].items() if name != "unsupported")
    more = f" and {len(failed) - MOST_CASES} more" if len(failed) > MOST_CASES else ""
    names = ", ".join(map(code, failed[:MOST_CASES]))
    yield from (f"{len(failed)} of {counted(of, 'case')} show it: {names}{more}.", "")


def _seen(evidence: Document) -> Iterator[str]:
    """The bytes: what was sent and received, and what the library made of it."""
    yield from ("## On the wire", "")
    if request := evidence.get("request"):
        head = f"{request.get('method', '')} {request.get('url', '')}".strip()
        yield from (f"Request: {code(head)}", "")
        yield from _quoted(request.get("body"))
    if response := evidence.get("response"):
        yield from (f"Response: HTTP status {response.get('status', 'unknown')}", "")
        chunks = response.get("chunks")
        yield from _quoted("".join(map(str, chunks)) if chunks else response.get("body", response.get("answer")))
    if cut := cut_words(evidence):
        yield from (f"The stream is cut {code(cut)}.", "")
    if isinstance(evidence.get("understood"), dict):
        yield from ("What the library made of it:", "")
        yield from _quoted({key: value for key, value in evidence["understood"].items() if key != "opaque"})
    if raised := evidence.get("failure"):
        yield from ("What it raised:", "")
        yield from _quoted(str(raised.get("traceback") or raised.get("message", "")))


def _documented(rule: Document) -> Iterator[str]:
    yield from ("## What the documentation says", "", f"{_prose(rule['statement'])} Sources:", "")
    yield from (f"- {_prose(source)}" for source in rule["source"])
    if address := rule_address(rule["id"]):
        yield f"- {address}"
    yield ""


def _program(evidence: Document, adapter: Document, program: str | None, why_none: str) -> Iterator[str]:
    yield from ("## To reproduce", "")
    if program is not None:
        language = "js" if adapter.get("language") in ("javascript", "typescript") else "python"
        yield from ("This program needs only the library. It starts a provider of its own on loopback.", "")
        yield from _fenced(program, language)
        return
    if why_none:
        yield from (f"There is no program of it here: {escaped(why_none)}.", "")
    yield from ("With `pip install toolcall-conformance`:", "")
    yield from _fenced(str(evidence["reproduce"]), "sh")


def _versions(document: Document, adapter: Document) -> Iterator[str]:
    yield from ("## Versions", "", f"- {escaped(titled(adapter))} ({escaped(adapter.get('language') or 'unknown')})")
    suite, run = document["suite"], document["run"]
    yield f"- toolcall-conformance {escaped(suite['version'])}, on {escaped(run['started'][:10])}"
    yield ""


def _threads(cell: Document) -> Iterator[str]:
    threads = [thread for finding in cell.get("judged", ()) for thread in finding.get("issues", ())]
    if threads:
        yield from ("## Said before", "")
        yield from (f"- {_prose(one['url'])} ({escaped(one['state'])} on {escaped(one['date'])})" for one in threads)


def _prose(text: str) -> str:
    """Words of ours, in which what stands between backticks is code, for people: the rest is escaped."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return escaped(text)
    return "".join(code(part) if number % 2 else escaped(part) for number, part in enumerate(parts) if part)


def _quoted(value: Any) -> Iterator[str]:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    yield from _fenced(clipped(text, MOST_BYTES), "" if isinstance(value, str) else "json")


def _fenced(text: str, language: str) -> Iterator[str]:
    """A block of code whose fence is longer than any that stands in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (f"{fence}{language}", text.rstrip("\n"), fence, "")
