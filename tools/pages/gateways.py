"""Makes reports/gateways: gateways, run by one command, and every finding read and judged.

    python tools/pages/gateways.py                  run all gateways that are installed, write the page
    python tools/pages/gateways.py --from FILE      write the page of verdicts made apart (``run ... --out FILE``)
    python tools/pages/gateways.py --no-run         write the page of the verdicts that are there

What was found is judged in ``judgements/gateways.yaml``; a finding without a judgement makes this exit 1, and so does a
judgement that nothing needs. Gateways must be installed (``conformance env gateway:NAME``).
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from judged import ROOT, Judgement, Verdict, conformance, judgements_of, unjudged

from conformance.gateways.telling import in_a_word

HERE = ROOT / "reports" / "gateways"
RESULT, PAGE = HERE / "result.json", HERE / "README.md"
LONGEST, MOST_CASES = 160, 3
"""How much of a value is kept, and how many cases that show a finding."""

INTRO = """\
# Gateways

Each gateway was run by one command: `conformance run gateway:NAME` ([how](../../docs/gateways.md)). The harness was the
client on one side and the provider on the other, and all three were in a network of their own. Every finding was read
against the bytes of both sides, and is judged in [gateways.yaml](../../judgements/gateways.yaml).

Made by `python tools/pages/gateways.py` on {date}, suite {version}.

A cell says how many cases broke nothing that must hold, and how many things were lost that one of the formats has no
field for. `→` names the formats that were asked for where others were meant. `–` was not run: the gateway does not
offer it. To see a finding again: `conformance run gateway:NAME --inbound I --outbound O --scenario S --keep`.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="files", action="append", type=Path, metavar="FILE", help="verdicts to take in")
    parser.add_argument("--no-run", action="store_true", help="run nothing")
    asked = parser.parse_args()
    if asked.files:
        _keep([json.loads(file.read_text("utf-8")) for file in asked.files])
    elif not asked.no_run:
        _keep([_run()])
    document = json.loads(RESULT.read_text("utf-8"))
    PAGE.write_text("\n".join(_lines(document, judgements_of("gateways", "gateway"))) + "\n", "utf-8")
    wrong = unread()
    print("\n".join(wrong) or f"{PAGE.relative_to(ROOT)}: every finding is judged")
    return 1 if wrong else 0


def _run() -> dict[str, Any]:
    fresh = HERE / "new.json"
    names = json.loads(conformance("list", "gateways", "--format", "json"))
    conformance("run", *(f"gateway:{one['id']}" for one in names), "--out", str(fresh))
    document: dict[str, Any] = json.loads(fresh.read_text("utf-8"))
    fresh.unlink()
    return document


def _keep(documents: Sequence[dict[str, Any]]) -> None:
    """Write the verdicts down, shortened, the later ones in the place of earlier ones."""
    verdicts = {verdict["gateway"]: _short(verdict) for document in documents for verdict in document["verdicts"]}
    kept = {**documents[-1], "verdicts": [verdicts[key] for key in sorted(verdicts)]}
    HERE.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _short(verdict: Verdict) -> Verdict:
    for cell in verdict["cells"]:
        for finding in cell["findings"]:
            finding["shown_by"] = finding["shown_by"][:MOST_CASES]
            finding |= {name: _cut(finding[name]) for name in ("expected", "found")}
    return {name: value for name, value in verdict.items() if name != "folder"}


def _cut(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return value if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def unread() -> list[str]:
    """What is published and not judged, and what is judged and not there."""
    verdicts: list[Verdict] = json.loads(RESULT.read_text("utf-8"))["verdicts"]
    found = {(one["gateway"], finding["rule"]) for one in verdicts for finding in _findings(one)}
    return unjudged(found, judgements_of("gateways", "gateway"))


def _findings(verdict: Verdict) -> list[dict[str, Any]]:
    return [{**finding, "cell": cell} for cell in verdict["cells"] for finding in cell["findings"]]


# --- the page --------------------------------------------------------------------------------------------------------


def _lines(document: dict[str, Any], judgements: Sequence[Judgement]) -> Iterator[str]:
    yield INTRO.format(date=datetime.date.today(), version=document["version"])
    for verdict in document["verdicts"]:
        others = ", ".join(sorted({one["host"] for one in verdict["outsiders"]}))
        yield f"## {verdict['title']} {verdict['version']}".rstrip() + "\n"
        yield from _matrix(verdict["cells"])
        yield f"\nOthers that it asked for: {others}." if others else "\nIt asked for nobody else."
        yield ""
        own = sorted((one for one in judgements if one.subject == verdict["gateway"]), key=lambda one: one.rule)
        if own:
            yield "| rule | where | shown by | | why |\n|---|---|---|---|---|"
            yield from (_row(one, verdict) for one in own)
            yield ""


def _matrix(cells: Sequence[dict[str, Any]]) -> Iterator[str]:
    inbound = list(dict.fromkeys(cell["inbound"] for cell in cells))
    outbound = list(dict.fromkeys(cell["outbound"] for cell in cells))
    known = {(cell["inbound"], cell["outbound"]): in_a_word(cell) for cell in cells}
    yield f"| in \\ out | {' | '.join(outbound)} |"
    yield "|---" * (len(outbound) + 1) + "|"
    yield from (f"| {one} | {' | '.join(known.get((one, other), '') for other in outbound)} |" for one in inbound)


def _row(judgement: Judgement, verdict: Verdict) -> str:
    found = [one for one in _findings(verdict) if one["rule"] == judgement.rule]
    where = ", ".join(dict.fromkeys(f"{one['cell']['inbound']} → {one['cell']['outbound']}" for one in found))
    shown = found[0]["shown_by"][0] if found else ""
    return f"| `{judgement.rule}` | {where} | {shown} | {judgement.kind} | {judgement.because} |"


if __name__ == "__main__":
    sys.exit(main())
