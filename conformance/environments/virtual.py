"""Python's virtual environments: made by uv where it is present, else by venv and pip."""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries.table import is_pin
from conformance.adapters.libraries.way import Way
from conformance.adapters.libraries.ways import with_way
from conformance.environments.index import uploads
from conformance.environments.places import runtime
from conformance.environments.tools import run_tool, surroundings
from conformance.processes.running import run_kept

SECONDS = 60.0
"""How long an environment may take to say what is in it."""
_INSTALLED = """
import json
from importlib.metadata import distributions
found = {}
for one in distributions():
    found.setdefault(one.metadata["Name"], one.version)
print(json.dumps(found))
"""


@dataclass(frozen=True)
class PythonKind:
    """Virtual environments of the running Python, or of the one that ``release`` says, such as ``3.13``.

    Nothing of this project is installed in them (see `bundle`).
    """

    release: str = ""

    suffix: ClassVar[str] = ".py"

    def runtime(self) -> str:
        """Its Python."""
        return f"python {self.release}" if self.release else runtime()

    def releases(self, distribution: str) -> Mapping[str, str] | None:
        """What the package index says."""
        return uploads(distribution)

    def offered(self, distribution: str) -> Mapping[str, str] | None:
        """The same, without what was yanked."""
        return uploads(distribution, withdrawn=False)

    def installed(self, folder: Path) -> Mapping[str, str]:
        """What ``pip freeze`` would say, but for how each was installed."""
        command = [str(python_in(folder)), "-I", "-c", _INSTALLED]
        try:
            told: dict[str, str] = json.loads(run_kept(command, environment=surroundings(), seconds=SECONDS).stdout)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            raise AdapterError(f"nobody can say what is installed in {folder}") from None
        return {normalized(name): version for name, version in sorted(told.items())}

    def build(self, folder: Path, requirements: Sequence[str], version: str | None, date: str | None) -> str:
        """Install the library, and nothing else."""
        installer = installer_of(folder, self._base())
        first, *rest = requirements
        installer.create()
        installer.install([f"{first}=={version}" if version else first, *rest], date)
        return _version_in(python_in(folder), first.partition("[")[0])

    def build_locked(self, folder: Path, requirements: Sequence[str], version: str, lock: Path) -> str:
        """Install the library at ``version``, and of what it requires the versions in ``lock``, and nothing else that
        stands there: a lock of somebody else must not choose what is installed."""
        installer = installer_of(folder, self._base())
        first, *rest = requirements
        installer.create()
        installer.install([f"{first}=={version}", *rest, "--constraint", str(lock)], None)
        return _version_in(python_in(folder), first.partition("[")[0])

    def _base(self) -> str:
        """The Python to make environments with. Raises `AdapterError` where there is none."""
        found = python_of(self.release) if self.release else sys.executable
        if found is None:
            raise AdapterError(f"there is no Python {self.release} on this machine")
        return found

    def add(self, folder: Path, requirements: Sequence[str], date: str | None) -> None:
        """Install more."""
        installer_of(folder).install(requirements, date)

    def extras(self, folder: Path, distribution: str) -> Mapping[str, Sequence[str]]:
        """What its metadata says (core metadata, ``Provides-Extra`` and ``Requires-Dist``)."""
        code = f"from importlib.metadata import metadata; print(metadata({distribution!r}).as_string())"
        command = [str(python_in(folder)), "-I", "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings())
        told = email.message_from_string(done.stdout)
        found: dict[str, list[str]] = {name: [] for name in told.get_all("Provides-Extra", ())}
        for line in told.get_all("Requires-Dist", ()):
            wanted, _, marker = line.partition(";")
            for extra in re.findall(r"""extra\s*==\s*['"]([^'"]+)""", marker):
                found.setdefault(extra, []).append(normalized(re.split(r"[^\w.-]", wanted.strip())[0]))
        return found

    def whole(self, folder: Path) -> bool:
        """Whether its Python is there, and what that was made from."""
        return python_in(folder).exists()

    def python(self, folder: Path) -> Path | None:
        """The environment's Python."""
        return python_in(folder)

    def inner(self, name: str, folder: Path, way: Way | None) -> str:
        """The shim's own name: in there, its library is installed."""
        return with_way(name, way.name if way is not None else "")

    def wanted(self, distribution: str, version: str, extra: str) -> str:
        """The library again, at the same version, with the extra; a pin as it is."""
        return extra if is_pin(extra) else f"{distribution}[{extra}]=={version}"

    def runs(self, folder: Path, program: Path) -> list[str] | None:
        """The environment's Python."""
        python = self.python(folder)
        return None if python is None else [str(python), str(program)]


def normalized(name: str) -> str:
    """A distribution's name, however it is spelled: see PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def python_in(folder: Path) -> Path:
    """The Python of the virtual environment in ``folder``."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _uv() -> str | None:
    """The uv that is on the path, or beside the running Python."""
    return shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))


def python_of(release: str) -> str | None:
    """The Python of a release (``3.13``) that is on this machine and runs; `None` where there is none."""
    uv, named = _uv(), shutil.which(f"python{release}")
    tried = [[named]] if named else []
    tried += [[str(program)] for program in _of_pyenv(release)]
    tried += [[uv, "run", "--no-project", "--no-python-downloads", "--python", release, "python"]] if uv else []
    code = "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"
    for command in tried:
        words = [*command, "-c", code]
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=surroundings())
        said, _, program = done.stdout.strip().partition(" ")
        if done.returncode == 0 and said == release:
            return program
    return None


def _of_pyenv(release: str) -> list[Path]:
    """Pythons that pyenv has, whether or not they are chosen now; the newest first."""
    at = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    return sorted(at.glob(f"{release}.*/bin/python"), reverse=True)


def installer_of(folder: Path, base: str = sys.executable) -> _Uv | _Pip:
    """What makes the virtual environment in ``folder``, and installs there. ``base`` is the Python to make it with."""
    uv = _uv()
    return _Uv(uv, folder, base) if uv else _Pip(folder, base)


class _Uv:
    def __init__(self, program: str, folder: Path, base: str) -> None:
        self._program, self._folder, self._base = program, folder, base

    def create(self) -> None:
        run_tool([self._program, "venv", "--quiet", "--allow-existing", "--python", self._base, str(self._folder)])

    def install(self, requirements: Sequence[str], date: str | None) -> None:
        limit = ["--exclude-newer", date] if date else []
        target = ["--python", str(python_in(self._folder))]
        run_tool([self._program, "pip", "install", "--quiet", "--compile-bytecode", *target, *limit, *requirements])


class _Pip:
    def __init__(self, folder: Path, base: str) -> None:
        self._folder, self._base = folder, base

    def create(self) -> None:
        """Make the environment. The pip that comes with Python may be too old to know dates."""
        run_tool([self._base, "-m", "venv", str(self._folder)])
        self.install(["--upgrade", "pip>=26"], None)

    def install(self, requirements: Sequence[str], date: str | None) -> None:
        limit = ["--uploaded-prior-to", date] if date else []
        python = str(python_in(self._folder))
        run_tool([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *limit, *requirements])


def _version_in(python: Path, distribution: str) -> str:
    code = f"from importlib.metadata import version; print(version({distribution!r}))"
    command = [str(python), "-I", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=surroundings())
    if done.returncode:
        raise AdapterError(f"{distribution} is not in its new environment: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout.strip()
