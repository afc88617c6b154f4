"""Make the scenarios in ``scenarios/generated``: a covering array of strength two, written as files.

    python tools/generate_scenarios.py            write them, and take away what is made no more
    python tools/generate_scenarios.py --check    say what would change (exit code 1)

What the arrays are made of is in ``conformance/generated``; docs/generated.md says it in words.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from conformance.generated.catalogue import pair_scenarios
from conformance.scenario_files import write_scenario
from conformance.scenarios import GENERATED

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "scenarios" / GENERATED


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, and say what would change")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        made = _made(Path(scratch) / FOLDER.name)
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.json")}
    changed = [name for name in {**made, **there} if made.get(name) != there.get(name)]
    print(f"{len(made)} scenarios, {len(changed)} of them new, changed or gone")
    if asked.check:
        return 1 if changed else 0
    FOLDER.mkdir(exist_ok=True)
    for name in changed:
        path = FOLDER / name
        if name in made:
            path.write_text(made[name], "utf-8", newline="\n")
        else:
            path.unlink()
    return 0


def _made(folder: Path) -> dict[str, str]:
    """The texts of all files, by name."""
    for scenario in pair_scenarios():
        write_scenario(scenario, folder / f"{scenario.id.partition('.')[2]}.json")
    return {path.name: path.read_text("utf-8") for path in folder.glob("*.json")}


if __name__ == "__main__":
    raise SystemExit(main())
