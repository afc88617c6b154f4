"""Values that are known: in any spelling, in pieces, many of them; which of them are only looked for as credentials."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from urllib.parse import quote

import pytest
from leaks import value

from conformance.environments.tools import surroundings
from conformance.http import Request
from conformance.masking import environment
from conformance.masking.credentials import learnable, secrets_of_headers
from conformance.masking.door import Mask, SecretRemainsError, masked_text, own_mask
from conformance.masking.environment import (
    is_key_variable,
    keys_of_environment,
    tell_keys,
    weak_variables,
    without_keys,
)
from conformance.masking.known import KnownSecrets
from conformance.recordings.interaction import Interaction
from conformance.recordings.scrub import Scrubber
from conformance.wires import cards

# --- spellings and pieces --------------------------------------------------------------------------------------------

SECRET = value("spelled", 30) + "/+=\"ü'\\>& "[:-1]

SPELLED: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "URL": lambda text: quote(text, safe=""),
    "URL, lower": lambda text: quote(text, safe="").replace("%2F", "%2f").replace("%3D", "%3d"),
    "JSON": lambda text: json.dumps(text),
    "JSON, not ASCII": lambda text: json.dumps(text, ensure_ascii=False),
    "Python": repr,
    "lower": str.lower,
    "upper": str.upper,
    "as Python's HTTP client writes a header": str.capitalize,
    "hexadecimal, upper": lambda text: text.encode().hex().upper(),
    "hexadecimal": lambda text: text.encode().hex(),
    **{f"base64, {shift}": lambda text, shift=shift: base64.b64encode(b"x" * shift + text.encode() + b"yz").decode()
       for shift in range(3)},
}  # fmt: skip


@pytest.mark.parametrize("write", SPELLED.values(), ids=SPELLED)
def test_known_values_are_removed_in_any_spelling(write: Callable[[str], str]) -> None:
    written = write(SECRET)
    shown = masked_text(f"<{written}>", KnownSecrets([SECRET]))
    assert not any(written[at : at + 10] in shown for at in range(2, len(written) - 12))


WORDS = (
    "fake-12345678", "mock_key_1", "example-key", "your-api-key", "dummy-dummy", "xxxxxxxx", "12345678", "REDACTED",
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_known_values_are_removed_whatever_words_they_hold(word: str) -> None:
    assert masked_text(f"a {word} b", KnownSecrets([word])) == "a … b"
    assert list(keys_of_environment({"ANY_API_KEY": word})) == [word]


def test_numbers_are_removed_too() -> None:
    mask = Mask(["12345678"], environment={})
    shown = mask.json({"a": 12345678, "b": [12345679, True, 1e400, 10**5000], "password": 1234567})
    assert shown == {"a": "…", "b": [12345679, True, 1e400, 10**5000], "password": "…"}


@pytest.mark.parametrize("cut", [lambda text: text[:20], lambda text: text[-20:], lambda text: text[:12] + "…"])
def test_cut_echoes_are_removed(cut: Callable[[str], str]) -> None:
    secret = value("cut", 40)
    assert not any(secret[at : at + 8] in masked_text(f"no: {cut(secret)}", KnownSecrets([secret])) for at in range(32))


def test_a_few_letters_are_no_echo() -> None:
    known = KnownSecrets([value("few", 40), "postgres-1234567", "/var/lib/python3.11/key"])
    for text in (value("few", 40)[:7], value("few", 40)[10:25], "postgres-is-a-database", "/var/lib/python3.11/json"):
        assert masked_text(text, known) == text


def test_one_secret_may_begin_as_another() -> None:
    known = KnownSecrets(["abcdefgh1", "abcdefgh12345678abcdefgh12345678", "zabcdefghi"])
    assert masked_text("abcdefgh1 abcdefgh1x abcdefgh12345678abcdefgh12345678 zabcdefghi", known) == "… …x … …"


# --- short ones, and words of ours -----------------------------------------------------------------------------------


@pytest.mark.parametrize("weak", ["dummy", "test-key", "s3cr", "hunter2"])
def test_weak_values_are_removed_as_credentials_only(weak: str) -> None:
    mask = Mask([weak], environment={})
    for text in (f"Bearer {weak}", f"api_key={weak}", f'{{"api_key": "{weak}"}}', f"x-api-key: {weak}",
                 f"https://a/?key={weak}&b=1", f"https://u:{weak}@a/", f"password='{weak}'"):  # fmt: skip
        assert f"{weak}" not in mask.address(text).replace("test-keys", ""), text
    assert mask.text(f"a {weak} in words") == f"a {weak} in words"
    shown = {"a": {"api_key": "…", "token": "…", "b": weak}}
    assert mask.json({"a": {"api_key": weak, "token": weak, "b": weak}}) == shown


# --- the environment -------------------------------------------------------------------------------------------------


def test_variables_with_keys() -> None:
    for name in ("OPENAI_API_KEY", "GROQ_API_KEY", "OPENAI_API_KEY_2", "openai_api_key", "AWS_SECRET_ACCESS_KEY",
                 "AWS_ACCESS_KEY_ID", "GITHUB_TOKEN", "DB_PASSWORD", "MY_PASS", "NPM_AUTH", "A_PAT", "OPENAI_ORG_ID",
                 "SENTRY_DSN", "SECRET_KEY_BASE"):  # fmt: skip
        assert is_key_variable(name), name
    for name in ("PATH", "PWD", "OLDPWD", "KEYBOARD", "SSH_AUTH_SOCK", "MAX_TOKENS", "HOME", "AUTHOR", "COMPASS"):
        assert not is_key_variable(name), name


def test_every_provider_key_is_taken_out_of_the_environment() -> None:
    names = [name for one in cards() for name in one.key.variables]
    assert names
    assert without_keys({**dict.fromkeys(names, "x" * 20), "PATH": "/bin"}) == {"PATH": "/bin"}
    assert without_keys({"A_KEY": "1", "B_KEY": "2"}, keep=["B_KEY"]) == {"B_KEY": "2"}
    addresses = {"DB_URL": "postgres://u:p@h/d", "A_URL": "http://h/d", "HTTPS_PROXY": "http://u:p@h", "PIP_INDEX_URL": "http://u:p@h"}
    assert without_keys(addresses, keep=["PIP_INDEX_URL"]).keys() == {"A_URL", "HTTPS_PROXY", "PIP_INDEX_URL"}


def test_a_process_is_told_the_keys_that_it_is_started_without(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = value("told", 30)
    monkeypatch.setattr(environment, "_told", ())
    tell_keys([secret])
    assert secret in keys_of_environment()
    assert secret not in keys_of_environment({})
    assert own_mask().text(f"a {secret} b") == "a … b"


def test_installers_get_what_they_log_in_with_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    own = ("UV_INDEX_OURS_PASSWORD", "PIP_INDEX_URL", "NPM_TOKEN", "NODE_AUTH_TOKEN")
    for name in (*own, "OPENAI_API_KEY", "DATABASE_URL"):
        monkeypatch.setenv(name, "https://u:p4ssword@index.example")
    assert {name for name, value in surroundings().items() if "p4ssword" in value} == set(own)


def test_values_of_the_environment() -> None:
    found = set(keys_of_environment({
        "A_KEYS": f"{value('one', 20)},{value('two', 20)}", "DATABASE_URL": "postgres://u:p4ssw0rd%21@host/db",
        "SHORT_KEY": "short", "SHELL": "/bin/sh-12345678",
    }))  # fmt: skip
    assert {value("one", 20), value("two", 20), "p4ssw0rd%21", "p4ssw0rd!"} < found
    assert "/bin/sh-12345678" not in found
    assert weak_variables({"A_KEY": "dummy", "B_KEY": "long enough", "C": "x", "D_TOKEN": ""}) == ["A_KEY"]


def test_what_cannot_be_removed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = value("stays", 30)
    monkeypatch.setenv("ACME_TOKEN", secret)
    mask = Mask()
    assert mask.checked("nothing") == "nothing"
    for written in (secret, quote(secret), base64.b64encode(b"xyz" + secret.encode() + b"xyz").decode()):
        with pytest.raises(SecretRemainsError, match="the value of ACME_TOKEN") as caught:
            mask.checked(f'{{"a": "{written}"}}')
        assert secret not in str(caught.value)


# --- learning --------------------------------------------------------------------------------------------------------

S = value("sent", 30)
HEX = value("hex", 64, "0123456789abcdef")
SENT = {
    "bearer": ("authorization", f"Bearer {S}", S),
    "a tab": ("authorization", f"Bearer\t{S}", S),
    "Token": ("authorization", f'Token token="{S}"', S),
    "Token and more": ("authorization", f"Token token={S}, email=a@b.example", S),
    "Digest": ("authorization", f'Digest username="u", uri="/v1/chat/completions", response="{HEX}"', HEX),
    "AWS, its signature": ("authorization", f"AWS4-HMAC-SHA256 Credential=AK/2026/s, Signature={HEX}", HEX),
    "AWS, its key": ("authorization", f"AWS4-HMAC-SHA256 Credential={S}/20260101/us-east-1/s, Signature=1", S),
    "a list": ("x-api-key", f"first-9key9-value1, {S}", S),
    "two": ("authorization", f"Bearer aaaa1111bbbb2222,Bearer {S}", S),
    "a signature": ("x-hub-signature-256", f"sha256={HEX}", HEX),
    "a signature and a time": ("x-signature", f"t=1492774577,v1={HEX}", HEX),
    "a word": ("x-api-key", f"fake-{S}", f"fake-{S}"),
    "Hawk": ("authorization", f'Hawk id="a", ts="1353832234", mac="{S}"', S),
    "the old AWS": ("authorization", f"AWS AKIAIOSFODNN7:{S}", S),
    "a cookie": ("cookie", f"a=b;__Secure-session={S}", S),
    "basic": ("authorization", "Basic " + base64.b64encode(f"u:{S}".encode()).decode(), S),
}


@pytest.mark.parametrize(("header", "sent", "secret"), SENT.values(), ids=SENT)
def test_credentials_are_learned_where_they_are_sent(header: str, sent: str, secret: str) -> None:
    answer = json.dumps({"error": f"you sent <{secret}>"}).encode()
    talk = Interaction(Request("POST", "https://a/v1/chat/completions", {header: sent}, b"{}"), 401, (), (answer,))
    assert secret[10:20].encode() not in Scrubber().scrub(talk).body
    mask = Mask(environment={})
    mask.learn_request(talk.request.url, talk.request.headers)
    assert secret[10:20] not in mask.text(f"you sent <{secret}>")
    for word in ("/v1/chat/completions", "a@b.example", "us-east-1", "1492774577", "1353832234"):
        assert mask.text(f"see {word}!") == f"see {word}!"


BODIES = {
    "JSON": json.dumps({"model": "m", "extra": {"api_key": S}}).encode(),
    "JSON, a name beside it": json.dumps({"headers": [{"name": "x-api-key", "value": S}]}).encode(),
    "a form": f"grant_type=client_credentials&client_secret={S}&a=1".encode(),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_credentials_are_learned_from_bodies(body: bytes) -> None:
    mask = Mask(environment={})
    mask.learn_request("https://a/v1", {}, body)
    assert mask.text(f"you sent <{S}>") == "you sent <…>"


NO_BODIES = (b'{"max_tokens": 100, "api_key": ', b'"password": "required"', b"a=b&token=x y", b"\xff")


@pytest.mark.parametrize("body", NO_BODIES)
def test_bodies_without_credentials_teach_nothing(body: bytes) -> None:
    mask = Mask(environment={})
    mask.learn_request("https://a/v1", {}, body)
    assert mask.learned() == ()


def test_what_is_no_credential_is_not_learned() -> None:
    headers = {"authorization": "Bearer anything", "x-api-key": "test-key", ":authority": "api.openai.com",
               "x-auth-url": "https://a.example/login", "x-session-time": "10:20:30"}  # fmt: skip
    assert list(learnable(secrets_of_headers(headers.items()))) == []


# --- many ------------------------------------------------------------------------------------------------------------


def once(work: Callable[[], object]) -> float:
    """The processor time that something takes."""
    before = time.process_time()
    work()
    return time.process_time() - before


def scrubbing(number: int) -> Callable[[], object]:
    """Scrubbing an answer with many secrets, each of which is echoed."""
    keys = [value(str(place), 40) for place in range(number)]
    body = json.dumps([{"api_key": key, "note": f"echo {key}"} for key in keys]).encode()
    return lambda: Scrubber().scrub(Interaction(Request("POST", "https://a/"), 200, (), (body,)))


def masking(number: int) -> Callable[[], object]:
    """Masking a text with many secrets that all begin alike."""
    keys = [f"sk-proj-{value(str(place), 40)}" for place in range(number)]
    return lambda: Mask(keys, environment={}).text(" ".join(keys))


@pytest.mark.slow
@pytest.mark.parametrize("work", [scrubbing, masking])
def test_many_secrets_take_no_more_than_n_log_n(work: Callable[[int], Callable[[], object]]) -> None:
    """Side by side, so that what else the machine does slows both."""
    few, many = work(250), work(2000)
    taken = [(once(few), once(many)) for _ in range(5)]
    assert min(slow for _, slow in taken) < 8 * 1.6 * min(quick for quick, _ in taken)


HOSTILE = {
    "one letter": "a" * 50_000,
    "the beginning of a secret": "sk-proj-" * 6_250,
    "most of a secret, again and again": (value("long", 5000)[:23] + " ") * 2_000,
    "beginnings of keys": "sk-ant-api03-x glpat- AKIA eyJ" * 1_750,
    "names": "api_key=" * 6_250,
    "a header": "authorization: " * 3_500,
    "dashes": "-" * 50_000,
    "schemes": "Token a=b, " * 4_500,
    "a private key": "-----BEGIN PRIVATE KEY-----" * 1_750,
    "addresses": "https://a?b&c=" * 3_500,
    "brackets": '["x-api-key", ' * 3_500,
    "names and no values": 'login a password "key" value name="token"\r\n' * 1_250,
    "spaces after a name": ("api_key" + " " * 40) * 1_000,
    "elements": "<key a=b " * 5_000,
    "options": "--key " * 7_500,
    "words about keys": "API key is not a " * 3_000,
    "users": "-u a:b " * 7_000,
    "escapes": "key" + "\\" * 50_000,
    "a name of a name": "key" * 16_500,
}  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_takes_long(text: str) -> None:
    known = KnownSecrets([value("long", 5000), "a" * 5000 + "b", f"sk-proj-{value('key', 40)}"])
    assert any(once(lambda: masked_text(text, known)) < 1 for _ in range(3))
