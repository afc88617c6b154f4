"""Runs the programs that show findings, and keeps what they print beside them, for the page.

    python tools/pages/program_outputs.py [NAME ...]      reports/libraries/outputs, and the pages that show it

Each program runs where its library is: in the environment that ``conformance env`` made. What is kept names no machine:
paths begin at the package, ports are left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from libraries import HERE, reports

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.paths import portable
from conformance.environments import find
from conformance.masking.environment import without_keys

PROGRAMS, OUTPUTS = HERE / "programs", HERE / "outputs"
PATIENCE = 120
PORT = re.compile(r"(127\.0\.0\.1|localhost):\d+")
ASKED = re.compile(r"(?m)^127\.0\.0\.1 - - .*\n")
"""A line of the server in a program, which says only that it was asked, and when."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""What a terminal is told of colours."""
LONGEST = 20_000
"""How many characters of an output are kept."""


def printed(program: Path) -> str:
    """What a program prints, its errors last. Raises `AdapterError` where its library is not there."""
    found = find(f"env:{program.parent.name}")
    with tempfile.TemporaryDirectory() as room:
        command = [str(found.python), str(program)]
        if found.python is None:
            node, shim = found.address.removeprefix("stdio:").split()
            (Path(room) / "node_modules").symlink_to(Path(shim).parents[1] / "node_modules")
            (Path(room) / program.name).write_text(program.read_text("utf-8"), "utf-8")
            command = [node, program.name]
        environment = {**without_keys(), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        done = subprocess.run(
            command, cwd=room, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        text = f"{done.stdout}{ASKED.sub('', done.stderr)}".replace(str(program), program.name).replace(room, ".")
    return kept(text)


def kept(text: str) -> str:
    """What is kept of an output: no ports, no paths of this machine, no colours, and not too much."""
    return shortened(PORT.sub(r"\1", portable(COLOUR.sub("", text))))


def shortened(text: str) -> str:
    """The beginning and the end of a long text."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]}\n…\n{text[-half:]}"


def programs(names: list[str]) -> Iterator[Path]:
    """The published programs of some libraries."""
    yield from (path for path in sorted(PROGRAMS.glob("*/*.*")) if path.parent.name in (names or LIBRARIES))


def main() -> int:
    """Returns 1 when a program could not be run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LIBRARIES)}")
    parser.add_argument("--to", type=Path, default=OUTPUTS, metavar="DIR", help="default: reports/libraries/outputs")
    asked = parser.parse_args()
    lacking = 0
    for path in programs(asked.names):
        file = asked.to / path.parent.name / f"{path.stem}.txt"
        try:
            text = printed(path)
        except (AdapterError, subprocess.TimeoutExpired) as problem:
            lacking += 1
            print(f"{path.parent.name}/{path.stem}: {problem}", flush=True)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    if asked.to == OUTPUTS:
        reports()
    return int(lacking > 0)


if __name__ == "__main__":
    sys.exit(main())
