"""What the Responses API accepts is no finding."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.http import Request
from conformance.model import Conversation, UserTurn
from conformance.rules import find_rule
from conformance.rules.judge import judge
from conformance.transcript import Exchange
from conformance.wires import wire

USER = {"role": "user", "content": "x"}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}
ENCRYPTED = {**REASONING, "encrypted_content": "gAAAA"}
MESSAGE = {"role": "assistant", "content": "It is 42."}


def requesting(body: dict[str, Any]) -> Exchange:
    usual = wire("openai-responses").build(Conversation((UserTurn("x"),)), stream=False)
    return Exchange("openai-responses", request=Request.post_json(usual.url, body, usual.headers))


@pytest.mark.parametrize(
    ("store", "items", "count"),
    [
        (False, [ENCRYPTED, MESSAGE], 0),
        (None, [ENCRYPTED, MESSAGE], 1),
        (True, [ENCRYPTED, {**MESSAGE, "id": "msg_1"}], 0),
        (False, [REASONING, MESSAGE], 1),
        (False, [MESSAGE, ENCRYPTED], 1),
    ],
)
def test_a_message_after_reasoning_keeps_its_id_where_it_is_stored(
    store: bool | None, items: list[Any], count: int
) -> None:
    rule = find_rule("responses.history.reasoning-item-followed")
    assert rule is not None
    found = judge(rule, requesting({"input": [USER, *items, USER], **({} if store is None else {"store": store})}))
    assert found
    assert len([verdict for verdict in found if verdict is not None]) == count
