"""A failure as a program that needs only the library: a loopback provider, and the library's own calls.

The case is played again where the library is (`failing`), made smaller as long as the failure stays (`shrinking`), and
played once more with what the shim does written down (`conformance.adapters.capture`). That is printed (`printing`) in
the language that the library is for: `python` or `javascript`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES, installed
from conformance.adapters.libraries.ways import split_way, with_way
from conformance.documents import Document
from conformance.environments import find
from conformance.report.script.failing import CaseVariant, FailingCase, NoScriptError
from conformance.report.script.layout import Layout
from conformance.report.script.shrinking import shrunk
from conformance.report.summary import reproduction
from conformance.rules import catalogue
from conformance.scenarios import find_scenario

__all__ = ["NoScriptError", "script"]

ALL = 1000
"""More model calls than a case has."""
RAISED = ("error", "crash", "timeout")
"""Outcomes of a library that gave no answer."""


def script(document: Document, cell: Document) -> str:
    """A program that shows a failure of ``cell`` in its earliest model call. Raises `NoScriptError`.

    Of several failures it is one whose case has no other failure before. The library must be there: in this Python, or
    in an environment that ``conformance env`` made.
    """
    adapter, failure = _chosen(document, cell)
    again = reproduction(document, failure)
    if adapter["name"] not in LIBRARIES:
        raise NoScriptError(f"no program is known for {adapter['name']}; repeat it with: {again}")
    if document["run"].get("responder", "scripted") != "scripted":
        raise NoScriptError(f"the answers are not those of the script; repeat it with: {again}")
    rule, profile = catalogue()[cell["rule"]], document["run"]["profile"]
    if rule.near is not None or rule.hears_news:
        raise NoScriptError(f"a program of one call does not show it; repeat it with: {again}")
    case = FailingCase(_address(adapter, again), cell["provider"], rule, profile)
    try:
        return _program(case, adapter, cell, failure, _trial(failure, again))
    finally:
        case.close()


def _program(case: FailingCase, adapter: Document, cell: Document, failure: Document, trial: CaseVariant) -> str:
    played = case.play(trial)
    if played is None or not played.fails:
        raise NoScriptError(f"{failure['case']} does not fail any more on {case.address}")
    trial, played = shrunk(case, trial, played)
    programs = case.captured(trial, played)
    if not programs or not programs[-1]["steps"]:
        raise NoScriptError(f"{failure['case']}: the library is not reached")
    return Layout(case, adapter, cell, failure["case"], played).program(programs)


def _trial(failure: Document, again: str) -> CaseVariant:
    """The case as it was. Raises `NoScriptError` when its scenario is not known here."""
    name, _, delivery = failure["case"].partition("/")
    words = shlex.split(again)
    root = Path(words[words.index("--scenarios") + 1]) if "--scenarios" in words else None
    scenario = find_scenario(name, root)
    if scenario is None:
        raise NoScriptError(f"there is no scenario {name} here, so the answers are not known")
    return CaseVariant(scenario, delivery.partition("@")[0].partition("#")[0])


def _address(adapter: Document, again: str) -> str:
    """Where the library is: in the environment that the failure was seen in, or in this Python in the same version."""
    address = shlex.split(again)[2]
    try:
        if address.startswith("env:"):
            find(address)
    except AdapterError:
        library = LIBRARIES[adapter["name"]]
        if library.kind == "python" and _installed(library.distribution) == adapter["version"]:
            return with_way(str(adapter["name"]), split_way(address)[1])
    return address


def _installed(distribution: str) -> str | None:
    try:
        return installed(distribution)
    except AdapterError:
        return None


# --- which failure ---------------------------------------------------------------------------------------------------


def _chosen(document: Document, cell: Document) -> tuple[Document, Document]:
    """The adapter, and the failure to show: the earliest in its case, of a case without failures before if possible."""
    if not cell["failures"]:
        raise NoScriptError(f"nothing failed in {cell['adapter']}/{cell['provider']}/{cell['rule']}")
    adapter = next(item for item in document["adapters"] if item["id"] == cell["adapter"])
    number = {item["evidence"]: _model_call(document, item) for item in cell["failures"]}
    first = min(number.values())
    earliest = [failure for failure in cell["failures"] if number[failure["evidence"]] == first]
    troubled = {failure["case"] for failure in _before(document, cell, first)}
    calm = [failure for failure in earliest if failure["case"] not in troubled]
    return adapter, min(calm or earliest, key=lambda failure: (len(failure["case"]), failure["case"]))


def _before(document: Document, cell: Document, number: int) -> Iterator[Document]:
    """What failed before a cell does in the model call ``number``, or kept the library from answering it."""
    for other in document["cells"]:
        if (other["adapter"], other["provider"]) != (cell["adapter"], cell["provider"]):
            continue
        silent = other["outcome"] in RAISED and cell["outcome"] not in RAISED
        yield from (item for item in other["failures"] if silent or _model_call(document, item) < number)


def _model_call(document: Document, failure: Document) -> int:
    """The number of the model call in which it failed; where that is not known, it may be any."""
    return int(document["evidence"][failure["evidence"]].get("model_call", ALL))
