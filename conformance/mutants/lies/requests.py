"""Lies about how much a request may say, and in which order."""

from __future__ import annotations

import copy
from dataclasses import replace

from conformance.model import Conversation, Json
from conformance.mutants.liar import Liar
from conformance.wires.facts import obj


class DeclaresEverything(Liar):
    """The more tools there are, the more can be done."""

    aims = ("compat.shape.taken-by-its-host",)
    providers = ("openai-chat", "azure", "deepseek")

    def sends(self, body: Json) -> Json:
        for number in range(130 if body.get("tools") else 0):
            tool = copy.deepcopy(body["tools"][0])
            tool["function"]["name"] = f"spare_{number}"
            body["tools"].append(tool)
        return body


class WrapsStrictArguments(Liar):
    """Arguments are one object, so they are declared as a part of one."""

    aims = ("compat.shape.taken-by-its-host",)
    providers = ("openai-chat", "openai-responses")
    scenarios = ("declare.strict_ten_levels",)

    def sends(self, body: Json) -> Json:
        for tool in body.get("tools", ()):
            function = tool.get("function", tool)
            if function.get("strict") is True:
                whole = {"type": "object", "properties": {"arguments": function["parameters"]}}
                function["parameters"] = {**whole, "required": ["arguments"], "additionalProperties": False}
        return body


class WritesKeysAnew(Liar):
    """The order of keys means nothing, so it may be another one in each request."""

    aims = ("common.http.prefix-kept",)

    def sends(self, body: Json) -> Json:
        said: Json = next((body[name] for name in ("messages", "input", "contents", "items") if name in body), [])
        for name in ("tools", "toolConfig") if len(said) > 1 else ():
            if name in body:
                body[name] = _turned(body[name])
        return body


def _turned(value: Json) -> Json:
    """A value with the keys of its objects the other way round."""
    if isinstance(value, dict):
        return {name: _turned(one) for name, one in reversed(value.items())}
    return [_turned(one) for one in value] if isinstance(value, list) else value


class AllowsWhatIsNotThere(Liar):
    """What may be called is said by its name, wherever it is declared."""

    aims = ("common.choose.allowed-declared",)
    providers = ("openai-chat",)

    def sends(self, body: Json) -> Json:
        if obj(body).get("tools"):
            only = [{"type": "function", "function": {"name": "nobody"}}]
            body["tool_choice"] = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": only}}
        return body


class ForbidsParallelCalls(Liar):
    """One call after another is easier to handle, whoever asked for it."""

    aims = ("common.choose.parallel-unless-forbidden",)

    def means(self, conversation: Conversation) -> Conversation:
        wanted = conversation.choice.parallel is None and conversation.tools and conversation.choice.mode != "none"
        return replace(conversation, choice=replace(conversation.choice, parallel=False)) if wanted else conversation


class DropsLimits(Liar):
    """How long, how many and how great, a model sees by itself."""

    aims = ("common.declare.limits-kept",)

    def sends(self, body: Json) -> Json:
        return {**body, **{name: _unlimited(body[name]) for name in ("tools", "toolConfig") if name in body}}


LIMITS = frozenset({
    "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "format", "default",
})  # fmt: skip


def _unlimited(value: Json) -> Json:
    """A value without the limits in it. What is called like one is a parameter if it is an object."""
    if isinstance(value, dict):
        return {name: _unlimited(one) for name, one in value.items() if name not in LIMITS or isinstance(one, dict)}
    return [_unlimited(one) for one in value] if isinstance(value, list) else value
