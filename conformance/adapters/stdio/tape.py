"""What goes to an adapter and comes from it, written down line by line where the environment asks for it.

The variable `VARIABLE` names a folder. Each caller writes a file of its own there: a JSON object a line, one for each
request. Its ``said`` are the lines of the child and, between them, our answers to what it asked meanwhile.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

VARIABLE = "CONFORMANCE_TAPE"


@dataclass
class Tape:
    """Where a caller writes down what is said. ``file`` is ``None`` where nobody wants to know."""

    file: Path | None
    _said: list[str] = field(default_factory=list)

    def hear(self, line: bytes) -> None:
        """A line went one way or the other."""
        if self.file is not None:
            self._said.append(line.decode("utf-8", "replace").strip())

    def keep(self, method: str, params: str, lost: str = "") -> None:
        """The request has its answer, or the child was ``lost`` over it."""
        if self.file is not None:
            told = {"method": method, "params": params, "said": self._said, **({"lost": lost} if lost else {})}
            with self.file.open("a", encoding="ascii") as file:
                file.write(json.dumps(told) + "\n")
        self._said = []


def tape_here() -> Tape:
    """The tape of a new caller."""
    folder = os.environ.get(VARIABLE)
    return Tape(Path(folder) / f"{os.getpid()}-{secrets.token_hex(4)}.jsonl" if folder else None)
