"""What a way into a library is: methods by which its users may ask for the same thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AgentsMeet = Literal["asks", "hands over"]
"""What an agent does with another one: it asks it, and goes on itself; or it hands the conversation over to it."""
Mode = Literal["blocking", "streaming"]
BOTH: tuple[Mode, ...] = ("blocking", "streaming")
BLOCKING: tuple[Mode, ...] = ("blocking",)
STREAMING: tuple[Mode, ...] = ("streaming",)


@dataclass(frozen=True, slots=True)
class Way:
    """A way into a library. ``calls`` are the methods, as its documentation writes them.

    ``shim`` is ``module:class`` where another class than the shim's own goes this way: an agent, which has the
    library's own loop over tools. ``providers`` are those that it is played on, where the library does the same work on
    others; none: all. ``strict``: it takes strict tools only. ``forced``: it takes one tool only, and makes the
    model call it; an agent is done then. ``meets``: an agent asks the one that has the tools, or hands over to it
    (`conformance.session.asking`).
    """

    name: str
    calls: str
    modes: tuple[Mode, ...] = BOTH
    shim: str = ""
    providers: tuple[str, ...] = ()
    strict: bool = False
    forced: bool = False
    meets: AgentsMeet | None = None
