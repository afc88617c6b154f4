"""Builds the wheel and the source archive, and tries the wheel in a clean environment of every Python that there is.

    python tools/build.py [--out DIR] [--python PATH]...

Each environment is new, gets the wheel from its file, and runs from an empty folder. A Python that is not on this
machine is told as not run. Exit code 1 where the wheel does not work somewhere, or nowhere could be tried.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
RUN = ("run", "--scenario", "shell.*", "--delivery", "blocking", "--format", "json")


def built(out: Path) -> Path:
    """Build both into a folder; the wheel's path."""
    subprocess.run([sys.executable, "-m", "build", "--outdir", out, ROOT], check=True, stdout=subprocess.DEVNULL)
    return max(out.glob("*.whl"), key=lambda path: path.stat().st_mtime)


def interpreter(version: str) -> str | None:
    """A Python of this version: on the path, or among those of pyenv."""
    known = [shutil.which(f"python{version}"), *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
    for path in filter(None, known):
        said = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True)
        if said.stdout.decode().strip() == version:
            return path
    return None


def tried(python: str, wheel: Path) -> str:
    """What became of the wheel in a new environment. Raises `subprocess.CalledProcessError` where it does not work."""
    with tempfile.TemporaryDirectory() as room:
        home, empty = Path(room) / "venv", Path(room) / "empty"
        empty.mkdir()
        subprocess.run([python, "-m", "venv", home], check=True, capture_output=True)
        pip = [home / "bin" / "python", "-m", "pip", "-q", "--disable-pip-version-check", "install", wheel]
        subprocess.run(pip, check=True, capture_output=True)
        command = home / "bin" / "conformance"
        done = subprocess.run([command, *RUN], cwd=empty, check=True, capture_output=True)
        told = json.loads(done.stdout)
        words = [command, "export", "--out", "suite", "--provider", "ollama", "--scenario", "shell.success"]
        subprocess.run(words, cwd=empty, check=True, capture_output=True)
        return f"{told['run']['cases']['finished']} cases played, {len(told['adapters'][0]['providers'])} providers"


def main() -> int:
    """Build and try."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", metavar="DIR")
    parser.add_argument("--python", action="append", default=[], metavar="PATH", help="instead of those that are found")
    options = parser.parse_args()
    wheel = built(options.out)
    print(wheel)
    found = {path: path for path in options.python} or {version: interpreter(version) for version in VERSIONS}
    failed = False
    for name, python in found.items():
        if python is None:
            print(f"{name}: not run, there is no such Python here")
            continue
        try:
            print(f"{name}: {tried(python, wheel)}", flush=True)
        except subprocess.CalledProcessError as problem:
            failed = True
            print(f"{name}: {' '.join(map(str, problem.cmd[:4]))} ended with {problem.returncode}")
            print((problem.stderr or b"").decode()[-2000:])
    return 1 if failed or not any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
