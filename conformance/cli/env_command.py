"""Make an environment of its own for a library or an agent, and print the address by which to run it.

Versions of a library that cannot live together stand side by side then: conformance run env:NAME@V1 env:NAME@V2.
Environments are kept in the user's cache folder, or in the folder that --root or the variable CONFORMANCE_ENVS names.
"""

from __future__ import annotations

import argparse
import datetime
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.agents import PREFIX
from conformance.cli import UsageError

if TYPE_CHECKING:
    from conformance.environments.places import InstalledEnvironment


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "name", nargs="?", metavar="NAME",
        help="the library (see 'conformance list adapters'), agent:NAME, or gateway:NAME",
    )  # fmt: skip
    parser.add_argument("--version", metavar="V", help="its version (default: the newest that can be installed)")
    parser.add_argument(
        "--date", type=_date, metavar="D",
        help="install nothing that was uploaded later (default: for an old version, the day after it came out)",
    )  # fmt: skip
    parser.add_argument("--root", type=Path, metavar="DIR", help="where environments are kept")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="show the environments that are there")
    what.add_argument("--remove", action="store_true", help="remove those of NAME, or the one of --version")


def _date(text: str) -> str:
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError("write it like 2026-03-31 or 2026-03-31T12:00:00Z") from None
    return text


def main(options: argparse.Namespace) -> int:
    """Make, list or remove. Returns the exit code."""
    from conformance.adapters.contract import AdapterError
    from conformance.environments.places import ROOT_VARIABLE, root

    if options.root is not None:
        os.environ[ROOT_VARIABLE] = str(options.root.absolute())
    try:
        if options.list:
            return _list(root(), options.name)
        if options.name is None:
            raise UsageError("env: give the NAME of a library, or --list")
        if options.name.startswith(PREFIX):
            return _agent(options)
        if options.name.startswith("gateway:"):
            return _gateway(options)
        return _remove(options) if options.remove else _make(options)
    except AdapterError as problem:
        raise UsageError(str(problem)) from None


def _make(options: argparse.Namespace) -> int:
    from conformance.cli.env_trial import tried
    from conformance.environments.making import make
    from conformance.report.printing import say

    made = make(options.name, options.version, options.date, say=_remark)
    made = tried(made, _remark)
    say(f"env:{options.name}@{made.version}")
    return 0


def _agent(options: argparse.Namespace) -> int:
    """Install or remove an agent, by its recipe."""
    from conformance.agents.installing import install_agent
    from conformance.agents.recipe import load_recipe
    from conformance.documents import DocumentError
    from conformance.recipes.installing import installed_programs
    from conformance.report.printing import say

    try:
        recipe = load_recipe(options.name.removeprefix(PREFIX))
    except DocumentError as problem:
        raise UsageError(str(problem)) from None
    if not options.remove:
        made = install_agent(recipe, options.version, options.date, _remark)
        say(f"{options.name}  {made.distribution} {made.version}")
        return 0
    return _take_away(installed_programs(recipe.install) if recipe.install is not None else [], options)


def _gateway(options: argparse.Namespace) -> int:
    """The same for a gateway."""
    from conformance.documents import DocumentError
    from conformance.gateways import PREFIX as GATEWAY
    from conformance.gateways.recipe import load_gateway
    from conformance.recipes.installing import install_program, installed_programs
    from conformance.report.printing import say

    try:
        recipe = load_gateway(options.name.removeprefix(GATEWAY))
    except DocumentError as problem:
        raise UsageError(str(problem)) from None
    if not options.remove:
        made = install_program(recipe.install, recipe.id, options.version, options.date, _remark)
        say(f"{options.name}  {made.distribution} {made.version}")
        return 0
    return _take_away(installed_programs(recipe.install) if recipe.install is not None else [], options)


def _remark(text: str) -> None:
    from conformance.report.printing import say_to

    say_to(sys.stderr, f"conformance: {text}\n")


def _list(at: Path, name: str | None) -> int:
    from conformance.agents.installing import agents_of
    from conformance.environments.finding import addresses_of, library_of
    from conformance.environments.places import all_installed
    from conformance.gateways.installing import gateways_of
    from conformance.report.printing import say

    wanted = library_of(name).distribution if name is not None else None
    for found in all_installed(at):
        if wanted in (None, found.distribution):
            known = " ".join([*addresses_of(found), *agents_of(found), *gateways_of(found)])
            addresses = known or "(made for other needs than today's: nothing uses it)"
            limit = f"as of {found.date}" if found.date else f"made {found.made[:10]}"
            say(f"{found.distribution} {found.version}  {found.runtime}, {limit}  {addresses}  {found.folder}")
    return 0


def _remove(options: argparse.Namespace) -> int:
    from conformance.environments.finding import library_of
    from conformance.environments.places import all_installed, root

    distribution = library_of(options.name).distribution
    return _take_away([found for found in all_installed(root()) if found.distribution == distribution], options)


def _take_away(there: Sequence[InstalledEnvironment], options: argparse.Namespace) -> int:
    """Remove those of the version that was asked for, or all."""
    from conformance.environments.places import remove
    from conformance.report.printing import say

    gone = [found for found in there if options.version in (None, found.version)]
    if not gone:
        raise UsageError(f"there is no environment of {options.name} {options.version or ''}".rstrip())
    for found in gone:
        remove(found)
        say(f"removed {found.distribution} {found.version}")
    return 0
