"""The strict provider over HTTP: all providers on their real paths, scenarios as answers, rules as judges.

`serving` runs it in a thread for as long as a block lasts; ``conformance serve`` runs it in the foreground.
"""

from __future__ import annotations

from conformance.server.running import Running, serving
from conformance.server.settings import Settings

__all__ = ["Running", "Settings", "serving"]
