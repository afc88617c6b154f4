"""The fixtures: the strict provider, and cassettes that real SDKs are recorded into and played from."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.recordings.store import read_cassette

sys.path.insert(0, str(Path(__file__).parent.parent))

from recording.fake_provider import Fake, faking
from recordings.canaries import canary, survivors

from conformance.http import Request
from conformance.script import ScriptTurn

pytest_plugins = ["pytester"]

SECRET = canary("plugin", "sk-proj-")

HELLO = '''
import contextlib

import openai
import pytest

def ask(words="hello", url={url!r}):
    client = openai.OpenAI(base_url=url + "/v1", api_key={key!r}, max_retries=0)
    return client.chat.completions.create(model="m", messages=[{{"role": "user", "content": words}}])

def test_hello(conformance_cassette):
    assert ask().choices[0].message.content.startswith("answer")
'''


@pytest.fixture
def provider() -> Iterator[Fake]:
    """A provider whose answers are numbered."""

    def said(place: int, request: Request) -> ScriptTurn:
        return ScriptTurn(f"answer {len(fake.requests)}")

    with faking("openai-chat", said) as fake:
        yield fake


def hello(provider: Fake, more: str = "") -> str:
    """A test module that asks the provider once, and what is put behind it."""
    return HELLO.format(url=provider.url, key=SECRET) + more


def cassette(pytester: pytest.Pytester, name: str = "test_hello") -> Path:
    """The cassette of a test."""
    return pytester.path / "cassettes" / "test_sdk" / f"{name}.json"


def answers(path: Path) -> list[str]:
    """What is recorded."""
    bodies = [json.loads(item.body) for item in read_cassette(path).interactions]
    return [body["choices"][0]["message"]["content"] for body in bodies]


def test_once_is_recorded_once_and_played_from_then_on(pytester: pytest.Pytester, provider: Fake) -> None:
    pytester.makepyfile(test_sdk=hello(provider))
    for _ in range(3):
        pytester.runpytest_inprocess().assert_outcomes(passed=1)
    assert len(provider.requests) == 1
    assert answers(cassette(pytester)) == ["answer 1"]
    assert survivors(pytester.path / "cassettes", [SECRET]) == []


def test_once_takes_nothing_new(pytester: pytest.Pytester, provider: Fake) -> None:
    pytester.makepyfile(test_sdk=hello(provider))
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    pytester.makepyfile(test_sdk=hello(provider).replace("ask()", 'ask("hallo")'))
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "E*no recording of POST 127.0.0.1*/v1/chat/completions",
        "E*/messages/0/content: recorded 'hello', sent 'hallo'",
        "E*conformance_cassette: mode once; --conformance-record all records anew",
    ])  # fmt: skip
    assert len(provider.requests) == 1


def test_the_other_modes(pytester: pytest.Pytester, provider: Fake) -> None:
    pytester.makepyfile(test_sdk=hello(provider))
    record = "--conformance-record"
    pytester.runpytest_inprocess(record, "none").assert_outcomes(failed=1)
    assert not provider.requests and not cassette(pytester).exists()
    pytester.runpytest_inprocess(record, "new_episodes").assert_outcomes(passed=1)
    assert answers(cassette(pytester)) == ["answer 1"]
    pytester.runpytest_inprocess(record, "none").assert_outcomes(passed=1)
    assert len(provider.requests) == 1
    pytester.makepyfile(test_sdk=hello(provider).replace("ask()", '(ask(), ask("hallo"))[1]'))
    pytester.runpytest_inprocess(record, "new_episodes").assert_outcomes(passed=1)
    assert answers(cassette(pytester)) == ["answer 1", "answer 2"]
    pytester.runpytest_inprocess(record, "all").assert_outcomes(passed=1)
    assert answers(cassette(pytester)) == ["answer 3", "answer 4"]
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
    assert len(provider.requests) == 4


def test_what_a_library_swallows_fails_all_the_same(pytester: pytest.Pytester, provider: Fake) -> None:
    swallowing = """
@pytest.mark.conformance_cassette(mode="none")
def test_swallowing(conformance_cassette):
    with contextlib.suppress(Exception):
        ask()
"""
    pytester.makepyfile(test_sdk=hello(provider, swallowing))
    result = pytester.runpytest_inprocess("-k", "swallowing", "--strict-markers")
    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["E*UnmatchedError: no recording of POST *: there are no recordings"])


def test_streams_loops_and_settings(pytester: pytest.Pytester, provider: Fake) -> None:
    """Streams keep their pieces, coroutines work, the marker goes before the fixture with settings."""
    more = """
import asyncio

@pytest.fixture(scope="module")
def conformance_cassette_settings():
    return {"folder": "tapes", "mode": "none"}

