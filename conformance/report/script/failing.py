"""A failing case, played as often as is needed: as it is, with parts taken away, and with the shim's doors captured."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from conformance.adapters.capture.doors import VARIABLE
from conformance.adapters.contract import AdapterError
from conformance.adapters.served import HttpAnswer
from conformance.engine.cases import Group, Selection
from conformance.engine.children import AdapterChild, open_child
from conformance.engine.group_play import GroupPlay
from conformance.engine.report import CaseReport, RuleReport
from conformance.files.scratch import scratch
from conformance.model import AssistantTurn, Profile
from conformance.report.script.edits import EditedResponder, Removal
from conformance.rules import Rule, load_checks
from conformance.scenarios import Scenario
from conformance.session.client import http_answer
from conformance.transcript import same_meaning

SECONDS = 30.0
"""How long a case may take."""
PROTOCOL_WORDS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-fA-F]{16,}|\d+(\.\d+)?")
"""What may differ each time, or with the place: ids of the library's own, and numbers."""


class NoScriptError(ValueError):
    """There is no program for this cell. The message says why, and what repeats the failure instead."""


@dataclass(frozen=True)
class CaseVariant:
    """A case that may show the failure: a scenario, how answers arrive, and what is taken out of them."""

    scenario: Scenario
    delivery: str
    edits: tuple[Removal, ...] = ()


@dataclass
class VariantOutcome:
    """What came of a trial. ``report`` is the judge's; ``answers`` are what the provider answered, call by call."""

    report: CaseReport
    rule: RuleReport | None
    responder: EditedResponder
    twins: list[AssistantTurn | None] | None
    """What the library understands when the answers come blocking."""

    @property
    def fails(self) -> bool:
        """Whether the rule is broken."""
        return self.rule is not None and bool(self.rule.failures)

    @property
    def model_call(self) -> int:
        """The number of the earliest model call that shows it, from 1."""
        assert self.rule is not None
        return min(int(self.report.evidence[one.evidence]["model_call"]) for one in self.rule.failures)

    @property
    def kind(self) -> object:
        """What kind of failure it is: the same for all cases that show the same."""
        assert self.rule is not None
        [first, *_] = [one for one in self.rule.failures if self._number(one.evidence) == self.model_call]
        return self.rule.outcome, first.document, _masked(first.at), _sort(first.expected), _sort(first.found)

    @property
    def output(self) -> object:
        """What the library did in the failing model call, as far as it is the same each time."""
        assert self.rule is not None
        shown = self.report.evidence[self.rule.failures[0].evidence]
        found = [(one.at, one.expected, one.found) for one in self.rule.failures]
        text = json.dumps([found, shown.get("understood"), (shown.get("request") or {}).get("body")], default=str)
        return PROTOCOL_WORDS.sub("*", text)

    def answered_alike(self, other: VariantOutcome) -> bool:
        """Whether the provider means the same in both."""
        return all(
            same_meaning(one, again, ids=False)
            for one, again in zip(self.responder.meanings, other.responder.meanings, strict=True)
        )

    def _number(self, evidence: str) -> int:
        return int(self.report.evidence[evidence]["model_call"])


def _masked(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def _sort(value: Any) -> object:
    """A value without what may differ; of documents, only that they are some."""
    if isinstance(value, dict | list):
        return type(value).__name__
    return PROTOCOL_WORDS.sub("*", value) if isinstance(value, str) else value


@dataclass
class FailingCase:
    """A case of an adapter on a provider that breaks a rule."""

    address: str
    provider: str
    rule: Rule
    profile: Profile
    _child: AdapterChild | None = None
    tries: int = 0

    def play(self, trial: CaseVariant) -> VariantOutcome | None:
        """Play a trial; ``None`` where it cannot be played. Raises `NoScriptError` when there is no such adapter."""
        self.tries += 1
        if self._child is None:
            self._child = self._opened()
        self._child.caller.revive()
        try:
            return self._played(self._child, trial)
        except (LookupError, ValueError, TypeError, AttributeError, AssertionError):
            return None  # what was taken away was needed to play at all

    def captured(self, trial: CaseVariant, played: VariantOutcome) -> list[dict[str, Any]]:
        """What the shim does with its library in each model call up to the one that fails.

        See `conformance.adapters.capture.program`. ``played`` is what came of the trial before.
        """
        with scratch() as folder:
            file = folder / "captured"
            with variables({VARIABLE: str(file)}):
                child = self._opened()
            try:
                self._played(child, trial, played.twins)
            finally:
                child.caller.close()
            lines = file.read_text("utf-8").splitlines() if file.exists() else []
        return [json.loads(line) for line in lines[: played.model_call]]

    def answers(self, played: VariantOutcome) -> list[HttpAnswer]:
        """What the provider answered, as it goes over HTTP."""
        return [http_answer(delivered, self.provider) for delivered in played.responder.delivered]

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.caller.close()

    def _opened(self) -> AdapterChild:
        try:
            return open_child(self.address)
        except AdapterError as problem:
            raise NoScriptError(f"a program is made where the library is: {problem}") from None

    def _played(
        self, child: AdapterChild, trial: CaseVariant, twins: list[AssistantTurn | None] | None = None
    ) -> VariantOutcome:
        load_checks()
        group = Group(self.address, self.provider, trial.scenario.id, (trial.delivery,))
        selection = Selection(profile=self.profile)
        responder = EditedResponder(trial.scenario, self.provider, edits=trial.edits)
        play = GroupPlay(child.found, group, trial.scenario, selection, [self.rule], responder, twins)
        child.caller.allow(SECONDS)
        report = play.case(trial.delivery)
        return VariantOutcome(report, report.rules.get(self.rule.id), responder, play.twins)


@contextmanager
def variables(values: Mapping[str, str]) -> Iterator[None]:
    """Variables for children that are started meanwhile."""
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]
