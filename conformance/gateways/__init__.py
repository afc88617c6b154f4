"""Gateways as subjects: proxies that take one provider's format and talk another's.

    scenario ──▶ client (a reference wire) ──HTTP──▶ gateway ──HTTP──▶ provider (scripted) ──▶ crossings ──▶ findings

The harness is on both sides. What the gateway asks the provider is judged by the provider's rules; what it answers, by
the grammar of the format that it answers in; and both together by rules about what is carried across
(`conformance.gateways.rules`).
"""

PREFIX = "gateway:"
"""What a gateway's address begins with."""
