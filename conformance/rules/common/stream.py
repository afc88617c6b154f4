"""Reading streams, on every wire.

One difference has one cause. A stream whose bytes were only cut otherwise is compared with its blocking twin; where the
framing was varied, or a character was cut, the rule about that takes over.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from conformance.model import AssistantTurn, to_json
from conformance.rules.check import Verdicts, check
from conformance.rules.shared.streams import content_difference, ending_difference, turn_difference
from conformance.transcript import Exchange, once

VARIED = re.compile(rb"\r|^:|\A\xef\xbb\xbf|^data:[^ ]|^data:.*\ndata:", re.MULTILINE)
"""Liberties of server-sent events: CR line ends, comments, a byte-order mark, no space, data over several lines."""
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
UNNUMBERED = frozenset({"missing_index", "index_zero"})
"""Quirks of compatible hosts whose streams do not number their calls."""


@once
def _compared(x: Exchange) -> tuple[AssistantTurn, AssistantTurn] | None:
    """What was understood of a stream that ended well, and what should have been: what its blocking twin said.

    Where there is no twin, as for adapters that only stream, that is what was offered. A stream that was not asked for
    is the twin: libraries that always stream read their blocking calls from one.
    """
    turn, offered = x.turn, x.offered
    if x.delivery is not None and not x.delivery.streaming:
        return None
    if not x.streamed or not x.complete or turn is None or offered is None or offered.error is not None:
        return None
    if x.quirks & UNNUMBERED and len(turn.calls) < len(offered.calls):
        return None  # chat.stream.missing-index-tolerated, a should: the official client needs the index
    if x.twin is not None and content_difference(turn, offered, ids=_has_own_ids(x)) is None:
        if ending_difference(turn, offered) is None:
            return turn, turn  # right as it is: where they differ, the twin is wrong
        return turn, replace(x.twin, text=turn.text, refusal=turn.refusal, calls=turn.calls)
    return turn, x.twin or offered


def _has_own_ids(x: Exchange) -> bool:
    """Whether ids can be compared: each call has one of its own, and where there is no twin, one that is new too."""
    taken = {call.id for earlier in x.earlier if earlier.turn for call in earlier.turn.calls}
    repeated = x.offered is not None and any(call.id in taken for call in x.offered.calls)
    return x.comparable_ids and (x.twin is not None or not repeated)


@check("common.stream.equivalent-to-non-stream")
def equivalent_to_non_stream(x: Exchange) -> Verdicts:
    pair = _compared(x)
    if pair is None or (_varies_framing(x) and x.card.framings[0] == "sse") or _damaged_characters(x, *pair):
        return
    yield turn_difference(*pair, ids=_has_own_ids(x))


@check("common.stream.sse-framing")
def sse_framing(x: Exchange) -> Verdicts:
    pair = _compared(x)
    if pair is not None and _varies_framing(x) and not _is_array(x) and not _only_characters_differ(*pair):
        yield content_difference(*pair, ids=_has_own_ids(x))


def _varies_framing(x: Exchange) -> bool:
    if x.delivery is not None:
        return x.delivery.reframes
    return bool(VARIED.search(b"".join(x.chunks or ())))


def _is_array(x: Exchange) -> bool:
    """Whether the stream is one JSON array: no server-sent events at all."""
    return b"".join((x.chunks or [])[:64]).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


@check("common.stream.utf8-split-across-reads")
def utf8_split_across_reads(x: Exchange) -> Verdicts:
    pair = _compared(x)
    if pair is None or not _splits_characters(x):
        return
    if _damaged_characters(x, *pair):
        yield turn_difference(*pair, ids=_has_own_ids(x))
    elif turn_difference(*pair, ids=_has_own_ids(x)) is None:
        yield None


@once
def _splits_characters(x: Exchange) -> bool:
    """Whether a chunk begins inside a character."""
    chunks = x.chunks or []
    return not b"".join(chunks).isascii() and any(chunk and 0x80 <= chunk[0] < 0xC0 for chunk in chunks[1:])


def _damaged_characters(x: Exchange, turn: AssistantTurn, expected: AssistantTurn) -> bool:
    """Whether characters were cut, and nothing but characters outside ASCII is different."""
    return _splits_characters(x) and _only_characters_differ(turn, expected)


def _only_characters_differ(turn: AssistantTurn, expected: AssistantTurn) -> bool:
    if turn is expected:
        return False
    one, other = _content(turn), _content(expected)
    return one != other and NOT_ASCII.sub("", one) == NOT_ASCII.sub("", other)


def _content(turn: AssistantTurn) -> str:
    calls = [[call.name, call.arguments, call.raw] for call in turn.calls]
    try:
        return json.dumps(to_json([turn.text, turn.refusal, calls]), ensure_ascii=False, sort_keys=True)
    except RecursionError:
        return ""
