"""An agent that is ended in the middle of a call: when that is, and by which signal.

    the answer is given out ──▶ the call runs, and makes a file ──▶ the signal ──▶ the agent's own way to resume
"""

from __future__ import annotations

import signal
from collections.abc import Mapping

from conformance.agents.directing import ScriptDirector
from conformance.agents.script import SignalName
from conformance.processes.confined import Interruption

SIGNALS: Mapping[SignalName, signal.Signals] = {"INT": signal.SIGINT, "KILL": signal.SIGKILL}
NO_WAY = "its recipe has no way to resume"


def interruption_of(director: ScriptDirector) -> Interruption | None:
    """The interruption that the script of a run has, if any."""
    planned = director.script.interruption
    if planned is None:
        return None
    mark = director.workspace / planned.when
    return Interruption(SIGNALS[planned.by], lambda: director.is_to_be_interrupted and mark.is_file())
