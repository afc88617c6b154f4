"""All mutants between two programs: what a gateway asks, what a server sees, what both answer."""

from __future__ import annotations

from conformance.mutants.between import answers_later, outgoing_later, unseeing_later  # noqa: F401 - they enter theirs
from conformance.mutants.between.answers import ANSWER_MUTANTS
from conformance.mutants.between.outgoing import OUTGOING_MUTANTS
from conformance.mutants.between.unseeing import UNSEEING_MUTANTS

__all__ = ["ANSWER_MUTANTS", "OUTGOING_MUTANTS", "UNSEEING_MUTANTS"]
