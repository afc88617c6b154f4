"""Lies about tools that the provider defined and the application runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.model import AssistantTurn, Json, compact_json
from conformance.mutants.liar import Liar
from conformance.wires.facts import items, obj

OUTPUTS = {"local_shell_call_output", "shell_call_output", "apply_patch_call_output"}
MEMBERS = {"local_shell_call": "action", "shell_call": "action", "apply_patch_call": "operation"}
KINDS: Mapping[str, str] = {"local_shell": "local_shell", "shell": "shell", "apply_patch": "apply_patch",
                            "bash_20250124": "bash", "text_editor_20250728": "str_replace_based_edit_tool",
                            "memory_20250818": "memory"}  # fmt: skip
SCHEMA: Json = {"type": "object", "properties": {}}


class DeclaresKindsAsFunctions(Liar):
    """A shell is a function like any other."""

    aims = ("common.declare.provider-kinds",)

    def sends(self, body: Json) -> Json:
        for place, tool in items(body.get("tools")):
            if (name := KINDS.get(obj(tool).get("type", ""))) is not None:
                schema = {"parameters": SCHEMA, "type": "function", "strict": False}
                body["tools"][place] = {"name": name, **(schema if "input" in body else {"input_schema": SCHEMA})}
        return body


class LetsTheProviderRunShells(Liar):
    """A shell runs in a container of the provider's."""

    aims = ("common.declare.provider-kinds",)
    providers = ("openai-responses",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            if obj(tool).get("type") == "shell":
                tool["environment"] = {"type": "container_auto"}
        return body


class DropsKinds(Liar):
    """What the application has no function for was not called."""

    aims = ("responses.parse.kinds",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(call for call in turn.calls if call.name not in KINDS))


class JoinsCommands(Liar):
    """A shell takes one command: all that the model wrote, line by line."""

    aims = ("responses.parse.kinds",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(
            replace(call, arguments={"command": "\n".join(call.arguments["commands"])})
            if call.arguments is not None and "commands" in call.arguments else call
            for call in turn.calls
        ))  # fmt: skip


class CallsKindsAsFunctions(Liar):
    """What was called goes back as the call of a function."""

    aims = ("responses.history.kinds-kept",)

    def sends(self, body: Json) -> Json:
        if isinstance(body.get("input"), list):
            body["input"] = [_as_function_call(obj(item)) for item in body["input"]]
        return body


def _as_function_call(item: Mapping[str, Any]) -> Json:
    kind = str(item.get("type"))
    if kind in OUTPUTS:
        return {"type": "function_call_output", "call_id": item["call_id"], "output": compact_json(item["output"])}
    if kind not in MEMBERS:
        return item
    given = compact_json(item[MEMBERS[kind]])
    return {"type": "function_call", "call_id": item["call_id"], "name": kind.removesuffix("_call"), "arguments": given}


class AnswersKindsAsFunctions(Liar):
    """An output is an output of a function."""

    aims = ("responses.result.client-items-answered",)

    def sends(self, body: Json) -> Json:
        for place, item in items(body.get("input")):
            if obj(item).get("type") in OUTPUTS:
                body["input"][place] = _as_function_call(item)
        return body


class ForgetsShellLimits(Liar):
    """How much the model wants to read is the client's own matter."""

    aims = ("responses.result.shell-limit-kept",)

    def sends(self, body: Json) -> Json:
        for _, item in items(body.get("input")):
            if obj(item).get("type") == "shell_call_output":
                item.pop("max_output_length", None)
        return body


class TellsFailuresAlone(Liar):
    """Whatever comes out of a shell, or of a patch, went wrong."""

    aims = ("responses.result.kind-status",)

    def sends(self, body: Json) -> Json:
        for _, item in items(body.get("input")):
            if obj(item).get("type") == "apply_patch_call_output":
                item["status"] = "failed"
            for _, one in items(item.get("output")) if obj(item).get("type") == "shell_call_output" else ():
                one["outcome"] = {"type": "exit", "exit_code": 1}
        return body


class TellsNoFailures(Liar):
    """Whatever comes out of a shell, or of a patch, went well."""

    aims = ("common.result.error-visible-to-model",)
    providers = ("openai-responses",)
    scenarios = ("provider_kinds.*",)

    def sends(self, body: Json) -> Json:
        for _, item in items(body.get("input")):
            if obj(item).get("type") == "apply_patch_call_output":
                item["status"] = "completed"
            for _, one in items(item.get("output")) if obj(item).get("type") == "shell_call_output" else ():
                one["outcome"] = {"type": "exit", "exit_code": 0}
        return body


class ForcesKindsByName(Liar):
    """Whatever is forced is a function."""

    aims = ("responses.choose.mode-mapping",)
    providers = ("openai-responses",)
    scenarios = ("provider_kinds.*",)

    def sends(self, body: Json) -> Json:
        choice = obj(body.get("tool_choice")).get("type")
        if choice in KINDS:
            body["tool_choice"] = {"type": "function", "name": choice}
        return body


class ApprovesAll(Liar):
    """Who asks for approval wants to hear yes."""

    aims = ("responses.result.approval-as-decided",)

    def sends(self, body: Json) -> Json:
        for _, item in items(body.get("input")):
            if obj(item).get("type") == "mcp_approval_response":
                item["approve"] = True
        return body


class LeavesAcceptedQuestionsOpen(Liar):
    """Whoever accepts a call lets it run, and need not say so."""

    aims = ("responses.result.approval-answered",)

    def sends(self, body: Json) -> Json:
        said = [item for _, item in items(body.get("input")) if obj(item).get("type") == "mcp_approval_response"]
        if said:
            body["input"] = [item for item in body["input"] if item not in said or not item["approve"]]
        return body


class LetsServersRunAtOnce(Liar):
    """Questions take time."""

    aims = ("common.declare.provider-kinds",)
    providers = ("openai-responses",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            if obj(tool).get("type") == "mcp":
                tool["require_approval"] = "never"
        return body
