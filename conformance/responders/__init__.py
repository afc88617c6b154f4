"""Who plays the provider: the scenario itself, recordings, or the real one over the network."""

from __future__ import annotations

from conformance.responders.contract import DeliveredAnswer, Responder, UnansweredError
from conformance.responders.names import names_in_request
from conformance.responders.scripted import ScriptedResponder

__all__ = ["DeliveredAnswer", "Responder", "ScriptedResponder", "UnansweredError", "names_in_request"]
