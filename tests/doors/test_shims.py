"""What shims hand over is what the types of their libraries allow (doors do not mend)."""

from __future__ import annotations

import pytest

from conformance.doors.played import play
from conformance.wires import cards

SCENARIOS = (
    "parallel_calls.two_reads", "tool_choice.forced_tool", "no_arguments.beside_arguments",
    "binary_image.image_beside_text", "reasoning.one_call", "web.hosted_items",
)  # fmt: skip
RESPONSES = "openai.resources.responses.responses:Responses"
MESSAGES = "anthropic.resources.messages.messages:Messages"
MODELS = "google.genai.models:Models"
CALLED = {
    "openai": ("openai.resources.chat.completions.completions:Completions.create",),
    "openai-responses": (f"{RESPONSES}.create", f"{RESPONSES}.stream"),
    "anthropic": (f"{MESSAGES}.create", f"{MESSAGES}.stream"),
    "google-genai": (f"{MODELS}.generate_content", f"{MODELS}.generate_content_stream"),
    "ollama": ("ollama._client:Client.chat",),
    "openai-agents": (
        "agents.models.openai_chatcompletions:OpenAIChatCompletionsModel.get_response",
        "agents.models.openai_responses:OpenAIResponsesModel.get_response",
    ),
}
"""The methods by which shims ask. `conformance doors` derives all of them; here, these are enough."""
SHIMS = sorted({one.sdk for one in cards() if one.sdk} | CALLED.keys())
"""Those of the official SDKs, and others that are installed with the tests."""


@pytest.mark.slow
def test_arguments_of_shims_fit_the_types_of_the_installed_releases() -> None:
    seen = play({name: CALLED.get(name, ()) for name in SHIMS}, SCENARIOS)
    asked = {method for called in CALLED.values() for method in called}
    assert asked <= seen.methods, "a method is not called any more, or stands elsewhere"
    assert seen.wrong == {}
