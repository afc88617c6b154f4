"""Mutants of what an agent sends: each changes one thing in every request, as a faulty agent would do it.

``told_by`` are the rules that fit: one of them must tell it, in the script named.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from conformance.http import Request
from conformance.model import Json
from conformance.mutants.between.draft import Draft, draft_of, with_arguments
from conformance.wires.facts import Round, SentCall

RequestEdit = Callable[[Draft], None]


@dataclass(frozen=True, slots=True)
class RequestMutant:
    """One of them. ``series`` is 2 for those that were written after the rules had been settled."""

    name: str
    what: str
    edit: RequestEdit
    told_by: tuple[str, ...]
    script: str = "all_roles"
    series: int = 1

    def __call__(self, provider: str, request: Request) -> Request:
        """The request, changed."""
        draft = draft_of(provider, request)
        if draft is None:
            return request
        self.edit(draft)
        body = json.dumps(draft.done(), ensure_ascii=False, separators=(",", ":"))
        headers = {name: value for name, value in request.headers.items() if name.lower() != "content-length"}
        return replace(request, headers=headers, body=body.encode("utf-8", "surrogatepass"))


REQUEST_MUTANTS: dict[str, RequestMutant] = {}


def _mutant(
    what: str, *told_by: str, script: str = "all_roles", series: int = 1
) -> Callable[[RequestEdit], RequestEdit]:
    def enter(edit: RequestEdit) -> RequestEdit:
        name = edit.__name__
        REQUEST_MUTANTS[name] = RequestMutant(name, what, edit, told_by, script, series)
        return edit

    return enter


CALL_KEPT = "agent.history.call-kept"
CALLS_KEPT = "common.history.calls-kept"
ONE_EACH = "common.result.exactly-one-per-call"
ORPHAN = "common.result.no-orphan"
SAID = "agent.result.says-what-the-tool-said"
FAILURE = "agent.result.failure-visible"


@_mutant("nothing is changed: what is told then is told of the agent itself")
def nothing(draft: Draft) -> None:
    """The request goes on as it is."""


# --- calls -----------------------------------------------------------------------------------------------------------


@_mutant("the second of parallel calls is gone, with its result", CALL_KEPT)
def drops_second_call(draft: Draft) -> None:
    """Drops it."""
    for one, call in _seconds(draft):
        _remove(draft, one, call)


@_mutant("parallel calls become one, with the arguments of both", CALL_KEPT, CALLS_KEPT, script="parallel_reads")
def merges_parallel_calls(draft: Draft) -> None:
    """Merges them."""
    for one, call in _seconds(draft):
        first = one.calls[0]
        joined = f"{first.raw}{call.raw}" if isinstance(first.raw, str) else {**_object(call.raw), **_object(first.raw)}
        draft.put(first.arguments_at, joined)
        _remove(draft, one, call)


@_mutant("a call has other arguments than the model gave it", CALLS_KEPT, CALL_KEPT)
def changes_arguments(draft: Draft) -> None:
    """Changes them."""
    for call in draft.facts.calls:
        draft.put(call.arguments_at, with_arguments(call, lambda given: {**given, "made_up": True}))


@_mutant("a call has the name of another tool", CALLS_KEPT, CALL_KEPT, "common.naming.*", "*own-items*")
def renames_calls(draft: Draft) -> None:
    """Renames them."""
    names = [str(tool.name) for tool in draft.facts.client_tools]
    for call in draft.facts.calls:
        draft.put(call.name_at, next((name for name in names if name != call.name), "another"))


@_mutant("ids are others than those that were given out", "common.ids.verbatim-round-trip")
def rewrites_ids(draft: Draft) -> None:
    """Gives every call an id of its own."""
    for call in draft.facts.calls:
        if isinstance(call.id, str):
            draft.put(call.id_at, _other(call.id))
    for result in draft.facts.results:
        if isinstance(result.ref, str) and draft.value(result.ref_at) == result.ref:
            draft.put(result.ref_at, _other(result.ref))


@_mutant("a call is gone, and its result is not", ORPHAN, ONE_EACH, "agent.history.call-kept")
def drops_calls_alone(draft: Draft) -> None:
    """Drops the first call of the newest turn."""
    for one in draft.rounds[-1:]:
        draft.remove(one.calls[0].at)


@_mutant("calls and results go back as words", "agent.history.not-flattened")
def flattens(draft: Draft) -> None:
    """Writes all calls and results as texts."""
    for message in draft.facts.messages:
        if draft.format == "openai-chat" and message.calls:
            raw = draft.value(message.at)
            draft.put(message.at, {"role": "assistant", "content": _told(message.calls, raw.get("content"))})
            continue
        for call in message.calls:
            draft.put_item(call.at, _words(draft, "assistant", _told([call])))
    for result in draft.facts.results:
        draft.put_item(result.at, _words(draft, "user", f"Observation: {result.text}"))


@_mutant("the newest calls and results are gone", "agent.history.answer-kept", "agent.loop.asks-once")
def drops_last_turn(draft: Draft) -> None:
    """Drops them."""
    for one in draft.rounds[-1:]:
        for call in one.calls:
            _remove(draft, one, call)


@_mutant("the oldest calls and results are gone", CALL_KEPT, "agent.history.not-forgotten")
def forgets_first_turn(draft: Draft) -> None:
    """Drops them, from the third turn on."""
    for one in draft.rounds[:1] if len(draft.rounds) > 2 else ():
        for call in one.calls:
            _remove(draft, one, call)


@_mutant("the first two turns have changed places", "agent.history.in-order")
def reorders_history(draft: Draft) -> None:
    """Swaps them."""
    if len(draft.rounds) < 3:
        return
    (first, first_end), (second, second_end) = map(draft.span, draft.rounds[:2])
    old = draft.history[:]
    draft.history[first:second_end] = [*old[second:second_end], *old[first_end:second], *old[first:first_end]]


@_mutant("a call and its result stand in the history that nobody made", "agent.history.no-made-up-call")
def makes_up_a_call(draft: Draft) -> None:
    """Repeats the first turn under other ids and with other arguments."""
    for one in draft.rounds[:1]:
        first, end = draft.span(one)
        made = json.dumps(draft.history[first:end], ensure_ascii=False)
        for call in one.calls:
            made = made.replace(str(call.id), _other(str(call.id))) if call.id is not None else made
        made = made.replace("alpha-7731", "omega-1377").replace("shell-done-3301", "other-done-1033")
        made = made.replace("first.txt", "other.txt")
        draft.history[end:end] = json.loads(made)


@_mutant("what the model said beside its calls is gone", "agent.history.words-kept")
def drops_words_beside_calls(draft: Draft) -> None:
    """Drops the texts of the model's turns with calls."""
    if not draft.rounds:
        return
    for message in draft.facts.messages:
        for at, _ in message.texts if message.role == "assistant" else ():
            _drop_text(draft, message.at, at)


