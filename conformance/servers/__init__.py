"""Servers as subjects: whatever speaks a provider's API over HTTP (docs/servers.md).

    address ──▶ asking ──▶ a recorded exchange ──▶ looking: wire checks ──────────────┐
                   ▲                                                                  ├──▶ verdict
    probes ────────┘        rules' examples ──▶ refusals ──▶ must reject ─────────────┤
                            conversations with a choice ──▶ choosing: the model ──────┘

An exchange with a server is the same thing as one in recorded traffic. So the same checks run over both, and a check
that accuses a provider's own host is none.
"""

from __future__ import annotations

PREFIX = "server:"
"""What stands before the address of a server on the command line."""
