"""What a request is known by: two requests with one identity are the same request."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

from conformance.http import Request
from conformance.recordings.addresses import CanonicalAddress, address
from conformance.recordings.canonical import canonical_body, members_sorted
from conformance.recordings.settler import Settler
from conformance.recordings.sketches import Sketch, sketch
from conformance.wires.volatile import Volatile


@dataclass(frozen=True, slots=True)
class Identity:
    """``digest`` is over method, path, query and canonical body. The host stands apart, because it may have aliases.
    ``sketch`` is of the canonical body of what was recorded."""

    host: str
    digest: bytes
    sketch: Sketch | None = None


class Identifier:
    """Finds the identity of requests. Safe with threads.

    What was recorded is remembered as it was sent: most requests come again byte for byte, and need not be parsed. Most
    of the others have their members in another order, and need not be settled.
    """

    def __init__(self, volatile: Volatile) -> None:
        self._settler = Settler(volatile)
        self._without = frozenset(name.lower() for name in volatile.query)
        self._paths = volatile.paths
        self._known: dict[tuple[str, str, bytes], Identity] = {}
        self._in_order: dict[tuple[str, str, bytes], Identity] = {}

    def identity(self, request: Request) -> Identity:
        """The identity of a request."""
        known = self._known.get((request.method, request.url, request.body))
        return known or self._in_order.get(_in_order(request)) or self._found(request, self.body(request))

    def remembered(self, request: Request) -> Identity:
        """The identity of a recorded request."""
        key = (request.method, request.url, request.body)
        found = self._known.get(key)
        if found is None:
            body = self.body(request)
            found = replace(self._found(request, body), sketch=sketch(body))
            self._known[key] = self._in_order[_in_order(request)] = found
        return found

    def _found(self, request: Request, body: bytes) -> Identity:
        place = self.address(request)
        head = repr((request.method.upper(), place.path, place.query)).encode("utf-8", "surrogatepass")
        digest = hashlib.blake2b(head, digest_size=20)
        digest.update(body)
        return Identity(place.host, digest.digest())

    def address(self, request: Request) -> CanonicalAddress:
        """Where the request goes."""
        return address(request.url, self._without, self._paths)

    def body(self, request: Request) -> bytes:
        """The canonical body."""
        return canonical_body(request, self._settler)


def _in_order(request: Request) -> tuple[str, str, bytes]:
    """What requests have in common that differ in the order of members. A body that is no JSON is in order as it is."""
    body = members_sorted(request.body)
    digest = hashlib.sha256(request.body if body is None else body).digest()
    return request.method, request.url, digest
