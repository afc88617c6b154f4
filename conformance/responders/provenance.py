"""Where a recording comes from, written down as it is made."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Iterator
from importlib import metadata

from conformance.adapters.libraries import LIBRARIES
from conformance.deliveries import Delivery
from conformance.masking.door import own_mask
from conformance.model import Conversation, UserTurn
from conformance.recordings.interaction import Provenance
from conformance.recordings.scrub import SCRUB_VERSION
from conformance.responders.live import LiveResponder
from conformance.responders.order import RecordingOrder
from conformance.responders.revisions import revision
from conformance.scenarios import Scenario
from conformance.version import VERSION
from conformance.wires import card, cards, wire

CARRIERS = ("mistralai", "litellm", "httpx", "httpx2")
"""Whose versions are worth knowing, where they are installed, beside those of the providers' SDKs."""


def provenance(how: RecordingOrder, live: LiveResponder, scenario: Scenario, delivery: Delivery) -> Provenance:
    """The provenance of a recording that begins now."""
    return Provenance(
        provider=live.provider,
        model=live.model or Conversation(()).model,
        origin=how.origin,
        recorded=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        adapter=own_mask().text(how.adapter),
        scenario=scenario.id,
        delivery="stream" if delivery.streaming else "blocking",
        scenario_revision=revision(scenario),
        libraries=dict(_versions()),
        api_version=_api_version(live.provider),
        scrub_version=SCRUB_VERSION,
        suite=VERSION,
    )


def _versions() -> Iterator[tuple[str, str]]:
    yield "python", platform.python_version()
    sdks = (LIBRARIES[one.sdk].distribution for one in cards() if one.sdk is not None)
    for name in dict.fromkeys((*sdks, *CARRIERS)):
        try:
            yield name, metadata.version(name)
        except metadata.PackageNotFoundError:
            continue


def _api_version(provider: str) -> str | None:
    """The version that a request names: in a header, or in Azure's query."""
    usual = wire(provider).build(Conversation((UserTurn("x"),)), stream=False)
    name = card(provider).version_header
    return (usual.header(name) if name else None) or usual.query.partition("api-version=")[2].partition("&")[0] or None
