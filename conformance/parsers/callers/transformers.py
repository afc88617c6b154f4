"""transformers, as ``transformers serve`` uses it: its own response templates, its own parser, its own way to clients.

The template is the one that ``transformers serve`` has for the model's kind. The prompt before the answer ends with
what the kind's chat template writes there.
"""

import itertools
from typing import Any, ClassVar

import transformers
from transformers.cli.serving.utils import (
    _RESPONSE_TEMPLATE_FALLBACKS,
    ReasoningText,
    ToolCall,
    _normalize_tool_call,
    response_events_to_chunks,
)
from transformers.utils.chat_parsing import ResponseParser, parse_response

PROMPT = "<|im_start|>assistant\n"


class Serve:
    """One answer of a model whose configuration says ``kind``."""

    kind = ""
    thinking = True
    info: ClassVar[Any] = {"name": "transformers", "version": transformers.__version__}

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self._template = next(one for kinds, one in _RESPONSE_TEMPLATE_FALLBACKS.items() if self.kind in kinds)
        self._tools = tools
        self._parser = ResponseParser(self._template, prefix=PROMPT, tools=tools)
        self._numbers = itertools.count()

    def parse(self, text: str) -> list[dict[str, Any]]:
        """A whole answer, as in ``parse_assistant_message``."""
        parsed = parse_response(text, self._template, prefix=PROMPT, tools=self._tools)
        news: list[dict[str, Any]] = [{"thinking": parsed.get("reasoning_content") or ""}]
        news.append({"text": parsed.get("content", "")})
        for call in parsed.get("tool_calls") or ():
            news += self._call(_normalize_tool_call(call))
        return news

    def feed(self, text: str) -> list[dict[str, Any]]:
        """A piece of a stream, as in ``DirectStreamer.put``."""
        return self._news(self._parser.feed(text))

    def end(self) -> list[dict[str, Any]]:
        """The end of a stream, as in ``DirectStreamer.end``: what cannot be read then is dropped there, too."""
        try:
            _, events = self._parser.finalize()
        except (ValueError, RuntimeError):
            return []
        return self._news(events)

    def _news(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        news: list[dict[str, Any]] = []
        for chunk in response_events_to_chunks(events):
            if isinstance(chunk, ToolCall):
                news += self._call(chunk)
            else:
                news.append({"thinking" if isinstance(chunk, ReasoningText) else "text": str(chunk)})
        return news

    def _call(self, call: ToolCall) -> list[dict[str, Any]]:
        number = next(self._numbers)
        return [{"call": number, "name": call.name, "arguments": call.arguments}]


class Qwen3(Serve):
    """Qwen 2.5 and 3: JSON between tags."""

    kind = "qwen3"


class Qwen35(Serve):
    """Qwen 3.5: tags for the function and its parameters."""

    kind = "qwen3_5"