@_mutant("thinking and signatures are gone", "*reasoning*", "*signature*", "*thinking*", script="reasoning_forms")
def strips_thinking(draft: Draft) -> None:
    """Drops what the provider sealed."""
    draft.history[:] = [_without_thinking(one) for one in draft.history if _kind(one) != "reasoning"]


# --- results ---------------------------------------------------------------------------------------------------------


@_mutant("two results of a turn have changed places", "agent.result.of-its-call", SAID, script="parallel_reads")
def swaps_results(draft: Draft) -> None:
    """Swaps the contents of the first two."""
    for one in draft.rounds:
        if len(one.results) > 1:
            first, second = one.results[:2]
            draft.put(first.content_at, second.content)
            draft.put(second.content_at, first.content)


@_mutant("every result is that of the first call", SAID, "agent.result.of-its-call", FAILURE)
def answers_with_the_first_result(draft: Draft) -> None:
    """Gives each call the content of the first result."""
    for result in draft.facts.results[1:]:
        draft.put(result.content_at, copy.deepcopy(draft.facts.results[0].content))


@_mutant("results answer to the id of another call", "common.ids.*", ONE_EACH, ORPHAN, "*result*")
def answers_another_id(draft: Draft) -> None:
    """Has each result refer to the first call."""
    for result in draft.facts.results[1:]:
        if isinstance(result.ref, str):
            draft.put(result.ref_at, draft.facts.results[0].ref)


