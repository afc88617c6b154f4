"""What streams may do beyond the grammar (see `conformance.wires.grammar`), by who wrote them down or sent them.

Which host was seen to take which liberty is in its file (`conformance.wires.hosts`). A host may take all of them,
because little is claimed about it: what was not seen may be there. But every rule is applied to what is sent there.
"""

from __future__ import annotations

from conformance.wires import PROVIDERS, wire

BY_RECORDERS = frozenset({"no_done", "no_event_names", "no_role", "joined", "no_message_start"})
"""What those liberties tell that recorders take who write down what an SDK gave them, or make fixtures by hand."""

LIBERTIES = frozenset(
    name for grammar in (wire(provider).grammar for provider in PROVIDERS) if grammar for name in grammar.liberties
)
"""The names of all liberties."""

BY_HOSTS = LIBERTIES - {"joined", "no_role"}
"""What compatible hosts were seen to take."""
