"""Which release each shim was written for, and what its own failures mean on an older one."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from conformance.adapters.libraries import LIBRARIES
from conformance.engine.obstruction import obstruction
from conformance.engine.shims import is_older
from conformance.environments.finding import version_order
from conformance.outcomes import OperationFailure
from conformance.transcript import Exchange

JUDGED = Path(__file__).parents[2] / "judgements" / "libraries"


# --- which release is old ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name, library in LIBRARIES.items() if library.written_for])
def test_a_shim_is_written_for_a_release_that_was_judged(name: str) -> None:
    assert name in LIBRARIES
    judged = yaml.safe_load((JUDGED / f"{name}.yaml").read_text("utf-8"))["version"]
    assert version_order(LIBRARIES[name].written_for) <= version_order(judged)


@pytest.mark.parametrize(
    ("address", "version", "told"),
    [
        ("google-genai", "2.14.0", True),
        ("env:google-genai@2.14.0", "2.14.0", True),
        ("env:google-genai@3.3.9:async", "3.3.9", True),
        ("env:google-genai", "3.4.0", False),
        ("env:google-genai", "3.10.0", False),
        ("env:google-genai", "", False),
        ("acme", "0.1", False),
        ("my_module:Adapter", "0.1", False),
    ],
)
def test_an_older_release_is_told_by_its_version(address: str, version: str, told: bool) -> None:
    assert is_older(address, version) is told


# --- what its failures mean -------------------------------------------------------------------------------------------

SHIM = '  File "conformance/adapters/libraries/ollama.py", line 1, in ask\n'
LIBRARY = f'{SHIM}  File "x/ollama/_client.py", line 1, in chat\n'


@pytest.mark.parametrize(
    ("detail", "older", "kind"),
    [(SHIM, True, "misfit"), (SHIM, False, None), (LIBRARY, True, None), (LIBRARY, False, None), ("", True, None)],
)
def test_only_what_an_old_release_makes_our_shim_raise_is_nobodys(detail: str, older: bool, kind: str | None) -> None:
    failed = OperationFailure("complete", "error", "AttributeError: no", detail)
    exchange = object.__new__(Exchange)
    for name, value in (("request", failed), ("understood", None), ("variants", {})):
        object.__setattr__(exchange, name, value)
    lack = obstruction([exchange], older=older)
    assert (lack and lack.kind) == kind
    assert lack is None or lack.words == "this shim does not fit this release: AttributeError: no"
