"""Messages: what the provider found for itself goes back sealed as it came, and so does what a text cites of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conformance.rules.anthropic.documents import answered_blocks, block_kind, replays, speeches
from conformance.rules.check import Verdicts, check, holds
from conformance.transcript import Exchange
from conformance.wires.facts import Object, items, obj

FOUND, SEALED = "web_search_tool_result", "encrypted_content"


@check("anthropic.history.search-content-unchanged")
def search_content_unchanged(x: Exchange) -> Verdicts:
    """A result is known by the search that it answers. Whether a page may be left out is nowhere said."""
    came = {
        str(block.get("tool_use_id")): [page.get(SEALED) for _, page in _pages("", block)]
        for earlier in x.earlier
        for block in answered_blocks(earlier.answer)
        if block_kind(block) == FOUND
    }
    for at, block in (placed for speech in speeches(x) if speech.by_model for placed in speech.blocks):
        wanted = came.get(str(block.get("tool_use_id")), []) if block_kind(block) == FOUND else []
        for here, page in _pages(at, block) if wanted else ():
            yield holds(page.get(SEALED) in wanted, f"{here}/{SEALED}", wanted, page.get(SEALED))


def _pages(at: str, result: Object) -> Iterator[tuple[str, Object]]:
    return ((f"{at}/content/{place}", obj(page)) for place, page in items(result.get("content")))


@check("anthropic.history.citations-kept")
def citations_kept(x: Exchange) -> Verdicts:
    """Which text cites what is not asked: how blocks of text are joined is left open. Without what was found there is
    nothing to cite."""
    for replay in replays(x)[0]:
        sent = [block for _, block in replay.sent]
        wanted = list(_cited(replay.answered))
        if wanted and any(block_kind(block) == FOUND for block in sent):
            found = set(_cited(sent))
            yield holds(found >= set(wanted), replay.at, wanted, sorted(found))


def _cited(blocks: Iterable[Object]) -> Iterator[str]:
    cited = (obj(one) for block in blocks for _, one in items(block.get("citations")) if block_kind(block) == "text")
    return (str(one["encrypted_index"]) for one in cited if "encrypted_index" in one)
