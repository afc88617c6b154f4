"""mistral-common: tokens of a whole answer into an assistant message, as its server's ``/v1/detokenize`` route does.

The tokenizers come with the package: v3 (a list of calls) and, with the control tokens of later versions, Tekken.
"""

import asyncio
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import mistral_common
from mistral_common.experimental.app.routers import detokenize_to_assistant_message
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

DATA = Path(mistral_common.__file__).parent / "data"


class Tekken:
    """One answer of a model with the tokenizer in ``file``."""

    file = "tekken_240911.json"
    info: ClassVar[Any] = {"name": "mistral-common", "version": version("mistral-common")}
    _loaded: ClassVar[dict[str, Any]] = {}

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        if self.file not in self._loaded:
            self._loaded[self.file] = MistralTokenizer.from_file(str(DATA / self.file))
        self._tokenizer = self._loaded[self.file].instruct_tokenizer

    def encode(self, text: str, special: bool) -> list[int]:
        """Text as tokens."""
        tokenizer = self._tokenizer.tokenizer
        return [tokenizer.get_special_token(text)] if special else list(tokenizer.encode(text, bos=False, eos=False))

    def decode(self, tokens: list[int]) -> str:
        """Tokens as text."""
        return str(self._tokenizer.tokenizer.decode(tokens))

    def parse(self, tokens: list[int]) -> list[dict[str, Any]]:
        """A whole answer."""
        settings: Any = SimpleNamespace(tokenizer=self._loaded[self.file])
        message = asyncio.run(detokenize_to_assistant_message(settings, tokens))
        news: list[dict[str, Any]] = [{"text": message.content or ""}]
        for number, call in enumerate(message.tool_calls or ()):
            arguments = call.function.arguments
            news.append({"call": number, "name": call.function.name, "id": call.id, "arguments": arguments})
        return news


class V3(Tekken):
    """The tokenizer of v3."""

    file = "mistral_instruct_tokenizer_240323.model.v3"
