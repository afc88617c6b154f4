"""Amazon Bedrock's Converse: the card.

Sources: botocore 1.44.8 ``bedrock-runtime/2023-09-30/service-2.json`` (addresses, errors, patterns, words for ends);
docs.aws.amazon.com, "Amazon Bedrock API keys" (a key is sent as a bearer token); 217 recorded answers of its own hosts.
"""

from __future__ import annotations

from conformance.capabilities import ACCUMULATED, CAPABILITIES, OPENAI_ONLY, OWN_KINDS, SWITCHED_ON
from conformance.wires.card import ApiKey, Card, Forms, Marks, Takes
from conformance.wires.volatile import KEYS, Volatile

CARD = Card(
    id="bedrock",
    title="Amazon Bedrock Converse",
    format="bedrock",
    provider="bedrock",
    family="bedrock",
    base_url="https://bedrock-runtime.us-east-1.amazonaws.com",
    own_hosts=r"bedrock-runtime(-fips)?\.[a-z0-9-]+\.(amazonaws\.com(\.cn)?|api\.aws)",
    any_base=False,
    paths=(r"/model/(arn:[^/]+/)?[^/]+/converse(-stream)?",),
    path_ends=(r"/model/(arn:[^/]+/)?[^/]+/converse(-stream)?",),
    key=ApiKey(("AWS_BEARER_TOKEN_BEDROCK",)),
    url_variable=None,
    sdk="boto3",
    address_rule="bedrock.http.endpoint-and-auth",
    own_headers=(),
    version_header=None,
    model="us.anthropic.claude-haiku-4-5-20251001-v1:0",
    # There is no word for at most one call, and none for a tool that the model may not call. Its own search
    # (``systemTool``) is for some of Nova's models.
    capabilities=frozenset(
        CAPABILITIES.keys() - {"parallel_switch", "server_tools", "caching"} - SWITCHED_ON - OPENAI_ONLY - OWN_KINDS
        - ACCUMULATED
    ),
    quirks=frozenset({
        "redacted_thinking", "unknown_fields", "split_escapes", "empty_deltas", "whole_deltas", "arguments_empty",
        "calls_before_text", "finish_stop", "hosted_items",
    }),
    elsewhere={
        "finish_stop": "the format allows it; recorded answers with calls say tool_use",
        "calls_before_text": "the format allows it; no recorded answer of its own hosts shows it",
        "hosted_items": "Nova sends such blocks to requests that ask for its own tools; none here does",
        "unknown_fields": "AWS adds members to answers without notice; its SDKs pass over what they do not know",
    },
    framings=("aws-event-stream",),
    framing_by_query=None,
    chunks_are_responses=False,
    stream_liberties=frozenset(),
    ends={},
    id_pattern=r"[a-zA-Z0-9_.:-]{1,64}",
    schemas=False,
    error_words={},
    error_status=None,
    volatile=KEYS | Volatile(
        ("/requestMetadata",),
        ("/messages/*/content/*/toolUse/toolUseId", "/messages/*/content/*/toolResult/toolUseId"),
        defaults=(("/toolConfig/toolChoice", {"auto": {}}),),
    ),
    apart=False,
    marks=Marks(
        requests=({"messages": list, "inferenceConfig": dict}, {"messages": list, "toolConfig": dict}),
        answers=({"output": dict, "stopReason": str}, {"output": dict, "metrics": dict}),
    ),
    answer=None,  # no server beside its own host speaks it: none was judged
    forms=Forms(
        conversation="messages",
        replayed="output/message",
        replay_role=None,
        arguments="object",
        stream_in="path",
        calls_in_stream="fragments",
        url_safe_base64=False,
        typed_images=True,
        own_schema_language=False,
        doubles=False,
        tools_elsewhere=False,
        tools_beside_history=True,
        strictness="tool",
        thinks_unasked="no",
        answer_schemas=("/outputConfig/textFormat/structure/jsonSchema/schema",),
        json_switch=None,
        honest_stop=False,
    ),
    takes=Takes(
        empty_tools=False,
        tool_types=(),
        untyped=False,
        choice_words={},
        flat_choice=False,
        modes_without_tools=(),
        choice_without_tools=False,
        results_by_name=False,
        empty_schemas=True,
        calls_passed_over=False,
        object_arguments=False,
        null_results=False,
    ),
)  # fmt: skip
