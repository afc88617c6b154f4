"""Who else an agent asks, in a network that has nobody else: a resolver that knows every name, and what it leads to.

Each name has an address of its own on loopback. Whoever connects there is written down, by name and port, and is hung
up on.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conformance.model import Json
from conformance.processes import system

RESOLVER_FILE = Path("/etc/resolv.conf")
RESOLVER_PORT, PORTS = 53, (80, 443)
_ADDRESS_RECORD, _INTERNET = 1, 1
_ANSWERED, _LIVES = 0x8180, 60
MAX_NAMES = 60_000


@dataclass
class Outsiders:
    """Names that were asked for, and the ports that were connected to. Port 0: only the name was asked for."""

    names: list[str] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)
    """The place of each name, from 1."""
    asked: Counter[tuple[str, int]] = field(default_factory=Counter)

    def address(self, name: str) -> str:
        """The address of a name."""
        if name not in self.numbers and len(self.names) < MAX_NAMES:
            self.names.append(name)
            self.numbers[name] = len(self.names)
            self.asked[name, 0] += 1
        number = self.numbers.get(name, 0)
        return f"127.1.{number // 250}.{number % 250 + 1}"

    def connected(self, address: str, port: int) -> None:
        """Somebody has connected to an address."""
        third, fourth = map(int, address.split(".")[2:])
        number = third * 250 + fourth - 2
        if address.startswith("127.1.") and 0 <= number < len(self.names):
            self.asked[self.names[number], port] += 1

    def documents(self) -> list[dict[str, Json]]:
        """As JSON. A name that was connected to is told with its ports alone."""
        with_port = {name for name, port in self.asked if port}
        return [
            {"host": name, "port": port or None, "times": times}
            for (name, port), times in sorted(self.asked.items())
            if port or name not in with_port
        ]


def answer_to(query: bytes, outsiders: Outsiders) -> bytes:
    """The answer to a query of the domain name system (RFC 1035, section 4). Raises `ValueError` for what is none."""
    labels, place = [], 12
    while place < len(query) and query[place]:
        size = query[place]
        labels.append(query[place + 1 : place + 1 + size].decode("ascii", "replace"))
        place += 1 + size
    if len(query) < place + 5 or not labels:
        raise ValueError("no query")
    kind, group = struct.unpack(">HH", query[place + 1 : place + 5])
    address = outsiders.address(".".join(labels).lower())
    known = (kind, group) == (_ADDRESS_RECORD, _INTERNET)
    head = query[:2] + struct.pack(">HHHHH", _ANSWERED, 1, int(known), 0, 0)
    record = b"\xc0\x0c" + struct.pack(">HHIH", kind, group, _LIVES, 4) + socket.inet_aton(address)
    return head + query[12 : place + 5] + (record if known else b"")


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[Outsiders]:
    """Write down who is asked, for as long as the block lasts, where this process may say who resolves names. The
    network must be one of its own."""
    outsiders = Outsiders()
    opened: list[socket.socket] = []
    with contextlib.suppress(OSError):
        _resolve_here(folder)
        opened.append(_bound(socket.SOCK_DGRAM, "127.0.0.1", RESOLVER_PORT))
        _in_thread(_resolve, opened[0], outsiders)
        for port in PORTS:
            listening = _bound(socket.SOCK_STREAM, "0.0.0.0", port)
            listening.listen()
            opened.append(listening)
            _in_thread(_hang_up, listening, outsiders)
    try:
        yield outsiders
    finally:
        for one in opened:
            one.close()


def _resolve_here(folder: Path) -> None:
    """Have this process and its descendants ask us for names."""
    own = folder / RESOLVER_FILE.name
    own.write_text("nameserver 127.0.0.1\n", "ascii")
    system.bind(own, RESOLVER_FILE)


def _bound(kind: int, host: str, port: int) -> socket.socket:
    opened = socket.socket(socket.AF_INET, kind)
    opened.bind((host, port))
    return opened


def _in_thread(work: Callable[[socket.socket, Outsiders], None], opened: socket.socket, outsiders: Outsiders) -> None:
    threading.Thread(target=work, args=(opened, outsiders), daemon=True).start()


def _resolve(opened: socket.socket, outsiders: Outsiders) -> None:
    with contextlib.suppress(OSError):
        while True:
            query, sender = opened.recvfrom(4096)
            with contextlib.suppress(ValueError):
                opened.sendto(answer_to(query, outsiders), sender)


def _hang_up(listening: socket.socket, outsiders: Outsiders) -> None:
    with contextlib.suppress(OSError):
        while True:
            client, _ = listening.accept()
            with client:
                outsiders.connected(*client.getsockname())
