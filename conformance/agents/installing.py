"""Installing agents by their recipes, in environments beside those of libraries."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters.contract import AdapterError
from conformance.agents import PREFIX
from conformance.agents.named_files import known_files
from conformance.agents.recipe import AgentRecipe, RecipeInstall, load_recipe
from conformance.environments.finding import version_order
from conformance.environments.node import NodeKind
from conformance.environments.places import InstalledEnvironment, all_installed, mark, new_folder, remove, root
from conformance.environments.virtual import PythonKind, python_of


class NotInstalledError(AdapterError):
    """There is nothing to run. The message says what is needed."""


@dataclass(frozen=True, slots=True)
class InstalledAgent:
    """An agent that is there: its version, and the folders of its programs."""

    version: str
    programs: tuple[Path, ...] = ()


def agent_at(recipe: AgentRecipe, version: str = "") -> InstalledAgent:
    """The newest of those that are installed, or the one of a version. Raises `NotInstalledError`."""
    install = recipe.install
    if install is None:
        return InstalledAgent("")
    version = version or install.version
    fitting = [found for found in installed_agents(install) if version in ("", found.version)]
    if not fitting:
        wanted = f"{install.package} {version}".strip()
        raise NotInstalledError(missing(install) or f"{wanted} is not installed: conformance env {PREFIX}{recipe.id}")
    newest = max(fitting, key=lambda found: version_order(found.version))
    return InstalledAgent(newest.version, tuple(_programs(install, newest.folder)))


def missing(install: RecipeInstall) -> str:
    """The interpreter that an agent needs and that this machine does not have; empty where it has it."""
    if install.kind == "python" and install.python and python_of(install.python) is None:
        return f"needs Python {install.python}"
    if install.kind == "node" and (shutil.which("node") is None or shutil.which("npm") is None):
        return f"needs Node {install.node}".rstrip()
    return ""


def install_agent(
    recipe: AgentRecipe, version: str | None, date: str | None, say: Callable[[str], None]
) -> InstalledEnvironment:
    """Install an agent, unless it is there already at this version. Raises `AdapterError`."""
    install = recipe.install
    if install is None:
        raise AdapterError(f"the recipe of {recipe.id} installs nothing: its program is looked for on the path")
    if needs := missing(install):
        raise NotInstalledError(needs)
    version = version or install.version or None
    there = [found for found in installed_agents(install) if found.version == version and date in (None, found.date)]
    if there:
        return there[0]
    say(" ".join(filter(None, ("installing", install.package, version, date and f"as of {date}"))))
    made = _built(install, version, date)
    for found in installed_agents(install):
        if found.version == made.version:
            remove(found)
    mark(made)
    return made


def installed_agents(install: RecipeInstall) -> list[InstalledEnvironment]:
    """The environments that were made by a recipe's word."""
    wanted = (install.package, _kind(install).runtime(), _requirements(install))
    return [one for one in all_installed(root()) if (one.distribution, one.runtime, one.requirements) == wanted]


def agents_of(found: InstalledEnvironment) -> list[str]:
    """The addresses of the agents that an environment was made for."""
    recipes = (load_recipe(name) for name in known_files("recipe"))
    return [
        f"{PREFIX}{recipe.id}"
        for recipe in recipes
        if recipe.install is not None and found in installed_agents(recipe.install)
    ]


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
