"""What all writers say about a result: which failures there are, and how they count. Reads only the result document."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.documents import Document
from conformance.obstacles import ADVICE, HEADS
from conformance.outcomes import FAILURES

Cells = Mapping[tuple[str, str], Document]
"""One adapter's cells by (provider, rule)."""

JUDGED = frozenset({"pass", "warn", *FAILURES})
"""Outcomes of cells whose rule examined something."""

GLYPHS = {
    "harness_error": "H",
    "crash": "C",
    "timeout": "T",
    "error": "E",
    "protocol_error": "P",
    "fail": "✗",
    "warn": "!",
    "buffered": "b",
    "limit": "l",
    "oddity": "o",
    "unexpected_pass": "+",
    "expected_fail": "x",
    "pass": "✓",
    "model_choice": "~",
    "unsupported": "–",
    "not_applicable": "·",
}
"""One character for each way a cell is shown, the worst first. See `shown`."""


WORDS = {
    **dict.fromkeys(("harness_error", "crash", "timeout", "error", "protocol_error", "fail"), "fails"),
    **dict.fromkeys(("warn", "buffered", "limit", "unexpected_pass"), "warns"),
    "oddity": "oddity",
    **dict.fromkeys(("expected_fail",), "fails"),
    "pass": "passes",
    **dict.fromkeys(("model_choice", "unsupported", "not_applicable"), "not judged"),
}
"""The five words for a cell, by how it is shown. What is shown may say more: how it fails, or why it was not judged."""

CONSEQUENCES = {
    "rejected": "the provider answers with an error",
    "presumed": "the provider probably answers with an error: no record says either",
    "lost": "data, or the link between a call and its result, is lost",
    "degraded": "it works, but worse than it could",
}
"""What breaking a rule does, the worst first, in words."""

MOST_NAMES = 4
"""How many adapters are named in a title."""

STAGE_HEAD = "rules about"
ABOUT: Mapping[str, frozenset[str]] = {
    "MCP": frozenset({
        "common.naming.mcp-qualified-name", "common.naming.mcp-sanitised-characters",
        "common.naming.portable-length-63", "common.naming.no-collision", "common.naming.reverse-mapped-on-parse",
        "common.declare.schema-passthrough", "common.result.structured-output-serialised-as-json",
        "common.result.string-not-double-encoded", "common.result.resources-kept", "common.binary.image-kept",
        "common.binary.picture-sent", "common.result.error-visible-to-model",
    }),
}  # fmt: skip
"""What has a row of its own beside the stages, and the rules that see whether it is kept. docs/rules.md ("MCP") says of
each what it is about."""
"""The head of a column of stages."""


def shown(cell: Document) -> str:
    """How a cell is shown: its flag or its word, which say more, or else its outcome."""
    word: str = cell.get("flag") or cell.get("word") or cell["outcome"]
    return word


def consequence(rule: Document, cells: Iterable[Document]) -> str:
    """What breaking a rule does in these cells at worst. Results of earlier versions say it of the rule only."""
    said = {cell.get("consequence", rule["consequence"]) for cell in cells} or {rule["consequence"]}
    return next(name for name in CONSEQUENCES if name in said)


def words(name: str) -> str:
    """An outcome, flag or word in words."""
    return {"expected_fail": "expected failure"}.get(name, name.replace("_", " "))


EXPLAINED = {"fail": "", "warn": "", "pass": "", "oddity": "only hosts that deviate from the provider show it"}
"""What is said beside a word, where that is not how the cell is shown."""


def explained(name: str) -> str:
    """How a cell is shown, by one of the five words: ``fails (timeout)``."""
    more = EXPLAINED.get(name, words(name))
    return f"{WORDS[name]} ({more})" if more else WORDS[name]


def legend(cells: Iterable[Document]) -> str:
    """The glyphs of these cells, explained."""
    present = {shown(cell) for cell in cells}
    return "   ".join(f"{glyph} {explained(name)}" for name, glyph in GLYPHS.items() if name in present)


def columns(document: Document) -> list[tuple[str, str]]:
    """(adapter, provider) of each column, in order."""
    return list(dict.fromkeys((cell["adapter"], cell["provider"]) for cell in document["cells"]))


def providers_of(document: Document, adapter: str) -> list[str]:
    """The providers of an adapter's columns, in order."""
    return [provider for name, provider in columns(document) if name == adapter]


