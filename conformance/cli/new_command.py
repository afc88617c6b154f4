"""Begin an adapter, a scenario or a rule: files that run as they are, to be made yours."""

from __future__ import annotations

import argparse
import keyword
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.cli import UsageError
from conformance.cli.scaffolding import (
    LANGUAGES,
    adapter_files,
    filled_scaffold,
    package_name,
    small_adapter,
    small_formats,
    template,
    write_all,
)
from conformance.cli.scaffolding_typescript import SMALL_TYPESCRIPT, small_typescript
from conformance.files.whole import write_text
from conformance.hints import meant

SMALL_IN: Mapping[str, Collection[str]] = {"python": small_formats(), "typescript": SMALL_TYPESCRIPT}
"""By language, the providers for which there is a small adapter."""
SCAFFOLD = "openai-chat"
"""The provider that each language's scaffold is for, by itself."""
WRITERS: Mapping[str, Callable[[Sequence[str], str], dict[str, str]]] = {
    "python": small_adapter, "typescript": small_typescript,
}  # fmt: skip

ADAPTER_STEPS = {
    "python": "cd {0} && conformance run python:adapter:Adapter",
    "typescript": 'cd {0} && npm install && npm run build && conformance run "stdio:node dist/main.js"',
    "go": "cd {0} && go build && conformance run stdio:./{1}",
}
"""How each scaffold is run."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="adapter|scenario|rule")
    adapter = kinds.add_parser("adapter", help="an adapter that conforms in what it declares")
    adapter.add_argument("folder", nargs="?", type=Path, default=Path("my-adapter"), metavar="DIR")
    adapter.add_argument(
        "--provider", action="append", default=[], metavar="P,…",
        help=f"a small adapter for these providers (in Python {', '.join(SMALL_IN['python'])}; in TypeScript "
        f"{', '.join(SMALL_TYPESCRIPT)}); without it, one for {SCAFFOLD} that also takes what hosts of the format do "
        "otherwise, and tells news",
    )  # fmt: skip
    adapter.add_argument("--language", choices=LANGUAGES, default="python", help="default: %(default)s")
    adapter.add_argument("--name", help="the adapter's name in reports (default: that of DIR)")
    adapter.set_defaults(make=new_adapter)
    scenario = kinds.add_parser("scenario", help="a scenario that can be played")
    scenario.add_argument("name", metavar="NAME", help="family.name, such as weather.two_cities")
    scenario.add_argument("--dir", type=Path, default=Path("scenarios"), help="the folder (default: %(default)s)")
    scenario.set_defaults(make=new_scenario)
    rule = kinds.add_parser("rule", help="a rule with its words and its check, in a checkout of this project")
    rule.add_argument("name", metavar="ID", help="such as chat.declare.described")
    rule.add_argument("--topic", metavar="NAME", help="the pair of files (default: stage_name)")
    rule.add_argument("--dir", type=Path, default=Path(), help="the checkout (default: here)")
    rule.set_defaults(make=new_rule)


def main(options: argparse.Namespace) -> int:
    """Write the files and say what to do next. Returns the exit code."""
    from conformance.report.printing import say

    for line in options.make(options):
        say(line)
    return 0


def new_adapter(options: argparse.Namespace) -> list[str]:
    """An adapter's files."""
    folder: Path = options.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already, and is not an empty folder")
    name = package_name(Path(options.name) if options.name else folder)
    providers = _small_providers(options)
    made = WRITERS[options.language](providers, name) if providers else dict(adapter_files(options.language, name))
    files = {folder / path: text for path, text in made.items()}
    write_all(files)
    if providers and options.language == "python":
        return [*map(str, files), f"next: cd {shlex.quote(str(folder))} && conformance run ./adapter.py"]
    return [*map(str, files), f"next: {ADAPTER_STEPS[options.language].format(shlex.quote(str(folder)), name)}"]


def _small_providers(options: argparse.Namespace) -> list[str]:
    """The providers of a small adapter, each once; none: the scaffold. Raises `UsageError` for one that has neither."""
    names = list(dict.fromkeys(name for given in options.provider for name in given.split(",")))
    there = SMALL_IN.get(options.language, ())
    if names == [SCAFFOLD] and SCAFFOLD not in there:
        return []
    for name in names:
        if name not in there:
            choices = [*([] if SCAFFOLD in there else [f"{SCAFFOLD} alone"]), *([", ".join(there)] if there else [])]
            raise UsageError(
                f"--provider {name}: there is an adapter in {options.language} for {', or for '.join(choices)}"
                f"{meant(name, there)}"
            )
    return names


