"""An application that calls tools, watched by one instrumentation, which tells of it in a file: KIND BASE_URL FILE.

`told_traffic.py` runs it in an environment that has the instrumentation."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
ZONE = {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]}
TOOLS = {"get_weather": CITY, "get_time": ZONE}
CHAT_TOOLS = [
    {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}
    for name, schema in TOOLS.items()
]
CALLS = 4
"""How many times the model is asked: three wrong calls and a failure."""

INSTRUMENTORS = {
    "openai-v2": ("opentelemetry.instrumentation.openai_v2", "OpenAIInstrumentor"),
    "openai-v2-latest": ("opentelemetry.instrumentation.openai_v2", "OpenAIInstrumentor"),
    "openllmetry-openai": ("opentelemetry.instrumentation.openai", "OpenAIInstrumentor"),
    "openllmetry-anthropic": ("opentelemetry.instrumentation.anthropic", "AnthropicInstrumentor"),
    "openllmetry-0.40-openai": ("opentelemetry.instrumentation.openai", "OpenAIInstrumentor"),
    "openllmetry-0.40-anthropic": ("opentelemetry.instrumentation.anthropic", "AnthropicInstrumentor"),
    "openinference-openai": ("openinference.instrumentation.openai", "OpenAIInstrumentor"),
    "openinference-anthropic": ("openinference.instrumentation.anthropic", "AnthropicInstrumentor"),
}


def main(kind: str, base: str, file: str) -> None:
    """Talk, and leave the file."""
    if kind == "litellm":
        litellm_tells(base, file)
        return
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
    if kind.endswith("latest"):
        os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"
        os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
    spans, logs = providers(f"{file}.spans", f"{file}.logs")
    module, name = INSTRUMENTORS[kind]
    instrumentor = getattr(__import__(module, fromlist=[name]), name)()
    instrumentor.instrument(tracer_provider=spans, logger_provider=logs)
    (talk_to_anthropic if kind.endswith("anthropic") else talk_to_openai)(base)
    spans.shutdown()
    logs.shutdown()


def providers(spans_file: str, logs_file: str) -> tuple[Any, Any]:
    """What writes spans and logs as OTLP in JSON."""
    from opentelemetry import _logs, trace
    from opentelemetry.exporter.otlp.json.file._log_exporter import FileLogExporter
    from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    spans, logs = TracerProvider(), LoggerProvider()
    spans.add_span_processor(SimpleSpanProcessor(FileSpanExporter(spans_file)))
    logs.add_log_record_processor(SimpleLogRecordProcessor(FileLogExporter(logs_file)))
    trace.set_tracer_provider(spans)
    _logs.set_logger_provider(logs)
    return spans, logs


def talk_to_openai(base: str) -> None:
    """A loop over chat completions."""
    import openai

    client = openai.OpenAI(base_url=f"{base}/p/openai-chat/v1", api_key="any", max_retries=0)
    messages: list[Any] = [{"role": "user", "content": "How is the weather in Bern?"}]
    for _ in range(CALLS):
        with contextlib.suppress(openai.APIStatusError):
            answer = client.chat.completions.create(model="gpt-4o", messages=messages, tools=CHAT_TOOLS)  # type: ignore[call-overload]
            message = answer.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            messages += [
                {"role": "tool", "tool_call_id": call.id, "content": "12 degrees"} for call in message.tool_calls or ()
            ]


def talk_to_anthropic(base: str) -> None:
    """A loop over messages."""
    import anthropic

    client = anthropic.Anthropic(base_url=f"{base}/p/anthropic", api_key="any", max_retries=0)
    tools = [{"name": name, "description": name, "input_schema": schema} for name, schema in TOOLS.items()]
    messages: list[Any] = [{"role": "user", "content": "How is the weather in Bern?"}]
    for _ in range(CALLS):
        with contextlib.suppress(anthropic.APIStatusError):
            answer: Any = client.messages.create(model="claude-x", max_tokens=99, messages=messages, tools=tools)  # type: ignore[call-overload]
            used = [block for block in answer.content if block.type == "tool_use"]
            calls = [{"type": "tool_use", "id": one.id, "name": one.name, "input": one.input} for one in used]
            results = [{"type": "tool_result", "tool_use_id": one.id, "content": "12 degrees"} for one in used]
            messages += [{"role": "assistant", "content": calls}, {"role": "user", "content": results}]


def litellm_tells(base: str, file: str) -> None:
    """litellm's own loop, with its standard logging payload."""
    import time

    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm
    from litellm.integrations.custom_logger import CustomLogger

    class Logger(CustomLogger):
        """Writes each payload as a line."""

        def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
            with open(f"{file}.logs", "a") as lines:  # noqa: PTH123
                lines.write(json.dumps(kwargs["standard_logging_object"], default=str) + "\n")

        log_failure_event = log_success_event

    litellm.callbacks = [Logger()]
    for model, path in (("openai/gpt-4o", "/p/openai-chat/v1"), ("anthropic/claude-x", "/p/anthropic")):
        messages: list[Any] = [{"role": "user", "content": "How is the weather in Bern?"}]
        for _ in range(CALLS):
            with contextlib.suppress(Exception):
                answer: Any = litellm.completion(
                    model=model, messages=messages, tools=CHAT_TOOLS, api_key="any", api_base=base + path, max_retries=0
                )
                message = answer.choices[0].message
                messages.append(message.model_dump(exclude_none=True))
                for call in message.tool_calls or ():
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": "12 degrees"})
    time.sleep(2)


if __name__ == "__main__":
    main(*sys.argv[1:4])
