"""Who plays the provider: the scenario itself, recordings, or the real one over the network."""

from __future__ import annotations

from conformance.responders.contract import Delivered, Responder, UnansweredError
from conformance.responders.names import declared_names
from conformance.responders.scripted import Scripted

__all__ = ["Delivered", "Responder", "Scripted", "UnansweredError", "declared_names"]
