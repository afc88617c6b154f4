"""litellm's Messages, around a small thing that is called as litellm is: one event loop, two conversations at once."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import AsyncIterator, Iterator
from importlib import metadata
from types import ModuleType
from typing import Any

import httpx
import pytest

from conformance import AssistantTurn, Conversation, UserTurn
from conformance.adapters.beside import OtherStream
from conformance.adapters.bound import BoundClient
from conformance.adapters.libraries.messages_format import asked_messages, heard_bytes
from conformance.adapters.telling import NewsReport
from conformance.http import StreamEvent, frame
from conformance.model import News, compact_json
from conformance.script import ScriptCall, ScriptTurn, Voice
from conformance.session.readings import READINGS, due_in, other_chunks
from conformance.session.variants import ANOTHER
from conformance.wires import wire

PROVIDER = "anthropic"
OTHERS = other_chunks(PROVIDER)
OWN = [chunk.replace(b"North", b"South") for chunk in OTHERS]
TALK = Conversation((UserTurn("Which way?"),))
ALONE = wire(PROVIDER).read_stream(OWN, TALK)


class Messages:
    """What stands for ``litellm.anthropic.messages``: its answers are the provider's bytes."""

    async def acreate(self, *, api_base: str, api_key: str, max_retries: int, **body: Any) -> AsyncIterator[bytes]:
        """A streamed call."""
        client = httpx.AsyncClient()
        request = client.build_request("POST", f"{api_base}/v1/messages", content=json.dumps(body))
        return self._chunks(client, await client.send(request, stream=True))

    async def _chunks(self, client: httpx.AsyncClient, response: httpx.Response) -> AsyncIterator[bytes]:
        try:
            async for chunk in response.aiter_raw():
                yield chunk
        finally:
            await response.aclose()
            await client.aclose()


@pytest.fixture
def shim(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The shim, around what stands for litellm."""
    library: Any = ModuleType("litellm")
    library.anthropic = ModuleType("litellm.anthropic")
    library.anthropic.messages = Messages()
    monkeypatch.setitem(sys.modules, "litellm", library)
    monkeypatch.setattr(metadata, "version", lambda name: "0")
    yield importlib.import_module("conformance.adapters.libraries.litellm_messages").LiteLLMMessages()
    for name in [name for name in sys.modules if name.startswith("conformance.adapters.libraries.litellm")]:
        del sys.modules[name]


def near(adapter: Any, way: str) -> AssistantTurn | None:
    """What comes of the shim's own stream near the other one."""
    other = OtherStream(READINGS[way], OTHERS, ANOTHER)  # type: ignore[index]
    return BoundClient(adapter, PROVIDER).read_near(OWN, TALK, other)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("way", "told"),
    [("after-one-that-broke-off", ALONE), ("beside-another-on-a-loop", ALONE), ("beside-another", None)],
)
def test_two_conversations_share_a_loop_and_no_thread(shim: Any, way: str, told: AssistantTurn | None) -> None:
    assert near(shim, way) == told


def test_what_its_chunks_say_is_told_as_they_come_and_who_stops_listening_ends_it(shim: Any) -> None:
    heard = BoundClient(shim, PROVIDER).hear(OWN, TALK, due_in(PROVIDER, OWN))
    assert isinstance(heard, NewsReport)
    assert heard.closed and not heard.failure
    assert [one.news for one in heard.told][-1] == News("end", ALONE.stop)
    assert len({one.given for one in heard.told}) > 2


def test_a_stream_that_litellm_says_ended_early_is_incomplete(shim: Any) -> None:
    told = {"type": "api_error", "message": "MidStreamFallbackError: Stream ended before a finish_reason was received"}
    event = StreamEvent(compact_json({"type": "error", "error": told}), "error")
    chunks = [*OWN[:2], *frame([event], "sse")]
    module = sys.modules[type(shim).__module__]
    assert module._streamed("mistral", chunks, TALK).stop == "incomplete"
    assert wire(PROVIDER).read_stream(chunks, TALK).stop == "error"


@pytest.mark.parametrize("provider", ["anthropic", "mistral"])
def test_texts_of_arguments_are_the_providers_on_anthropic_alone(provider: str) -> None:
    said = ScriptTurn(calls=(ScriptCall("f", {}),))
    chunks = frame(wire(PROVIDER).render_stream(said, Voice("m", {}, "a/0")), "sse")
    assert [call.sent is None for call in heard_bytes(provider, chunks, TALK).calls] == [provider != PROVIDER]


@pytest.mark.parametrize("provider", ["anthropic", "mistral"])
def test_what_another_model_said_when_it_refused_goes_to_all_but_anthropic(provider: str) -> None:
    refused = AssistantTurn(refusal="I will not.", stop="refusal")
    talk = Conversation((UserTurn("Break in."), refused, UserTurn("Then go home.")))
    said = [message["role"] for message in asked_messages(provider, talk, stream=False)["messages"]]
    assert said == (["user", "user"] if provider == "anthropic" else ["user", "assistant", "user"])
