"""Each declared loss is real, and real for exactly the providers that it names."""

from __future__ import annotations

from collections.abc import Callable, Collection

import pytest
from answer_forms import ANSWER_FORMS
from examples import ASKED, said
from laws import carried, understood
from neutral import conversation_of
from request_forms import REQUEST_FORMS

from conformance.rules import catalogue
from conformance.rules.losses import losses, losses_of
from conformance.wires import PROVIDERS


def request_holds(name: str, provider: str, allowed: Collection[str]) -> bool:
    return _holds(lambda: carried(provider, conversation_of(REQUEST_FORMS[name].example), allowed))


def answer_holds(name: str, provider: str, allowed: Collection[str]) -> bool:
    return _holds(lambda: understood(provider, said(*ASKED), ANSWER_FORMS[name].example, allowed))


def _holds(law: Callable[[], object]) -> bool:
    try:
        law()
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("name", losses())
def test_a_loss_is_real_where_it_is_declared_and_nowhere_else(name: str) -> None:
    loss = losses()[name]
    holds = request_holds if loss.side == "request" else answer_holds
    for provider in PROVIDERS:
        declared = losses_of(provider, loss.side)
        assert holds(name, provider, declared), f"{provider} loses more than it declares"
        assert holds(name, provider, declared - {name}) == (provider not in loss.providers), provider


def test_every_loss_has_a_form_and_an_example() -> None:
    sides = {side: {loss.id for loss in losses().values() if loss.side == side} for side in ("request", "answer")}
    assert sides["request"] == REQUEST_FORMS.keys()
    assert sides["answer"] == ANSWER_FORMS.keys()


@pytest.mark.parametrize("name", losses())
def test_it_says_what_why_and_from_where(name: str) -> None:
    loss = losses()[name]
    assert loss.lost.endswith(".") and loss.why and loss.source
    assert len(set(loss.providers)) == len(loss.providers)
    assert set(loss.providers) <= set(PROVIDERS)
    for source in loss.source:
        assert not source.startswith("rule ") or source.removeprefix("rule ") in catalogue(), source


def test_an_unknown_provider() -> None:
    with pytest.raises(KeyError):
        losses_of("openai", "request")
