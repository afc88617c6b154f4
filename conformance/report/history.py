"""A history for people: as lines of text, and as a page of Markdown; a bisection as lines. Reads only documents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from conformance.documents import Document
from conformance.report.markdown import EMOJI, code, escaped, row
from conformance.report.summary import GLYPHS, WORDS, counted, plain, words

STANDINGS = {
    "played": "played",
    "lacking": "nothing to play: the release lacks what the cases need",
    "misfit": "not judged: the shim does not fit this release",
    "installation": "not judged: it cannot be used as it is installed",
    "network": "not judged: it needs the network",
    "not_installed": "not judged: no environment could be made",
    "unusable": "not judged: it could not be loaded",
    "out_of_time": "not looked at: the time was over",
}
"""What a release came to that was not judged, and why: nobody is blamed."""

UNKNOWN = "?"
"""The sign of a release that was not judged."""
SHOWN_CASES = 2
SHOWN_PACKAGES = 6
QUIET = ("unsupported", "not_applicable", None)
"""What says nothing of a rule in a release."""


def history_lines(document: Document, *, verbose: bool = False) -> Iterator[str]:
    """The history as lines of text. ``verbose`` names the rules, too, that never changed."""
    yield _head(document)
    yield ""
    yield from (f"  {line}" for line in _releases(document))
    for provider in dict.fromkeys(rule["provider"] for rule in document["rules"]):
        own = [rule for rule in document["rules"] if rule["provider"] == provider]
        told = [rule for rule in own if verbose or not _is_quiet(rule)]
        yield from ("", provider)
        yield from (f"  {_signs(rule)}  {rule['rule']}  {_since(rule)}" for rule in told)
        yield from (f"  {line}" for line in _counted(own, told))
    yield from ("", "turning points, the newest first" if document["turns"] else "no turning points")
    for heading, turns in _steps(document):
        yield f"  {heading}"
        yield from (f"    {_turn(turn)}" for turn in turns)
        yield from (f"    {line}" for line in _surroundings(turns[0]))
    if signs := _legend(document):
        yield from ("", signs)


def _head(document: Document) -> str:
    releases = document["releases"]
    judged = sum(one["standing"] == "played" for one in releases)
    span = f"{_dated(releases[0])} to {_dated(releases[-1])}" if len(releases) > 1 else _dated(releases[0])
    return f"{document['library']}: {counted(len(releases), 'release')}, {span}; {judged} judged"


def _dated(release: Document) -> str:
    return f"{release['version']} ({release['uploaded'][:10]})"


def _releases(document: Document) -> Iterator[str]:
    width = max(len(one["version"]) for one in document["releases"])
    for one in document["releases"]:
        yield f"{one['version']:<{width}}  {one['uploaded'][:10]}  {_came_to(one)}"


def _came_to(release: Document) -> str:
    if release["standing"] != "played":
        why = f": {plain(release['why'])}" if release["why"] else ""
        return f"{STANDINGS[release['standing']]}{why}"
    tally = ", ".join(f"{count} {words(outcome)}" for outcome, count in _in_order(release["cells"]))
    return f"{counted(release['cases'], 'case')}, rules: {tally}"


def _in_order(cells: dict[str, int]) -> list[tuple[str, int]]:
    order = list(GLYPHS)
    return sorted(cells.items(), key=lambda item: order.index(item[0]))


def _signs(rule: Document) -> str:
    return "".join(UNKNOWN if outcome is None else GLYPHS[outcome] for outcome in rule["outcomes"])


def _is_quiet(rule: Document) -> bool:
    """Whether a rule passes wherever it was judged, or never was: it is told as a number only."""
    return {outcome for outcome in rule["outcomes"] if outcome not in QUIET} <= {"pass"}


def _since(rule: Document) -> str:
    told = rule["since"]
    word = WORDS[told["outcome"]]
    if told["first"]:
        return f"{word} since {told['version']} or earlier"
    return f"{word} since {told['version']} (before: {words(told['was'])})"


def _counted(rules: Sequence[Document], told: Sequence[Document]) -> Iterator[str]:
    """The rules that are not told one by one: how many pass since when, and how many were never judged."""
    left = [rule for rule in rules if rule not in told]
    passing = [rule for rule in left if "pass" in rule["outcomes"]]
    always = [rule for rule in passing if set(rule["outcomes"]) <= {"pass", None}]
    if always:
        yield f"{counted(len(always), 'rule')} passed in every release that was judged"
    if len(passing) > len(always):
        yield f"{counted(len(passing) - len(always), 'rule')} passed wherever something was there to judge"
    if len(left) > len(passing):
        yield f"{counted(len(left) - len(passing), 'rule')} could not be played in any release"


def _steps(document: Document) -> Iterator[tuple[str, list[Document]]]:
    """The turns by the releases that they lie between, each with its heading."""
    for (after, before), own in groupby(document["turns"], key=lambda turn: (turn["after"], turn["before"])):
        turns = list(own)
        gap = f"; not judged between them: {', '.join(turns[0]['between'])}" if turns[0]["between"] else ""
        yield f"{after} after {before}{gap}", turns


def _turn(turn: Document) -> str:
    cases = ", ".join(turn["cases"][:SHOWN_CASES])
    more = len(turn["cases"]) - SHOWN_CASES
    told = f"{cases} and {more} more" if more > 0 else cases
    return f"{turn['kind']} {turn['rule']} on {turn['provider']} ({WORDS[turn['was']]} → {WORDS[turn['now']]}): {told}"


def _surroundings(turn: Document) -> Iterator[str]:
    """What else was not the same: a turn may be the doing of a package that the library needs."""
    if not turn["packages"]:
        return
    told = [f"{one['name']} {one['before'] or '(none)'} → {one['after'] or '(none)'}" for one in turn["packages"]]
    more = len(told) - SHOWN_PACKAGES
    yield f"other packages changed, too: {', '.join(told[:SHOWN_PACKAGES])}{f' and {more} more' if more > 0 else ''}"


def _legend(document: Document) -> str:
    seen = {outcome for rule in document["rules"] for outcome in rule["outcomes"]}
    signs = [f"{sign} {words(name)}" for name, sign in GLYPHS.items() if name in seen]
    return "  ".join([*signs, *([f"{UNKNOWN} not judged"] if None in seen else [])])


# --- a bisection -----------------------------------------------------------------------------------------------------


def bisect_lines(document: Document) -> list[str]:
    """What was found, as lines of text."""
    about = f"{document['rule']} on {document['provider']}"
    lines = [f"{document['library']}: {about}, {document['releases']} releases"]
    width = max((len(one["version"]) for one in document["asked"]), default=0)
    for one in document["asked"]:
        lines.append(f"  {one['version']:<{width}}  {one['uploaded'][:10]}  {one['verdict'] or one['why']}")
    return [*lines, "", *_verdict(document, about)]


def _verdict(document: Document, about: str) -> list[str]:
    if document["kind"] is None:
        seen = {one["verdict"] for one in document["asked"]}
        judged = "nothing judged it" if seen <= {None} else "no case came to something else in another release"
        return [f"no turning point: {judged}"]
    before, after = document["before"], document["after"]
    lines = [
        f"{document['library']} {after['version']} ({after['uploaded'][:10]}) {document['kind']} {about}",
        f"  the release before that was judged: {before['version']} ({before['uploaded'][:10]})",
        f"  shown by {document['witness']}" + (f", and {len(document['others'])} more" if document["others"] else ""),
    ]
    if document["between"]:
        lines.append(f"  or one of these, which say nothing: {', '.join(document['between'])}")
    if len(document["turned"]) > 1:
        turned = ", ".join(f"{one} → {two}" for one, two in document["turned"])
        lines.append(f"  it is not monotone: it turned {len(document['turned'])} times ({turned}); this is the newest")
    return [*lines, *(f"  {line}" for line in _surroundings(document))]


# --- Markdown --------------------------------------------------------------------------------------------------------


def history_markdown(document: Document) -> str:
    """The history as a page."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(_page(document))).rstrip() + "\n"


