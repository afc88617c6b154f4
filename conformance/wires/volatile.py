"""What in a request may differ and does not make it another request.

From run to run, fields named by JSON pointers in which ``*`` stands for every element of a list and every member of an
object:

- ``ignored``: the value does not count, nor does whether it is there: who the user is, tags, idempotency keys.
- ``ids``: what counts is which ids are equal, not how they read. Libraries mint ids where a provider gives none, anew
  in each run. Each id is replaced by its number in order of appearance, and by the same one wherever it stands again:
  a result that answers another call is another request.

From client to client, what the provider itself takes for the same:

- ``defaults``: a field, or an element of a list, with this value says what its absence says.
- ``spellings``: a field that has two names, and the name that is kept.
- ``base64``: bytes as text, in either alphabet.
- ``paths``: regular expressions, and what stands in their place.

``query`` names query parameters that do not count, in lower case: keys are no part of what is asked.

Each provider's card says what is volatile in its requests. `conformance.recordings.settler` takes it out of documents.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from conformance.model import Json


@dataclass(frozen=True, slots=True)
class Volatile:
    """What may differ. ``a | b`` has the fields of both."""

    ignored: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    defaults: tuple[tuple[str, Json], ...] = ()
    spellings: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[str, str], ...] = ()
    base64: tuple[str, ...] = ()

    def __or__(self, other: Volatile) -> Volatile:
        return Volatile(*(getattr(self, item.name) + getattr(other, item.name) for item in fields(self)))


KEYS = Volatile(query=("key", "api_key", "api-key", "apikey", "access_token", "token", "sig", "signature"))
"""The parameters in which any provider, or a proxy before it, takes a key."""
