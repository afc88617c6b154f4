"""How much memory `conformance report` takes of a small result, and of a large one.

``python benchmarks/large_result.py`` makes results of 10 and of 200 MB (some minutes), ``--small`` of 10 and of 20 MB.
They are the published one, with the cells of one library, whose evidence comes again and again under other names. Exit
code 1 where the large one takes more than `MOST` times the memory of the small one. Needs Linux.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PUBLISHED = Path(__file__).resolve().parent.parent / "reports" / "libraries" / "result.json"
LIBRARY = "litellm"
MOST = 1.5
MEGABYTE = 1_000_000
REPORT = """
import re, sys
from pathlib import Path
from conformance.cli import main
code = main(["report", sys.argv[1], "--out", sys.argv[2]])
print(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""


def one_library(document: dict[str, Any]) -> dict[str, Any]:
    """The result without the other libraries."""
    kept = {name: [one for one in document[name] if one["adapter"] == LIBRARY] for name in ("cells", "causes")}
    return {**document, **kept, "adapters": [one for one in document["adapters"] if one["id"] == LIBRARY]}


def grown(document: dict[str, Any], size: int) -> str:
    """The result as text, with more evidence, until it has so many bytes."""
    evidence, length = dict(document["evidence"]), len(json.dumps(document))
    for number, item in enumerate(itertools.cycle(document["evidence"].values())):
        if length >= size:
            break
        evidence[f"again-{number}"] = item
        length += len(json.dumps(item))
    return json.dumps({**document, "evidence": evidence})


def peak(text: str) -> float:
    """The megabytes that the command has at most while it makes a page of a result."""
    with tempfile.TemporaryDirectory() as room:
        result, page = Path(room, "result.json"), Path(room, "page.html")
        result.write_text(text, "utf-8")
        told = subprocess.check_output([sys.executable, "-c", REPORT, result, page], text=True)
    return int(told.splitlines()[-1]) * 1024 / MEGABYTE


def main() -> int:
    document = one_library(json.loads(PUBLISHED.read_text("utf-8")))
    sizes = (10, 20) if "--small" in sys.argv else (10, 200)
    peaks = [peak(grown(document, size * MEGABYTE)) for size in sizes]
    for size, taken in zip(sizes, peaks, strict=True):
        print(f"a result of {size} MB: {taken:.0f} MB")
    print(f"{peaks[1] / peaks[0]:.2f} times as much (aim: at most {MOST})")
    return 0 if peaks[1] <= MOST * peaks[0] else 1


if __name__ == "__main__":
    sys.exit(main())