def _page(document: Document) -> Iterator[str]:
    yield from (f"# {escaped(document['library'])} over time", "")
    made = f"Made by {code(document['command'])} on {document['made'][:10]}, suite {document['suite']['version']}."
    yield from (f"{escaped(_head(document))}. {made}", "")
    yield from ("| release | day | came to |", "|---|---|---|")
    for one in document["releases"]:
        yield row([code(one["version"]), one["uploaded"][:10], escaped(_came_to(one))])
    yield from ("", "## Turning points", "")
    yield from _turns_told(document)
    for provider in dict.fromkeys(rule["provider"] for rule in document["rules"]):
        yield from ("", f"## Rules on {escaped(provider)}", "")
        yield from _rules_told(document, provider)
    signs = [f"{EMOJI[name]} {words(name)}" for name in EMOJI if EMOJI[name] and _is_seen(document, name)]
    yield from ("", " · ".join([*signs, f"{UNKNOWN} not judged"]))


def _is_seen(document: Document, outcome: str) -> bool:
    return any(outcome in rule["outcomes"] for rule in document["rules"])


def _turns_told(document: Document) -> Iterator[str]:
    if not document["turns"]:
        yield "None: no case came to something else in a later release."
    for heading, turns in _steps(document):
        yield from (f"**{escaped(heading)}**", "")
        yield from (f"- {escaped(_turn(turn))}" for turn in turns)
        yield from (f"- {escaped(line)}" for line in _surroundings(turns[0]))
        yield ""


def _rules_told(document: Document, provider: str) -> Iterator[str]:
    own = [rule for rule in document["rules"] if rule["provider"] == provider]
    told = [rule for rule in own if not _is_quiet(rule)]
    if told:
        versions = [escaped(one["version"]) for one in document["releases"]]
        yield row(["rule", *versions, "now"])
        yield "|" + "|".join(["---", *[":-:"] * len(versions), "---"]) + "|"
    for rule in told:
        signs = [UNKNOWN if outcome is None else EMOJI[outcome] for outcome in rule["outcomes"]]
        yield row([code(rule["rule"]), *signs, escaped(_since(rule))])
    lines = list(_counted(own, told))
    if told and lines:
        yield ""
    yield from (f"{line}." for line in lines)
