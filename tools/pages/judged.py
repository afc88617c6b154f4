"""What the pages of subjects share: verdicts that a command made, and a judgement for everything that was found."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]

Verdict = dict[str, Any]


@dataclass(frozen=True)
class Judgement:
    """What a finding of a subject means. ``kind``: *fault*; *oddity*, which harms nobody that we know of; or *limit*,
    which the subject tells or documents."""

    subject: str
    rule: str
    kind: str
    because: str


def judgements_of(kind: str, subject: str) -> list[Judgement]:
    """What stands in ``judgements/KIND.yaml``, where a subject is called ``subject``."""
    entries = yaml.safe_load((ROOT / "judgements" / f"{kind}.yaml").read_text("utf-8"))
    return [Judgement(subject=entry.pop(subject), **entry) for entry in entries]


def unjudged(found: Collection[tuple[str, str]], judgements: Collection[Judgement]) -> list[str]:
    """What was found and is not judged, and what is judged and was not found: by subject and rule."""
    judged = {(one.subject, one.rule) for one in judgements}
    return [
        *(f"not judged: {subject} {rule}" for subject, rule in sorted(set(found) - judged)),
        *(f"judged, and not found: {subject} {rule}" for subject, rule in sorted(judged - set(found))),
    ]


def conformance(*words: str) -> str:
    """What a command prints. Ends the program where the command could not run."""
    done = subprocess.run([sys.executable, "-m", "conformance", *words], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"conformance {' '.join(words)}: exit {done.returncode}")
    return done.stdout
