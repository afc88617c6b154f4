"""The agents that are installed."""

from __future__ import annotations

from collections.abc import Callable

from conformance.agents import PREFIX
from conformance.agents.named_files import known_files
from conformance.agents.recipe import AgentRecipe, load_recipe
from conformance.environments.places import InstalledEnvironment
from conformance.recipes.installing import InstalledProgram, install_program, installed_programs, program_at


def agent_at(recipe: AgentRecipe, version: str = "") -> InstalledProgram:
    """The newest of those that are installed, or the one of a version. Raises `NotInstalledError`."""
    return program_at(recipe.install, f"{PREFIX}{recipe.id}", version)


def install_agent(
    recipe: AgentRecipe, version: str | None, date: str | None, say: Callable[[str], None]
) -> InstalledEnvironment:
    """Install an agent, unless it is there already at this version. Raises `AdapterError`."""
    return install_program(recipe.install, recipe.id, version, date, say)


def agents_of(found: InstalledEnvironment) -> list[str]:
    """The addresses of the agents that an environment was made for."""
    recipes = (load_recipe(name) for name in known_files("recipe"))
    return [
        f"{PREFIX}{recipe.id}"
        for recipe in recipes
        if recipe.install is not None and found in installed_programs(recipe.install)
    ]
