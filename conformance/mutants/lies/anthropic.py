"""Lies about Messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.http import Request
from conformance.model import AssistantTurn, Conversation, Json
from conformance.mutants.liar import Liar
from conformance.wires import wire
from conformance.wires.facts import items, obj


class ForcesThinkers(Liar):
    """A model that thinks can be forced to call a tool like any other."""

    aims = ("anthropic.choose.thinking-forbids-forcing",)

    def sends(self, body: Json) -> Json:
        if "thinking" in body and body.get("tools"):
            body["tool_choice"] = {"type": "any"}
        return body


class KeepsTheFirstCount(Liar):
    """How many tokens a message has stands at its beginning."""

    aims = ("common.stream.accumulated-as-blocking",)
    providers = ("anthropic",)

    def parse_stream(
        self, provider: str, chunks: Iterable[bytes], *, conversation: Conversation | None = None
    ) -> AssistantTurn:
        chunks, speaker = list(chunks), wire(provider)
        turn = super().parse_stream(provider, chunks, conversation=conversation)
        if turn.stop in ("error", "incomplete"):
            return turn
        message = speaker.assembled(list(speaker.events(chunks))).body
        return replace(turn, message={**message, "usage": {**obj(message.get("usage")), "output_tokens": 1}})


class SpellsKeysInWords(Liar):
    """The names of parameters are for people, too."""

    aims = ("anthropic.declare.property-keys",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            properties = obj(obj(tool.get("input_schema")).get("properties"))
            if properties:
                renamed = {key.replace("_", " "): one for key, one in properties.items()}
                tool["input_schema"] = {**tool["input_schema"], "properties": renamed}
        return body


class LetsParametersBeLeftOut(Liar):
    """A strict tool takes many more words than it was declared with, each of which may be left out."""

    aims = ("anthropic.declare.strict-limits",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            if obj(tool).get("strict") is True:
                tool["input_schema"]["properties"] |= {f"word_{number}": {"type": "string"} for number in range(25)}
        return body


class LetsToolsReferToThemselves(Liar):
    """What a strict tool does once it can do again, in itself."""

    aims = ("anthropic.declare.strict-not-recursive",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            if obj(tool).get("strict") is True:
                tool["input_schema"]["properties"]["again"] = {"$ref": "#"}
        return body


class LimitsStrictParameters(Liar):
    """A strict schema says all that there is to say of a value, also how long it is."""

    aims = ("anthropic.declare.strict-words",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            for one in obj(tool.get("input_schema", {}).get("properties")).values() if tool.get("strict") else ():
                one["maxLength"] = 1000
        return body


class LeavesStrictToolsOpen(Liar):
    """What is strict is strict, also where more is allowed."""

    aims = ("anthropic.declare.strict-closed",)

    def sends(self, body: Json) -> Json:
        for _, tool in items(body.get("tools")):
            if obj(tool).get("strict") is True:
                tool["input_schema"].pop("additionalProperties", None)
        return body


class MarksEveryBlock(Liar):
    """Everything can be read again, so everything is marked for the cache."""

    aims = ("anthropic.http.cache-marks-at-most-4", "anthropic.history.no-mark-on-thinking")

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            for _, block in items(message["content"]):
                block["cache_control"] = {"type": "ephemeral"}
        return body


class LosesServerResults(Liar):
    """What the provider found it knows already."""

    aims = ("anthropic.history.server-calls-closed",)

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            if message["role"] == "assistant":
                found = [b for _, b in items(message["content"]) if str(obj(b).get("type")).endswith("_tool_result")]
                message["content"] = [block for block in message["content"] if block not in found]
        return body


class ForgetsTheContainer(Liar):
    """The provider knows where its own programs run."""

    aims = ("anthropic.continuation.container-named",)

    def sends(self, body: Json) -> Json:
        body.pop("container", None)
        return body


class RefersToNobody(Liar):
    """A result may name a tool, whether there is one or not."""

    aims = ("anthropic.result.references-declared",)

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            for _, block in items(message["content"]):
                if obj(block).get("type") == "tool_result":
                    block["content"] = [{"type": "tool_reference", "tool_name": "nobody"}]
        return body


class ForgetsTheVersion(Liar):
    """The newest version is the right one, so none needs to be named."""

    aims = ("anthropic.http.headers",)

    def posts(self, request: Request) -> Request:
        headers = {name: value for name, value in request.headers.items() if name != "anthropic-version"}
        return replace(request, headers=headers)


class SendsTemperature(Liar):
    """Every model has a temperature, in every version of the API."""

    aims = ("anthropic.http.version-gated-parameters",)

    def sends(self, body: Json) -> Json:
        return {**body, "temperature": 0}

    def posts(self, request: Request) -> Request:
        headers = {**request.headers, "anthropic-version": "2026-10-21"}
        return replace(request, headers=headers)


class ExecutesServerTools(Liar):
    """A call is a call, whoever runs the tool."""

    aims = ("anthropic.parse.server-tool-use-not-executed",)

    def reads(self, body: Json) -> Json:
        for _, block in items(obj(body).get("content")):
            if obj(block).get("type") == "server_tool_use":
                block["type"] = "tool_use"
        return body


class AnswersOneByOne(Liar):
    """Each result is a message of its own."""

    aims = ("anthropic.result.all-in-next-user-message",)

    def sends(self, body: Json) -> Json:
        body["messages"] = [one for message in body["messages"] for one in self._apart(message)]
        return body

    @staticmethod
    def _apart(message: Json) -> list[Json]:
        blocks = message["content"]
        if not any(obj(block).get("type") == "tool_result" for _, block in items(blocks)):
            return [message]
        return [{**message, "content": [block]} for block in blocks]


class SpeaksBeforeResults(Liar):
    """What the user says comes first, results are an appendix."""

    aims = ("anthropic.result.first-in-content",)

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            if isinstance(message["content"], list):
                message["content"].sort(key=lambda block: block["type"] == "tool_result")
        return body


class EmptiesOwnBlocks(Liar):
    """What the provider keeps for itself in a message, it knows."""

    aims = ("anthropic.history.own-blocks-unchanged",)

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            for block in message["content"] if isinstance(message["content"], list) else ():
                if block["type"] == "compaction":
                    block["content"] = ""
        return body


class ForgetsCompactions(Liar):
    """What the provider wrote down of a conversation is for its reader."""

    aims = ("anthropic.history.compaction-kept",)

    def sends(self, body: Json) -> Json:
        for message in body["messages"]:
            if isinstance(message["content"], list):
                message["content"] = [block for block in message["content"] if block["type"] != "compaction"]
        return body


class CutsSealedText(Liar):
    """What was found is long, and its end says little."""

    aims = ("anthropic.history.search-content-unchanged",)

    def sends(self, body: Json) -> Json:
        for block in _blocks(body):
            for _, found in items(block.get("content")):
                if "encrypted_content" in obj(found):
                    found["encrypted_content"] = found["encrypted_content"][:-1]
        return body


class ForgetsCitations(Liar):
    """A text says what it says, whoever said it before."""

    aims = ("anthropic.history.citations-kept",)

    def sends(self, body: Json) -> Json:
        for block in _blocks(body):
            block.pop("citations", None)
        return body


class ForgetsToCache(Liar):
    """What it costs is for others to see."""

    aims = ("anthropic.choose.caching-as-asked",)

    def means(self, conversation: Conversation) -> Conversation:
        return replace(conversation, caching=False)


def _blocks(body: Json) -> Iterator[Json]:
    return (block for message in body["messages"] for _, block in items(message["content"]))
