"""A coding agent at a server: in a scratch folder, in a network where nobody is but the relay before that server.

    we:     a socket's file ◀── the agent's process leaves the network, opens a port there, and hands it over
            a relay listens at that port, so that it hears the agent and still reaches the server

What the agent does is up to the server's model. So it works in a folder of its own, and its network leads nowhere else.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.agents.installing import agent_at
from conformance.agents.recipe import load_recipe
from conformance.agents.surroundings import AgentSurroundings, workspace_in
from conformance.files.whole import write_text
from conformance.masking.environment import without_keys
from conformance.processes.confined import Limits, run_confined
from conformance.processes.running import MODULE, Sizes
from conformance.recipes.installing import NotInstalledError
from conformance.sealed.contained import contain
from conformance.server.running import open_socket, origin_of
from conformance.servers.address import AskedServer
from conformance.servers.watching import WatchedServer, watched_server
from conformance.wires import card

TASK = "Read the file note.txt in this folder, and tell in one sentence what is in it."
FILES = {"note.txt": b"alpha-7731\n"}
HANDOVER, ENDED = "handover", "ended.json"
BESIDE = 30.0
SAID = 2_000_000
TAIL = 400
FILE = 1_000_000_000

AgentEnd = dict[str, Any]


class NotRunError(Exception):
    """The agent cannot be run here. The message says why."""


@contextlib.contextmanager
def agent_at_server(name: str, server: AskedServer, seconds: float) -> Iterator[tuple[WatchedServer, AgentEnd]]:
    """Run an agent at a server, to its end. Gives what went through, and how it ended. Raises `NotRunError`."""
    recipe = load_recipe(name)
    provider = next((one for one in recipe.providers if card(one).format == server.card.format), None)
    if provider is None:
        raise NotRunError(f"{recipe.title} does not speak {server.card.format}")
    try:
        agent = agent_at(recipe)
    except NotInstalledError as problem:
        raise NotRunError(str(problem)) from None
    root = Path(tempfile.mkdtemp(prefix=f"conformance-{recipe.id}-"))
    job = {
        "recipe": str(Path(name).absolute()) if Path(name).is_file() else name, "provider": provider,
        "base_path": server.card.base_path, "root": str(root), "seconds": seconds,
        "programs": list(map(str, agent.programs)),
    }  # fmt: skip
    try:
        with _relayed(root, server) as watching:
            limits = Limits(seconds + BESIDE, SAID, Sizes())
            ended = run_confined((MODULE, __name__), root, without_keys(), limits, json.dumps(job).encode())
            yield watching, _end(root, ended.output)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _end(root: Path, output: bytes) -> AgentEnd:
    try:
        ended: AgentEnd = json.loads((root / ENDED).read_text("utf-8"))
    except OSError:
        raise NotRunError(output.decode("utf-8", "replace")[-TAIL:]) from None
    return ended


@contextlib.contextmanager
def _relayed(root: Path, server: AskedServer) -> Iterator[WatchedServer]:
    """A relay that listens where the agent's process says: at the port that it hands over."""
    waiting = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    waiting.bind(str(root / HANDOVER))
    waiting.listen(1)
    with contextlib.ExitStack() as stack:
        stack.callback(waiting.close)
        watching = stack.enter_context(watched_server(server))

        def take_over() -> None:
            with contextlib.suppress(OSError):
                line, _ = waiting.accept()
                _, descriptors, _, _ = socket.recv_fds(line, 16, 1)
                watching.listen(stack, socket.socket(fileno=descriptors[0]))
                line.sendall(b"ready")

        thread = threading.Thread(target=take_over, daemon=True)
        thread.start()
        yield watching


def main() -> None:
    """In the agent's process: leave the network, hand a port over, and run the agent."""
    job = json.load(sys.stdin)
    contained, root = contain(), Path(job["root"])
    port = open_socket("127.0.0.1", 0)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(str(root / HANDOVER))
        socket.send_fds(line, [b"port"], [port.fileno()])
        line.recv(16)
    origin = origin_of(port)
    recipe = load_recipe(job["recipe"])
    around = AgentSurroundings(
        recipe, root, job["provider"], origin, origin + job["base_path"], TASK,
        programs=tuple(map(Path, job["programs"])), away=not contained,
    )  # fmt: skip
    around.made(FILES)
    limits = Limits(job["seconds"], SAID, Sizes(file=FILE))
    for words in (*map(around.filled_words, recipe.setup), around.command):
        ended = run_confined(words, workspace_in(root), around.environment, limits)
        if ended.code or ended.late:
            break
    said = ended.output.decode("utf-8", "replace")[-TAIL:]
    write_text(root / ENDED, json.dumps({"code": ended.code, "late": ended.late, "said": said, "contained": contained}))
