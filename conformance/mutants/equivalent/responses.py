"""Mutants of Responses that do nothing wrong."""

from __future__ import annotations

from conformance.mutants.equivalence import Equivalence

KIND = ":(local_shell|shell|apply_patch)_call"
"""Calls of the kinds that the provider defined."""

EQUIVALENT = (
    Equivalence(
        ("openai-responses",),
        r"(request|answer):(drop|rename|halved):/(input|output)/:function_call/id"
        r"|(request|answer):halved:/(input|output)/:assistant/id"
        r"|(request:(drop|rename)|answer:rename):/(input|output)/:(function_call|assistant)/status"
        r"|answer:drop:/output/:assistant/status"
        r"|stream:drop:response.output_item.done:function_call:/item/id"
        r"|stream:drop:response.output_item.done:message:/item/status",
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
        r"request:reversed:/(input/:function_call_output/output|messages/:user/content/:tool_result/content)",
        "A caption may follow its picture.",
    ),
    Equivalence(
        ("openai-responses",),
        r"stream:(ignored|last-ignored|only-first)"
        r":response.output_item.added:function_call"
        r"|stream:(ignored|read-late):response.function_call_arguments.delta"
        r"|stream:drop:response.output_item.added:function_call:/item(/type|/call_id|/name)?"
        r"|stream:drop:response.function_call_arguments.delta:/delta",
        "The finished item says it all again. Of a call whose item was cut off nothing may be executed.",
    ),
    Equivalence(
        ("openai-responses",),
        r"stream:(first-ignored|last-ignored|only-first|only-last):response.output_item.done:function_call"
        r"|stream:(ignored|doubled|first-ignored|last-ignored|only-first|only-last):response.output_item.done:message"
        r"|stream:drop:response.output_item.done:message:/type",
        "The events before it say the same, but for the status.",
    ),
    Equivalence(
        ("openai-responses",),
        r"stream:(ignored|drop):response.output_item.added:message(:(/item)?(/type)?)?"
        r"|stream:drop:response.output_item.added:function_call:/type"
        r"|stream:(drop|zeroed):response.function_call_arguments.delta:/type"
        r"|stream:drop:response.function_call_arguments.delta:/output_index",
        "The finished item says it all again. Of what was cut off nothing need be told.",
    ),
    Equivalence(
        ("openai-responses",), r"stream:(ignored|read-late):damaged", "The finished item says again what it said.",
    ),
    Equivalence(
        ("openai-responses",),
        rf"(request|answer):(drop|rename|empty|halved):/(input|output)/{KIND}/(id|environment)"
        r"|(request|answer):drop:/(input|output)/:shell_call/environment/type"
        r"|(request:(drop|rename)|answer:drop):/(input|output)/:shell_call/status"
        r"|stream:drop:response.output_item.done:shell_call:/item/(status|environment(/type)?)"
        rf"|stream:drop:response.output_item.done{KIND}:/item/id",
        "The call_id says whose an output is. An item's id and status, and where the client runs it, may be left out.",
    ),
    Equivalence(
        ("openai-responses",),
        r"request:(drop|rename|empty|halved|in-array):/input/:local_shell_call_output/call_id"
        r"|request:(drop|rename|empty|halved):/input/:local_shell_call_output/id",
        "The output of the older shell is sent with both names for its call, of which one is enough.",
    ),
    Equivalence(
        ("openai-responses",),
        rf"stream:(ignored|last-ignored|read-late|drop):response.output_item.added({KIND}|:mcp_approval_request)"
        r"(:(/item)?(/type|/call_id|/id|/server_label)?)?",
        "The finished item says it all again. Of a call whose item was cut off nothing may be executed.",
    ),
    Equivalence(
        ("openai-responses",), rf"stream:drop:response.output_item.done({KIND}|:mcp_approval_request):/item",
        "The last event says it all again. Without it, what is unknown of a call is not executed.",
    ),
    Equivalence(
        ("openai-responses",), r"request:(drop|rename):/tools/:mcp/require_approval",
        "Where nothing is said of approval, each call is asked about: that is the default.",
    ),
    Equivalence(
        ("openai-responses",), r"request:(drop|rename):/tools/:shell/environment",
        "Where no place is named, the client runs the shell: so api.openai.com was recorded to answer.",
    ),
)  # fmt: skip
