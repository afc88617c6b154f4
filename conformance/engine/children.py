"""Where an adapter lives: always in a child that speaks the stdio protocol, in the interpreter of its environment.

An adapter in Python is served there by our own part (`conformance.adapters.stdio.serve`). In our own interpreter that
has all of our `sys.path`. In an environment of its own, nothing of ours is installed: the folder of the bundle comes
first on its path, and holds no more than the contract, the neutral model, the shims and that part.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.adapters.addresses import LocatedAdapter
from conformance.adapters.contract import AdapterError, kind_of
from conformance.adapters.stdio.caller import Caller
from conformance.adapters.stdio.faces import Face, introduced, open_adapter
from conformance.adapters.stdio.mishaps import OperationError
from conformance.environments import bundle, find

START_SECONDS = 60.0
"""How long a child may take to start and to load its adapter."""

REST_SECONDS = 10.0
"""How long it may take to collect its garbage."""

_PROGRAM = """
import json, sys
own = list(sys.path)
sys.path[:] = [folder for item in json.loads(sys.argv.pop()) for folder in (own if item is None else [item])]
from conformance.adapters.stdio.serve import main
sys.exit(main(sys.argv[1:]))
"""
"""What a child runs. Its last argument is its path: a list of folders, in which ``null`` stands for its own."""


GROWTH = 200_000_000
"""After how many more bytes of memory a child is to collect its garbage at once."""


@dataclass(slots=True)
class AdapterChild:
    """An adapter in a child, and what asks it."""

    found: LocatedAdapter
    face: Face
    _rested: int = 0
    """How many bytes of memory it had when it was asked last."""

    @property
    def caller(self) -> Caller:
        """What asks the child."""
        return self.face.caller

    def printed(self) -> str:
        """The end of what the adapter printed since this was asked last, as far as it is alive."""
        return self.caller.child.said_since() if self.caller.child is not None else ""

    def rest(self) -> None:
        """Let the child collect its garbage, now that nothing is being played."""
        if self.caller.child is not None:
            self.caller.child.let_go_of_orphans()
        self.caller.allow(REST_SECONDS)
        with contextlib.suppress(OperationError):
            self.face.rest()
        self._rested = self._memory()

    @property
    def has_grown(self) -> bool:
        """Whether it holds much that may be garbage: its own collector is off (`conformance.adapters.stdio.serve`)."""
        return self._memory() > self._rested + GROWTH

    def _memory(self) -> int:
        """How many bytes of memory it has; 0 where the system does not tell."""
        if self.caller.child is not None:
            with contextlib.suppress(OSError, ValueError, IndexError):
                pages = Path(f"/proc/{self.caller.child.pid}/statm").read_text("ascii").split()[1]
                return int(pages) * os.sysconf("SC_PAGE_SIZE")
        return 0


def open_child(address: str) -> AdapterChild:
    """The adapter at ``address``, in a child of this process. Raises `AdapterError`, with one line."""
    if os.name != "posix":
        raise AdapterError("adapters are played in processes of their own, which needs a POSIX system")
    face = _face(address)
    return AdapterChild(LocatedAdapter(address, face.info, kind_of(face), face.instance), face)


def _face(address: str) -> Face:
    if address.startswith("stdio:"):
        return open_adapter(address)
    if not address.startswith("env:"):
        return _served(address, Path(sys.executable), address, sys.path)
    environment = find(address)
    if environment.python is None:
        return open_adapter(environment.address)
    return _served(address, environment.python, environment.address, [str(bundle.folder()), None])


def _served(address: str, python: Path, inner: str, path: Sequence[str | None]) -> Face:
    """An adapter in Python, served by our own part."""
    command = [str(python), "-P", "-c", _PROGRAM, inner, json.dumps(list(path))]
    return introduced(address, command, start_seconds=START_SECONDS)
