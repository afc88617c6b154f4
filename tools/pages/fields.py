"""Makes docs/fields: what stands where on each provider's wire, field by field, with the rules about it.

    python tools/pages/fields.py
    python tools/pages/fields.py --check     say what would be written anew, and exit 1 if anything would
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from conformance.report.ends import End
from conformance.report.fields import MEANINGS, Field, fields
from conformance.report.markdown import code, fenced, row
from conformance.rules import Rule
from conformance.wires import PROVIDERS, card

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "fields"
NOTE = (
    "The examples are what the harness itself sends and answers; `conformance explain SCENARIO --provider P` shows "
    "whole conversations. Another request may conform, too: the rules say what all of them must have. Made by "
    "`python tools/publish.py fields`."
)

ENDS = (
    "All words that the official types have, and those that are known beside them, with what they mean for the neutral "
    "turn and where they are known from. Beside calls `tool_calls` means that the calls are to be run, whatever the "
    "word says. A word that is not listed is no error."
)


def pages() -> dict[str, str]:
    """Each page's text by its file's name."""
    known = {provider: fields(provider) for provider in PROVIDERS}
    made = {f"{provider}.md": _text(_page(provider, found)) for provider, found in known.items()}
    return {"README.md": _text(_index(known)), **made}


def stale() -> list[str]:
    """The files that would be written anew, or are no page of today."""
    today = pages()
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.md")}
    return [f"docs/fields/{name}" for name in sorted({*today, *there}) if today.get(name) != there.get(name)]


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines) + "\n"


def _index(known: dict[str, list[Field]]) -> Iterator[str]:
    yield from ("# Fields", "", "Read these first when you write a translator: what stands where on each wire.", "")
    yield NOTE
    for number, (name, meaning) in enumerate(MEANINGS.items()):
        yield from ("", f"## {name.capitalize()}", f"{meaning.capitalize()}.", "")
        yield from (row(["provider", "when", "where"]), "|---|---|---|")
        for provider, found in known.items():
            link = f"[{provider}]({provider}.md#{name})"
            for example in found[number].examples or ():
                yield row([link, example.what, code(example.at)])
            if not found[number].examples:
                told = "in the stream" if found[number].stream else "no place for it"
                yield row([link, told, ""])


def _page(provider: str, found: list[Field]) -> Iterator[str]:
    yield from (f"# {card(provider).title}: fields", "", NOTE, "", f"All providers: [fields](README.md). Address: "
                f"`{card(provider).base_url}`.")  # fmt: skip
    for field in found:
        yield from ("", f"## {field.name.capitalize()}", f"{MEANINGS[field.name].capitalize()}.", "")
        yield from _examples(field)
        yield from _ends(field.ends)
        yield from _rules(field.rules)


def _examples(field: Field) -> Iterator[str]:
    if field.examples:
        yield from (row(["when", "where", "what stands there"]), "|---|---|---|")
        for example in field.examples:
            text = json.dumps(example.value, ensure_ascii=False)
            yield row([example.what, code(example.at), code(text)])
    elif field.stream:
        yield from fenced(field.stream.strip("\n").splitlines())
    else:
        yield "The format has no place for it."


def _ends(known: tuple[End, ...]) -> Iterator[str]:
    """Every word for an end, and what it means. Another word is one that is not known yet, and means no harm."""
    if not known:
        return
    yield from ("", ENDS, "")
    yield from (row(["where", "word", "what it means", "beside calls", "known from"]), "|---|---|---|---|---|")
    for end in known:
        beside = code(end.beside_calls) if end.beside_calls else ""
        yield row([code(end.at), code(end.word), code(end.stop), beside, end.known_from])


def _rules(rules: tuple[Rule, ...]) -> Iterator[str]:
    if rules:
        yield ""
    for rule in rules:
        yield f"- [`{rule.id}`]({_words_of(rule)}) ({rule.level}): {rule.statement}"


def _words_of(rule: Rule) -> str:
    """The file that has the rule's words, from a page of fields."""
    assert rule.check is not None
    return f"../../{rule.check.__module__.replace('.', '/')}.yaml"


def main() -> int:
    """The command. Returns its exit code."""
    if "--check" in sys.argv[1:]:
        told = stale()
        sys.stdout.write("".join(f"{name} is not of today\n" for name in told))
        return 1 if told else 0
    FOLDER.mkdir(exist_ok=True)
    today = pages()
    for path in FOLDER.glob("*.md"):
        if path.name not in today:
            path.unlink()
    for name, text in today.items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
