"""Adapters that leak, one way each. What they leak comes from a variable that is not named as a key."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from conformance import AdapterInfo, AssistantTurn, Conversation, Request, Response
from conformance.adapters.reference import ReferenceAdapter

CHAT = {"openai-chat": {"blocking", "streaming", "parallel_calls"}}
LEAKS = os.environ.get("LEAKS", "").split("|")


class _Leaking(ReferenceAdapter):
    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo(type(self).__name__, CHAT)


class RaisesInBuild(_Leaking):
    """With its keys in the message."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        raise ValueError(f"cannot log in with {' and '.join(LEAKS)}")


class RaisesInParse(_Leaking):
    """After a long text, so that the message is cut where a key stands."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        raise ValueError("".join(f"{'x ' * 1480}{leak} {'y ' * 1480}" for leak in LEAKS))


class Sends(_Leaking):
    """In every part of a request, as a credential and as anything else."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        sent = super().build_request(provider, conversation, stream=stream)
        sent = replace(sent, body=sent.body.replace(b'"messages"', b'"wrong"'))
        for number, leak in enumerate(LEAKS):
            body = sent.body[:-1] + f', "{leak}": 1, "a{number}": "say {leak}", "api_key": "{leak}"}}'.encode()
            url = f"{sent.url}/{leak}?x-goog-api-key={leak}&b=1&client_secret={leak}&c={leak}"
            headers = {
                **sent.headers, "user-agent": f"mine/1.0 ({leak})", "x-api-key": leak, f"x-{number}": leak,
                "authorization": f'Token token="{leak}"', leak: "a name",
            }  # fmt: skip
            sent = replace(sent, url=url, headers=headers, body=body)
        return sent


class Understands(_Leaking):
    """In what it says that it understood."""

    def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:
        return AssistantTurn(text=f"I heard {' and '.join(LEAKS)}")

    def parse_stream(self, provider: str, chunks: Iterable[bytes], **options: Any) -> AssistantTurn:
        return self.parse_response(provider, Response(200, {}, b""))


class Prints(_Leaking):
    """To both of its outputs, and ends."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        for stream in (sys.stdout, sys.stderr):
            stream.write(f"{' '.join(LEAKS)}\n" * 100)
            stream.flush()
        os._exit(3)


class Named(_Leaking):
    """In what it says of itself."""

    def __init__(self) -> None:
        super().__init__()
        leak = " ".join(LEAKS)
        self.info = AdapterInfo(f"n-{leak}", CHAT, version=f"1-{leak}", homepage=f"https://a.example/?key={LEAKS[0]}",
                                issues=f"https://u:{LEAKS[0]}@a.example/{leak}", lacks={"images": leak})  # fmt: skip

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        raise ValueError("no")


class LacksPackage(_Leaking):
    """A package, which is no fault of its own, and says so with its keys."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        raise ImportError(f"absent_package is wanted with {' '.join(LEAKS)}", name="absent_package")


class SendsThenLacks(LacksPackage):
    """The same in its second request, after it has sent them in the first."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        if len(conversation.turns) > 1:
            return super().build_request(provider, conversation, stream=stream)
        sent = ReferenceAdapter.build_request(self, provider, conversation, stream=stream)
        return replace(sent, headers={**sent.headers, "authorization": f"Bearer {LEAKS[-1]}"})


class Hangs(_Leaking):
    """After it has told its keys."""

    def parse_response(self, provider: str, response: Response, **_: Any) -> AssistantTurn:
        sys.stderr.write(" ".join(LEAKS))
        sys.stderr.flush()
        time.sleep(60)
        raise ValueError


class Agent:
    """Tells its keys instead of calling tools."""

    info = AdapterInfo("an agent", CHAT)

    def run(self, provider: str, task: str, tools: object, **_: Any) -> str:
        """Tell them."""
        raise ValueError(" ".join(LEAKS))


class FailsOnImport(_Leaking):
    """Before it is there."""

    def __init__(self) -> None:
        raise ValueError(" ".join(LEAKS))


class Tells(_Leaking):
    """What its environment holds."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        raise ValueError(f"keys: {sorted(name for name in os.environ if 'KEY' in name or 'TOKEN' in name)}")
