"""What is kept of the output of a program that shows a finding."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "pages"))

from program_outputs import LONGEST, kept


def test_what_is_kept_names_no_machine_and_has_no_colours() -> None:
    assert kept("\x1b[1;31mGive Feedback\x1b[0m at http://127.0.0.1:43117/v1") == "Give Feedback at http://127.0.0.1/v1"


def test_a_long_output_is_kept_at_both_ends() -> None:
    text = kept("a" * LONGEST + "b" * LONGEST)
    assert text.startswith("aaa") and text.endswith("bbb") and len(text) <= LONGEST + 3
