"""Every reader survives what is made for it: a fixed sample, what Hypothesis finds, and all that once was a finding.

``FUZZ_TIMES=5`` plays a sample that is five times as large. ``python tools/fuzz.py`` goes on for as long as it is
told, and keeps what it finds in ``findings``.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fuzz_playing import FINDINGS, Target, findings
from hypothesis import given, settings
from hypothesis import strategies as st
from targets import TARGETS

TIMES = int(os.environ.get("FUZZ_TIMES", "1"))
KEPT = [(name, path) for name in TARGETS for path in findings(name)]
SAMPLED = [pytest.param(name, marks=pytest.mark.slow) if name == "server" else name for name in TARGETS]
"""The readers of the fixed sample. Each input of the server's goes over sockets, which takes seconds."""
Record = Callable[[str, object], None]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


class Input(bytes):
    """An input that is shown in part: some have megabytes."""

    def __repr__(self) -> str:
        return f"{bytes(self[:300])!r} of {len(self)} bytes"


def made_for(target: Target) -> st.SearchStrategy[Input]:
    """Bytes of all kinds, documents of all kinds, and seeds that were edited by a chance that Hypothesis shrinks."""
    edited = st.randoms(use_true_random=False).map(target.mutator.made)
    return (st.binary(max_size=200) | JSON.map(lambda value: json.dumps(value).encode()) | edited).map(Input)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_read(name: str) -> None:
    """Else what is made of them would only try the first check."""
    target = TARGETS[name]
    assert {target.play(seed) for seed in target.mutator.seeds[:4]} == {"read"}


@pytest.mark.parametrize("name", SAMPLED)
def test_a_fixed_sample_is_survived(name: str, record_property: Record) -> None:
    target, chance = TARGETS[name], Random(f"{name} 1")
    came = Counter(target.play(target.mutator.made(chance)) for _ in range(target.times * TIMES))
    record_property(f"fuzz {name}", dict(came))


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_what_hypothesis_makes_is_survived(name: str, record_property: Record) -> None:
    target = TARGETS[name]
    came: Counter[str] = Counter()

    @settings(derandomize=True, database=None, deadline=None, max_examples=20 * TIMES)
    @given(made_for(target))
    def survives(data: bytes) -> None:
        came[target.play(data)] += 1

    survives()
    record_property(f"fuzz {name}", dict(came))


@pytest.mark.parametrize(("name", "path"), KEPT, ids=lambda item: item.name if isinstance(item, Path) else item)
def test_a_finding_is_survived_now(name: str, path: Path, record_property: Record) -> None:
    record_property(f"fuzz {name}", {TARGETS[name].play(path.read_bytes()): 1})


def test_every_finding_has_a_target() -> None:
    folders: list[Any] = [path.name for path in FINDINGS.iterdir()] if FINDINGS.is_dir() else []
    assert set(folders) <= set(TARGETS)
