"""Options that go with one kind of run: shown in the help, and taken, only where that kind is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conformance.runner.errors import UsageError


@dataclass(frozen=True, slots=True)
class OptionKind:
    """What is asked for: the words that do so, how to see whether they are there, and the options that go with it."""

    words: str
    is_asked: Callable[[Sequence[str]], bool]
    options: tuple[str, ...]


def _says(option: str, value: str = "") -> Callable[[Sequence[str]], bool]:
    """Whether an option is given, with this value or with any."""

    def found(words: Sequence[str]) -> bool:
        after = [words[place + 1 : place + 2] for place, word in enumerate(words) if word == option]
        values = [*(one for given in after for one in given), *_joined(words, option)]
        return value in values if value else bool(values)

    return found


def _joined(words: Sequence[str], option: str) -> list[str]:
    return [word.removeprefix(f"{option}=") for word in words if word.startswith(f"{option}=")]


def _names_a_library(words: Sequence[str]) -> bool:
    from conformance.adapters.libraries.ways import ways_of  # a run without arguments does not need it

    return any(ways_of(word) for word in words if not word.startswith("-"))


KINDS = (
    OptionKind(
        "--responder live", _says("--responder", "live"), ("--model", "--base-url", "--allow-shell", "--repeat")
    ),
    OptionKind("--responder cassette", _says("--responder", "cassette"), ("--cassettes",)),
    OptionKind(
        "--generated all", lambda words: _says("--generated", "all")(words) or _says("--seed")(words), ("--found",)
    ),
    OptionKind("LIBRARY", _names_a_library, ("--way",)),
)


def suit(parser: argparse.ArgumentParser, words: Sequence[str], kinds: Sequence[OptionKind] = KINDS) -> None:
    """Hide the options of kinds that the words of a command do not ask for, and say where they are shown.

    Raises `UsageError` where one of them is given nevertheless.
    """
    hidden = [kind for kind in kinds if not kind.is_asked(words)]
    for kind in hidden:
        for option in kind.options:
            if option in words or _joined(words, option):
                raise UsageError(f"{option} needs {kind.words}: see '{parser.prog} {kind.words} --help'")
    names = {option for kind in hidden for option in kind.options}
    for action in parser._actions:  # argparse has no other way to them
        if names.intersection(action.option_strings):
            action.help = argparse.SUPPRESS
    width = max((len(kind.words) for kind in hidden), default=0)
    told = [f"  {parser.prog} {kind.words:<{width}} --help   {', '.join(kind.options)}" for kind in hidden]
    if told:
        parser.epilog = "\n".join(["options of one kind of run are shown with it:", *told])