def titled(adapter: Document) -> str:
    """An adapter's name and version. Of several versions in one result, the name tells the version already."""
    name, version = adapter["name"], adapter["version"]
    says_it = not version or name == version or name.endswith((f" {version}", f"/{version}")) or f" {version} (" in name
    return str(name) if says_it else f"{name} {version}"


def subjects(document: Document) -> str:
    """The adapters by name, or how many there are."""
    names = [adapter["name"] for adapter in document["adapters"]]
    return ", ".join(names) if len(names) <= MOST_NAMES else counted(len(names), "adapter")


def rules_by_id(document: Document) -> dict[str, Document]:
    """The rules of a result."""
    return {rule["id"]: rule for rule in document["rules"]}


def rules_by_stage(document: Document) -> dict[str, list[str]]:
    """The ids of the rules by stage, both in the catalogue's order."""
    stages: dict[str, list[str]] = {}
    for rule in document["rules"]:
        stages.setdefault(rule["stage"], []).append(rule["id"])
    return stages


def rules_beside_stages(document: Document) -> dict[str, list[str]]:
    """The ids of the rules by what they are about beside their stage, in the order of the catalogue. A rule may stand
    in none."""
    present = [rule["id"] for rule in document["rules"]]
    found = {name: [rule for rule in present if rule in about] for name, about in ABOUT.items()}
    return {name: rules for name, rules in found.items() if rules}


def matrix_rows(document: Document) -> dict[str, list[str]]:
    """The rows of a matrix: a stage each, then what else rules are about, whose rules stand in their stages, too."""
    return {**rules_by_stage(document), **rules_beside_stages(document)}


def tally(cells: list[Document]) -> str:
    """How many of a group's cells pass, of those that were judged: ``10/12``. Without any, why: ``–`` or ``·``."""
    judged = [cell for cell in cells if cell["outcome"] in JUDGED]
    if not judged:
        return GLYPHS[state(cells)]
    return f"{sum(cell['outcome'] == 'pass' for cell in judged)}/{len(judged)}"


def state(cells: list[Document]) -> str:
    """How the worst cell of a group is shown."""
    present = {shown(cell) for cell in cells}
    return next((name for name in GLYPHS if name in present), "not_applicable")


def conclusion(document: Document) -> str:
    """Whether the adapters conform, in two or three words."""
    conclusions = {
        0: "conforms", 1: "does not conform", 2: "usage error",
        3: "the harness failed", 4: "nothing ran", 5: "a shim does not fit", 130: "interrupted",
    }  # fmt: skip
    return conclusions[document["run"]["exit_code"]]


def effort(document: Document) -> str:
    """How much was done, and in which profile."""
    run = document["run"]
    finished, planned = run["cases"]["finished"], run["cases"]["planned"] - run["cases"]["unsupported"]
    cases = f"{finished} of {planned} cases" if run["interrupted"] else f"{finished} cases"
    return f"{cases} in {run['duration_s']:.1f} s, profile {run['profile']}"


def verdict(document: Document) -> str:
    """The run in one line."""
    number = Counter(shown(cell) for cell in document["cells"])
    parts = [f"{number[name]} {words(name)}" for name in GLYPHS if number[name]]
    return f"{conclusion(document)}: {', '.join(parts) or _why_nothing(document)} — {effort(document)}"


def _why_nothing(document: Document) -> str:
    """Why there are no cells: the providers that adapters declare are others than those that were asked for."""
    declared = [f"{titled(one)} declares {', '.join(one['providers'])} alone" for one in document["adapters"]]
    return "; ".join(["no cells", *declared[:MOST_NAMES]])


def obstacles(document: Document) -> Iterator[str]:
    """What adapters met that is no fault of their conversations, a line each, with what to do."""
    for adapter in document["adapters"]:
        about = titled(adapter)
        for met in adapter.get("obstacles", []):
            where = f"in {met['cases']} cases" if met["cases"] else "when it was loaded"
            yield f"{about}: {HEADS[met['kind']]}: {met['error']} ({where}); {ADVICE[met['kind']]}"
        for found in adapter.get("installs", []):
            played = f"played with {found['mended']}" if found["mended"] else "nothing that it documents mends it"
            yield f"{about}: fails as it is installed by pip install {found['asked']}: {found['error']}; {played}"
        for what, missing in adapter.get("lacks", {}).items():
            yield f"{about}: unsupported: {what}; this release lacks {missing}"


