"""Finding secrets in a text by what they look like, and by what stands before them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.masking.credentials import find_known_after_schemes, find_schemes
from conformance.masking.forms import find_keys
from conformance.masking.named import find_credentials
from conformance.masking.patterns import find_patterns

_SHORTEST, _SHORTEST_NAMED = 12, 6
"""A text with fewer characters holds no key; or no credential and what says so."""


def find_shapes(text: str) -> Iterator[tuple[int, int, str]]:
    """The same, by what they look like alone: also where what stands before a secret may not belong to it."""
    if len(text) >= _SHORTEST:
        yield from find_keys(text)
        yield from find_patterns(text)


def find_forms(text: str, is_known: Callable[[str], bool] = lambda value: False) -> Iterator[tuple[int, int, str]]:
    """Where in ``text`` secrets are: start, end and what it is. They may overlap, and come in any order.

    ``is_known`` says of a value that stands as a credential that it is one, whatever it looks like.
    """
    yield from find_shapes(text)
    if len(text) >= _SHORTEST_NAMED:
        yield from find_schemes(text)
        yield from find_credentials(text, is_known)
        yield from find_known_after_schemes(text, is_known)
