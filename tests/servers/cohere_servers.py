"""Wrong servers in Cohere's format. They were written after the rules were done."""

from __future__ import annotations

from changing import Passing
from wrong_servers import LATER, wrong


@wrong("cohere.stream.event-grammar", provider="cohere", into=LATER)
def never_ends_a_call(passing: Passing) -> None:
    passing.each(lambda document: document.get("type") != "tool-call-end")
