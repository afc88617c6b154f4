"""Runs programs one after another, each in a process of its own: ``python in_turn.py FOLDER PROGRAM...``.

What a program imports, at its head or later on, is imported once, here: a library takes seconds for that, a program of
ours some milliseconds. Each program starts as a copy of this process (``fork``), so none sees what another did. Its
output is in the folder: ``PROGRAM.out`` and ``PROGRAM.err``. It needs the standard library alone.
"""

from __future__ import annotations

import ast
import atexit
import gc
import importlib
import os
import runpy
import signal
import sys
from contextlib import suppress
from pathlib import Path

PATIENCE = 100
"""Seconds until a program is ended that does not end."""
MODULES = "modules"
"""The file in the folder where a program writes the names of the modules that it had in the end."""


def imports(program: Path) -> None:
    """Import what a program imports. What cannot be imported is the program's failure, and is told there."""
    for node in ast.parse(program.read_text("utf-8")).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            with suppress(Exception):
                exec(compile(ast.Module([node], []), str(program), "exec"), {})


def imports_later(names: list[str]) -> None:
    """Import what the last program imported on its way: the next one will, too."""
    for name in names:
        if name not in sys.modules:
            with suppress(Exception):
                importlib.import_module(name)


def become(program: Path, folder: Path) -> None:
    """Be the program from now on, as if it had been started."""
    signal.alarm(PATIENCE)
    atexit.register(lambda: (folder / MODULES).write_text("\n".join(sys.modules)))
    for stream, suffix in ((1, ".out"), (2, ".err")):
        os.dup2(os.open(folder / (program.name + suffix), os.O_WRONLY | os.O_CREAT, 0o644), stream)
    sys.argv[:] = [str(program)]
    runpy.run_path(str(program), run_name="__main__")


def main(folder: Path, programs: list[Path]) -> None:
    gc.disable()  # to look through a whole library for garbage takes five times what a program takes
    for program in programs:
        imports(program)
    for program in programs:
        sys.stdout.flush()
        gc.freeze()
        child = os.fork()
        if not child:
            become(program, folder)
            return
        os.waitpid(child, 0)
        if (folder / MODULES).exists():
            imports_later((folder / MODULES).read_text().split("\n"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
