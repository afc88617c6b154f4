"""How the command line writes the settings that an error names."""

from __future__ import annotations

from collections.abc import Callable

from conformance.runner.errors import Option

FLAGS = {"origin": "--serve", "allow_shell": "--allow-shell", "again": "--again", "exitfirst": "--exitfirst"}
"""Settings that are options without a value."""
OPTIONS = {
    "providers": "--provider",
    "scenarios": "--scenario",
    "scenario_folder": "--scenarios",
    "requirement_set": "--set",
    "rules": "--rule",
    "deliveries": "--delivery",
    "models": "--model",
    "base_urls": "--base-url",
    "max_calls": "--max-calls",
    "failed_from": "--failed-from",
}
"""Settings whose options have another name."""
OWN = {"record": {"cassettes": "--to"}}
"""The same, of one command."""


def option_spelling(command: str) -> Callable[[Option], str]:
    """Writes settings as options of a command."""
    names = OPTIONS | OWN.get(command, {})

    def spelled(option: Option) -> str:
        if option.name in FLAGS:
            return FLAGS[option.name]
        words = (names.get(option.name, f"--{option.name}"), option.value or option.metavar)
        return " ".join(word for word in words if word)

    return spelled
