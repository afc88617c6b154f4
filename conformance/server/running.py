"""Running the server: in the foreground until a signal, or in a thread for as long as a block lasts."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from conformance.server.app import Application
from conformance.server.log import Log
from conformance.server.settings import Settings
from conformance.wires import card

if TYPE_CHECKING:
    import uvicorn

START_SECONDS = 30.0
GOODBYE_SECONDS = 2
"""How long answers under way may still take when the server is told to stop."""


class Running:
    """A server that runs. ``origin`` is where, such as ``http://127.0.0.1:8080``."""

    def __init__(self, application: Application, origin: str) -> None:
        self.application, self.origin = application, origin

    @property
    def log(self) -> Log:
        """What was asked, answered and found."""
        return self.application.log

    def url(
        self, provider: str, scenario: str | None = None, session: str | None = None, fault: str | None = None
    ) -> str:
        """The base URL to give to the provider's SDK (for compatible providers: to the openai SDK)."""
        parts = {"p": provider, "s": scenario, "id": session, "fault": fault}
        prefix = "".join(f"/{word}/{quote(value, safe=':,=')}" for word, value in parts.items() if value is not None)
        return self.origin + prefix + card(provider).base_path


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def open_socket(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 is any that is free. Raises `OSError`."""
    family, kind, protocol, _, address = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM)[0]
    opened = socket.socket(family, kind, protocol)  # asyncio sends without delay only where TCP is named
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen(2048)
    except BaseException:
        opened.close()
        raise
    return opened


def origin_of(opened: socket.socket) -> str:
    """The URL of a listening socket."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run_server(
    settings: Settings, opened: socket.socket, ready: Callable[[Running], None], *, remote: bool = False
) -> Running:
    """Serve until SIGINT or SIGTERM, and return what happened. ``ready`` is called when requests are taken."""
    running = Running(Application(settings, only_local=not remote), origin_of(opened))
    server = uvicorn_server(running.application)

    def stop(number: int, frame: Any) -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    before = {name: signal.signal(name, stop) for name in (signal.SIGINT, signal.SIGTERM)}
    try:
        ready(running)
        server.run([opened])
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    return running


@contextlib.contextmanager
def serving(settings: Settings | None = None, **changes: Any) -> Iterator[Running]:
    """A server on a free port of loopback, in a thread. ``changes`` are fields of `Settings`::

        with serving(lenient=True) as server:
            client = openai.OpenAI(base_url=server.url("openai-chat", "multi_turn.hello"), api_key="test-key")
    """
    opened = open_socket("127.0.0.1", 0)
    running = Running(Application(replace(settings or Settings(), **changes)), origin_of(opened))
    server = uvicorn_server(running.application)
    thread = threading.Thread(target=server.run, args=([opened],), name="conformance-server", daemon=True)
    thread.start()
    try:
        yield running
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)


def uvicorn_server(application: Any) -> uvicorn.Server:
    """The HTTP server around an ASGI application: quiet, and deaf to signals."""
    import uvicorn

    class Quiet(uvicorn.Server):
        """Leaves signals alone: they are ours, and what was found must be written after the last."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # a connection that is cut on demand is no error
    config = uvicorn.Config(
        application,
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    return Quiet(config)
