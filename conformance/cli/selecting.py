"""Options that choose what to run."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from conformance.engine.cases import Generation
    from conformance.model import Profile


class SelectionOptions(TypedDict):
    """What `conformance.run` is told of them."""

    providers: list[str]
    scenarios: list[str]
    rules: list[str]
    deliveries: list[str]
    profile: Profile
    scenario_folder: Path | None
    generated: Generation
    seed: int | None
    tolerance: bool
    whole: bool


def selection_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("what to run (each may be given several times; default: everything)")
    group.add_argument("--provider", action="append", default=[], metavar="P", help="a provider, such as gemini")
    group.add_argument("--scenario", action="append", default=[], metavar="GLOB", help="such as 'parallel_calls.*'")
    group.add_argument(
        "--scenarios", type=Path, metavar="DIR", help="your own scenarios, DIR/<family>/<name>.yaml, instead of ours"
    )
    group.add_argument("--rule", action="append", default=[], metavar="GLOB", help="such as 'common.result.*'")
    group.add_argument("--delivery", action="append", default=[], metavar="GLOB", help="such as 'stream:*'")
    group.add_argument(
        "--profile",
        choices=("native", "portable"),
        default="native",
        help="native: what each provider can do; portable: the same in the conversations that suit all providers, and "
        "the policies of this suite (default: %(default)s)",
    )


def generated_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options about scenarios that nobody wrote."""
    group = parser.add_argument_group("generated scenarios (features put together: docs/generated.md)")
    group.add_argument(
        "--generated", choices=("none", "pairs", "all"), default="pairs",
        help="none: what was written by hand; pairs (the usual): any two features together, and derived answers; "
        "all: any three features as well, which takes minutes",
    )  # fmt: skip
    group.add_argument(
        "--all", action="store_true", dest="whole",
        help="all cases: of more than 20,000 of an adapter a selection is played otherwise (docs/running.md)",
    )  # fmt: skip
    group.add_argument("--seed", type=int, metavar="N", help="200 more, put together by chance: the same ones for N")
    group.add_argument(
        "--found", type=Path, metavar="DIR", default=Path("scenarios-found"),
        help="where what fails in a scenario that no file has is written, made smaller (default: %(default)s)",
    )  # fmt: skip


def engine_argument(group: Any) -> None:
    """Add the option that says where the work is done."""
    group.add_argument(
        "--engine", type=_engine, default="pool", metavar="E",
        help="pool: processes of this machine; dask: workers of dask.distributed on it; dask:ADDRESS: those of a "
        "scheduler (default: %(default)s; docs/scale.md)",
    )  # fmt: skip


def _engine(text: str) -> str:
    from conformance.clusters import ClusterError, check_engine

    try:
        check_engine(text)
    except ClusterError as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None
    return text


def selection_options(options: argparse.Namespace) -> SelectionOptions:
    """What the options say."""
    return {
        "providers": options.provider,
        "scenarios": options.scenario,
        "rules": options.rule,
        "deliveries": options.delivery,
        "profile": options.profile,
        "scenario_folder": options.scenarios,
        "generated": getattr(options, "generated", "pairs"),
        "seed": getattr(options, "seed", None),
        "tolerance": getattr(options, "tolerance", False),
        "whole": getattr(options, "whole", False),
    }