def new_scenario(options: argparse.Namespace) -> list[str]:
    """A scenario's file."""
    found = re.fullmatch(r"([a-z0-9_]+)\.([a-z0-9_]+)", options.name)
    if found is None:
        raise UsageError(f"{options.name!r} is no scenario's name: write family.name, in a-z, 0-9 and _")
    path = options.dir / found[1] / f"{found[2]}.yaml"
    write_all({path: template("scenario/scenario.yaml")})
    return [str(path), f"next: conformance run --scenarios {shlex.quote(str(options.dir))} --scenario {options.name}"]


# --- rules -----------------------------------------------------------------------------------------------------------

def new_rule(options: argparse.Namespace) -> list[str]:
    """A rule: a pair of files, words and check, as the last topic of its family."""
    from conformance.rules.families import prefixes

    rules: Path = options.dir / "conformance" / "rules"
    if not (rules / "pairs.py").is_file():
        raise UsageError(f"{options.dir} is no checkout of this project: rules live in conformance/rules")
    prefix, stage, short = _parts(options.name)
    family, providers = prefixes()[prefix]
    folder = rules / family
    for there in sorted(folder.glob("*.yaml")):
        if f"\n- id: {options.name}\n" in f"\n{there.read_text('utf-8')}":
            raise UsageError(f"{options.name} is in {there} already")
    function = re.sub(r"\W", "_", short) + "_" * keyword.iskeyword(short)
    topic = options.topic or f"{stage}_{function}"
    if not topic.isidentifier():
        raise UsageError(f"{topic!r} is no topic: write a name in a-z, 0-9 and _")
    entry = _words(options.name, stage, providers)
    values = {"id": options.name, "function": function, "title": entry["statement"]}
    words, check = folder / f"{topic}.yaml", folder / f"{topic}.py"
    write_all({words: _yaml([entry]), check: filled_scaffold(template("rule/check.py.txt"), values)})
    _add_topic(folder / "__init__.py", topic)
    return [
        str(words),
        str(check),
        f"{folder / '__init__.py'} (the last of its TOPICS)",
        f"next: write statement, source, evidence, example and violation; then pytest tests/rules -k {options.name}",
        "a pair holds the rules of one topic: where it belongs to another, move both parts there (400 lines at most)",
    ]


def _add_topic(path: Path, topic: str) -> None:
    """Put a topic at the end of a family's ``TOPICS``."""
    text = path.read_text("utf-8")
    write_text(path, text.replace("\n)\n", f'\n    "{topic}",\n)\n', 1))


def _parts(name: str) -> tuple[str, str, str]:
    from conformance.rules import catalogue
    from conformance.rules.families import prefixes

    stages = sorted({rule.stage for rule in catalogue().values()})
    parts = name.split(".")
    if len(parts) != 3 or not all(re.fullmatch(r"[a-z][a-z0-9-]*", part) for part in parts):
        raise UsageError(f"{name!r} is no rule's id: write provider.stage.name, such as chat.declare.described")
    if parts[0] not in prefixes():
        raise UsageError(f"{name}: the first part must be one of {', '.join(prefixes())}{meant(parts[0], prefixes())}")
    if parts[1] not in stages:
        raise UsageError(f"{name}: the second part must be a stage: {', '.join(stages)}{meant(parts[1], stages)}")
    return parts[0], parts[1], parts[2]


def _words(name: str, stage: str, providers: str) -> dict[str, Any]:
    """The words: a rule about descriptions, with an example that conforms and a patch that breaks it."""
    import datetime
    import json

    from conformance.model import Conversation, Tool, UserTurn
    from conformance.rules.groups import group
    from conformance.version import VERSION
    from conformance.wires import wire

    words = "Adds two numbers."
    number = {"type": "number"}
    schema = {"type": "object", "properties": {"a": number, "b": dict(number)}, "required": ["a", "b"]}
    talk = Conversation((UserTurn("What is 1 + 2?"),), (Tool("add", words, schema),))
    request = json.loads(wire(group(providers)[0]).build(talk, stream=False).body)
    return {
        "id": name,
        "level": "should",
        "consequence": "degraded",
        "profile": "any",
        "stage": stage,
        "side": "build",
        "providers": [providers],
        "statement": "Every declared tool has a description.",
        "source": ["policy of this suite: or the specification, official type or error that says so, with its address"],
        "evidence": [
            {
                "providers": [providers],
                "class": "policy",
                "source": "policy of this suite: why",
                "date": datetime.date.today().isoformat(),
            }
        ],
        "since": VERSION,
        "pass": {"request": request},
        "violate": [{"op": "replace", "path": f"/request{_place_of(words, request)}", "value": ""}],
    }


def _place_of(value: Any, document: Any, at: str = "") -> str | None:
    """The JSON pointer to where ``value`` is."""
    if document == value:
        return at
    if not isinstance(document, dict | list):
        return None
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    return next((place for key, item in pairs if (place := _place_of(value, item, f"{at}/{key}"))), None)


def _yaml(document: Any) -> str:
    import yaml

    return yaml.dump(document, sort_keys=False, allow_unicode=True, width=118)
