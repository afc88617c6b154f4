"""Parsers that are wrong on purpose: the reference parser, with one thing changed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from conformance.parsers.reference import ParserNews, ReferenceParser, Scan

News = list[ParserNews]


class Wrong(ReferenceParser):
    """The base: ``changed`` is what becomes of the news of one piece, ``at_end`` of those at the end."""

    def feed(self, text: str) -> News:
        return list(self.changed(super().feed(text)))

    def end(self) -> News:
        return list(self.at_end(list(self.changed(super().end()))))

    def changed(self, news: News) -> Iterator[ParserNews]:
        yield from news

    def at_end(self, news: News) -> News:
        return news


class DropsSecondCall(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        yield from (one for one in news if one.get("call", 0) == 0)


class LeaksMarkup(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            yield one
            if one.get("end"):
                yield {"text": self._grammar.special[-1]}


class LosesText(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        yield from (one for one in news if "text" not in one or self._grammar.call[0] is None)


class HoldsArguments(Wrong):
    def __init__(self, tools: Any, grammar: str = "hermes") -> None:
        super().__init__(tools, grammar)
        self._held: dict[int, str] = {}

    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            if "arguments" in one:
                self._held[one["call"]] = self._held.get(one["call"], "") + one["arguments"]
                continue
            if one.get("end") and one["call"] in self._held:
                yield {"call": one["call"], "arguments": self._held[one["call"]]}
            yield one


class Mends(Wrong):
    """Closes what was left open, as a reader of half JSON does."""

    def __init__(self, tools: Any, grammar: str = "hermes") -> None:
        super().__init__(tools, grammar)
        self._so_far: dict[int, str] = {}

    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            if "arguments" in one:
                self._so_far[one["call"]] = self._so_far.get(one["call"], "") + one["arguments"]
            if "problem" not in one:
                yield one

    def at_end(self, news: News) -> News:
        for number, text in self._so_far.items():
            for rest in ("}", "\"}", "}}", "\"}}", "null}", '"":0}'):
                if not _is_json(text) and _is_json(text + rest):
                    return [*news, {"call": number, "arguments": rest}]
        return news


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


class SameId(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        yield from ({**one, "id": "call_1"} if "id" in one else one for one in news)


class DropsUndeclared(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            name = one.get("name")
            if name is not None and name not in self._tools:
                self._dropping = one["call"]
            if one.get("call", -1) != getattr(self, "_dropping", -2) and "problem" not in one:
                yield one


class ValuesAsText(HoldsArguments):
    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in super().changed(news):
            if "arguments" in one:
                items = json.loads(one["arguments"]).items()
                values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in items}
                one = {**one, "arguments": json.dumps(values)}
            yield one


class _NoPatience(Scan):
    def _safe_end(self, at: int, cores: Any) -> int:
        return len(self.text)


class ForgetsCuts(Wrong):
    """Does not hold back what may become markup."""

    def scan(self, *, ended: bool) -> Any:
        return _NoPatience(self._grammar, self._tools, self._text, ended).run()


class NeverReleases(Wrong):
    """Does not tell at the end what it held back."""

    def end(self) -> News:
        return []


class OnlyAscii(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            yield {key: _ascii(value) if isinstance(value, str) else value for key, value in one.items()}


def _ascii(text: str) -> str:
    return text.encode("ascii", "ignore").decode()


class Reverses(Wrong):
    def __init__(self, tools: Any, grammar: str = "hermes") -> None:
        super().__init__(tools, grammar)
        self._all: News = []

    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            if "call" in one:
                self._all.append(one)
            else:
                yield one

    def at_end(self, news: News) -> News:
        numbers = sorted({one["call"] for one in self._all}, reverse=True)
        return news + [{**one, "call": numbers.index(one["call"])} for one in sorted(self._all, key=_last_first)]


def _last_first(one: ParserNews) -> int:
    return -int(one["call"])


class FearsEmoji(Wrong):
    def feed(self, text: str) -> News:
        text.encode("iso-8859-1")
        return super().feed(text)


class AnyJson(Wrong):
    """Takes each JSON object with a name for a call, markup or not."""

    def at_end(self, news: News) -> News:
        start = self._text.find('{"name": "read_file"')
        called = any("call" in one for one in news) or any(special in self._text for special in self._grammar.special)
        made: ParserNews = {"call": 0, "name": "read_file", "arguments": "{}", "end": True}
        return news if start < 0 or called else [*news, made]


class ThinksAloud(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        yield from ({"text": one["thinking"]} if "thinking" in one else one for one in news)


class EndsAtOnce(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            if "name" in one:
                yield {**one, "end": True}
            elif "end" not in one:
                yield one


class CountsFromOne(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        yield from ({**one, "call": one["call"] + 1} if "call" in one else one for one in news)


class OwnIds(Wrong):
    """Gives ids of its own where the model wrote some."""

    def changed(self, news: News) -> Iterator[ParserNews]:
        yield from ({**one, "id": f"own_{one['call']}"} if "id" in one else one for one in news)


FIRST: Mapping[type[ReferenceParser], tuple[str, str, str]] = {
    DropsSecondCall: ("parser.call.kept", "hermes", "parallel_calls.identical"),
    LeaksMarkup: ("parser.text.no-markup", "hermes", "shell.success"),
    LosesText: ("parser.text.kept", "hermes", "multi_turn.no_tools"),
    HoldsArguments: ("parser.arguments.as-they-come", "hermes", "long_argument"),
    Mends: ("parser.arguments.not-mended", "hermes", "open_json"),
    SameId: ("parser.id.unique", "hermes", "parallel_calls.identical"),
    DropsUndeclared: ("parser.tell.undeclared", "hermes", "undeclared"),
    ValuesAsText: ("parser.arguments.kept", "llama3-json", "arguments.nested"),
    ForgetsCuts: ("parser.cut.same", "harmony", "shell.success"),
    NeverReleases: ("parser.text.to-the-end", "kimi-k2", "ends_early"),
    OnlyAscii: ("parser.text.kept", "hermes", "multi_turn.no_tools"),
    Reverses: ("parser.call.order", "mistral-args", "parallel_calls.two_reads"),
    FearsEmoji: ("parser.lives", "hermes", "write_file.emoji"),
    AnyJson: ("parser.text.looks-alike", "hermes", "looks_alike"),
    ThinksAloud: ("parser.thinking.apart", "hermes", "reasoning.no_call"),
    EndsAtOnce: ("parser.cut.no-call-from-half", "deepseek-v31", "shell.success"),
    CountsFromOne: ("parser.call.news", "hermes", "shell.success"),
    OwnIds: ("parser.id.kept", "kimi-k2", "shell.success"),
}
"""Those that were written before the rules were done: the rule that fits, and a grammar and a case that show it."""


# --- written after the rules were done -------------------------------------------------------------------------------


class StripsValues(HoldsArguments):
    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in super().changed(news):
            if "arguments" in one:
                values = json.loads(one["arguments"]).items()
                values = {key: value.strip() if isinstance(value, str) else value for key, value in values}
                one = {**one, "arguments": json.dumps(values)}
            yield one


class RoundsNumbers(HoldsArguments):
    """Reads integers as doubles, as JavaScript does."""

    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in super().changed(news):
            if "arguments" in one:
                whole = json.loads(one["arguments"], parse_int=lambda digits: int(float(digits)))
                one = {**one, "arguments": json.dumps(whole)}
            yield one


class StopsAtFirstBrace(Wrong):
    """Takes the first closing brace for the end of the arguments."""

    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            if "arguments" in one:
                seen = getattr(self, "_seen", set())
                self._seen = seen
                if one["call"] in seen:
                    continue
                head, brace, _ = one["arguments"].partition("}")
                seen |= {one["call"]} if brace else set()
                one = {**one, "arguments": head + brace}
            yield one


class SaysTextAtTheEnd(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        self._text_held: str = getattr(self, "_text_held", "") + "".join(one.get("text", "") for one in news)
        yield from (one for one in news if "text" not in one)

    def at_end(self, news: News) -> News:
        return [*news, {"text": self._text_held}]


class LosesTextAfterCalls(Wrong):
    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            self._called = getattr(self, "_called", False) or "call" in one
            if "text" not in one or not self._called:
                yield one


class RepeatsTheName(Wrong):
    """Sends the name with each fragment, as some servers do."""

    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            self._name = one.get("name") or getattr(self, "_name", None)
            yield {**one, "name": self._name} if "arguments" in one else one


class TakesTwinsForOne(Wrong):
    """Drops a call that is like the one before."""

    def changed(self, news: News) -> Iterator[ParserNews]:
        names = {one["call"]: one["name"] for one in news if "name" in one}
        self._names: dict[int, str] = {**getattr(self, "_names", {}), **names}
        yield from (
            one for one in news if "call" not in one or self._names.get(one["call"]) != self._names.get(one["call"] - 1)
        )


class DropsBroken(Wrong):
    """Says nothing of a call that is no JSON."""

    def __init__(self, tools: Any, grammar: str = "hermes") -> None:
        super().__init__(tools, grammar)
        self._waiting: News = []

    def changed(self, news: News) -> Iterator[ParserNews]:
        for one in news:
            if "call" in one:
                self._waiting.append(one)
                if one.get("end"):
                    yield from self._waiting
                    self._waiting = []
            elif "problem" not in one:
                yield one


class ForgetsEmptyArguments(Wrong):
    """Drops a call without arguments."""

    def changed(self, news: News) -> Iterator[ParserNews]:
        yield from (one for one in news if one.get("name") != "git_status" and not {"arguments", "end"} & one.keys())


LATER: Mapping[type[ReferenceParser], tuple[str, str, str]] = {
    StripsValues: ("parser.arguments.kept", "qwen3-coder", "write_file.line_ends"),
    RoundsNumbers: ("parser.arguments.kept", "llama3-json", "arguments.big"),
    StopsAtFirstBrace: ("parser.arguments.kept", "hermes", "brackets"),
    SaysTextAtTheEnd: ("parser.text.as-it-comes", "deepseek-v3", "long_text"),
    LosesTextAfterCalls: ("parser.text.late", "hermes", "text_after"),
    RepeatsTheName: ("parser.call.news", "hermes", "shell.success"),
    TakesTwinsForOne: ("parser.call.kept", "mistral-args", "parallel_calls.identical"),
    DropsBroken: ("parser.tell.broken", "hermes", "broken_json"),
    ForgetsEmptyArguments: ("parser.call.kept", "hermes", "no_arguments.empty"),
}
