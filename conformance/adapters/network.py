"""Whom on the network a library asks for, beside the provider: a price map, a tokenizer's table, telemetry.

A library that asks a provider's own host does not go where it was told to: that is a fault of its own, and no need of
the network.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field

from conformance.wires import card, known_ids

LOOPBACK = re.compile(r"(localhost|127\.\d+\.\d+\.\d+|::1|0\.0\.0\.0|::|)")


@dataclass
class NetworkWatch:
    """The hosts that this process asked for: since it began (``hosts``), and since `NetworkWatch.begin` (``asked``)."""

    hosts: dict[str, None] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    on: bool = False

    def start(self) -> None:
        """Watch from now on. An audit hook cannot be taken away again."""
        if not self.on:
            self.on = True
            sys.addaudithook(self._hear)

    def begin(self) -> None:
        """An operation begins."""
        self.asked.clear()

    def _hear(self, event: str, given: tuple[object, ...]) -> None:
        if event == "socket.getaddrinfo" and not LOOPBACK.fullmatch(host := _text(given[0])):
            self.hosts[host] = None
            self.asked.append(host)

    def strangers(self) -> list[str]:
        """Of the hosts that were asked for lately, those that are no provider's."""
        return [host for host in self.asked if not is_providers(host)]


watch = NetworkWatch()


def is_providers(host: str) -> bool:
    """Whether a host is a provider's own."""
    patterns = (card(name).own_hosts for name in known_ids())
    return any(pattern and re.fullmatch(pattern, host) for pattern in patterns)


def _text(host: object) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
