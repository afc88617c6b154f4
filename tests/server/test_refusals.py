"""Wrong requests, over real sockets: the provider's own status and error body, with the rule in it, and each official
SDK raises its own error class with it."""

from __future__ import annotations

import json
from dataclasses import replace

import httpx
import pytest
from every import each, every
from mistakes import MISTAKES, SCENARIO, right, wrong
from refusals import REFUSED, error_shape, refused_by
from wired import SHIMS, Wired, WiredSeat, sdk

from conformance.http import Request
from conformance.model import UserTurn
from conformance.rules.groups import group
from conformance.scenarios import load_scenarios
from conformance.server import Running, serving
from conformance.session.play import beginning
from conformance.wires import PROVIDERS, wire

KINDS = {"text": str, "number": int, "anything": object}

CASES = [(name, provider) for name in MISTAKES for provider in PROVIDERS if wrong(name, provider) is not None]
REFUSALS = [case for case in CASES if refused_by(*case) is not None]


def posted(server: Running, provider: str, request: Request) -> httpx.Response:
    """Send a request that was made for the provider's own host."""
    headers = {
        **request.headers, "x-conformance-provider": provider, "x-conformance-scenario": SCENARIO,
        "user-agent": "tests",
    }  # fmt: skip
    url = server.origin + request.path + (f"?{request.query}" if request.query else "")
    return httpx.request(request.method, url, headers=headers, content=request.body, timeout=30)


def has_shape(value: object, shape: object) -> bool:
    """Whether a document has exactly these keys, with values of these kinds."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and value.keys() == shape.keys() and all(
            has_shape(value[key], inner) for key, inner in shape.items()
        )  # fmt: skip
    return isinstance(value, KINDS[str(shape)])


def test_there_are_enough_mistakes() -> None:
    assert len(MISTAKES) >= 20
    assert {name for own in REFUSED.values() for name in own.get("rules", ())} == MISTAKES.keys()
    for provider in (*group("chat"), "openai-responses", "anthropic"):
        assert sum(case[1] == provider for case in REFUSALS) >= 20, provider


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_wrong_request_is_refused_as_the_provider_would(strict: Running, provider: str) -> None:
    every({name: (strict, name, provider) for name, own in CASES if own == provider}, is_refused)


def is_refused(strict: Running, name: str, provider: str) -> None:
    request = wrong(name, provider)
    assert request is not None
    rule = refused_by(name, provider)
    answer = posted(strict, provider, request)
    if rule is None:
        assert answer.status_code == 200
        return
    assert answer.status_code == (401 if name == "no_key" else 400)
    assert has_shape(answer.json(), error_shape(provider, answer.status_code)), answer.text
    assert rule in answer.text
    read = wire(provider).read_error(answer.status_code, dict(answer.headers), answer.content)
    assert read.message.startswith(f"{rule} at /")
    assert read.retryable is False


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_right_request_is_answered(strict: Running, provider: str) -> None:
    answer = posted(strict, provider, right(provider))
    assert answer.status_code == 200
    assert "x-conformance-findings" not in answer.headers


def test_a_model_that_takes_its_own_words_goes_on_from_them(strict: Running) -> None:
    request = right("anthropic")
    body = json.loads(request.body)
    body |= {"model": "claude-haiku-4-5", "messages": [*body["messages"], {"role": "assistant", "content": "{"}]}
    answer = posted(strict, "anthropic", replace(request, body=json.dumps(body).encode()))
    assert answer.status_code == 200


@pytest.mark.parametrize("mode", ["auto", 1])
def test_google_reads_null_and_enumerations_in_every_spelling(strict: Running, mode: str | int) -> None:
    request = right("gemini")
    body = json.loads(request.body)
    calling = {"mode": mode, "allowedFunctionNames": None}
    body["toolConfig"] = {"functionCallingConfig": calling, "retrievalConfig": None}
    body |= {"systemInstruction": body.get("systemInstruction"), "safetySettings": None}
    for content in body["contents"]:
        content["parts"] = [{"inlineData": None, "thought": None, **part} for part in content["parts"]]
    for declaration in body["tools"][0]["functionDeclarations"]:
        declaration.pop("parametersJsonSchema", None)
        declaration |= {"parameters": {"type": 6, "items": None, "properties": {"path": {"type": 1, "enum": None}}}}
    answer = posted(strict, "gemini", replace(request, body=json.dumps(body).encode()))
    assert answer.status_code == 200, answer.text


@each("name", MISTAKES)
def test_the_lenient_server_answers_and_reports(name: str) -> None:
    with serving(lenient=True) as server:
        for provider in ("openai-chat", "anthropic", "gemini"):
            request = wrong(name, provider)
            if request is not None and refused_by(name, provider) is not None:
                answer = posted(server, provider, request)
                assert answer.status_code == 200
                assert answer.headers["x-conformance-findings"]
        assert server.log.document()["counts"]["refused"] == 0


SDK_REFUSALS = [case for case in REFUSALS if case[1] in SHIMS]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
@each(("name", "provider"), SDK_REFUSALS)
def test_the_sdk_raises_its_own_error(strict: Running, name: str, provider: str) -> None:
    """The SDK's request is exchanged for the wrong one on its way out; what comes back the SDK reads for itself. Its
    shim makes an error of nothing but exceptions of the SDK's own classes."""
    bad, rule = wrong(name, provider), refused_by(name, provider)
    assert bad is not None
    assert rule is not None

    def rewrite(sent: Request) -> Request:
        headers = {key: value for key, value in bad.headers.items() if key.lower() != "host"}
        return replace(bad, url=sent.url, headers={**headers, "host": sent.headers["host"]})

    scenario = load_scenarios()[SCENARIO]
    seat = WiredSeat(provider, strict, SCENARIO, f"{name}-{provider}")
    endpoint = Wired(provider, seat.url, seat.headers, rewrite)
    question = beginning(scenario, "native").then(UserTurn("Compare /srv/a.txt with /srv/b.txt."))
    heard = sdk(provider).complete(provider, question, stream=False, endpoint=endpoint)
    assert heard.error is not None
    assert heard.error.status == (401 if name == "no_key" else 400)
    assert rule in heard.error.message
