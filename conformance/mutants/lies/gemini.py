"""Lies about Gemini."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from conformance.http import Request
from conformance.model import AssistantTurn, Json
from conformance.mutants.liar import Liar
from conformance.wires.facts import items, obj


def parts_of(contents: Json) -> Iterator[dict[str, Json]]:
    """Every part of every content."""
    for _, content in items(contents):
        for _, part in items(obj(content).get("parts")):
            if isinstance(part, dict):
                yield part


def declarations_of(body: Json) -> Iterator[dict[str, Json]]:
    """Every declared function."""
    for _, tool in items(body.get("tools")):
        yield from (declaration for _, declaration in items(obj(tool).get("functionDeclarations")))


class CallsAPathOfItsOwn(Liar):
    """A method of a model is a folder of it."""

    aims = ("gemini.http.endpoint-and-auth",)

    def posts(self, request: Request) -> Request:
        url = request.url.replace(":generate", "/generate").replace(":stream", "/stream")
        return replace(request, url=url)


class SwitchesParallelCalls(Liar):
    """Every provider has a switch for parallel calls."""

    aims = ("gemini.choose.parallel-not-supported",)

    def sends(self, body: Json) -> Json:
        if body.get("tools"):
            body.setdefault("toolConfig", {}).setdefault("functionCallingConfig", {})["parallelToolCalls"] = False
        return body


class DeclaresTwice(Liar):
    """Older models read one schema field and newer ones the other, so both are sent."""

    aims = ("gemini.declare.one-schema-field",)

    def sends(self, body: Json) -> Json:
        for declaration in declarations_of(body):
            if "parametersJsonSchema" in declaration:
                declaration["parameters"] = {"type": "OBJECT"}
        return body


class SendsTheSdksConfig(Liar):
    """What the SDK calls config is called so on the wire."""

    aims = ("gemini.declare.rest-top-level",)

    def sends(self, body: Json) -> Json:
        moved = {key: body.pop(key) for key in ("tools", "toolConfig", "systemInstruction") if key in body}
        return {**body, "config": moved}


class SignsTheCall(Liar):
    """The signature of a call belongs to the call."""

    aims = ("gemini.history.signature-is-part-sibling",)

    def sends(self, body: Json) -> Json:
        for part in parts_of(body["contents"]):
            if "functionCall" in part and "thoughtSignature" in part:
                part["functionCall"]["thoughtSignature"] = part.pop("thoughtSignature")
        return body


class SpeaksBesideResponses(Liar):
    """A result is easier to understand with a word of explanation beside it."""

    aims = ("gemini.result.no-text-beside-response",)

    def sends(self, body: Json) -> Json:
        for content in body["contents"]:
            if any("functionResponse" in part for part in content["parts"]):
                content["parts"].append({"text": "These are the results."})
        return body


class NamesCallsAlike(Liar):
    """Calls have no ids here, so a call is known by its tool's name."""

    aims = ("gemini.ids.synthesised-when-missing",)

    def understands(self, turn: AssistantTurn) -> AssistantTurn:
        return replace(turn, calls=tuple(replace(call, id=call.name) for call in turn.calls))


class SendsIdsOfItsOwn(Liar):
    """Every call has an id. Where the provider gave none, it is told the one that was made up."""

    aims = ("gemini.ids.synthetic-not-on-wire",)

    def sends(self, body: Json) -> Json:
        for number, part in enumerate(parts_of(body["contents"])):
            for key in ("functionCall", "functionResponse"):
                if key in part:
                    part[key].setdefault("id", f"made_up_{number}")
        return body


class SpreadsResponses(Liar):
    """Each response is a content of its own."""

    aims = ("gemini.result.one-content",)

    def sends(self, body: Json) -> Json:
        body["contents"] = [one for content in body["contents"] for one in self._apart(content)]
        return body

    @staticmethod
    def _apart(content: Json) -> list[Json]:
        if not any("functionResponse" in part for part in content["parts"]):
            return [content]
        return [{**content, "parts": [part]} for part in content["parts"]]


class SendsAnySchema(Liar):
    """A schema is a schema: what JSON Schema allows, parameters take."""

    aims = ("gemini.declare.schema-subset-in-parameters",)

    def sends(self, body: Json) -> Json:
        for declaration in declarations_of(body):
            if "parametersJsonSchema" in declaration:
                declaration["parameters"] = declaration.pop("parametersJsonSchema")
        return body


class MixesToolsSilently(Liar):
    """Tools are tools, whoever runs them."""

    aims = ("gemini.choose.builtins-beside-functions",)

    def sends(self, body: Json) -> Json:
        body.get("toolConfig", {}).pop("includeServerSideToolInvocations", None)
        return body


class PassesSchemasOn(Liar):
    """What a tool returned as JSON is sent as JSON, also where it is a schema."""

    aims = ("gemini.result.references-to-parts",)

    def sends(self, body: Json) -> Json:
        for part in parts_of(body.get("contents")):
            response = obj(obj(part.get("functionResponse")).get("response"))
            if isinstance(response.get("output"), str) and "$ref" in response["output"]:
                response["output"] = json.loads(response["output"])  # type: ignore[index]
        return body


class SendsTurnByTurn(Liar):
    """Each turn of the model is a content of its own."""

    aims = ("gemini.history.model-turns-in-one-content",)

    def sends(self, body: Json) -> Json:
        contents = []
        for content in body["contents"]:
            spoken = [part for part in content["parts"] if "text" in part and content["role"] == "model"]
            others = [part for part in content["parts"] if part not in spoken]
            contents += [{**content, "parts": parts} for parts in (spoken, others) if parts]
        return {**body, "contents": contents}


class WritesGreatNumbers(Liar):
    """What a tool returned as JSON is sent as JSON, however great the numbers are."""

    aims = ("gemini.result.numbers-a-struct-holds",)
    scenarios = ("shell.big_number",)

    def sends(self, body: Json) -> Json:
        for part in parts_of(body.get("contents")):
            response = obj(obj(part.get("functionResponse")).get("response"))
            if isinstance(response.get("output"), str) and response["output"].startswith("{"):
                response["output"] = json.loads(response["output"])  # type: ignore[index]
        return body


class WantsJson(Liar):
    """Who has tools answers programs, and programs read JSON."""

    aims = ("gemini.choose.no-json-beside-functions",)

    def sends(self, body: Json) -> Json:
        if "tools" in body:
            body["generationConfig"] = {**body.get("generationConfig", {}), "responseMimeType": "application/json"}
        return body