@_mutant("results come twice", ONE_EACH, "*result*")
def repeats_results(draft: Draft) -> None:
    """Repeats the first one of each turn."""
    for one in draft.rounds:
        for result in one.results[:1]:
            draft.insert(result.at, copy.deepcopy(draft.item(result.at)))


@_mutant("a call has no result", ONE_EACH, "*result*", "*adjacent*")
def drops_a_result(draft: Draft) -> None:
    """Drops the last result of each turn."""
    for one in draft.rounds:
        for result in one.results[-1:]:
            draft.remove(result.at)


@_mutant("results are empty", SAID, FAILURE)
def empties_results(draft: Draft) -> None:
    """Empties them."""
    _all_texts(draft, lambda text: "")


@_mutant("exit codes are not told", FAILURE, script="shell_outcomes")
def hides_exit_codes(draft: Draft) -> None:
    """Takes the words about them out, and the mark of an error."""
    _all_texts(draft, lambda text: _EXIT.sub("", text))
    _unmark(draft)


@_mutant("what failed is said to be done", FAILURE)
def hides_failures(draft: Draft) -> None:
    """Says so of every result with words about a failure."""
    _all_texts(draft, lambda text: "Done." if _FAILED.search(text) and len(text) < 600 else text)
    _unmark(draft)


@_mutant("long results are cut without a word", "agent.result.cut-is-told", script="long_output")
def cuts_results(draft: Draft) -> None:
    """Cuts them after some hundred characters, words about another cut included."""
    _all_texts(draft, lambda text: _CUT_WORDS.sub("", text)[:700])


@_mutant("letters outside of ASCII are lost in results", SAID, script="odd_arguments")
def loses_letters(draft: Draft) -> None:
    """Writes question marks instead."""
    _all_texts(draft, lambda text: text.encode("ascii", "replace").decode())


@_mutant("pictures come as text", "agent.result.picture-shown", script="pictures")
def pictures_as_text(draft: Draft) -> None:
    """Writes their base64 as text."""
    for result in draft.facts.results:
        for at, _, data in result.images:
            draft.put(at, _words(draft, "part", str(data)))


# --- what stands around ----------------------------------------------------------------------------------------------


@_mutant("tools are not declared any more, once some were called", "*tools*", "*declare*", "agent.loop.to-the-end")
def drops_tools(draft: Draft) -> None:
    """Drops the declarations from the second request on."""
    if draft.facts.calls:
        for name in ("tools", "tool_choice", "toolConfig", "parallel_tool_calls"):
            draft.document.pop(name, None)


@_mutant("the system's words are gone from the second request on", "agent.history.system-kept")
def drops_system(draft: Draft) -> None:
    """Drops them."""
    if not draft.facts.calls:
        return
    for name in ("system", "instructions", "systemInstruction"):
        draft.document.pop(name, None)
    for message in draft.facts.messages:
        if message.role == "system":
            draft.remove(message.at)


@_mutant("the user's task is gone from the second request on", "agent.history.task-kept", "*turn-order*", "*first*")
def drops_the_task(draft: Draft) -> None:
    """Drops what the user said."""
    if not draft.facts.calls:
        return
    for message in draft.facts.messages:
        if message.role == "user" and not message.results:
            draft.remove(message.at)


# --- the second series: written when the rules had been settled -------------------------------------------------------


@_mutant("both results of a turn stand in the first one", SAID, "agent.result.of-its-call", FAILURE, series=2)
def joins_results(draft: Draft) -> None:
    """Leaves the second one without its own words."""
    for one in draft.rounds:
        if len(one.results) > 1:
            first, second = one.results[:2]
            draft.texts(first, partial(_joined, str(second.text)))
            draft.texts(second, lambda text: "See above.")


