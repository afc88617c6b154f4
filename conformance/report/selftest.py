"""The selftest for people: as lines of text, and as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from conformance.documents import Document
from conformance.report.markdown import escaped, row
from conformance.report.summary import plain

SHOWN_MUTANTS = 3
"""How many of the mutants that a rule kills are named."""
SHOWN_MANY = 12
"""How many of the mutants that many rules name are shown."""
FATES = ("killed", "survived", "equivalent", "idle")
HEADINGS = ("killed", "survived", "explained", "idle", "score")


# --- lines of text ---------------------------------------------------------------------------------------------------


def lines(document: Document, *, verbose: bool) -> Iterator[str]:
    """The selftest as lines: the counts, what survives, what is wrong."""
    yield from map(plain, _lines(document, verbose=verbose))


def _lines(document: Document, *, verbose: bool) -> Iterator[str]:
    summary = document["summary"]
    rows = {**summary["providers"], "all": summary}
    width = max(len(name) for name in rows)
    yield f"{'provider':<{width}}  " + "  ".join(f"{name:>9}" for name in HEADINGS)
    for name, counts in rows.items():
        numbers = [str(counts[fate]) for fate in FATES] + [_share(counts)]
        yield f"{name:<{width}}  " + "  ".join(f"{number:>9}" for number in numbers)
    if verbose:
        yield ""
        yield from (f"{rule['id']}  {_kills(rule)}" for rule in document["rules"])
    if survivors := [mutant for mutant in document["mutants"] if mutant["fate"] == "survived"]:
        yield from ("", "survivors without explanation:")
        yield from (f"  {item['provider']}  {item['name']}  ({item['survives_in']})" for item in survivors)
    yield ""
    yield _verdict(document)
    yield from (f"  {problem}" for problem in document["problems"])


def _share(counts: Document) -> str:
    return "-" if counts["score"] is None else f"{counts['score']:.1%}"


def _kills(rule: Document) -> str:
    if not rule["kills"]:
        return str(rule.get("why") or "kills none")
    names = ", ".join(rule["mutants"][:SHOWN_MUTANTS])
    return f"kills {rule['kills']}: {names}{', …' if len(rule['mutants']) > SHOWN_MUTANTS else ''}"


def _verdict(document: Document) -> str:
    rules, problems = document["summary"]["rules"], document["problems"]
    words = f"{rules['kills']} rules kill, {rules['no_kill']} do not, {rules['not_observable']} cannot be observed"
    return f"{words}; " + (f"{len(problems)} problems:" if problems else "no problems")


# --- Markdown --------------------------------------------------------------------------------------------------------


def selftest_markdown(document: Document) -> str:
    """The selftest as a Markdown document."""
    return "\n".join(_markdown(document)).rstrip() + "\n"


def _markdown(document: Document) -> Iterator[str]:
    suite = document["suite"]
    yield from ("# Do the rules bite?", "")
    yield (
        f"Made by {_code(document['run']['command'])}, suite {escaped(suite['version'])} "
        f"({suite['rules']} rules, {suite['scenarios']} scenarios)."
    )
    yield from ("", "A mutant is the reference adapter with one thing wrong. A rule that names its fault kills it.", "")
    yield f"**{_verdict(document)}**"
    yield from ("", *(f"- {escaped(problem)}" for problem in document["problems"])) if document["problems"] else ()
    yield from _counts("provider", document["summary"]["providers"], document["summary"])
    yield from _counts("what is wrong", document["summary"]["kinds"])
    yield from _rules(document["rules"])
    yield from _survivors(document)
    yield from _imprecise(document["mutants"])


def _counts(first: str, rows: Document, total: Document | None = None) -> Iterator[str]:
    yield from ("", row([first, *HEADINGS]), row(["---", *["--:"] * len(HEADINGS)]))
    for name, counts in {**rows, **({"**all**": total} if total is not None else {})}.items():
        yield row([name, *(str(counts[fate]) for fate in FATES), _share(counts)])


def _rules(rules: Iterable[Document]) -> Iterator[str]:
    yield from ("", "## Which rule kills which mutants", "")
    yield from (row(["rule", "kills", "such as"]), row(["---", "--:", "---"]))
    for rule in rules:
        names = ", ".join(_code(name) for name in rule["mutants"][:SHOWN_MUTANTS])
        yield row([_code(rule["id"]), str(rule["kills"]), names or escaped(rule.get("why") or "nothing")])


def _survivors(document: Document) -> Iterator[str]:
    survivors = [mutant for mutant in document["mutants"] if mutant["fate"] == "survived"]
    yield from ("", "## Survivors", "")
    if survivors:
        yield from ("Without explanation:", "")
        for item in survivors:
            yield f"- {item['provider']}: {_code(item['name'])} in {_code(item['survives_in'])}"
        yield ""
    yield from ("Explained: what they do is nothing wrong.", "")
    yield from (row(["providers", "why", "mutants"]), row(["---", "---", "--:"]))
    for entry in document["equivalent"]:
        names = dict.fromkeys(name.partition(" ")[0] for name in entry["mutants"])
        yield row([", ".join(names), escaped(entry["why"]), str(len(entry["mutants"]))])


def _imprecise(mutants: Iterable[Document]) -> Iterator[str]:
    """The mutants that most rules name: a fault should be named by the few rules that it belongs to."""
    most: Counter[str] = Counter()
    for mutant in mutants:
        most[mutant["name"]] = max(most[mutant["name"]], len(mutant.get("killed_by", ())))
    yield from ("", "## The mutants that most rules name", "")
    yield from (row(["mutant", "rules"]), row(["---", "--:"]))
    yield from (row([_code(name), str(count)]) for name, count in most.most_common(SHOWN_MANY))


def _code(text: str) -> str:
    return f"`{plain(text)}`".replace("|", "\\|")
