"""Make what is published: the reports, the README's tables, the pages and schemas that come out of the code.

    python tools/publish.py                 all of it, in an order in which nothing has to be made twice
    python tools/publish.py NAME ...        these parts
    python tools/publish.py --list          the parts, what each needs and how long it takes
    python tools/publish.py --stale         say which parts were made of something else than what there is; run nothing

Exit code: 0 when all was made (or nothing is stale), 1 when a part failed (or is stale).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "tools" / "pages"))

import staleness

CONFORMANCE = ("-m", "conformance")
Command = tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """Something that is published. ``commands`` are words for this Python, run in the root of the repository."""

    what: str
    commands: tuple[Command, ...]
    stale: Callable[[], list[str]]
    """Why it does not fit to what there is now; nothing where no sign of that is seen."""
    needs: str = "seconds"
    newer: Callable[[], list[str]] = list
    """What came after it and is not in it yet. What is published is still true."""


def _reference(profile: str, folder: str) -> tuple[Command, ...]:
    result = f"reports/{folder}/result.json"
    return (
        (*CONFORMANCE, "run", "--all", "--profile", profile, "--out", result),
        (*CONFORMANCE, "report", result, "--out", f"reports/{folder}"),
    )


PARTS: Mapping[str, Part] = {
    "schemas": Part(
        "JSON Schemas of the wires, of the SDKs' types", (("tools/generate_schemas.py",),),
        staleness.schemas, "the SDKs of the test extra",
    ),
    "api": Part("docs/api.md, of the public names", (("tools/generate_api.py",),), staleness.api),
    "fields": Part(
        "docs/fields: what stands where on each wire, with the rules about it", (("tools/pages/fields.py",),),
        staleness.fields,
    ),
    "cassettes": Part(
        "cassettes that are missing", (("tools/record_cassettes.py",),),
        staleness.cassettes, "the SDKs of the test extra; minutes",
    ),
    "reference": Part(
        "the reference adapters", _reference("native", "reference"),
        lambda: staleness.reference("reference"), "a minute",
    ),
    "reference-portable": Part(
        "the reference adapters, portable profile", _reference("portable", "reference-portable"),
        lambda: staleness.reference("reference-portable"), "a minute",
    ),
    "selftest": Part(
        "mutants, and the rules that kill them",
        ((*CONFORMANCE, "selftest", "--format", "markdown", "--out", "reports/selftest.md",
          "--kills", "conformance/mutants/kills.json"),),
        staleness.selftest, "many minutes",
    ),
    "faults": Part(
        "faults survived, counted by tests", (("tools/pages/faults.py",),), staleness.faults, "minutes",
    ),
    "broken-adapters": Part(
        "broken adapters that no rule was written for", (("tools/pages/broken_adapters.py",),),
        staleness.broken_adapters, "a quarter of an hour",
    ),
    "performance": Part(
        "what benchmarks measure", (("tools/pages/performance.py",),), staleness.performance,
        "a quiet machine; an hour",
    ),
    "real-traffic": Part(
        "the rules on recorded traffic", (("tools/pages/real_traffic.py",),),
        staleness.real_traffic, "the recorded traffic beside the repository; a minute",
    ),
    "hosts": Part(
        "the table of hosts, and how recorded exchanges with each were judged", (("tools/pages/hosts.py",),),
        staleness.hosts, "the recorded traffic beside the repository; a minute",
    ),
    "known-bugs": Part(
        "published bugs, found again", (("tools/pages/known_bugs.py",),),
        staleness.known_bugs, "a package index; an hour",
    ),
    "libraries": Part(
        "the newest public libraries, judged",
        (("tools/pages/libraries.py",), ("tools/pages/programs.py",),
         ("-m", "pytest", "--environments", "tests/report/test_programs.py", "tests/libraries/test_node_doors.py")),
        staleness.libraries, "a package index; two hours", staleness.newer,
    ),
    "agents": Part(
        "coding agents, every finding judged", (("tools/pages/coding_agents.py",),), staleness.agents,
        "the agents (`conformance env agent:NAME`); minutes",
    ),
    "parsers": Part(
        "parsers, every finding judged; of verdicts that are there", (("tools/pages/parsers.py",),), staleness.parsers,
    ),
    "servers": Part(
        "servers, every finding judged; of verdicts that are there", (("tools/pages/servers.py",),), staleness.servers,
    ),
    "gateways": Part(
        "gateways, every finding judged", (("tools/pages/gateways.py",),), staleness.gateways,
        "the gateways (`conformance env gateway:NAME`); a quarter of an hour",
    ),
    "doors": Part(
        "what libraries offer about tools, and what of it is played", (("tools/pages/doors.py",),), staleness.doors,
        "environments of the libraries (`conformance env`); minutes for each",
    ),
    "evidence": Part(
        "what rules about refusals rest on", (("tools/pages/evidence.py",),), staleness.evidence,
    ),
    "coverage": Part(
        "which forms of the formats are covered, and looked at", (("tools/pages/coverage.py",),),
        staleness.coverage, "a minute; the recorded traffic beside the repository, for new forms",
    ),
    "pictures": Part(
        "the README's pictures: a terminal, the page", (("tools/pages/pictures.py",),), staleness.pictures, "Chromium",
    ),
    "readme": Part("the README's tables", (("tools/pages/readme_matrix.py",),), staleness.readme),
}  # fmt: skip
"""Every part by name. The README comes last: it shows what the others found."""


def make(part: Part) -> bool:
    """Run a part's commands. Whether all of them ended well."""
    runs = (subprocess.run([sys.executable, *words], cwd=ROOT, check=False) for words in part.commands)
    return all(run.returncode == 0 for run in runs)


def main() -> int:
    """The command. Returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--list", action="store_true", help="only name the parts")
    kinds.add_argument("--stale", action="store_true", help="only say what is stale")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    chosen = {name: part for name, part in PARTS.items() if not asked.names or name in asked.names}
    if asked.list:
        print("\n".join(f"{name:<17} {part.what} ({part.needs})" for name, part in chosen.items()))
        return 0
    if asked.stale:
        for name, part in chosen.items():
            print("".join(f"not in {name} yet: {what}\n" for what in part.newer()), end="")
        told = [f"{name}: {why}" for name, part in chosen.items() for why in part.stale()]
        print("\n".join(told) or "nothing is stale")
        return 1 if told else 0
    failed = [name for name, part in chosen.items() if not make(part)]
    print(f"failed: {', '.join(failed)}" if failed else f"made: {', '.join(chosen)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
