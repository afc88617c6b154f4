"""Whose traffic an exchange is: by path and host, and where these do not tell, by what the body looks like.

A provider has hosts of its own, where every rule holds. Its format is also spoken by hosts that only imitate it; what
such a host does not mind is in its file (`conformance.wires.hosts`), so that no rule is made weaker for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property

from conformance.model import Json, decoded_json
from conformance.traffic import telling
from conformance.traffic.lenient import BY_HOSTS
from conformance.traffic.records import RecordedExchange
from conformance.wires import card, cards, routing


@dataclass(frozen=True)
class TrafficSource:
    """Whose traffic it is. ``own`` tells a host of the provider itself from one that imitates it. ``addressed`` is
    false when the address is not the provider's: a gateway chose it, or the recorder made it up."""

    provider: str
    host: str
    own: bool
    addressed: bool
    told: bool = False
    """Whether somebody tells of the exchange in words of his own."""

    def judges(self, rule: str) -> bool:
        """Whether a rule applies to what is sent to this host at all, and to what is known of it."""
        if self.told:
            return rule in telling.RULES
        return self.addressed or rule not in address_rules()

    @cached_property
    def speaker(self) -> str:
        """The host or provider whose file tells what is taken here."""
        return routing.host_at(self.provider, self.host)

    @property
    def liberties(self) -> frozenset[str]:
        """What this host's streams may do beyond the grammar."""
        own = card(self.speaker).stream_liberties
        return own if self.own else BY_HOSTS | own


def recognise(record: RecordedExchange) -> TrafficSource | None:
    """Whose exchange it is; ``None`` when that is no provider we know, or no call of a model."""
    found = _source(record)
    return replace(found, own=False, addressed=False, told=True) if found is not None and record.told_by else found


def _source(record: RecordedExchange) -> TrafficSource | None:
    request = record.request
    if request is not None and request.method.upper() != "POST":
        return None
    path = request.path if request is not None else ""
    host = routing.by_opening(record.body or b"") or record.host
    name = routing.without_port(host)
    provider = routing.by_path_end(path, name)
    if provider is not None:
        return TrafficSource(provider, host, routing.is_own_host(provider, name), addressed=record.framed)
    if path.strip("/") and routing.is_known_host(name):
        return None  # it is none of the paths on which that host asks a model
    provider = _by_body(record, path)
    return TrafficSource(provider, host, own=False, addressed=False) if provider is not None else None


@cache
def address_rules() -> frozenset[str]:
    """The rules about the address of a request, of all providers."""
    return frozenset(one.address_rule for one in cards() if one.address_rule is not None)


# --- by body, where a recorder kept no address -----------------------------------------------------------------------


def _by_body(record: RecordedExchange, path: str) -> str | None:
    """A format that only one provider has. Formats that several share are not guessed.

    A request that holds no conversation asked for something else, though the answer looks the same: a gateway's
    template, say (``POST api.portkey.ai/v1/prompts/ID/completions``).
    """
    sent = _object(record.request.document) if record.request is not None else {}
    provider = routing.by_request(sent, path)
    if provider is not None:
        return provider
    provider = routing.by_answer(_object(decoded_json(_first_document(record.body or b""))))
    other = provider is not None and sent and card(provider).forms.conversation not in sent
    return None if other else provider


def _first_document(body: bytes) -> bytes:
    """A blocking body, or the data of a stream's first event."""
    text = body.lstrip()
    if text.startswith((b"{", b"[")):
        return body
    line = next((line for line in text[:100_000].splitlines() if line.startswith(b"data:")), b"")
    return line.removeprefix(b"data:")


def _object(document: Json) -> Mapping[str, Json]:
    document = document[0] if isinstance(document, list) and document else document
    return document if isinstance(document, dict) else {}