@_mutant("calls go back without arguments", CALLS_KEPT, CALL_KEPT, series=2)
def empties_arguments(draft: Draft) -> None:
    """Empties them."""
    for call in draft.facts.calls:
        draft.put(call.arguments_at, with_arguments(call, lambda given: {}))


@_mutant("calls go back without their last argument", CALLS_KEPT, CALL_KEPT, series=2)
def drops_an_argument(draft: Draft) -> None:
    """Drops it."""
    for call in draft.facts.calls:
        draft.put(call.arguments_at, with_arguments(call, lambda given: dict(list(given.items())[:-1])))


@_mutant("long arguments go back cut", CALLS_KEPT, CALL_KEPT, series=2)
def cuts_arguments(draft: Draft) -> None:
    """Cuts texts of more than thirty characters."""
    for call in draft.facts.calls:
        draft.put(call.arguments_at, with_arguments(call, _cut_texts))


@_mutant("results go back as the user's words, calls as calls", ONE_EACH, "agent.history.*", "*result*", series=2)
def results_as_user_words(draft: Draft) -> None:
    """Writes them as texts."""
    for result in draft.facts.results:
        draft.put_item(result.at, _words(draft, "user", f"Result: {result.text}"))


@_mutant("the results of the first turn stand at the end", "*result*", "*history*", series=2)
def moves_results_to_the_end(draft: Draft) -> None:
    """Moves its messages there."""
    for one in draft.rounds[:1] if len(draft.rounds) > 1 else ():
        places = sorted({int(result.at.split("/")[2]) for result in one.results})
        if one.calls and places and places[0] != int(one.calls[0].at.split("/")[2]):
            moved = [draft.history[place] for place in places]
            draft.history[:] = [item for place, item in enumerate(draft.history) if place not in places] + moved


@_mutant("of files that are missing nothing is said", FAILURE, series=2)
def hides_missing_files(draft: Draft) -> None:
    """Empties such results."""
    _all_texts(draft, lambda text: "" if _MISSING.search(text) and len(text) < 600 else text)
    _unmark(draft)


@_mutant("results come as JSON of their text", SAID, "*double-encoded*", series=2, script="write_and_read")
def encodes_results_twice(draft: Draft) -> None:
    """Encodes them once more."""
    _all_texts(draft, lambda text: json.dumps(json.dumps(text)))


@_mutant("each turn has the results of the turn before", SAID, "agent.result.of-its-call", FAILURE, series=2)
def answers_one_turn_late(draft: Draft) -> None:
    """Moves the first result of each turn on to the next."""
    before: Json = None
    for one in draft.rounds:
        for result in one.results[:1]:
            if before is not None:
                draft.put(result.content_at, before)
            before = copy.deepcopy(result.content)


