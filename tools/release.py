"""Cuts a release: the version changes wherever it stands, and what is unreleased gets its heading in the CHANGELOG.

    python tools/release.py 0.2.0                 change the files, and say what to do next
    python tools/release.py 0.2.0 --root DIR      the same in another checkout
    python tools/release.py --check               only say where versions differ; exit code 1 where they do

Nothing is committed, tagged or published. Stamps in what is made (reports, `kills.json`, cassettes) change when it is
made again: the last lines say how. Exit code 2 where a release cannot be cut; then nothing is changed.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NUMBER = r"\d+\.\d+\.\d+"

PLACES: Mapping[str, str] = {
    "pyproject.toml": rf'(?m)^(version = "){NUMBER}(")$',
    "conformance/version.py": rf'(?m)^(VERSION = "){NUMBER}(")$',
    "clients/node/package.json": rf'(?m)^(  "version": "){NUMBER}(",)$',
    "README.md": rf"(?m)^(reference ){NUMBER}()\b",
}
"""Where the version stands, by file: what is around it. It stands there once at least, and everywhere alike."""

UNRELEASED = "## [Unreleased]\n"
NEXT = """\
next, in this order:
  python tools/record_cassettes.py --again          cassettes say which version recorded them
  python tools/publish.py reference reference-portable selftest coverage readme
  python tools/publish.py --stale
  python tools/freeze_set.py 2026-11 --again        where no release holds the newest set yet
  python tools/build.py
  pytest
  git commit -am "Release {version}" && git tag v{version}
"""


class ReleaseError(Exception):
    """Why no release can be cut. The message is one line."""


def versions(root: Path) -> dict[str, list[str]]:
    """The versions that stand in each place. Raises `ReleaseError` where one has none."""
    found = {}
    for name, pattern in PLACES.items():
        places = re.finditer(pattern, (root / name).read_text("utf-8"))
        found[name] = [place[0].removeprefix(place[1]).removesuffix(place[2]) for place in places]
        if not found[name]:
            raise ReleaseError(f"{name}: no version stands where one is looked for")
    return found


def different(root: Path) -> list[str]:
    """The places whose version is not that of the package, a line each."""
    known = versions(root)
    own = known["conformance/version.py"][0]
    return [f"{name}: {other}, not {own}" for name, found in known.items() for other in found if other != own]


def released(root: Path, version: str, day: datetime.date) -> dict[Path, str]:
    """The files as they are after the release. Raises `ReleaseError`."""
    if not re.fullmatch(NUMBER, version):
        raise ReleaseError(f"{version!r} is no version: write MAJOR.MINOR.PATCH")
    if lines := different(root):
        raise ReleaseError(f"the versions differ already: {'; '.join(lines)}")
    now = versions(root)["conformance/version.py"][0]
    if _order(version) <= _order(now):
        raise ReleaseError(f"{version} does not come after {now}")
    changed = {
        root / name: re.sub(pattern, rf"\g<1>{version}\g<2>", (root / name).read_text("utf-8"))
        for name, pattern in PLACES.items()
    }
    changelog = root / "CHANGELOG.md"
    return {**changed, changelog: _with_heading(changelog.read_text("utf-8"), version, day)}


def _order(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _with_heading(text: str, version: str, day: datetime.date) -> str:
    """The CHANGELOG with what was unreleased under the version, and nothing unreleased."""
    if text.count(UNRELEASED) != 1:
        raise ReleaseError("CHANGELOG.md: there must be one heading [Unreleased]")
    before, _, after = text.partition(UNRELEASED)
    if not after.partition("\n## ")[0].strip():
        raise ReleaseError("CHANGELOG.md: nothing is unreleased")
    if f"## [{version}]" in after:
        raise ReleaseError(f"CHANGELOG.md: {version} is there already")
    return f"{before}{UNRELEASED}\n## [{version}] - {day.isoformat()}\n{after}"


def main(words: Sequence[str] | None = None) -> int:
    """The command. Returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", nargs="?", metavar="VERSION")
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="DIR", help="the checkout (default: this one)")
    options = parser.parse_args(words)
    if options.check == (options.version is not None):
        parser.error("give a version, or --check")
    try:
        lines = different(options.root) if options.check else []
        changed = {} if options.check else released(options.root, options.version, datetime.date.today())
    except (ReleaseError, OSError) as problem:
        sys.stderr.write(f"release: {problem}\n")
        return 2
    for path, text in changed.items():
        path.write_text(text, "utf-8")
    sys.stdout.write("".join(f"{path}\n" for path in changed) + "".join(f"{line}\n" for line in lines))
    if changed:
        sys.stdout.write(NEXT.format(version=options.version))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
