"""Where an SDK does not read, or does not send back, what a scenario says, and why that is the SDK's own doing.

What an SDK's own provider really sends must be read: a failure there would be a fault of our rendering and does not
belong here. What stands here is of two kinds: oddities of hosts that imitate the provider, and known limits of an SDK.
An entry is about exactly the problems that contain ``says``, and one that is no longer seen fails the test.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Expected:
    """Problems that are expected in all cases that the globs match."""

    provider: str
    scenario: str
    mode: str
    says: str
    why: str

    def covers(self, provider: str, scenario: str, mode: str) -> bool:
        """Whether the entry is about this case. ``mode`` is ``sent:`` or ``read:`` and a delivery."""
        return (
            fnmatchcase(provider, self.provider)
            and fnmatchcase(scenario, self.scenario)
            and fnmatchcase(mode, self.mode)
        )


EXPECTED = [
    # --- hosts that imitate the provider, which an SDK need not stand
    Expected("openai-chat", "quirks.missing_index*", "read:stream:*", "list indices must be integers",
             "ChatCompletionStreamState finds calls by their index"),
    Expected("openai-chat", "quirks.id_repeated_in_deltas", "read:stream:*", "found [['read_fileread_file",
             "ChatCompletionStreamState joins names and ids as it joins arguments"),
    Expected("openai-chat", "quirks.index_zero*", "read:stream:*", "found [['list_todosread_file",
             "ChatCompletionStreamState takes fragments with the same index for one call"),
    Expected("openai-chat", "quirks.no_finish", "read:stream:*", "'incomplete'",
             "the SDK keeps [DONE] to itself, so without a finish reason nobody sees that the stream is whole"),
    Expected("openai-chat", "no_arguments.null", "sent:*", "chat.history.assistant-call-fields",
             "the SDK's message goes back with the null that came"),
    Expected("openai-chat", "no_arguments.missing", "sent:*", "chat.history.assistant-call-fields",
             "the SDK's message goes back without the field that did not come"),
    Expected("openai-chat", "quirks.choice_without_delta", "read:stream:*",
             "'NoneType' object has no attribute 'to_dict'",
             "ChatCompletionStreamState takes each choice for one with a delta"),
    Expected("openai-responses", "quirks.changing_ids", "read:stream:*", "Completed output item identity changed",
             "ResponseStreamState knows an item by its id"),
    Expected("openai-responses", "quirks.repeated_id", "read:stream:*", "conflicting output identities",
             "ResponseStreamState takes call_id for the identity of a call"),
    Expected("anthropic", "arguments.trailing_text", "read:stream:*", "found [['run_shell_command', {'command':",
             "MessageStream reads arguments with jiter's partial mode, which does not look at what follows the object"),
    Expected("anthropic", "no_arguments.null_text", "read:stream:*", "Unable to parse tool parameter JSON",
             "MessageStream reads arguments after each fragment, and jiter's partial mode does not know half a null"),
    Expected("ollama", "arguments.object_or_text", "read:*", "Input should be a valid dictionary",
             "the types want an object"),
    Expected("ollama", "no_arguments.missing", "read:*", "Field required",
             "the types want arguments"),
    Expected("gemini", "quirks.unknown_fields", "sent:*", "gemini.history.contents-container",
             "of a part of a kind that it does not know the SDK keeps, and sends back, an empty one"),
    # --- known limits of SDKs
    Expected("openai-chat", "text_tools.cut_in_text", "*read:stream:*", "half a call looks whole",
             "ChatCompletionStreamState has the text as far as it came; only the missing finish reason tells"),
    Expected("deepseek", "errors.stopped_by_the_host", "*read:*", "usage: expected",
             "an application tells the failure alone"),
    Expected("anthropic", "arguments.lone_surrogate", "sent:blocking", "UnicodeEncodeError",
             "the SDK reads half a character in a whole answer, and cannot send it back"),
    Expected("anthropic", "arguments.lone_surrogate", "read:blocking", "the SDK read nothing",
             "the same: no request came of it"),
    Expected("anthropic", "arguments.lone_surrogate", "read:stream:*", "Unable to parse tool parameter JSON",
             "MessageStream reads arguments with jiter, which refuses half a character"),
    Expected("anthropic", "errors.cut_in_*", "read:stream:*", "half a call looks whole",
             "MessageStream makes an object of what came of the arguments; only the missing stop_reason tells"),
    Expected("anthropic", "errors.length_in_arguments", "read:stream:*", "found [['write_file', {'file_path':",
             "MessageStream makes an object of what came of the arguments; only the stop_reason max_tokens tells"),
    Expected("anthropic", "declare.root_alternatives", "sent:*", "anthropic.declare.schema-type-object",
             "the SDK sends a schema as the application wrote it"),
    Expected("gemini", "errors.refusal*", "read:*", "refusal: expected",
             "_Candidate_from_mldev leaves finishMessage out"),
    Expected("gemini", "errors.prompt_blocked", "*read:*", "usage: expected",
             "of a prompt that is blocked Google counts the prompt alone"),
    Expected("gemini", "*", "read:stream:keep-alive", "UnknownApiResponseError",
             "the SDK knows no comments in streams"),
    Expected("gemini", "*", "read:stream:multi-line", "UnknownApiResponseError",
             "the SDK wants a space after \"data:\""),
    Expected("gemini", "*", "read:stream:bom", "UnknownApiResponseError",
             "the SDK does not skip a byte-order mark"),
    Expected("anthropic", "*", "read:stream:bom", "AssertionError", "the SDK does not skip a byte-order mark"),
]  # fmt: skip