@_mutant("the second half of every result is lost", SAID, FAILURE, "agent.result.*", series=2)
def loses_second_halves(draft: Draft) -> None:
    """Keeps the first half."""
    _all_texts(draft, lambda text: text[: len(text) // 2])


@_mutant("results come in capital letters", SAID, series=2)
def shouts(draft: Draft) -> None:
    """Writes them so."""
    _all_texts(draft, str.upper)


@_mutant("the user says something between calls and results", "*result*", "*adjacent*", "*history*", series=2)
def puts_words_between(draft: Draft) -> None:
    """Puts a message there."""
    for one in draft.rounds[:1]:
        first = min((int(result.at.split("/")[2]) for result in one.results), default=None)
        if first is not None and first != int(one.calls[0].at.split("/")[2]):
            draft.history.insert(first, _user_message(draft, "Go on."))


@_mutant("of the model's turns only the newest is there", "agent.history.not-forgotten", CALL_KEPT, series=2)
def keeps_the_last_turn_only(draft: Draft) -> None:
    """Drops all before it."""
    for one in draft.rounds[:-1]:
        for call in one.calls:
            _remove(draft, one, call)


@_mutant("every result says that it is done", SAID, FAILURE, series=2)
def claims_success(draft: Draft) -> None:
    """Says so."""
    _all_texts(draft, lambda text: "OK")
    _unmark(draft)


@_mutant("every result says that it failed", "agent.tool.works", SAID, series=2)
def invents_errors(draft: Draft) -> None:
    """Says so."""
    _all_texts(draft, lambda text: "Error: it failed.")


@_mutant("two calls of a turn have each other's ids", "common.ids.*", CALLS_KEPT, "agent.result.of-its-call", series=2)
def exchanges_ids(draft: Draft) -> None:
    """Swaps them, and leaves the results as they are."""
    for one in draft.rounds:
        if len(one.calls) > 1 and one.calls[0].id is not None:
            first, second = one.calls[:2]
            draft.put(first.id_at, second.id)
            draft.put(second.id_at, first.id)


# --- helpers ---------------------------------------------------------------------------------------------------------

_EXIT = re.compile(
    r"(?im)^.*\bexit(?:ed)?\b.{0,20}\b(?:code|status)\b\W*\w*\W*\d+.*$|^.*\b(?:signal|killed|terminated)\b.*$"
    r"|^.*(?:not found|no such file|cannot access).*$"
)
_MISSING = re.compile(r"(?i)no such|not found|ENOENT|not exist|missing")
_CUT_WORDS = re.compile(r"(?im)^.*(?:truncat|omitted|saved|showing|limit|total output).*$")
_FAILED = re.compile(r"(?i)exit(?:ed)?\b.{0,20}\bcode\W*[1-9]|no such|not found|ENOENT|not exist|error|unknown|invalid")
_SEALED = ("thoughtSignature", "thought_signature", "reasoning_content", "reasoning", "reasoning_details")


def _seconds(draft: Draft) -> Iterator[tuple[Round, SentCall]]:
    yield from ((one, one.calls[1]) for one in draft.rounds if len(one.calls) > 1)


def _remove(draft: Draft, one: Round, call: SentCall) -> None:
    draft.remove(call.at)
    result = draft.result_of(one, call)
    if result is not None:
        draft.remove(result.at)


def _other(name: str) -> str:
    """Another id of the same form."""
    return name[:-6] + name[-6:][::-1].swapcase()


def _object(value: Json) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _told(calls: list[SentCall], before: Json = None) -> str:
    words = [f"Calling {call.name} {json.dumps(call.raw, ensure_ascii=False)} ({call.id})" for call in calls]
    return "\n".join([before, *words] if isinstance(before, str) and before else words)


def _words(draft: Draft, role: str, text: str) -> Json:
    """A text where a call or a result stood (``part``: where a picture stood)."""
    kind = {"openai-responses": "input_text"}.get(draft.format, "text")
    if draft.format == "gemini":
        return {"text": text}
    if draft.format == "anthropic" or role == "part":
        return {"type": kind, "text": text}
    return {"role": role, "content": text}


def _user_message(draft: Draft, text: str) -> Json:
    if draft.format == "gemini":
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}


def _cut_texts(given: Mapping[str, Json]) -> Mapping[str, Json]:
    return {name: value[:30] if isinstance(value, str) else value for name, value in given.items()}


def _joined(more: str, text: str) -> str:
    return f"{text}\n{more}"


def _drop_text(draft: Draft, message: str, at: str) -> None:
    if draft.format == "openai-responses":
        draft.remove(message)
    elif draft.format == "openai-chat":
        draft.put(f"{message}/content", None)
    else:
        draft.remove(at.removesuffix("/text"))


def _kind(item: Json) -> Json:
    return item.get("type") if isinstance(item, dict) else None


def _without_thinking(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_thinking(item) for item in value if _kind(item) not in ("thinking", "redacted_thinking")]
    if isinstance(value, dict):
        return {name: _without_thinking(item) for name, item in value.items() if name not in _SEALED}
    return value


def _all_texts(draft: Draft, change: Callable[[str], str]) -> None:
    for result in draft.facts.results:
        if draft.value(result.content_at) is not None:
            draft.texts(result, change)


def _unmark(draft: Draft) -> None:
    """Take away what marks a result as an error."""
    for result in draft.facts.results:
        found = draft.value(result.at)
        if isinstance(found, dict):
            found.pop("is_error", None)
