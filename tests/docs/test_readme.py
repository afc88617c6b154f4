"""The README: what CI runs out of it, how long it takes to read, and the failure that it shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
WORDS_OF_THREE_MINUTES = 700
"""At 230 words a minute. Tables and blocks of code are looked at, not read."""
sys.path.append(str(ROOT / "tools" / "pages"))

from readme_failure import CELL, failure  # noqa: E402


def test_the_first_block_holds_the_two_commands_that_ci_runs() -> None:
    """``.ci/run`` takes them from here."""
    block = re.findall(r"^```\w*\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)[0]
    assert block == "pip install -e . && conformance run\npip install -e '.[test]' && pytest\n"


def test_it_is_read_in_three_minutes() -> None:
    prose = re.sub(r"^```.*?^```$|^\|.*?$", "", README, flags=re.MULTILINE | re.DOTALL)
    assert len(re.sub(r"\]\([^)]*\)", "", prose).split()) <= WORDS_OF_THREE_MINUTES


def test_a_failure_that_is_not_there_any_more_is_not_shown() -> None:
    """Another one must be chosen then."""
    adapter, provider, rule = CELL
    passed = {"adapter": adapter, "provider": provider, "rule": rule, "failures": []}
    for cells in ([], [passed]):
        with pytest.raises(LookupError, match="choose another failure"):
            failure({"cells": cells})
