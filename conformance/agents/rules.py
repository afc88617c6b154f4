"""What is asked of an agent beyond its requests: that the model can see what happened, and that the task gets done.

These need more than a request: what was given out, what the calls really did, what the workspace holds. So they are no
rules of the catalogue, and a table of their own. Each follows from one principle: a model that is told something else
than what happened goes on from what is not so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class AgentRule:
    """One of them. ``must`` fails a run, ``should`` is only told."""

    level: Literal["must", "should"]
    statement: str


AGENT_RULES: Mapping[str, AgentRule] = {
    "agent.history.call-kept": AgentRule("must", "Every call that the model made stands in the requests that follow."),
    "agent.history.not-flattened": AgentRule(
        "must", "Calls and results go back as calls and results, not as words, where tools are declared."
    ),
    "agent.history.answer-kept": AgentRule("must", "A request that goes on has the model's last answer in it."),
    "agent.history.broken-call-not-made": AgentRule(
        "must", "A call whose stream broke off is not made, and does not go back as one that was."
    ),
    "agent.history.not-forgotten": AgentRule("must", "An answer of the model's that a request had, the next one has."),
    "agent.history.in-order": AgentRule("must", "Turns and their results stand in the order in which they came."),
    "agent.history.words-kept": AgentRule("should", "What the model said beside its calls goes back with them."),
    "agent.history.no-made-up-call": AgentRule("should", "A call that the model never made does not go back as one."),
    "agent.history.system-kept": AgentRule("should", "The system's words stay in the requests that follow."),
    "agent.history.task-kept": AgentRule("should", "What the user asked stays in the requests that follow."),
    "agent.result.of-its-call": AgentRule("must", "The result of a call is that of this call, and not of another."),
    "agent.result.says-what-the-tool-said": AgentRule("must", "What the tool said is in its result."),
    "agent.tool.works": AgentRule("should", "A tool does what it is asked, in a plain folder and without a network."),
    "agent.result.failure-visible": AgentRule("must", "The model can see in the result that its call failed."),
    "agent.result.cut-is-told": AgentRule("must", "Where a long output is cut, words say so."),
    "agent.result.picture-shown": AgentRule(
        "should", "A picture that the model reads is shown to it, or it is told that it cannot be."
    ),
    "agent.result.binary-told": AgentRule(
        "should", "A file that is no text does not come as mangled text without a word about it."
    ),
    "agent.loop.to-the-end": AgentRule("must", "The agent goes on until the model has said its last word."),
    "agent.loop.tries-again": AgentRule(
        "should", "A failure that passes (a limit, an overload, a stream that breaks off) is tried again, not too soon."
    ),
    "agent.loop.asks-once": AgentRule("should", "A request that was answered is not sent again."),
    "agent.loop.ends": AgentRule("should", "After the model's last word the conversation is not gone on with."),
    "agent.file.as-meant": AgentRule("must", "In the end the files hold what the model wrote."),
    "agent.ends.well": AgentRule("must", "The program ends by itself, in time, and with the exit code 0."),
}
