"""Makes reports/servers: servers that were asked by one command, every wire finding read and judged.

    python tools/pages/servers.py --from NAME=FILE ...   take in verdicts (``conformance run server:URL --out FILE``)
    python tools/pages/servers.py                        write the page of the verdicts that are there

NAME is the server with its version, such as ``transformers serve 5.24.0``. What was found is judged in
``judgements/servers.yaml``; a finding without a judgement makes this exit 1, and so does one that nothing needs.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judged import ROOT, Judgement, judgements_of, unjudged

HERE = ROOT / "reports" / "servers"
RESULT, PAGE = HERE / "result.json", HERE / "README.md"
VERSION = re.compile(r" \d[\w.]*$")

INTRO = """\
# Servers

Each server was asked by one command, `conformance run server:URL` ([how](../../docs/servers.md)). Wire and must
reject decide; what a model chose says nothing about its server. Every wire finding was read against the bytes, and is
judged in [servers.yaml](../../judgements/servers.yaml). The data are in [result.json](result.json).

The models were made for this by [made_model.py](../../tools/made_model.py): a few answers by heart, `broken` with calls
whose JSON breaks off. llama.cpp is its own server, as the wheel `xllamacpp` has it.

Made by `python tools/pages/servers.py` on {date}, suite {version}.
"""

Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="files", action="append", default=[], metavar="NAME=FILE")
    asked = parser.parse_args()
    if asked.files:
        _keep([_named(*one.split("=", 1)) for one in asked.files])
    document = json.loads(RESULT.read_text("utf-8"))
    judgements = judgements_of("servers", "server")
    PAGE.write_text("\n".join(_lines(document, judgements)) + "\n", "utf-8")
    wrong = unread()
    print("\n".join(wrong) or f"{PAGE.relative_to(ROOT)}: every finding is judged")
    return 1 if wrong else 0


def _named(name: str, file: str) -> tuple[str, dict[str, Any]]:
    return name, json.loads(Path(file).read_text("utf-8"))


def _keep(taken: list[tuple[str, dict[str, Any]]]) -> None:
    """Keep verdicts, shortened: what a rule rests on stands in the rule."""
    rows = [_short(name, verdict) for name, document in taken for verdict in document["verdicts"]]
    document = {"version": taken[0][1]["version"], "date": datetime.datetime.now(datetime.UTC).date().isoformat()}
    HERE.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps({**document, "servers": rows}, ensure_ascii=False, indent=1) + "\n", "utf-8")


def _short(name: str, verdict: Row) -> Row:
    rejects = dict(verdict["must_reject"])
    for part in ("faults", "left_open"):
        kept = ("rule", "origin", "outcome", "status", "at", "expected", "found")
        rejects[part] = [{key: one[key] for key in kept} for one in rejects[part]]
    wire = dict(verdict["wire"])
    wire["findings"] = [{**one, "probes": one["probes"][:3]} for one in wire["findings"]]
    clients = [{key: one[key] for key in ("client", "outcome", "reason", "requests", "cells") if key in one}
               for one in verdict.get("clients", ())]  # fmt: skip
    return {"server": name, **verdict, "url": "", "wire": wire, "must_reject": rejects, "clients": clients}


def _plain(name: str) -> str:
    """A server's name without its version."""
    return VERSION.sub("", name)


def unread() -> list[str]:
    """What is published and not judged, and what is judged and not there."""
    rows: list[Row] = json.loads(RESULT.read_text("utf-8"))["servers"]
    found = {(_plain(row["server"]), one["rule"]) for row in rows for one in row["wire"]["findings"]}
    return unjudged(found, judgements_of("servers", "server"))


def _lines(document: dict[str, Any], judgements: list[Judgement]) -> Iterator[str]:
    yield INTRO.format(date=document["date"], version=document["version"])
    yield "| server | format | model | verdict | wire: rules broken | must reject: refused, not, undecided | clients |"
    yield "|---|---|---|---|--:|---|---|"
    for row in document["servers"]:
        rejects = row["must_reject"]
        clients = ", ".join(f"{one['client']}: {one['outcome']}" for one in row["clients"])
        counts = f"{rejects['refused']}, {len(rejects['faults'])}, {rejects['undecided']}"
        broken = len(row["wire"]["findings"])
        yield (
            f"| {row['server']} | {row['provider']} | {row['model_name']} | {row['outcome']} | {broken} | {counts} | "
            f"{clients} |"
        )
    yield from ("", "## Wire findings", "")
    yield from ("| server, format | rule | times | expected, found | judged |", "|---|---|--:|---|---|")
    for row in document["servers"]:
        for one in row["wire"]["findings"]:
            yield _finding(row, one, judgements)
    yield from ("", "## What is taken though the format's provider refuses it", "")
    yield "Each was sent after the same request without its fault, which was answered. *500* is no refusal."
    yield from ("", "| server, format | rules |", "|---|---|")
    for row in document["servers"]:
        if row["must_reject"]["faults"]:
            rules = dict.fromkeys(map(_taken, row["must_reject"]["faults"]))
            yield f"| {row['server']}, {row['provider']} | {', '.join(rules)} |"
    yield from ("", "## The models", "", "A made model keeps what it learned; no server forced it to more.", "")
    yield from ("| server, format, model | measure: kept of, interval |", "|---|---|")
    for row in document["servers"]:
        rates = [f"{name} {one['kept']}/{one['of']} ({100 * one['low']:.0f} to {100 * one['high']:.0f} %)"
                 for name, one in row["model"]["measures"].items()]  # fmt: skip
        wrong = f"; {row['model']['wrong_form']} answers in a wrong form" if row["model"]["wrong_form"] else ""
        yield f"| {row['server']}, {row['provider']}, {row['model_name']} | {', '.join(rates)}{wrong} |"


def _finding(row: Row, one: Row, judgements: list[Judgement]) -> str:
    mine = (_plain(row["server"]), one["rule"])
    known = next((j for j in judgements if (j.subject, j.rule) == mine), Judgement(*mine, "not judged", ""))
    said = _cell(f"{one['expected']}, {one['found']}")
    where = f" at {one['at']}" if one["at"] else ""
    name = f"{row['server']}, {row['provider']}, {row['model_name']}"
    judged = f"{known.kind}: {_cell(known.because, 400)}"
    return f"| {name} | `{one['rule']}`{where} | {one['times']} | {said} | {judged} |"


def _taken(fault: Row) -> str:
    return f"`{fault['rule']}`{' (500)' if fault['outcome'] == 'failed' else ''}"


def _cell(text: str, most: int = 160) -> str:
    text = " ".join(str(text).split()).replace("|", "\\|")
    return text if len(text) <= most else text[: most - 2] + " …"


if __name__ == "__main__":
    sys.exit(main())
