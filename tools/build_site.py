"""Build the documentation as a site: every page of docs, a page for each rule, the reports, the API.

    python tools/build_site.py --out site             build it; what Sphinx warns of (a link into the void) is an error
    python tools/build_site.py --out site --check     and look at it: axe in a real browser, an address for each rule
    python tools/build_site.py --links                ask every address outside of it, too (needs the network)

It needs `pip install -e '.[site]'`; `--check` needs Chromium, its driver, npm and `pip install selenium` as well.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from website.looking import barriers
from website.staging import stage

CONF = Path(__file__).parent / "website"


def main() -> int:
    """Build, and say what is wrong. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("site"), metavar="DIR", help="where it goes (default: site)")
    parser.add_argument("--check", action="store_true", help="look at it in a browser")
    parser.add_argument("--links", action="store_true", help="ask the addresses outside of it")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pages = stage(Path(folder))
        code = _sphinx("linkcheck" if asked.links else "html", Path(folder), asked.out)
    if code or asked.links:
        return code
    print(f"{len(pages)} pages in {asked.out}")
    problems = barriers(asked.out, pages) if asked.check else []
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


def _sphinx(builder: str, source: Path, out: Path) -> int:
    words = ["-m", "sphinx", "-b", builder, "-q", "-W", "--keep-going", "-j", "auto", "-c", str(CONF)]
    doctrees = source / ".doctrees"
    return subprocess.run([sys.executable, *words, "-d", str(doctrees), str(source), str(out)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
