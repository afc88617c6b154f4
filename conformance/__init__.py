"""A conformance harness for LLM tool-calling adapters.

What an adapter needs is here; see `conformance.adapters.contract` for what it must do::

    from conformance import AdapterInfo, AssistantTurn, Conversation, Request, Response, ToolCall

`conformance.run` runs what the command line runs, and yields events. docs/api.md lists all public names.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # not from typing, which takes longer to import than the rest of this module

if TYPE_CHECKING:
    from conformance.adapters.contract import AdapterError as AdapterError
    from conformance.adapters.contract import AdapterInfo as AdapterInfo
    from conformance.adapters.functions import Functions as Functions
    from conformance.adapters.functions import from_functions as from_functions
    from conformance.http import Request as Request
    from conformance.http import Response as Response
    from conformance.model import AssistantTurn as AssistantTurn
    from conformance.model import Conversation as Conversation
    from conformance.model import Decision as Decision
    from conformance.model import DecisionsTurn as DecisionsTurn
    from conformance.model import ImagePart as ImagePart
    from conformance.model import JsonPart as JsonPart
    from conformance.model import News as News
    from conformance.model import ProviderError as ProviderError
    from conformance.model import ResourcePart as ResourcePart
    from conformance.model import ResultsTurn as ResultsTurn
    from conformance.model import TextPart as TextPart
    from conformance.model import Tool as Tool
    from conformance.model import ToolCall as ToolCall
    from conformance.model import ToolChoice as ToolChoice
    from conformance.model import ToolResult as ToolResult
    from conformance.model import Usage as Usage
    from conformance.model import UserTurn as UserTurn
    from conformance.runner.conclusion import RunResult as RunResult
    from conformance.runner.entry import run as run
    from conformance.runner.errors import UsageError as UsageError
    from conformance.runner.events import CaseResult as CaseResult
    from conformance.runner.events import RunEvent as RunEvent
    from conformance.runner.events import RunPlan as RunPlan
    from conformance.runner.events import RunStop as RunStop
    from conformance.runner.runs import Run as Run
    from conformance.version import VERSION

    __version__ = VERSION

_MODEL = (
    "AssistantTurn", "Conversation", "Decision", "DecisionsTurn", "ImagePart", "JsonPart", "News",
    "ProviderError", "ResourcePart", "ResultsTurn", "TextPart", "Tool", "ToolCall", "ToolChoice", "ToolResult", "Usage",
    "UserTurn",
)  # fmt: skip

_HOMES = {
    **dict.fromkeys(_MODEL, "conformance.model"),
    **dict.fromkeys(("Request", "Response"), "conformance.http"),
    **dict.fromkeys(("AdapterError", "AdapterInfo"), "conformance.adapters.contract"),
    **dict.fromkeys(("Functions", "from_functions"), "conformance.adapters.functions"),
    "run": "conformance.runner.entry",
    "Run": "conformance.runner.runs",
    **dict.fromkeys(("RunPlan", "CaseResult", "RunStop", "RunEvent"), "conformance.runner.events"),
    "RunResult": "conformance.runner.conclusion",
    "UsageError": "conformance.runner.errors",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str) -> object:
    """Public names are imported when they are first used: the command line starts faster."""
    if name == "__version__":
        from conformance.version import VERSION

        return VERSION
    if name not in _HOMES:
        raise AttributeError(f"module 'conformance' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
