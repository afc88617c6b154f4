"""What Claude models do differently, told by their names.

Names are read in the spellings of Anthropic (``claude-opus-4-6``, ``claude-sonnet-4-20250514``), Bedrock
(``us.anthropic.claude-opus-4-6-v1:0``), Vertex AI (``claude-opus-4-6@20260205``) and gateways
(``anthropic/claude-opus-4.6``). A name that says no version says nothing.
"""

from __future__ import annotations

import re

_NAME = re.compile(r"claude-[a-z]+-(?P<major>\d{1,2})(?:[-.](?P<minor>\d{1,2}))?(?!\d)")
_PREVIEW = "claude-mythos-preview"

WITHOUT_PREFILL = (4, 6)
"""The first version whose models go on from no message of their own.

"Claude 4.6 and later models and Claude Mythos Preview":
https://platform.claude.com/docs/en/test-and-evaluate/strengthen-guardrails/increase-consistency
"""


def takes_prefill(model: str) -> bool:
    """Whether a conversation may end with the assistant's words. Of a model that is not known: yes."""
    if _PREVIEW in model:
        return False
    found = _NAME.search(model)
    return found is None or (int(found["major"]), int(found["minor"] or 0)) < WITHOUT_PREFILL
