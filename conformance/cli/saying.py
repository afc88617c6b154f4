"""What the command line says of itself: usage, mistakes, and what it cannot hide everywhere."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NoReturn, TextIO

from conformance.masking.door import own_mask
from conformance.masking.environment import weak_variables
from conformance.report.printing import say_to


class MaskedParser(argparse.ArgumentParser):
    """Repeats no secret of what it was given, says in one line what is wrong with it, and what may have been meant."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"allow_abbrev": False, **settings})

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """The options. Ends the command where some are unknown."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            flag = next((word.partition("=")[0] for word in unknown if word.startswith("-")), None)
            hint = f"; did you mean {close!r}?" if flag is not None and (close := _closest(flag, self._flags())) else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return options

    def format_help(self) -> str:
        """The help. It says how pages are read that it names: they need not be here."""
        text = super().format_help()
        named = re.search(r"docs/[a-z-]+\.md", text)
        if named is None:
            return text
        return f"{text}\n'conformance explain {named[0]}' prints a page that is named here.\n"

    def _flags(self) -> list[str]:
        """All options, those of subcommands too."""
        found = [flag for action in self._actions if action.help != argparse.SUPPRESS for flag in action.option_strings]
        for action in self._actions:
            below = action.choices.values() if isinstance(action.choices, dict) else ()
            found += [flag for one in below if isinstance(one, MaskedParser) for flag in one._flags()]
        return found

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [] if action.choices is None else [str(choice) for choice in action.choices]
        if choices and value not in choices:
            close = _closest(str(value), choices)
            hint = f"did you mean {close!r}? " if close else ""
            raise argparse.ArgumentError(action, f"invalid choice: {value!r}; {hint}there are {', '.join(choices)}")

    def error(self, message: str) -> NoReturn:
        """Say it in one line, and end with 2."""
        self.exit(2, f"{self.prog}: error: {message} (see '{self.prog} --help')\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        say_to(file or sys.stderr, message)


def _closest(name: str, known: list[str]) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, known, n=1, cutoff=0.6)), None)


class MaskedStream:
    """Standard error without secrets: warnings, logs and what threads raise come there by themselves."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write it, masked."""
        return self._stream.write(own_mask().text(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def say_what_is_weak() -> None:
    """Say, in one line, which keys are removed only where they stand as credentials."""
    names = weak_variables()
    if names:
        what = "a short value or a word of ours" if len(names) == 1 else "short values or words of ours"
        holds = "holds" if len(names) == 1 else "hold"
        words = f"{', '.join(sorted(names))} {holds} {what}: removed only where it stands as a credential"
        say_to(sys.stderr, f"conformance: {words}\n")
