"""There is one door: no other part of the tool prints, or writes a file, but for the few that are named here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance

ROOT = Path(conformance.__file__).parent

DOORS = {
    "report/printing.py": "all screens: what it prints is masked",
    "cli/saying.py": "what Python itself says on standard error: masked",
    "files/whole.py": "all files: what `write_text` writes is checked",
    "files/through.py": "what is no regular file: for files/whole.py",
    "environments/places.py": "what is known of an environment: masked",
    "cli/certificate_command.py": "a certificate: its result and transcript are masked, and a lock file",
    "recordings/store.py": "cassettes: scanned by the recorder before, byte by byte",
}
"""Where files and screens are written, and why nothing secret gets out there."""

OTHERS = {
    "sealed/outside.py": "the address of a resolver of ours, in the folder of a run",
    "agents/surroundings.py": "files of a script and a recipe, in the folder of a run, which is removed",
    "gateways/playing.py": "what a gateway says, in the folder of a run, which is removed",
    "gateways/reference.py": "answers of a gateway of ours",
    "gateways/surroundings.py": "files of a recipe, in the folder of a run, which is removed",
    "gateways/upstream.py": "answers to a gateway, which a scenario says",
    "cli/__init__.py": "the help and the version",
    "cli/auditing.py": "findings, which are masked",
    "adapters/inventory/telling.py": "what a library offers, in the child: its parent writes it masked",
    "adapters/inventory/watching.py": "which methods were called, in the child: its parent writes it masked",
    "doors/played.py": "which methods are watched, in a folder that is removed",
    "traffic/distributed.py": "parts of an audit, masked, in a folder that is removed",
    "traffic/parts.py": "parts of an audit: findings, which are masked",
    "traffic/pool.py": "parts of an audit, to the process that asked for them",
    "cli/env_trial.py": "our own program, in a folder that is removed",
    "environments/bundle.py": "our own modules",
    "environments/node.py": "an empty package",
    "export/writing.py": "our own scenarios, and what the reference adapters send",
    "files/locks.py": "an empty lock",
    "files/members.py": "evidence, which was masked, to a file without a name",
    "files/packs.py": "our own rules and scenarios, in the user's cache",
    "files/scratch.py": "an empty lock",
    "processes/confined.py": "a call of a model, to a tool in a process of its own",
    "processes/keeper.py": "a number, to the keeper",
    "processes/running.py": "the name of a program that cannot be run: whoever runs it masks it",
    "processes/system.py": "a number, to the kernel",
    "responders/recording.py": "a count of calls",
    "runner/comparison.py": "a cassette that the recorder scanned, a second time",
    "session/file_tools.py": "the folder in which a model works, which is removed",
    "session/workspace.py": "the folder in which a model works, which is removed",
    "adapters/stdio/tape.py": "what a subject says, in a folder that is removed: a certificate has it masked",
    "certificates/playback.py": "in the child: what a certificate says, which is masked",
    "certificates/subjects.py": "a lock file of a certificate, in a folder that is removed",
    "certificates/verifying.py": "the transcript of a certificate, in a folder that is removed",
    "parsers/serving.py": "in the child: its parent masks it",
    "adapters/stdio/serve.py": "in the child: its parent masks it",
    "adapters/stdio/guard.py": "a number, to a shell",
    "adapters/stdio/pipes.py": "requests to the child",
    "adapters/stdio/channel.py": "answers to the parent, which masks them",
    "adapters/loopback.py": "answers to the library in the child",
    "adapters/capture/program.py": "the program of a failing case, in the child: its parent masks it",
}
"""What else writes, and what."""

WRITING = frozenset({"write", "writelines", "write_text", "write_bytes", "print_exc", "print_exception"})


WRITERS = ("write_whole", "write_through")
"""Our own functions that write bytes as they are."""


def _writes(call: ast.Call) -> bool:
    called = call.func
    if isinstance(called, ast.Name):
        return called.id in ("print", "open", *WRITERS)
    if not isinstance(called, ast.Attribute):
        return False
    if called.attr in ("open", "fdopen"):
        modes = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        return any(set(mode) & set("wax+") and len(mode) <= 3 for mode in modes)
    return called.attr in WRITING and ast.unparse(called.value) != "result"


def _writing() -> Iterator[str]:
    for path in ROOT.rglob("*.py"):
        if any(isinstance(node, ast.Call) and _writes(node) for node in ast.walk(ast.parse(path.read_text("utf-8")))):
            yield path.relative_to(ROOT).as_posix()


@pytest.mark.slow
def test_nothing_else_writes() -> None:
    assert sorted(_writing()) == sorted(DOORS | OTHERS)
