"""Azure OpenAI: the card."""

from __future__ import annotations

from dataclasses import replace

from conformance.wires.card import Key
from conformance.wires.openai_chat.card import CARD as OPENAI
from conformance.wires.openai_chat.card import CHAT_VOLATILE
from conformance.wires.volatile import Volatile

CARD = replace(
    OPENAI,
    id="azure",
    title="Azure OpenAI",
    base_url="https://example.openai.azure.com",
    own_hosts=r"[^/]+\.openai\.azure\.com|[^/]+\.cognitiveservices\.azure\.com|[^/]+\.services\.ai\.azure\.com",
    paths=(r"/(openai/deployments/[^/]+|openai/v1|models)/chat/completions",),
    key=Key(("AZURE_OPENAI_API_KEY",), "api-key", ""),
    url_variable="AZURE_OPENAI_ENDPOINT",
    address_rule="azure.http.endpoint-and-auth",
    own_headers=("api-key",),
    version_header="api-version",
    quirks=frozenset({"empty_choices", "finish_stop", "split_escapes", "unknown_fields", "usage_only_at_end"}),
    error_words={404: {"code": "DeploymentNotFound"}},
    volatile=CHAT_VOLATILE | Volatile(("/model",)),  # the deployment in the path says which model it is
    apart=True,
    )
