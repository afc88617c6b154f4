"""What shims hand over is what the types of their libraries allow (doors do not mend)."""

from __future__ import annotations

import pytest

from conformance.doors.played import play

SCENARIOS = (
    "parallel_calls.two_reads", "tool_choice.forced_tool", "no_arguments.beside_arguments",
    "binary_image.image_beside_text", "reasoning.one_call", "web.hosted_items",
)  # fmt: skip
RESPONSES = "openai.resources.responses.responses:Responses"
MESSAGES = "anthropic.resources.messages.messages:Messages"
MODELS = "google.genai.models:Models"
CHAT = "cohere.v2.client:V2Client"
CALLED = {
    "openai": ("openai.resources.chat.completions.completions:Completions.create",),
    "openai-responses": (f"{RESPONSES}.create", f"{RESPONSES}.stream"),
    "anthropic": (f"{MESSAGES}.create", f"{MESSAGES}.stream"),
    "google-genai": (f"{MODELS}.generate_content", f"{MODELS}.generate_content_stream"),
    "ollama": ("ollama._client:Client.chat",),
    "cohere": (f"{CHAT}.chat", f"{CHAT}.chat_stream"),
    "openai-agents": (
        "agents.models.openai_chatcompletions:OpenAIChatCompletionsModel.get_response",
        "agents.models.openai_responses:OpenAIResponsesModel.get_response",
    ),
}
"""The methods by which each shim asks. `conformance doors` derives all of them; here, these are enough."""


@pytest.mark.slow
def test_arguments_of_shims_fit_the_types_of_the_installed_releases() -> None:
    seen = play(CALLED, SCENARIOS)
    asked = {method for called in CALLED.values() for method in called}
    assert seen.methods == asked, "a method is not called any more, or stands elsewhere"
    assert seen.wrong == {}