def answered_by(document: Document) -> Iterator[str]:
    """Who answered, where that was not the script: the recordings and their age, keys that are missing, rates. And what
    the script could not answer for a host."""
    run = document["run"]
    unfit = {cell["why"] for cell in document["cells"] if cell.get("lack") == "answer"}
    yield from (f"not played: {why}" for why in sorted(unfit))
    if run.get("responder") == "cassette":
        yield from _recordings(run.get("recordings", []))
    if run.get("responder") == "live":
        unasked = (cell for cell in document["cells"] if cell.get("lack") == "access")
        if missing := sorted({f"{cell['provider']}: {cell['why']}" for cell in unasked}):
            yield f"not asked: {'; '.join(missing)}"
    if run.get("repeat"):
        yield _rates(document)


def _recordings(recordings: list[Document]) -> Iterator[str]:
    if not recordings:
        yield "nothing was recorded of what is selected: record it with conformance record"
        return
    ages = [item["age_days"] for item in recordings if "age_days" in item]
    origins = sorted({item.get("origin", "of unknown origin") for item in recordings})
    oldest = f"the oldest {max(ages)} {'day' if max(ages) == 1 else 'days'} old" if ages else "of unknown age"
    count = "1 recording" if len(recordings) == 1 else f"{len(recordings)} recordings"
    yield f"{count}, {oldest}, from {' and '.join(origins)}"
    if stale := [item["file"] for item in recordings if item.get("stale")]:
        more = f" and {len(stale) - 3} more" if len(stale) > 3 else ""
        yield f"stale, because the scenario has changed since: {', '.join(stale[:3])}{more}; record them again"


def _rates(document: Document) -> str:
    """Of what a model did not do alike each time, the worst rates; what it chose is no fault of the adapter's."""
    rated = [cell for cell in document["cells"] if cell.get("rate", {}).get("seen")]
    uneven = [cell for cell in rated if cell["rate"]["passed"] < cell["rate"]["seen"] or cell["rate"]["model_choice"]]
    uneven.sort(key=lambda cell: cell["rate"]["passed"] / (cell["rate"]["seen"] + cell["rate"]["model_choice"]))
    told = [
        f"{cell['rule']} on {cell['provider']} passed {cell['rate']['passed']} of {cell['rate']['seen']}"
        + (f", {cell['rate']['model_choice']} model choice" if cell["rate"]["model_choice"] else "")
        for cell in uneven[:3]
    ]
    even, times = len(rated) - len(uneven), document["run"]["repeat"]
    head = f"rates over {times} plays: {even} of {len(rated)} cells always passed"
    return "; ".join([head, *told])


def reproduction(document: Document, failure: Document) -> str:
    """The command that repeats the case of ``failure`` and judges it by its rule."""
    return str(document["evidence"][failure["evidence"]]["reproduce"])


def cut_words(evidence: Document) -> str | None:
    """Which cut of a stream makes the difference, in words, where that is known."""
    cut = evidence.get("cut")
    if cut is None:
        return None
    return f"at byte {cut['at_byte']}: {plain(cut['before'])}┃{plain(cut['after'])}"


def contrast(failure: Document, limit: int = 200) -> tuple[str, str]:
    """What was expected and what was found, a line each. Of long values, the parts where they begin to differ."""
    expected, found = (_line(failure.get(name)) for name in ("expected", "found"))
    if max(len(expected), len(found)) > limit:
        pairs = enumerate(zip(expected, found, strict=False))
        same = next((place for place, (one, other) in pairs if one != other), min(len(expected), len(found)))
        start = max(0, same - limit // 2)
        expected, found = (f"…{text[start:]}" if start else text for text in (expected, found))
    return clipped(expected, limit), clipped(found, limit)


def _line(value: Any) -> str:
    """A value in one line. Text is bare, for it may be words, unless it could be taken for something else."""
    bare = isinstance(value, str) and value != "" and value == " ".join(value.split()) and not _is_json(value)
    return plain(value if bare else json.dumps(value, ensure_ascii=False))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def counted(number: int, word: str, form: str = "") -> str:
    """A number of things: ``1 case``, ``2 cases``, ``0 fixes``."""
    return f"{number:{form}} {word}" if number == 1 else f"{number:{form}} {word}{'es' if word.endswith('x') else 's'}"


def clipped(text: str, limit: int) -> str:
    """``text``, or its beginning."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def plain(text: str) -> str:
    """``text`` in one line, with what a terminal would obey or nobody would see made visible."""
    return _UNSEEN.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode(), text)
