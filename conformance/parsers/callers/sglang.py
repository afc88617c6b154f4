"""SGLang's chat server, from the text of the model to what goes to the client: its own methods are called.

``OpenAIServingChat`` is made without an engine. ``parse`` is what it does with a whole answer, ``feed`` and ``end``
what it does with a stream, whose last piece is empty, as after the token that ends an answer. Reasoning is read by
another part of SGLang, before this one, and is not played.
"""

import asyncio
import json
import logging
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, ClassVar

from sglang.srt.entrypoints.openai.protocol import ChatCompletionRequest
from sglang.srt.entrypoints.openai.serving_chat import OpenAIServingChat

logging.disable(logging.CRITICAL)  # what it logs, its clients do not see
META = {"meta_info": {"id": "chat", "prompt_tokens": 1, "completion_tokens": 1}}


class SGLang:
    """One answer. ``parser`` is what ``--tool-call-parser`` is given."""

    parser = ""
    info: ClassVar[Any] = {"name": "sglang", "version": version("sglang")}

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self._chat = OpenAIServingChat.__new__(OpenAIServingChat)
        self._chat.tool_call_parser = self.parser
        self._chat.tokenizer_manager = SimpleNamespace(tokenizer=None)
        messages = [{"role": "user", "content": "Go on."}]
        self._request = ChatCompletionRequest(model="m", messages=messages, tools=tools)
        self._parsers: dict[int, Any] = {}
        self._called: dict[int, bool] = {}

    def parse(self, text: str) -> list[dict[str, Any]]:
        """A whole answer."""
        done = self._chat._process_tool_calls(text, self._request.tools, {"type": "stop", "matched": None}, "auto")
        news: list[dict[str, Any]] = [{"text": done.remaining_text if hasattr(done, "remaining_text") else done[1]}]
        for number, call in enumerate(done[0] or ()):
            news.append({"call": number, "name": call.function.name, "id": call.id})
            news.append({"call": number, "arguments": call.function.arguments or ""})
        return news

    def feed(self, text: str) -> list[dict[str, Any]]:
        """A piece of a stream."""
        return self._piece(text, False)

    def end(self) -> list[dict[str, Any]]:
        """The end of a stream."""
        news = self._piece("", True)
        left = self._chat._check_for_unstreamed_tool_args(self._parsers[0], META, self._request, 0, created=0)
        return news + (self._news(left) if left else [])

    def _piece(self, text: str, flush: bool) -> list[dict[str, Any]]:
        chunks = self._chat._process_tool_call_stream(
            0, text, self._parsers, META, self._request, self._called, created=0, flush=flush
        )
        return [one for chunk in _all(chunks) if chunk for one in self._news(chunk)]

    def _news(self, chunk: str) -> list[dict[str, Any]]:
        delta = json.loads(chunk.removeprefix("data: "))["choices"][0]["delta"]
        news: list[dict[str, Any]] = []
        if delta.get("content"):
            news.append({"text": delta["content"]})
        for call in delta.get("tool_calls") or ():
            one: dict[str, Any] = {"call": call["index"]}
            one |= {"id": call["id"]} if call.get("id") else {}
            one |= {"name": call["function"]["name"]} if call["function"].get("name") else {}
            one |= {"arguments": call["function"]["arguments"]} if call["function"].get("arguments") else {}
            news.append(one)
        return news


def _all(generator: Any) -> list[Any]:
    async def collected() -> list[Any]:
        return [one async for one in generator]

    coroutine = collected()
    try:
        coroutine.send(None)
    except StopIteration as done:
        return list(done.value)
    coroutine.close()
    return asyncio.run(collected())


class Hermes(SGLang):
    """--tool-call-parser hermes"""

    parser = "hermes"


class Qwen25(SGLang):
    """--tool-call-parser qwen25"""

    parser = "qwen25"


class Llama3(SGLang):
    """--tool-call-parser llama3"""

    parser = "llama3"


class Mistral(SGLang):
    """--tool-call-parser mistral"""

    parser = "mistral"


class DeepSeekV3(SGLang):
    """--tool-call-parser deepseekv3"""

    parser = "deepseekv3"


class DeepSeekV31(SGLang):
    """--tool-call-parser deepseekv31"""

    parser = "deepseekv31"


class KimiK2(SGLang):
    """--tool-call-parser kimi_k2"""

    parser = "kimi_k2"


class Qwen3Coder(SGLang):
    """--tool-call-parser qwen3_coder"""

    parser = "qwen3_coder"
