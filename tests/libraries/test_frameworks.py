"""The shims around frameworks: each is whole as a file, and plays a round of tools where its library is installed."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from conformance.adapters import libraries
from conformance.adapters.bound import BoundClient
from conformance.adapters.libraries import load_shim
from conformance.adapters.libraries.ways import with_way
from conformance.deliveries import DELIVERIES
from conformance.http import Request
from conformance.responders import ScriptedResponder
from conformance.rules import catalogue
from conformance.rules.check import Finding
from conformance.scenarios import load_scenarios
from conformance.session.client import ClientSeat
from conformance.session.play import Play
from conformance.transcript import Exchange

FOLDER = Path(libraries.__file__).parent


@dataclass(frozen=True)
class Framework:
    """A shim: the module and the class, the package that must be there, and the providers that it is tried on."""

    module: str
    shim: str
    package: str
    providers: tuple[str, ...]


FRAMEWORKS = [
    Framework("pydantic_ai", "PydanticAI", "pydantic_ai", ("openai-chat", "openai-responses", "anthropic", "gemini")),
    Framework(
        "openai_agents", "OpenAIAgents", "agents", ("openai-chat", "openai-responses", "deepseek", "openrouter"),
    ),
    Framework("langchain_openai", "LangChainOpenAI", "langchain_openai", ("openai-chat", "openai-responses")),
    Framework("langchain_anthropic", "LangChainAnthropic", "langchain_anthropic", ("anthropic",)),
    Framework("langchain_google_genai", "LangChainGoogleGenAI", "langchain_google_genai", ("gemini",)),
    Framework("langchain_ollama", "LangChainOllama", "langchain_ollama", ("ollama",)),
    Framework("llama_index", "LlamaIndex", "llama_index", ("openai-chat", "openai-responses", "anthropic")),
    Framework("llm", "Llm", "llm", ("openai-chat",)),
    Framework("haystack", "HaystackAnthropic", "haystack_integrations", ("anthropic",)),
]
TRIED = [
    pytest.param(framework, provider, id=f"{framework.module}-{provider}")
    for framework in FRAMEWORKS
    for provider in framework.providers
]
DELIVERED = ["blocking", "stream:per-event"]


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda framework: framework.module)
def test_a_shim_says_whom_it_calls(framework: Framework) -> None:
    """Without the library: the class is there, named, with its distribution and both of its operations."""
    tree = ast.parse((FOLDER / f"{framework.module}.py").read_text("utf-8"))
    [shim] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == framework.shim]
    assigned = {
        target.id: ast.literal_eval(node.value)
        for node in shim.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert {"name", "distribution", "issues"} <= assigned.keys()
    assert ast.get_docstring(tree)
    methods = {node.name for node in shim.body if isinstance(node, ast.FunctionDef)}
    assert {"ask", "failure"} <= methods or "model" in methods


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.stem)
def test_a_shim_says_with_which_words_another_model_refused(file: Path) -> None:
    """Without the library: who writes the turns of another model writes what it said, a refusal too."""
    called = {
        node.func.id
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert "utterances" not in called or "spoken" in called


@pytest.mark.slow
@pytest.mark.parametrize("delivery", DELIVERED)
@pytest.mark.parametrize(("framework", "provider"), TRIED)
def test_a_round_of_tools(framework: Framework, provider: str, delivery: str) -> None:
    """With the library: two calls, their results and the answer, all understood as they were said."""
    exchanges = played(framework, provider, "parallel_calls.different_tools", delivery)
    assert len(exchanges) == 2
    for exchange in exchanges:
        turn, offered = exchange.turn, exchange.offered
        assert turn is not None and offered is not None, exchange.understood
        assert [(call.name, call.arguments) for call in turn.calls] == [
            (call.name, call.arguments) for call in offered.calls
        ]
        assert turn.stop == offered.stop


@pytest.mark.slow
def test_a_search_of_openai_is_forced_by_its_type() -> None:
    """With the library: a tool of the provider's own is no function, and LangChain names it by its type."""
    [framework] = [one for one in FRAMEWORKS if one.module == "langchain_openai"]
    [asked, *_] = played(framework, "openai-responses", "tool_choice.forced_search", "blocking")
    assert isinstance(asked.request, Request)
    assert json.loads(asked.request.body)["tool_choice"] == {"type": "web_search_preview"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "provider", "scenario", "delivery"),
    [
        ("openai_agents", "openai-responses", "errors.failed_without_error", "stream:per-event"),
        ("pydantic_ai", "deepseek", "errors.stopped_by_the_host", "blocking"),
        ("pydantic_ai", "gemini", "errors.prompt_blocked", "blocking"),
    ],
)
def test_an_end_is_the_one_that_the_library_tells(module: str, provider: str, scenario: str, delivery: str) -> None:
    """With the library: failures that are told by a word alone, and counts of which one is none."""
    [framework] = [one for one in FRAMEWORKS if one.module == module]
    [exchange] = played(framework, provider, scenario, delivery)
    turn, offered = exchange.turn, exchange.offered
    assert turn is not None and offered is not None, exchange.understood
    assert turn.stop == offered.stop
    assert turn.stop == "error" or turn.usage == offered.usage


def played(framework: Framework, provider: str, scenario: str, delivery: str) -> list[Exchange]:
    """What a shim's library made of a scenario."""
    if importlib.util.find_spec(framework.package) is None:
        pytest.skip(f"{framework.package} is not installed")
    shim = getattr(importlib.import_module(f"{libraries.__name__}.{framework.module}"), framework.shim)()
    if provider not in shim.info.capabilities:
        pytest.skip(f"what {framework.module} needs for {provider} is not installed")
    seat = ClientSeat(BoundClient(shim, provider), provider)
    chosen = load_scenarios()[scenario]
    return Play(chosen, provider, "portable", DELIVERIES[delivery], seat, ScriptedResponder(chosen, provider)).run()


@pytest.mark.parametrize("way", ["", "events", "ends", "buffered", "strict-features", "content-parts"])
def test_ways_of_openai_agents_send_back_what_they_read(way: str) -> None:
    """DeepSeek's thinking goes back as it came. Ways that read events put it together from what these tell."""
    pytest.importorskip("agents")
    thinks = way in ("", "events", "ends")
    provider, name = ("deepseek", "reasoning.text_and_call") if thinks else ("openai-chat", "parallel_calls.two_reads")
    shim = load_shim(with_way("openai-agents", way))()
    scenario, seat = load_scenarios()[name], ClientSeat(BoundClient(shim, provider), provider)
    responder = ScriptedResponder(scenario, provider)
    exchanges = Play(scenario, provider, "portable", DELIVERIES["stream:per-event"], seat, responder).run()
    rules = ("deepseek.history.reasoning-content", "common.history.calls-kept", "common.history.text-kept")
    checks = [check for name in rules if (check := catalogue()[name].check) is not None]
    for exchange in exchanges:
        found = [verdict for check in checks for verdict in check(exchange) if isinstance(verdict, Finding)]
        assert found == []
    assert len(exchanges) == 2 and exchanges[1].turn is not None
