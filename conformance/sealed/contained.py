"""A network with nothing in it but this machine's loopback: what an agent asks of anybody else finds nobody."""

from __future__ import annotations

import fcntl
import socket
import struct
import sys
from functools import partial

from conformance.processes import system

NEW_NETWORK = 0x4000_0000
"""``CLONE_NEWNET``."""
WANTED = (NEW_NETWORK, NEW_NETWORK | system.NEW_USERS)
"""The namespaces to make, the fewest first."""
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
"""``SIOCGIFFLAGS``, ``SIOCSIFFLAGS`` and ``IFF_UP`` (netdevice(7))."""


def contain() -> bool:
    """Leave the network, for this process and all that it starts. Says whether that can be done here; it is tried in
    another process first. There must be no other threads."""
    if sys.platform != "linux":
        return False
    kinds = next((kinds for kinds in WANTED if system.succeeds(partial(_leave, kinds))), 0)
    if kinds:
        _leave(kinds)
    return bool(kinds)


def _leave(kinds: int) -> None:
    system.unshare(kinds)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        asked = struct.pack("16sh22x", b"lo", 0)
        flags = struct.unpack("16sh22x", fcntl.ioctl(opened, _GET_FLAGS, asked))[1]
        fcntl.ioctl(opened, _SET_FLAGS, struct.pack("16sh22x", b"lo", flags | _UP))
