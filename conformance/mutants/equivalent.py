"""Mutants that do something else and yet nothing wrong: why no rule names them.

A name is a regular expression for whole names of mutants. An entry that matches a mutant that dies, or none that
survives, is stale, and the selftest says so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformance.rules.groups import group
from conformance.wires import PROVIDERS


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Mutants that mean the same as the reference adapter, on some providers, and why."""

    providers: tuple[str, ...]
    name: str
    why: str

    def covers(self, mutant: str, provider: str) -> bool:
        """Whether this is about a mutant on a provider."""
        return provider in self.providers and re.fullmatch(self.name, mutant) is not None


CHAT = group("chat")
NESTED_ERRORS = tuple(provider for provider in PROVIDERS if provider not in ("xai", "ollama", "mistral"))
OPENAI_IMAGES = ("openai-chat", "azure", "xai", "mistral")

EQUIVALENT: tuple[Equivalence, ...] = (
    # --- every format
    Equivalence(
        (*CHAT, "ollama", "cohere", "unified"), r"answer:squeezed:.*/content(/:text/text)?",
        "How several blocks of text are joined is left open, so white space is not compared.",
    ),
    *(
        Equivalence(providers, name, "A reader may put words, or brackets, around the provider's message.")
        for providers, name in (
            (NESTED_ERRORS, "answer:in-array:/error/message"),
            (("xai", "ollama"), "answer:in-array:/error"),
            (("mistral",), r"answer:in-array:/(message|detail)"),
        )
    ),
    Equivalence(
        ("anthropic", "gemini", "unified"), r"turn:refusal-lost",
        "That the model refused is told by the reason why it stopped.",
    ),
    Equivalence(
        ("gemini", "ollama"), r"turn:(broken-executed|broken-lost|raw-lost|mark-lost)",
        "Arguments come whole here. They are broken only where the stream failed, and then nothing is executed.",
    ),
    Equivalence(PROVIDERS, r"request:reversed:/tools(/:/functionDeclarations)?", "Tools have no order."),
    # --- Chat Completions
    Equivalence(
        OPENAI_IMAGES,
        r"request:(as-text|first-lost|last-lost|reversed|last-doubled):/messages/:user/content"
        r"|request:drop:/messages/:user/content/:(text|image_url)"
        r"|request:(empty|halved|encoded-twice):/messages/:user/content/:text/text",
        "The tool message has words for the picture. The picture itself, and what is said about it, may follow.",
    ),
    Equivalence(
        ("mistral",),
        r"request:as-text:/messages/:user/content/:(text|image_url(/image_url)?)"
        r"|request:(empty|halved):/messages/:user/content/:image_url/image_url/url",
        "Mistral documents no pictures after results, so no rule looks at them.",
    ),
    Equivalence(
        ("mistral",),
        r"request:(drop|rename):(/tools/:function|/messages/:assistant/tool_calls/:function|/tool_choice)/type",
        "Mistral's types let the type be left out.",
    ),
    Equivalence(
        ("mistral",), r"request:decoded:/messages/:assistant/tool_calls/:function/function/arguments",
        "Mistral's types take arguments as an object, too.",
    ),
    Equivalence(
        ("mistral",), r"stream:(ignored|doubled):tool_calls|stream:drop:tool_calls:/choices.*",
        "Calls stand on the chunk that ends the stream. Only where the stream fails do they come alone, and nobody may "
        "execute them.",
    ),
    Equivalence(
        ("deepseek",), r"answer:(drop|rename|empty):/error/type",
        "The code classes the failure as well.",
    ),
    Equivalence(
        ("mistral",), r"turn:error-is-(end|incomplete)",
        "Only HTTP errors are published here. Nothing came before them, and the turn's error says what they are.",
    ),
    # --- Responses
    Equivalence(
        ("openai-responses",),
        r"(request|answer):(drop|rename|halved):/(input|output)/:function_call/id"
        r"|(request|answer):halved:/(input|output)/:assistant/id"
        r"|(request|answer):(drop|rename):/(input|output)/:(function_call|assistant)/status"
        r"|stream:drop:response.output_item.done:function_call:/item/id"
        r"|stream:drop:response.output_item.done:(function_call|message):/item/status",
        "Ids of items, other than those of calls, are the provider's own. Like the status, they need not come back.",
    ),
    Equivalence(
        ("openai-responses",),
        r"request:(drop|rename):/input/:assistant/id|answer:drop:/output/:assistant/id"
        r"|stream:drop:response.output_item.done:message:/item/id",
        "The reference stores nothing, and there an id leads nowhere: encrypted reasoning says all that is needed.",
    ),
    Equivalence(
        ("openai-responses",), r"request:(drop|rename):/input/:reasoning/id|answer:drop:/output/:reasoning/id"
        r"|stream:drop:response.output_item.done:reasoning:/item/id",
        "Encrypted reasoning needs no id. The reference always has it encrypted.",
    ),
    Equivalence(
        ("openai-responses",), r"request:(drop|rename):/input/:assistant/type",
        "A message needs no type: EasyInputMessage.",
    ),
    Equivalence(
        ("openai-responses",),
        r"request:(drop|rename|empty|alone|last-doubled):/input/:assistant/content/:output_text/(annotations|logprobs)"
        r"|stream:drop:response.output_item.done:message:/item/content/:output_text/(annotations|logprobs)",
        "Annotations and probabilities are for people, and need not come back.",
    ),
    Equivalence(
        ("openai-responses",),
        r"(request|answer):(drop|rename):/(input|output)/:reasoning/content"
        r"|stream:drop:response.output_item.done:reasoning:/item/content",
        "What continues the thinking is the encrypted content. The content is empty, and optional.",
    ),
    Equivalence(
        ("openai-responses", "anthropic"),
        r"request:reversed:/(input/:function_call_output/output|messages/:user/content/:tool_result/content)"
        r"|request:drop:/(input/:function_call_output/output/:input_text|messages/:user/content/:tool_result/content/:text)",
        "A caption may follow its picture. Without it the picture still speaks for the result.",
    ),
    Equivalence(
        ("openai-responses",),
        r"stream:(ignored|read-late|first-ignored|last-ignored|doubled|swapped|only-first|only-last)"
        r":response.(output_item.added:function_call|function_call_arguments.delta)"
        r"|stream:drop:response.output_item.added:function_call:/item(/type|/call_id|/name)?"
        r"|stream:drop:response.function_call_arguments.delta:/delta",
        "The finished item says it all again. Of a call whose item was cut off nothing may be executed.",
    ),
    Equivalence(
        ("openai-responses",),
        r"stream:(ignored|drop):response.output_item.done:(function_call|message)(:/item)?",
        "The events before it say the same, but for the status.",
    ),
    # --- Messages
    Equivalence(
        ("anthropic",),
        r"stream:(ignored|read-late):message_start|stream:(drop|zeroed):message_start:/message(/usage(/\w+)?)?",
        "The end of the message has all counts. Only of a stream that was cut off they are missing.",
    ),
    Equivalence(
        ("anthropic", "unified"),
        r"stream:(ignored|drop):(content_block_stop|tool_call.end)(:/index)?",
        "Arguments that are a whole object are whole. Calls of a stream that was cut off need not be executed.",
    ),
    Equivalence(
        ("anthropic",), r"stream:doubled:content_block_start:server_tool_use",
        "Nothing is known about a second, empty use of a tool that the provider ran: rules look at what came.",
    ),
    # --- Gemini
    Equivalence(
        ("gemini",), r"request:alone:/systemInstruction/parts", "Gemini takes one element for a list of one.",
    ),
    Equivalence(
        ("gemini",),
        r"request:last-doubled:(/systemInstruction/parts|/toolConfig/functionCallingConfig/allowedFunctionNames)",
        "What is said twice is said.",
    ),
    Equivalence(
        ("gemini",), r"(request|answer):integers-as-floats:.*/functionCall/args",
        "Arguments are a protobuf Struct, whose only number is the double.",
    ),
    Equivalence(
        ("gemini",), r"request:(nested-as-text|member-added):/contents/:user/parts/:/functionResponse/response",
        "The model reads JSON text as well, and a response may say more than the output.",
    ),
    Equivalence(
        ("gemini",),
        r"request:(drop|empty|alone|first-lost|last-lost|reversed):/contents/:user/parts/:/functionResponse/parts"
        r"|request:drop:/contents/:user/parts/:/functionResponse/parts/:(/inlineData)?",
        "The output has words for the picture.",
    ),
    Equivalence(
        ("gemini",), r"request:(drop|flipped):/toolConfig/includeServerSideToolInvocations",
        "Only the newest models ask for it, when functions and tools of Google's stand side by side.",
    ),
    Equivalence(
        ("gemini",),
        r"answer:(drop|empty|halved|in-array):/candidates/:/finishMessage"
        r"|answer:(halved|in-array):/promptFeedback/blockReason",
        "In which words a refusal or a failed call is told is the reader's own.",
    ),
    Equivalence(
        ("gemini",), r"answer:(drop|rename|empty):/error/status|stream:drop:error:/error/status",
        "The numeric code classes the failure as well.",
    ),
    Equivalence(
        ("gemini",),
        r"stream:(read-late|doubled|ignored):content|stream:read-late:(content\+text|functionCall\+content)"
        r"|stream:doubled:content\+finishReason"
        r"|stream:drop:content:/candidates.*",
        "Where text stands before or after calls is not carried; parts of unknown kinds and thoughts are not read.",
    ),
    Equivalence(
        ("gemini",), r"stream:(drop|zeroed):(functionCall\+content|content\+text):/usageMetadata(/\w+)?",
        "The last chunk has all counts. Only of a stream that failed they are missing.",
    ),
    # --- Ollama
    Equivalence(
        ("ollama",), r"request:(drop|rename|empty|in-array):/messages/:assistant/tool_calls/:/id",
        "Ids are optional: results are matched by name and order.",
    ),
    Equivalence(("ollama",), r"request:reversed:/messages/:tool/images", "Pictures have no order."),
    # --- Cohere
    Equivalence(
        ("cohere",), r"request:reversed:/messages/:assistant/tool_calls",
        "Ids tie results to calls, whatever their order.",
    ),
    Equivalence(
        ("cohere",),
        r"request:(first-lost|reversed):/messages/:assistant/content|request:drop:/messages/:assistant/content/:thinking"
        r"|answer:(first-lost:/message/content|(drop|as-text):/message/content/:thinking)"
        r"|answer:(drop|empty|halved|in-array):/message/content/:thinking/type"
        r"|stream:(ignored|read-late):content-start",
        "Nothing asks for the thinking back, or says where it stands: requests without it are answered.",
    ),
    Equivalence(
        ("cohere",), r"stream:drop:content-start:/type", "Of which type a block is, the fields of its pieces say, too.",
    ),
    Equivalence(
        ("cohere",), r"stream:(ignored|drop):tool-call-end(:/index|:/type)?",
        "Arguments that are a whole object are whole. Calls of a stream that was cut off need not be executed.",
    ),
    # --- the gateway's API
    Equivalence(
        ("unified",),
        r"request:(drop|rename):/input/:(system|user|assistant|tool)(/content/:text|/tool_calls/:tool_call)?/type",
        "The specification lets the type of a message, a text or a call be left out.",
    ),
    Equivalence(
        ("unified",), r"request:(drop|rename|empty|in-array):/input/:tool/tool_call_id",
        "Results without ids answer the calls by order, and they stand in call order.",
    ),
    Equivalence(
        ("unified",), r"request:reversed:/input/:assistant/(tool_calls|content)",
        "Ids tie results to calls, whatever their order; reasoning comes back, whatever stands before it.",
    ),
    Equivalence(
        ("unified",), r"request:last-doubled:/input/:system/content", "What is said twice is said.",
    ),
    Equivalence(
        ("unified",), r"answer:\S+:/output/:assistant/content/:refusal(/type|/text)?",
        "That the model refused is told by the reason why it stopped.",
    ),
)  # fmt: skip


def explanation(mutant: str, provider: str) -> Equivalence | None:
    """Why a mutant may survive on a provider, if there is a reason."""
    return next((entry for entry in EQUIVALENT if entry.covers(mutant, provider)), None)
