"""Adapters that attack what runs them: the pipe, the process, the modules that they share with our own child."""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from conformance import AdapterInfo, AssistantTurn, Conversation, Request, Response
from conformance.adapters.reference import ReferenceAdapter

CHAT = {"openai-chat": {"blocking", "streaming", "parallel_calls", "errors"}}


class _Chat(ReferenceAdapter):
    """The reference adapter on one provider, which attacks when it reads an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo(type(self).__name__, CHAT)

    def attack(self) -> None:
        """What it does before it answers."""

    def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:
        self.attack()
        return super().parse_response(provider, response, **options)


def _pipes() -> list[int]:
    """All file descriptors above the standard ones."""
    return [int(path.name) for path in Path("/proc/self/fd").iterdir() if int(path.name) > 2]


class _Everywhere(_Chat):
    """Writes to whatever can be written to."""

    data = b""

    def attack(self) -> None:
        for end in _pipes():
            with contextlib.suppress(OSError):
                os.write(end, self.data)


class Garbage(_Everywhere):
    data = b"Traceback (most recent call last):\n"


class HalfAMessage(_Everywhere):
    data = b'{"jsonrpc":"2.0","id":2,"resu'

    def attack(self) -> None:
        super().attack()
        os._exit(0)


class HalfAMessageAndSilence(_Everywhere):
    data = b'{"jsonrpc":"2.0","id":'

    def attack(self) -> None:
        super().attack()
        time.sleep(1000)


class FourBytesOfLength(_Everywhere):
    data = b"\x7f\xff\xff\xff"

    def attack(self) -> None:
        super().attack()
        time.sleep(1000)


class HugeLine(_Everywhere):
    data = b"x" * 1_000_000

    def attack(self) -> None:
        for _ in range(70):
            super().attack()


class Silent(_Chat):
    def attack(self) -> None:
        time.sleep(1000)


class DeafToSignals(_Chat):
    def attack(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR2):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(1000)


class PrintsToItsOutput(_Chat):
    def attack(self) -> None:
        print("noise")
        os.write(1, b"noise\n")
        sys.__stdout__.write("noise\n")


class Forks(_Chat):
    """Its copy goes on and answers too."""

    def attack(self) -> None:
        os.fork()


class ForksAndHangs(_Chat):
    def attack(self) -> None:
        if os.fork() == 0:
            time.sleep(1000)


def _broken(*arguments: Any, **options: Any) -> Any:
    raise RuntimeError("patched")


class PatchesJson(_Chat):
    def attack(self) -> None:
        for name in ("dumps", "loads", "dump", "load"):
            setattr(json, name, _broken)
        json.JSONEncoder.encode = json.JSONEncoder.iterencode = _broken  # type: ignore[method-assign]
        json.JSONDecoder.decode = json.JSONDecoder.raw_decode = _broken  # type: ignore[method-assign]

    def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:
        turn = ReferenceAdapter.parse_response(self, provider, response, **options)
        self.attack()
        return turn

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        if json.dumps is _broken:
            raise RuntimeError("patched")
        return super().build_request(provider, conversation, stream=stream)


class PatchesOutput(_Chat):
    def attack(self) -> None:
        sys.stdout = sys.stderr = sys.stdin = None  # type: ignore[assignment]
        builtins.print = _broken  # type: ignore[assignment]
        os.write = os.read = _broken  # type: ignore[assignment]


class FewFiles(_Chat):
    def attack(self) -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))


class LittleMemory(_Chat):
    def attack(self) -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))
        self.kept = bytearray(1 << 30)


class LittleTime(_Chat):
    def attack(self) -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
        while True:
            pass


class _Raises(_Chat):
    problem: type[BaseException] = Exception

    def attack(self) -> None:
        raise self.problem()


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__


class StrRaises(_Raises):
    problem = UnspeakableError


class NumberError(Exception):
    def __str__(self) -> str:
        return 7  # type: ignore[return-value]

    __repr__ = __str__


class StrIsNoText(_Raises):
    problem = NumberError


class ExitingError(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


class StrExits(_Raises):
    problem = ExitingError


class Interrupts(_Raises):
    problem = KeyboardInterrupt


class LeavesQuietly(_Raises):
    problem = SystemExit


class Exits(_Chat):
    def attack(self) -> None:
        os._exit(0)


class ClosesFiles(_Chat):
    def attack(self) -> None:
        os.closerange(0, 1000)


class ClosesLowFiles(_Chat):
    """As programs do that become daemons."""

    def attack(self) -> None:
        os.closerange(3, 64)


class KillsItsParent(_Chat):
    def attack(self) -> None:
        os.kill(os.getppid(), signal.SIGKILL)


class StopsItsParent(_Chat):
    def attack(self) -> None:
        os.kill(os.getppid(), signal.SIGSTOP)
        time.sleep(1000)


class LeavesThreads(_Chat):
    def attack(self) -> None:
        threading.Thread(target=time.sleep, args=(1000,)).start()


class DeepOpaque(_Chat):
    """What it keeps is nested in itself."""

    def parse_response(self, provider: str, response: Response, **options: Any) -> AssistantTurn:
        kept: list[Any] = []
        kept.append(kept)
        turn = super().parse_response(provider, response, **options)
        return AssistantTurn(turn.text, turn.calls, turn.stop, usage=turn.usage, opaque=[turn.opaque, kept])

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        for turn in conversation.turns:
            if isinstance(turn, AssistantTurn) and turn.opaque:
                object.__setattr__(turn, "opaque", turn.opaque[0])
        return super().build_request(provider, conversation, stream=stream)


class RefusesToBeMade(_Chat):
    """Can be made once, to say what it is, and never again."""

    made = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).made += 1
        if type(self).made > 2:
            raise RuntimeError("no more")


class StripsSchemas(_Chat):
    """Edits the schemas that it is given, in place, and sends what is left: nothing is missing in its own eyes."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        for tool in conversation.tools:
            _strip(tool.parameters)
        return super().build_request(provider, conversation, stream=stream)


def _strip(schema: Any) -> None:
    if isinstance(schema, dict):
        for name in ("minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "enum"):
            schema.pop(name, None)
        for item in schema.values():
            _strip(item)
    elif isinstance(schema, list):
        for item in schema:
            _strip(item)
