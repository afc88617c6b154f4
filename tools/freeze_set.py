#!/usr/bin/env python3
"""Freeze a requirement set: all rules and scenarios that there are now, under a name such as 2026-11.

    python tools/freeze_set.py 2026-11

A set that was published never changes. Until its version of the suite is released it may be frozen again (--again).
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from conformance.rules import catalogue
from conformance.sets import HERE, hashes
from conformance.version import VERSION


def frozen_text(day: str) -> str:
    """The file of a set: a line for each scenario."""
    families: dict[str, dict[str, str]] = {}
    for name, mark in sorted(hashes().items()):
        family, _, stem = name.partition(".")
        families.setdefault(family, {})[stem] = mark
    document = {"frozen": day, "suite": VERSION, "rules": sorted(catalogue()), "scenarios": families}
    return json.dumps(document, indent=0) + "\n"


def main() -> int:
    """Write it. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="such as 2026-11")
    parser.add_argument("--again", action="store_true", help="replace a set that no release holds yet")
    options = parser.parse_args()
    path = HERE / f"{options.name}.json"
    if not re.fullmatch(r"\d{4}-\d{2}", options.name):
        parser.error(f"a set is called by its month, such as 2026-11, not {options.name!r}")
    if path.exists() and not options.again:
        parser.error(f"{path.name} is there: a set never changes")
    path.write_text(frozen_text(datetime.datetime.now(datetime.UTC).date().isoformat()), "utf-8")
    print(f"{path.name}: {len(catalogue())} rules, {len(hashes())} scenarios, {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
