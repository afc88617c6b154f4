"""The first request that a library makes to each provider as it is installed, and a program of the one that fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.adapters.capture.doors import VARIABLE
from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.engine.blame import CONTRACT_RULE
from conformance.engine.cases import Group, Selection
from conformance.engine.children import AdapterChild, open_child
from conformance.engine.group_play import GroupPlay
from conformance.engine.report import CaseReport
from conformance.files.scratch import scratch
from conformance.report.script.comments import in_lines
from conformance.report.script.failing import SECONDS, variables
from conformance.report.script.installation import installation
from conformance.report.script.layout import LANGUAGES, NOBODY, SIMPLIFICATIONS, statements
from conformance.rules import catalogue, load_checks
from conformance.scenarios import find_scenario

SCENARIO = "shell.success"
"""One tool, one call."""
IMPORT = re.compile(r"(?:from|import) ([\w.]+)")


@dataclass(frozen=True, slots=True)
class FirstFailure:
    """A first request that failed. ``is_known`` says that the error itself tells that something is not installed."""

    error: str
    provider: str
    is_known: bool
    program: str


def first_failure(name: str, version: str, address: str) -> FirstFailure | None:
    """Why a library does not get through its first request with a tool, if it does not: at the first provider of its
    shim where that is so.

    What our shim is to blame for, or the network, is nothing that an installation could mend.
    """
    with scratch() as folder:
        file = folder / "captured"
        try:
            with variables({VARIABLE: str(file)}):
                child = open_child(address)
        except AdapterError as problem:
            return _of_loading(name, version, problem)
        try:
            able = [one for one, can in child.found.info.capabilities.items() if "blocking" in can]
            tried = ((provider, _error(_played(child, address, provider))) for provider in able)
            failed = next(((provider, found) for provider, found in tried if found is not None), None)
        finally:
            child.caller.close()
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
    if failed is None:
        return None
    provider, (error, is_known) = failed
    return FirstFailure(error, provider, is_known, _program(name, version, provider, error, map(json.loads, lines)))


def _of_loading(name: str, version: str, problem: AdapterError) -> FirstFailure | None:
    met = problem.obstacle
    if met is None or met.kind != "installation":
        return None
    head = _head(name, version, "", met.error)
    return FirstFailure(met.error, "", True, f"{head}\n\n{_IMPORTED[LIBRARIES[name].kind](met.asked)}\n")


def _module_of(line: str) -> str:
    """The import of the module that a line of Python takes something of."""
    imported = IMPORT.match(line)
    return f"import {imported[1] if imported else ''}"


_IMPORTED: Mapping[str, Callable[[str], str]] = {"python": _module_of, "node": str}
"""The statement that fails, of the line that our part was at. The launcher of Node says just that."""


def _played(child: AdapterChild, address: str, provider: str) -> CaseReport:
    load_checks()
    scenario = find_scenario(SCENARIO)
    assert scenario is not None
    group = Group(address, provider, SCENARIO, ("blocking",))
    child.caller.allow(SECONDS)
    return GroupPlay(child.found, group, scenario, Selection(), [catalogue()[CONTRACT_RULE]]).case("blocking")


def _error(report: CaseReport) -> tuple[str, bool] | None:
    """What was raised, and whether that tells by itself that something is not installed."""
    if report.unsupported is not None:
        return (report.unsupported.error, True) if report.unsupported.kind == "installation" else None
    rule = report.rules.get(CONTRACT_RULE)
    raised = [str(one.found) for one in rule.failures] if rule is not None else []
    return (raised[0].removeprefix("complete raised "), False) if raised else None


def _head(name: str, version: str, provider: str, error: str) -> str:
    command = installation(name, version, provider, ())
    about = [*in_lines(command), "Fails as it is installed:", f"  {error}"]
    return "\n".join(f"{LANGUAGES[LIBRARIES[name].kind].comment}{line}" for line in about)


def _program(name: str, version: str, provider: str, error: str, captured: Any) -> str:
    kind = LIBRARIES[name].kind
    language, shown = LANGUAGES[kind], _last(list(captured))
    if not shown:
        return ""
    simple = SIMPLIFICATIONS[kind](shown)
    parts = [_head(name, version, provider, error), language.imported(simple["imports"])]
    parts += [language.assigned("BASE_URL", NOBODY), *simple["definitions"]]
    return "\n\n".join([*parts, "\n".join(statements(simple["steps"], language, shown=False))]) + "\n"


def _last(captured: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    return captured[-1] if captured and captured[-1]["steps"] else {}
