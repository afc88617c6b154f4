"""A recorded interaction with its place: in a file, and among the hosts for which it may answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from conformance.recordings.addresses import address
from conformance.recordings.identity import Identifier
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.sketches import Sketch
from conformance.wires import card, known_ids

Hosts = frozenset[str] | None
"""The hosts at which a recording answers; ``None`` for any."""

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Recording:
    """Interaction ``number`` (from 1) of the file ``source``. ``digest`` and ``sketch`` are of its request."""

    source: str
    number: int
    interaction: Interaction
    hosts: Hosts
    digest: bytes
    sketch: Sketch

    def __str__(self) -> str:
        return f"{self.source or 'a cassette'}, interaction {self.number}"


def recordings(cassette: Cassette, identifier: Identifier, *, any_host: bool) -> Iterator[Recording]:
    """The interactions of a cassette as recordings.

    A cassette of ours names its provider, and answers at that provider's own host too: many are recorded on loopback or
    at another deployment, and played to clients that believe they call the provider.
    """
    provider = cassette.provenance.provider if cassette.provenance else ""
    own = frozenset({address(card(provider).base_url, _NONE).host}) if provider in known_ids() else _NONE
    for number, interaction in enumerate(cassette.interactions, 1):
        identity = identifier.remembered(interaction.request)
        hosts = None if any_host else own | {identity.host}
        assert identity.sketch is not None
        yield Recording(cassette.source, number, interaction, hosts, identity.digest, identity.sketch)
