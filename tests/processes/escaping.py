"""Adapters that start processes which do not want to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from conformance import AdapterInfo, Conversation, Request
from conformance.adapters.reference import ReferenceAdapter

CHAT = {"openai-chat": {"blocking", "streaming", "parallel_calls"}}
STUBBORN = "trap '' TERM HUP INT USR1 USR2; echo $$ > \"$0\"; while :; do sleep 100; done"


class Escapes(ReferenceAdapter):
    """Starts three processes that ignore signals: in its group, in a session of their own, and without a parent.

    Then it hangs, where it is asked to.
    """

    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo("Escapes", CHAT)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        folder = Path(os.environ["ESCAPED"])
        if not (folder / "started").exists():
            escape(folder)
            (folder / "started").touch()
        if "HANG" in os.environ:
            time.sleep(1000)
        return super().build_request(provider, conversation, stream=stream)


def escape(folder: Path) -> None:
    """Start the processes, and wait until all are deaf."""
    command = ["sh", "-c", STUBBORN]
    subprocess.Popen([*command, str(folder / "in the group")])
    subprocess.Popen([*command, str(folder / "in a session")], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp("sh", [*command, str(folder / "without a parent")])
        os._exit(0)
    while len(list(folder.glob("* *"))) < 3:
        time.sleep(0.01)


class Escaping(Escapes):
    """Does it again whenever it was killed."""

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        (Path(os.environ["ESCAPED"]) / "started").unlink(missing_ok=True)
        for path in Path(os.environ["ESCAPED"]).glob("* *"):
            path.unlink()
        return super().build_request(provider, conversation, stream=stream)


class Slow(ReferenceAdapter):
    """Takes its time for each case."""

    def __init__(self) -> None:
        super().__init__()
        self.info = AdapterInfo("Slow", CHAT)

    def build_request(self, provider: str, conversation: Conversation, *, stream: bool) -> Request:
        time.sleep(0.02)
        return super().build_request(provider, conversation, stream=stream)


def main(arguments: Any = None) -> None:
    """Be a child that says nothing and ignores the end of its input: ``stdio:`` of no language in particular."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    escape(Path(os.environ["ESCAPED"]))
    (Path(os.environ["ESCAPED"]) / "started").touch()
    time.sleep(1000)


if __name__ == "__main__":
    main(sys.argv)
