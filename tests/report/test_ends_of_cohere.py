"""Why a turn of Cohere's may end: its SDK's type takes any word, so its card tells those that it names."""

from __future__ import annotations

from conformance.report.ends import ends


def test_all_words_of_its_sdk_are_told_with_their_source() -> None:
    found = {end.word: (end.stop, end.beside_calls) for end in ends("cohere")}
    assert found == {
        "COMPLETE": ("end", "tool_calls"),
        "STOP_SEQUENCE": ("end", "tool_calls"),
        "TOOL_CALL": ("end", "tool_calls"),
        "MAX_TOKENS": ("length", "length"),
        "ERROR": ("error", "error"),
        "TIMEOUT": ("error", "error"),
    }
    assert all(end.known_from.startswith("cohere 7.3.1 cohere.types.ChatFinishReason") for end in ends("cohere"))
