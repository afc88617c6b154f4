"""The gateways that are installed."""

from __future__ import annotations

from conformance.environments.places import InstalledEnvironment
from conformance.gateways import PREFIX
from conformance.gateways.recipe import FILES, load_gateway
from conformance.recipes.installing import installed_programs


def gateways_of(found: InstalledEnvironment) -> list[str]:
    """The addresses of the gateways that an environment was made for."""
    recipes = map(load_gateway, FILES.known())
    own = (recipe for recipe in recipes if recipe.install and found in installed_programs(recipe.install))
    return [f"{PREFIX}{recipe.id}" for recipe in own]
