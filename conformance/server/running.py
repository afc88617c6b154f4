"""Running the server in a thread, so that whoever started it can end it whatever it does."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from conformance.documents import Document
from conformance.server.app import Application
from conformance.server.connections import impatient
from conformance.server.log import Log
from conformance.server.settings import PATIENCE, Settings
from conformance.wires import card

if TYPE_CHECKING:
    import uvicorn

STOP_SECONDS = 30.0
"""How long a test waits for its server to end."""

GOODBYE_SECONDS = 1
"""How long answers under way may still take when the server is told to stop."""

END_SECONDS = 1.6
"""How long the server may take to end: after that it is left behind, whatever it does."""


class ServerThread:
    """An ASGI application that is served in a thread. ``origin`` is where, such as ``http://127.0.0.1:8080``."""

    def __init__(self, application: Any, opened: socket.socket, patience: float) -> None:
        self.origin = origin_of(opened)
        self._server = uvicorn_server(application, patience)
        run = self._server.run
        self.thread = threading.Thread(target=run, args=([opened],), name="conformance-server", daemon=True)
        self.thread.start()

    def stop(self, seconds: float) -> bool:
        """Have it end. Says whether it did."""
        self._server.should_exit = True
        self.thread.join(seconds)
        return not self.thread.is_alive()


class Running(ServerThread):
    """The strict provider, in a thread."""

    def __init__(self, application: Application, opened: socket.socket) -> None:
        self.application = application
        super().__init__(application, opened, application.settings.patience)

    def stop(self, seconds: float) -> bool:
        """Have it end. Says whether it did: one that still judges is left alone, and its log stays as it is."""
        ended = super().stop(seconds)
        self.log.close()
        return ended

    @property
    def log(self) -> Log:
        """What was asked, answered and found."""
        return self.application.log

    def findings(self, session: str) -> list[Document]:
        """What was found in the requests of a session, the first request's first: ``rule``, ``at`` and the like."""
        told = self.log.document(limit=self.application.settings.keep)["exchanges"]
        return [found for one in reversed(told) if one["session"] == session for found in one["findings"]]

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


@contextlib.contextmanager
def serving(settings: Settings | None = None, **changes: Any) -> Iterator[Running]:
    """A server on a free port of loopback, in a thread. ``changes`` are fields of `Settings`::

        with serving(lenient=True) as server:
            client = openai.OpenAI(base_url=server.url("openai-chat", "multi_turn.hello"), api_key="test-key")
    """
    opened = open_socket("127.0.0.1", 0)
    running = Running(Application(replace(settings or Settings(), **changes)), opened)
    try:
        yield running
    finally:
        running.stop(STOP_SECONDS)


def uvicorn_server(application: Any, patience: float = PATIENCE) -> uvicorn.Server:
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
        http=impatient(patience),
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GOODBYE_SECONDS,
    )
    return Quiet(config)
