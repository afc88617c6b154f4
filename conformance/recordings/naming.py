"""What in a body is secret because of the name under which it stands, and what only looks so: the data of tools."""

from __future__ import annotations

from conformance.masking.names import is_identity_name, is_secret_holder, is_secret_name
from conformance.masking.words import PLACEHOLDER
from conformance.recordings.views import View

_TOOL_DATA = frozenset({
    "properties", "patternProperties", "$defs", "definitions", "args", "arguments", "default", "const", "enum",
    "examples", "functionCall", "function_call", "functionResponse", "function_response", "toolUse", "toolResult",
})  # fmt: skip
"""Below these names stands what tools take and give: data of the application, not of the account."""


def is_secret_view(view: View) -> bool:
    """Whether a text is secret because of the name under which it stands."""
    if view.kind not in ("value", "number", "joined") or not view.text.text.replace(PLACEHOLDER, ""):
        return False
    if view.kind == "number":
        return view.depth == 0 and view.text.text != "0" and is_identity_name(view.name) and not _is_tool_data(view)
    if is_secret_name(view.name):
        return isinstance(view.path[-1], str) or not _is_tool_data(view)
    if view.depth > 0 or _is_tool_data(view):
        return False
    holders = [step for step in view.path[:-1] if isinstance(step, str) and is_secret_holder(step)]
    return is_identity_name(view.name) or (bool(holders) and view.name.lower() not in _TELLING)


_TELLING = frozenset({"type", "content-type", "accept", "kind"})
"""What stands beside secrets and is none."""


def _is_tool_data(view: View) -> bool:
    steps = view.path[:-1]
    return any(
        step in _TOOL_DATA or (step == "input" and isinstance(after, str))
        for step, after in zip(steps, view.path[1:], strict=True)
    )
