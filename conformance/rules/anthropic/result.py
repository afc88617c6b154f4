"""Messages: results of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from conformance.model import Json
from conformance.rules.anthropic.documents import PlacedObject, block_kind, blocks_of, messages, placed, speeches
from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.shared.pairing import answers, usable
from conformance.transcript import Exchange
from conformance.wires.facts import SentResult

FOREIGN_PARTS = ("image_url", "input_text", "output_text", "input_image", "input_file", "json", "tool_use")
"""Types by which other formats, or mistakes, say what a result holds."""


@check("anthropic.result.references-tool-use-id")
def references_tool_use_id(x: Exchange) -> Verdicts:
    known: list[Json] = []
    ids: set[Json] = set()
    for speech in speeches(x):
        if speech.by_model:
            known = [call.id for call in speech.calls]
            ids = set(filter(usable, known))
            continue
        for result in speech.results:
            right = usable(result.ref) and result.ref in ids
            yield holds(right, result.ref_at, known or "no result without a call before it", result.ref)


@check("anthropic.result.all-in-next-user-message")
def all_in_next_user_message(x: Exchange) -> Verdicts:
    """Calls without any result, and ids that no call has, are left to the rules about these."""
    times, anywhere = Counter(call.id for call in x.facts.calls if usable(call.id)), _by_ref(x.facts.results)
    for speech, following in pairwise(speeches(x)):
        near = _by_ref(following.results)
        # those that are near, or, where no other call has the id, anywhere
        results = (
            near.get(call.id) or (anywhere.get(call.id) if times[call.id] == 1 else None)
            for call in speech.calls
            if usable(call.id)
        )
        if found := [result for result in results if result is not None]:
            apart = next((result for result in found if not result.at.startswith(f"{following.at}/")), None)
            expected = f"all results in {following.at}"
            yield None if apart is None else Finding(apart.at, expected, [result.at for result in found])


def _by_ref(results: Sequence[SentResult]) -> dict[Json, SentResult]:
    """The first result for each id that can be followed."""
    return {result.ref: result for result in reversed(results) if usable(result.ref)}


@check("anthropic.result.first-in-content")
def first_in_content(x: Exchange) -> Verdicts:
    for at, message in messages(x):
        blocks = blocks_of(at, message)
        places = [place for place, (_, block) in enumerate(blocks) if block_kind(block) == "tool_result"]
        if places and message.get("role") != "assistant":
            first = next((here for here, block in blocks if block_kind(block) != "tool_result"), None)
            early = first is not None and places[-1] != len(places) - 1
            kinds = [block_kind(block) for _, block in blocks]
            yield Finding(first or at, "all results before anything else", kinds) if early else None


@check("anthropic.result.content-string-or-blocks")
def content_string_or_blocks(x: Exchange) -> Verdicts:
    """What null means is not known. How a result says that it failed is the next rule's business."""
    for result in x.facts.results:
        content = result.content
        if isinstance(content, list):
            wrong = next((found for found in map(_block, placed(result.content_at, content)) if found), None)
            yield wrong or _failed(result)
        elif isinstance(content, str) or (content is None and result.text is not None):  # the text of nothing is ""
            yield _failed(result)
        elif content is not None:
            yield Finding(result.content_at, "text, or a list of blocks", content)


def _block(block_at: PlacedObject) -> Finding | None:
    at, block = block_at
    kind = block_kind(block)
    right = bool(kind) and kind not in FOREIGN_PARTS and (kind != "text" or isinstance(block.get("text"), str))
    return holds(right, at, {"type": "text", "text": "..."}, block)


def _failed(result: SentResult) -> Finding | None:
    """Whether a result that is marked as an error may be so: with text, and with nothing else."""
    if not result.error:
        return None
    for at, block in placed(result.content_at, result.content):
        if block_kind(block) != "text":
            return Finding(at, "nothing but text in a result that is marked as an error", {"type": block_kind(block)})
    said = bool(result.text)
    return holds(said, result.content_at, "text in a result that is marked as an error", result.content)


@check("anthropic.result.is-error-flag")
def is_error_flag(x: Exchange) -> Verdicts:
    meant = {answer.sent.at: answer.meant.is_error for answer in answers(x) if answer.sent is not None}
    for at, message in messages(x):
        for here, block in blocks_of(at, message):
            flag = block.get("is_error")
            if block_kind(block) != "tool_result":
                continue
            if here in meant:
                wanted = meant[here]
                right = flag is True if wanted else flag in (None, False)
                yield holds(right, f"{here}/is_error", wanted or "false, or no such field", flag)
            elif flag is not None:
                yield holds(isinstance(flag, bool), f"{here}/is_error", "true or false", flag)
