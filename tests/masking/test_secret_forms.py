"""What is a secret is removed, from texts and from recordings; what is none stays, byte for byte."""

from __future__ import annotations

import base64
import json
import random
import re

import pytest
from every import each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from leaks import value
from samples import HARMLESS, SECRETS

from conformance.http import Request
from conformance.masking.door import Mask, masked_text
from conformance.masking.finding import find_forms
from conformance.masking.forms import KEYS, find_keys
from conformance.masking.known import KnownSecrets
from conformance.masking.words import is_stand_in
from conformance.recordings.interaction import Interaction
from conformance.recordings.scan import scan_interaction
from conformance.recordings.scrub import Scrubber

JSON = (("content-type", "application/json"),)


def talk(document: object, headers: dict[str, str] | None = None) -> Interaction:
    """A request and an answer that both hold a document."""
    body = json.dumps(document).encode()
    return Interaction(Request("POST", "https://a/v1", {**dict(JSON), **(headers or {})}, body), 200, JSON, (body,))


def middle(secret: str) -> str:
    """The middle third of a secret."""
    return secret[len(secret) // 3 : 2 * len(secret) // 3]


@each(("text", "secret"), SECRETS.values(), ids=SECRETS)
def test_secrets_are_removed(text: str, secret: str) -> None:
    assert middle(secret) in text
    assert middle(secret) not in masked_text(text)
    assert middle(secret) not in json.dumps(Mask(environment={}).json({"a": [text, {text: 1}]}))
    kept = Scrubber().scrub(talk({"content": text}))
    assert middle(secret).encode() not in kept.body + kept.request.body
    assert list(scan_interaction(talk({"content": text}), 1, KnownSecrets()))
    assert not list(scan_interaction(kept, 1, KnownSecrets()))


@each("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert list(find_forms(text)) == []
    assert masked_text(text) == text
    kept = Scrubber().scrub(talk({"content": text}))
    assert (kept.body, kept.request.body) == (talk({"content": text}).body,) * 2


@pytest.mark.parametrize(("name", "tail", "prefixes"), KEYS, ids=lambda item: item if isinstance(item, str) else None)
def test_each_row_of_the_table(name: str, tail: str, prefixes: tuple[str, ...]) -> None:
    shape = re.sub(r"\(\?=.*?\{16\}\)|\(\?=\[A-Za-z_-\]\*\[0-9\]\)", "", tail)

    @settings(max_examples=8, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(prefixes), st.from_regex(shape, fullmatch=True))
    def found(prefix: str, rest: str) -> None:
        if not is_stand_in(prefix + rest) and len(rest) > 12 and re.fullmatch(tail, rest):
            assert (0, len(prefix + rest), name) in find_keys(prefix + rest) or len(prefix + rest) > 300

    found()


# --- base64 ----------------------------------------------------------------------------------------------------------

PLANTED = ("sk-proj-abcdefghijklmnop0123", "AIza", "AKIA0123456789ABCDEF", "eyJhbGciOi", "ya29", "SG", "npm", "dapi")


def payloads(number: int) -> list[str]:
    """Payloads as providers make them: standard and for URLs, some with what a key may begin with."""
    letters = random.Random(number)
    made = []
    for place in range(number):
        encode = (base64.b64encode, base64.urlsafe_b64encode)[place % 2]
        text = encode(letters.randbytes(letters.randrange(60, 4000))).decode()
        if place % 3 == 0:
            run = PLANTED[place % len(PLANTED)].replace("-", "/" if place % 2 == 0 else "-")
            at = letters.randrange(20, len(text) - 20)
            text = text[:at] + run + text[at:]
        made.append(text)
    return made


@pytest.mark.slow
def test_opaque_base64_stays_byte_for_byte() -> None:
    mask = Mask([value("known", 40)], environment={})
    changed = 0
    held = payloads(1500)
    for a, b, c, d, e in zip(*[iter(held)] * 5, strict=True):
        document = {
            "thoughtSignature": a, "content": [{"type": "thinking", "signature": b}], "encrypted_content": c,
            "image_url": {"url": f"data:image/png;base64,{d}"}, "text": f"see {e}",
        }  # fmt: skip
        interaction = talk(document, {"x-api-key": value("sent", 40)})
        kept = Scrubber().scrub(interaction)
        changed += (kept.body, kept.request.body) != (interaction.body, interaction.request.body)
        changed += mask.json(document) != document
    assert changed == 0


# --- JSON ------------------------------------------------------------------------------------------------------------

NAMES = (
    "api_key", "x-api-key", "x-session-number", "FAL_KEY", "token", "auth", "name", "value", "password", "a", "db_pass",
)  # fmt: skip
TEXTS = st.sampled_from([*(text for text, _ in SECRETS.values()), *NAMES])
LEAVES = st.one_of(TEXTS, st.integers(0, 10**24), st.booleans())
DOCUMENTS = st.recursive(
    LEAVES, lambda below: st.lists(below) | st.dictionaries(st.sampled_from(NAMES), below), max_leaves=8
)


@settings(max_examples=150, derandomize=True, database=None, deadline=None)
@given(DOCUMENTS)
def test_documents_that_were_masked_stay_as_they_are(document: object) -> None:
    mask = Mask(environment={})
    masked = mask.json(document)
    assert mask.json(masked) == masked
    assert mask.known(json.dumps(masked)) == json.dumps(masked)
