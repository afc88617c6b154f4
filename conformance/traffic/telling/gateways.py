"""Lines of gateways' logs, each a model call. A format is told by the members that it always has.

- litellm's standard logging payload: messages and answer in the chat format, whoever answered. Its spend logs have the
  same members, and the request as the proxy's client sent it (``proxy_server_request``).
- Helicone's export: the provider's own bodies.
- Langfuse's observations: messages as the chat format, or Anthropic, has them.

Sources, read on 2026-11-28: docs.litellm.ai/docs/proxy/logging_spec; litellm 1.110.2 ``types/utils.py``
(``StandardLoggingPayload``) and ``schema.prisma`` (``LiteLLM_SpendLogs``), and what it wrote of calls to ``conformance
serve``; Helicone/helicone ``examples/export/typescript``, docs.helicone.ai/rest/request/post-v1requestquery-clickhouse;
langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields; langfuse 5.0.4 ``openai.py`` and
``api/commons/types/observation_v2.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.http import Request
from conformance.model import Json
from conformance.recordings.bodies import RecordError, encoded
from conformance.traffic.moments import moment
from conformance.traffic.records import RecordedExchange, UnreadableRecord, one_record
from conformance.traffic.telling.layouts import chat_messages, langfuse
from conformance.traffic.telling.told import NO_MESSAGES, ToldCall, parsed, tools_of
from conformance.wires.facts import items, obj

LogLine = Mapping[str, Json]
LogReader = Callable[[LogLine, str, int], RecordedExchange]

CHAT_CALLS = ("completion", "acompletion")
"""The calls of litellm that are told in the chat format."""


@dataclass(frozen=True, slots=True)
class LogFormat:
    """How a line of a log is told from others, and what reads it. Of ``one_of`` it has at least one."""

    name: str
    members: frozenset[str]
    read: LogReader
    one_of: frozenset[str] = frozenset()

    def fits(self, line: LogLine) -> bool:
        """Whether a line is of this format."""
        return self.members <= line.keys() and (not self.one_of or not self.one_of.isdisjoint(line))


def log_format(line: LogLine) -> LogFormat | None:
    """The format of a line, if it is a known one."""
    return next((one for one in FORMATS if one.fits(line)), None)


def read_log_line(line: LogLine, log: LogFormat, source: str, number: int) -> RecordedExchange | UnreadableRecord:
    """The exchange that a line tells of."""
    return one_record(log.read)(line, source, number)


def _litellm(line: LogLine, source: str, number: int) -> RecordedExchange:
    kind = line.get("call_type")
    if kind not in CHAT_CALLS:
        raise RecordError(f"litellm's calls of type {str(kind)[:50]!r} are not read")
    asked, answered = obj(parsed(line.get("proxy_server_request"))), obj(parsed(line.get("response")))
    messages = parsed(line.get("messages"))
    listed = messages if isinstance(messages, list) and messages else asked.get("messages")
    if not isinstance(listed, list):
        raise RecordError(NO_MESSAGES)
    parameters = obj(parsed(line.get("model_parameters")))
    choices = items(answered.get("choices"))
    choice = obj(choices[0][1]) if choices else {}
    call = ToldCall(
        "litellm",
        [message for one in listed for message in chat_messages(obj(one))],
        next(chat_messages({**obj(choice.get("message")), "role": "assistant"}), None) if choice else None,
        tools_of(parameters.get("tools", asked.get("tools"))),
        model=line.get("model"),
        answered_model=answered.get("model"),
        answer_id=answered.get("id"),
        finish=choice.get("finish_reason"),
        provider=line.get("custom_llm_provider"),
        address=line.get("api_base"),
        id=line.get("id", line.get("request_id")),
        when=[line.get("startTime")],
        failed=line.get("status") == "failure",
    )
    return call.record(source, number)


def _helicone(line: LogLine, source: str, number: int) -> RecordedExchange:
    asked, answered = (parsed(line.get(name)) for name in ("request_body", "response_body"))
    if not isinstance(asked, dict) or not asked:
        raise RecordError("the request has no body: export with --include-body")
    path = line.get("target_url") or line.get("request_path") or "/"
    url = path if isinstance(path, str) and "://" in path else f"https:///{str(path).lstrip('/')}"
    request = Request("POST", url, {}, encoded(asked))
    request.reads_as(asked)
    status = line.get("response_status")
    return RecordedExchange(
        source=source, line=number, id=_id(line.get("request_id")), request=request,
        status=status if isinstance(status, int) and status > 0 else 200,
        body=encoded(answered) if isinstance(answered, dict) and answered else None,
        stream=False, framed=False, provider=_id(line.get("provider")), told_by="helicone",
        moment=moment(line.get("request_created_at")),
    )  # fmt: skip


def _langfuse(line: LogLine, source: str, number: int) -> RecordedExchange:
    if line.get("type") != "GENERATION":
        raise RecordError(f"an observation of type {str(line.get('type'))[:50]!r}, not a generation")
    call = langfuse(line.get("input"), line.get("output"))
    names = ("provided_model_name", "providedModelName", "model")
    call.model = next((line[name] for name in names if line.get(name)), None)
    call.id, call.when = line.get("id"), [line.get("start_time"), line.get("startTime")]
    call.failed = line.get("level") == "ERROR"
    call.answer = None if call.failed else call.answer
    return call.record(source, number)


def _id(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None


_LITELLM = frozenset({"call_type", "custom_llm_provider", "messages", "response"})

FORMATS = (
    LogFormat("litellm", _LITELLM, _litellm),
    LogFormat("helicone", frozenset({"request_body", "response_body", "request_created_at"}), _helicone),
    LogFormat("langfuse", frozenset({"type", "input", "output"}), _langfuse, frozenset({"start_time", "startTime"})),
)
"""The formats that are known."""
