"""Installing programs by their recipes, in environments beside those of libraries."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from conformance.adapters.contract import AdapterError
from conformance.environments.finding import version_order
from conformance.environments.node import NodeKind
from conformance.environments.places import InstalledEnvironment, all_installed, mark, new_folder, remove, root
from conformance.environments.virtual import PythonKind, python_of


class NotInstalledError(AdapterError):
    """There is nothing to run. The message says what is needed."""


@dataclass(frozen=True, slots=True)
class RecipeInstall:
    """What is installed, and by what.

    ``scripts`` says that the package's own scripts must run; ``python`` and ``node`` are the releases that it needs,
    where not every one will do; ``version`` is the program's last that can be used.
    """

    kind: Literal["node", "python"]
    package: str
    needs: tuple[str, ...] = ()
    scripts: bool = False
    python: str = ""
    node: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class InstalledProgram:
    """A program that is there: its version, and the folders in which it is looked for."""

    version: str
    programs: tuple[Path, ...] = ()


def install_of(document: Mapping[str, Any]) -> RecipeInstall:
    """What a recipe says of installing."""
    return RecipeInstall(
        document["kind"], document["package"], tuple(document.get("needs", ())), document.get("scripts", False),
        document.get("python", ""), document.get("node", ""),
        document.get("version", ""),
    )  # fmt: skip


def program_at(install: RecipeInstall | None, address: str, version: str = "") -> InstalledProgram:
    """The newest of those that are installed, or the one of a version. Raises `NotInstalledError`."""
    if install is None:
        return InstalledProgram("")
    version = version or install.version
    fitting = [found for found in installed_programs(install) if version in ("", found.version)]
    if not fitting:
        wanted = f"{install.package} {version}".strip()
        raise NotInstalledError(missing(install) or f"{wanted} is not installed: conformance env {address}")
    newest = max(fitting, key=lambda found: version_order(found.version))
    return InstalledProgram(newest.version, tuple(_programs(install, newest.folder)))


def missing(install: RecipeInstall) -> str:
    """The interpreter that a program needs and that this machine does not have; empty where it has it."""
    if install.kind == "python" and install.python and python_of(install.python) is None:
        return f"needs Python {install.python}"
    if install.kind == "node" and (shutil.which("node") is None or shutil.which("npm") is None):
        return f"needs Node {install.node}".rstrip()
    return ""


def install_program(
    install: RecipeInstall | None, name: str, version: str | None, date: str | None, say: Callable[[str], None]
) -> InstalledEnvironment:
    """Install a program, unless it is there already at this version. Raises `AdapterError`."""
    if install is None:
        raise AdapterError(f"the recipe of {name} installs nothing: its program is looked for on the path")
    if needs := missing(install):
        raise NotInstalledError(needs)
    version = version or install.version or None
    there = [one for one in installed_programs(install) if one.version == version and date in (None, one.date)]
    if there:
        return there[0]
    say(" ".join(filter(None, ("installing", install.package, version, date and f"as of {date}"))))
    made = _built(install, version, date)
    for found in installed_programs(install):
        if found.version == made.version:
            remove(found)
    mark(made)
    return made


def installed_programs(install: RecipeInstall) -> list[InstalledEnvironment]:
    """The environments that were made by a recipe's word."""
    wanted = (install.package, _kind(install).runtime(), _requirements(install))
    return [one for one in all_installed(root()) if (one.distribution, one.runtime, one.requirements) == wanted]


def _built(install: RecipeInstall, version: str | None, date: str | None) -> InstalledEnvironment:
    folder, kind = new_folder(root(), install.package), _kind(install)
    try:
        got = kind.build(folder, _requirements(install), version, date)
        if install.scripts and isinstance(kind, NodeKind):
            kind.run_scripts(folder, install.package)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    made = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    return InstalledEnvironment(install.package, got, _requirements(install), kind.runtime(), date, made, folder)


def _requirements(install: RecipeInstall) -> tuple[str, ...]:
    return (install.package, *install.needs)


def _kind(install: RecipeInstall) -> NodeKind | PythonKind:
    return NodeKind(install.node) if install.kind == "node" else PythonKind(install.python)


def _programs(install: RecipeInstall, folder: Path) -> list[Path]:
    kind = _kind(install)
    return kind.programs(folder) if isinstance(kind, NodeKind) else [folder / "bin"]