async def streamed():
    async with openai.AsyncOpenAI(base_url=URL + "/v1", api_key="any", max_retries=0) as client:
        messages = [{"role": "user", "content": "hello"}]
        stream = await client.chat.completions.create(model="m", messages=messages, stream=True)
        return "".join([part.choices[0].delta.content or "" async for part in stream if part.choices])

class TestStreams:
    @pytest.mark.conformance_cassette("mine.json", mode="once")
    def test_stream(self, conformance_cassette):
        assert asyncio.run(streamed()) == "answer 1"
        assert conformance_cassette.path.name == "mine.json" and conformance_cassette.mode == "once"
"""
    pytester.makepyfile(test_sdk=hello(provider, more.replace("URL", repr(provider.url))))
    for _ in range(2):
        pytester.runpytest_inprocess("-k", "stream").assert_outcomes(passed=1, deselected=1)
    [interaction] = read_cassette(pytester.path / "tapes" / "mine.json").interactions
    assert len(interaction.chunks) > 2
    assert len(provider.requests) == 1


def test_clients_of_other_libraries_are_given_an_address(pytester: pytest.Pytester, provider: Fake) -> None:
    more = """
import json
import urllib.request

def test_urllib(conformance_cassette):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hello"}]}).encode()
    headers = {"content-type": "application/json", "authorization": "Bearer KEY"}
    url = conformance_cassette.url(URL) + "/v1/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
        assert json.load(answer)["choices"][0]["message"]["content"] == "answer 1"
"""
    pytester.makepyfile(test_sdk=hello(provider, more.replace("URL", repr(provider.url)).replace("KEY", SECRET)))
    for _ in range(2):
        pytester.runpytest_inprocess("-k", "urllib").assert_outcomes(passed=1, deselected=1)
    assert len(provider.requests) == 1
    [interaction] = read_cassette(cassette(pytester, "test_urllib")).interactions
    assert interaction.request.url == f"{provider.url}/v1/chat/completions"
    assert survivors(pytester.path / "cassettes", [SECRET]) == []


def test_cassettes_of_vcrpy_are_played(pytester: pytest.Pytester, provider: Fake) -> None:
    """Where pytest-recording has left one for the test."""
    pytester.makepyfile(test_sdk=hello(provider))
    body = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": "answer of vcrpy"}}]})
    sent = {"messages": [{"role": "user", "content": "hello"}], "model": "m"}
    interaction = {
        "request": {"method": "POST", "uri": f"{provider.url}/v1/chat/completions", "body": json.dumps(sent),
                    "headers": {}},
        "response": {"status": {"code": 200, "message": "OK"}, "headers": {"content-type": ["application/json"]},
                     "body": {"string": body}},
    }  # fmt: skip
    path = cassette(pytester).with_suffix(".yaml")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"version": 1, "interactions": [interaction]}), "utf-8")
    pytester.runpytest_inprocess("--conformance-record", "none").assert_outcomes(passed=1)
    assert not provider.requests


def test_wrong_settings_are_told(pytester: pytest.Pytester, provider: Fake) -> None:
    marker = '\n@pytest.mark.conformance_cassette(mod="none")\ndef test_marked(conformance_cassette):\n    pass\n'
    pytester.makepyfile(test_sdk=hello(provider, marker))
    result = pytester.runpytest_inprocess("-k", "marked")
    result.stdout.fnmatch_lines(["*conformance_cassette has no setting 'mod'*did you mean 'mode'*"])


def test_the_strict_provider(pytester: pytest.Pytester) -> None:
    """One for all tests of a process; it turns away what the provider would, and tells what it found."""
    pytester.makepyfile(test_server="""
        import anthropic, pytest

        def client(server, session):
            url = server.url("anthropic", "multi_turn.hello", session=session)
            return anthropic.Anthropic(base_url=url, api_key="any", max_retries=0)

        def test_right(conformance_server, request):
            said = client(conformance_server, "right").messages.create(
                model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
            assert said.content[0].text
            assert conformance_server.findings("right") == []
            request.config.first = conformance_server

        def test_wrong(conformance_server, request):
            assert conformance_server is request.config.first
            tool = {"name": "no name", "input_schema": {"type": "object"}}
            with pytest.raises(anthropic.BadRequestError, match="naming"):
                client(conformance_server, "wrong").messages.create(
                    model="m", max_tokens=9, messages=[{"role": "user", "content": "Hi"}], tools=[tool])
            [found] = conformance_server.findings("wrong")
            assert found["at"] == "/tools/0/name"
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


def test_settings_of_the_server(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_server="""
        import pytest

        @pytest.fixture(scope="session")
        def conformance_server_settings():
            return {"lenient": True}

        def test_lenient(conformance_server):
            assert conformance_server.application.settings.lenient
    """)
    pytester.runpytest_inprocess().assert_outcomes(passed=1)
