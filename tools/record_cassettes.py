"""Make the recordings in ``cassettes/`` again: each provider's own SDK against ``conformance serve``, over sockets.

    python tools/record_cassettes.py             what is missing
    python tools/record_cassettes.py --again     everything
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from conformance.cli import main as conformance
from conformance.wires import card, cards

ROOT = Path(__file__).resolve().parent.parent
MAX_CALLS = "2000"

ADAPTERS: Mapping[str, str] = {one.id: one.sdk or "reference" for one in cards()}
"""Who records each provider: its SDK. The unified format has none."""

SCENARIOS = (
    "arguments.nested", "binary_image.one_image", "declare.rich_schema", "errors.rate_limit", "errors.length_in_text",
    "errors.stream_error_before_call", "grep.no_matches", "handoff.finished_round",
    "multi_turn.hello", "multi_turn.sequential_chain", "names.mcp_tool", "no_arguments.empty_object",
    "parallel_calls.identical_calls", "parallel_calls.one_fails",
    "read_file.plain", "read_many_files.two_files", "reasoning.one_call", "replace.multi_line", "shell.success",
    "shell.non_zero_exit", "tool_choice.forced_tool", "unified.accept", "unified.reject", "web.search_tool",
    "write_file.quotes_and_newlines",
)  # fmt: skip
"""One or two telling ones of each family. Which of them a provider can play, the scenarios say themselves."""

INSTEAD: Mapping[tuple[str, str], str] = {
    ("ollama", "declare.rich_schema"): "declare.untyped_root",
}
"""What is recorded where a provider's SDK leaves out what a scenario is about: Ollama's types know no ``minItems``."""

QUIRKS = ("usage_only_at_end", "content_empty", "missing_ids", "content_missing", "unknown_fields")
"""Of the family quirks, those that SDKs understand. The first that a provider has is recorded. Unknown fields are the
last, because some SDKs send them back."""

LEFT_OUT = frozenset({("mistral", "errors.stream_error_before_call")})
"""What a provider's SDK cannot play: OpenAI's takes Mistral's error inside a stream for a chunk without choices."""

ONLY: Mapping[tuple[str, str], str] = {
    ("gemini", "reasoning.one_call"): "blocking",
}
"""Cases of which one delivery is recorded: streamed thoughts go back in as many parts as they came in, by the SDK, and
in one by others, and that is another request."""


def main() -> int:
    """Record, provider by provider. Returns 0 when all is recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--again", action="store_true", help="also what is recorded already")
    parser.add_argument("--to", type=Path, default=ROOT / "cassettes", metavar="DIR")
    parser.add_argument("--provider", choices=ADAPTERS, action="append", metavar="P", help="only this one")
    options = parser.parse_args()
    codes = [_record(provider, options.to, again=options.again) for provider in options.provider or ADAPTERS]
    return max(codes)


def _record(provider: str, to: Path, *, again: bool) -> int:
    names = [INSTEAD.get((provider, name), name) for name in SCENARIOS if (provider, name) not in LEFT_OUT]
    names.append(f"quirks.{next(quirk for quirk in QUIRKS if quirk in card(provider).quirks)}")
    words = ["record", "--serve", "--provider", provider, "--adapter", ADAPTERS[provider], "--to", str(to)]
    words += ["--max-calls", MAX_CALLS, *(["--again"] if again else [])]
    codes = [conformance([*words, *_scenarios(name for name in names if (provider, name) not in ONLY)])]
    for name in names:
        if (provider, name) in ONLY:
            codes.append(conformance([*words, *_scenarios([name]), "--delivery", ONLY[provider, name]]))
    return max(codes)


def _scenarios(names: Iterable[str]) -> list[str]:
    return [word for name in names for word in ("--scenario", name)]


if __name__ == "__main__":
    sys.exit(main())
