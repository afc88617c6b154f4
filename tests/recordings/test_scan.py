"""The gate: it finds what the scrubber would remove, tells where, never what; and leaves base64 alone."""

from __future__ import annotations

import base64
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml
from canaries import canary
from every import each
from recorded import JSON, SSE, said, sse
from test_canaries import BY_FORM, BY_NAME, PREFIXES

from conformance.cli import main
from conformance.masking.door import masked_text
from conformance.masking.environment import keys_of_environment
from conformance.masking.finding import find_forms
from conformance.masking.known import KnownSecrets
from conformance.masking.words import is_stand_in
from conformance.recordings import recorder as recorder_module
from conformance.recordings.interaction import Cassette, Interaction
from conformance.recordings.recorder import Recorder
from conformance.recordings.scan import SecretFinding, scan_bytes, scan_interaction
from conformance.recordings.scrub import Scrubber
from conformance.recordings.store import CassetteError, read_cassette, write_cassette

UNSEEN = ("gzip", "deflate", "br", "zstd")
"""What is packed is unpacked before it is scanned."""


def listed(found: Interaction | list[Interaction]) -> list[Interaction]:
    return [found] if isinstance(found, Interaction) else found


def scanned(interactions: list[Interaction], known: KnownSecrets | None = None) -> list[SecretFinding]:
    return [find for one in interactions for find in scan_interaction(one, 1, known or KnownSecrets())]


@each("name", [name for name in BY_NAME | BY_FORM if not name.startswith(UNSEEN)])
def test_what_is_known_is_found_everywhere(name: str) -> None:
    secret = canary(name)
    value = secret + "/+ü" if name == "echoed in a URL" else secret
    planted = listed((BY_NAME | BY_FORM)[name](secret))
    assert scanned(planted, KnownSecrets([value, secret]))


@each("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize("name", BY_FORM)
def test_forms_are_found_everywhere(name: str, prefix: str) -> None:
    secret = canary(name, prefix)
    finds = scanned(listed(BY_FORM[name](secret)))
    assert finds
    assert not any(part in str(find) for find in finds for part in (secret, secret[:12], secret[-12:]))


P = canary("p")
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PLACES = {
    "a header": (said(request_headers={"X-Api-Key": P}), "interaction 1, request, header X-Api-Key: "),
    "a cookie": (said(headers=(*JSON, ("set-cookie", f"a={P}"))), "interaction 1, response, header set-cookie: "),
    "an address": (said(url=f"https://a/?key={P}"), "interaction 1, request, address: "),
    "a document": (said({"a": [{"api_key": P}]}), "request, body: /a/0/api_key, character 20: "),
    "a string": (said({"a": json.dumps({"b": {"secret": P}})}), "body: /a → /b/secret, character 30: "),
    "an event": (
        said(headers=SSE, answer=sse({"a": 1}, {"user": P})),
        "response, body: event 2/user, character 32: what stands under 'user'",
    ),
    "deltas": (
        said(headers=SSE, answer=sse({"a": "sk-proj-"}, {"a": P})), "body: event 1/a and on, character 13: API key"
    ),
    "a form": (said(f"a=b&password={P}".encode(), request_headers=FORM), "body: field /password, character 13: "),
}  # fmt: skip


@pytest.mark.parametrize(("interaction", "told"), PLACES.values(), ids=PLACES)
def test_places_are_told(interaction: Interaction, told: str) -> None:
    finds = [str(find) for find in scanned([interaction])]
    assert any(told in find for find in finds), finds


def test_what_was_scrubbed_passes() -> None:
    for name, planted in (BY_NAME | BY_FORM).items():
        scrubber = Scrubber()
        first = [scrubber.scrub(item) for item in listed(planted(canary(name, "sk-proj-")))]
        assert not scanned([scrubber.scrub(item) for item in first], scrubber.known), name


# --- no false hits ---------------------------------------------------------------------------------------------------


URLSAFE = ("sk-proj-abcdefghijklmnop0123", "hf_abcdefghijklmnopqrstuvwx01", "AIza", "gAAAAA")
STANDARD = ("AIza", "AKIA0123456789ABCDEF", "eyJhbGciOi", "ya29")


@pytest.mark.parametrize(("encode", "runs"), [(base64.urlsafe_b64encode, URLSAFE), (base64.b64encode, STANDARD)])
def test_base64_is_left_alone(encode: Callable[[bytes], bytes], runs: tuple[str, ...]) -> None:
    letters = random.Random(7)
    for number in range(24):
        blob = encode(letters.randbytes(letters.randrange(100, 3_000))).decode()
        middle = len(blob) // 2
        held = blob[:middle] + runs[number % len(runs)] + blob[middle:]
        document = {
            "signature": held, "thoughtSignature": held, "encrypted_content": held,
            "image_url": {"url": f"data:image/png;base64,{held}"},
        }  # fmt: skip
        edges = range((middle + 50) % 100, len(held), 100)
        stream = sse(*[{"delta": {"signature": held[start : start + 100]}} for start in edges])
        for interaction in (said(document, document), said(headers=SSE, answer=stream)):
            assert not scanned([interaction])
            kept = Scrubber().scrub(interaction)
            assert (kept.body, kept.request.body) == (interaction.body, interaction.request.body)


HARMLESS = [
    "Bearer authentication is used", "a basic understanding2 of things", "sk-learn-linear-model-with-a-long-name",
    "https://example.com/?key=value", "Authorization: Bearer YOUR_API_KEY", "Authorization: Bearer $OPENAI_API_KEY",
    "sk-...", "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "org-chart", "the password is on the desk", "key-value-pairs-1",
    "https://user@example.com/", "call_abcdefghijklmnopqrstuvwx", "msg_01FuxB6Gq5QdsdPdafGVavMe",
    "toolu_01A09q90qw90lq917835lq9",
    "chatcmpl-e8bd0279-192b-0d7d-d28c-734d0b0b13c9", "2026-01-02T03:04:05Z", "rs_68af4030592c81938ec0a5fbab4a3e9f",
]  # fmt: skip


@each("text", HARMLESS)
def test_what_is_no_secret_is_not_found(text: str) -> None:
    assert list(find_forms(text)) == []
    interaction = said({"content": text, "tokens": 5, "max_tokens": 7, "logprobs": [{"token": "Hello12345678901"}]})
    assert not scanned([interaction])
    assert Scrubber().scrub(interaction).request.body == interaction.request.body


def test_data_of_tools_is_kept_but_for_its_secrets() -> None:
    arguments = {"user_id": "u-0123456789", "account": 12345678, "email": "a@b.example", "headers": {"X-A": "b1"}}
    schema = {"type": "object", "properties": {"password": {"type": "string"}, "headers": {"type": "object"}}}
    sent = {
        "tools": [{"name": "a", "input_schema": schema}],
        "messages": [
            {"content": [{"type": "tool_use", "input": arguments}]},
            {"tool_calls": [{"function": {"arguments": json.dumps(arguments)}}]},
            {"parts": [{"functionCall": {"args": arguments}}, {"functionResponse": {"response": {"args": arguments}}}]},
        ],
    }
    interaction = said(sent, sent)
    kept = Scrubber().scrub(interaction)
    assert (kept.request.body, kept.body) == (interaction.request.body, interaction.body)
    with_secret = json.dumps(sent).replace("email", "api_key").encode()
    assert b"a@b.example" not in Scrubber().scrub(said(with_secret)).request.body


# --- known values ----------------------------------------------------------------------------------------------------


def test_keys_of_the_environment_are_known() -> None:
    environment = {
        "OPENAI_API_KEY": "short-ok", "ANTHROPIC_API_KEY": "", "SOME_TOKEN": "short",
        "DB_PASSWORD": "long enough to count", "PATH": "/usr/bin:/bin:/usr/local/bin", "KEYBOARD": "long and harmless",
    }  # fmt: skip
    known = KnownSecrets(keys_of_environment(environment))
    assert all(known.value_of(key) for key in ("short-ok", "long enough to count"))


@pytest.mark.parametrize(
    "write",
    [str, quote, lambda text: quote(text, safe=""),
     *(lambda text, shift=shift, code=code: code(b"x" * shift + text.encode() + b"yz").decode()
       for shift in range(4) for code in (base64.b64encode, base64.urlsafe_b64encode))],
)  # fmt: skip
def test_known_values_are_found_in_any_spelling(write: Callable[[str], str]) -> None:
    secret = canary("known") + "/+=ü>?"
    assert list(KnownSecrets([secret]).find(f"x{write(secret)}y"))
    assert not list(KnownSecrets([secret]).find(f"x{write(secret[15:-15])}y"))


def test_placeholders_are_no_secrets() -> None:
    for value in ("", "SCRUBBED", "REDACTED", "<key>", "*******", "xxxxxxxx", "your-api-key-here", "MY_API_KEY", "abc"):
        assert is_stand_in(value), value
    for value in ("", "SCRUBBED", "test-key", "dummy", "short"):
        assert len(KnownSecrets([value])) == 0, value
    assert not is_stand_in(canary("real"))


def test_masks_and_forms_are_one_table() -> None:
    secret = canary("mask", "sk-proj-")
    text = f"key {secret}, https://a:{secret}@b/?api_key={secret}&c=d"
    assert masked_text(text) == "key …, https://…@b/?api_key=…&c=d"
    assert masked_text("nothing") == "nothing"


# --- the recorder ----------------------------------------------------------------------------------------------------


def test_the_gate_refuses_what_the_scrubber_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = canary("left")
    recorder = Recorder(tmp_path / "a.json", known=[secret])
    recorder.add(said())
    before = recorder.path.read_bytes()
    monkeypatch.setattr(recorder_module.Scrubber, "scrub", lambda _, interaction: interaction)
    for interaction in (said({"a": secret}), said()):  # nothing more is recorded after that
        with pytest.raises(CassetteError) as caught:
            recorder.add(interaction)
        assert "a.json: not written: interaction 2, request, body: " in str(caught.value)
        assert secret not in str(caught.value)
    assert recorder.path.read_bytes() == before
    assert len(recorder.interactions) == 1


def test_all_bytes_of_a_file_are_scanned() -> None:
    secret = canary("bytes")
    assert list(scan_bytes(b"\xff " + secret.encode(), KnownSecrets([secret]))) == [(2, "a known secret")]
    assert [what for _, what in scan_bytes(b"a sk-proj-" + secret.encode(), KnownSecrets())] == ["API key"]


def test_a_recording_is_resumed(tmp_path: Path) -> None:
    for number in range(3):
        recorder = Recorder(tmp_path / "a.json", resume=True)
        recorder.add(said({"number": number}))
    secret = canary("resumed")
    recorder.add(said({"seen": secret}))
    recorder.add(said(request_headers={"x-api-key": secret}))
    found = read_cassette(tmp_path / "a.json").interactions
    bodies = [json.loads(item.request.body) for item in found[:4]]
    assert bodies == [{"number": 0}, {"number": 1}, {"number": 2}, {"seen": "SCRUBBED"}]
    assert Recorder(tmp_path / "a.json").interactions == ()


def test_interactions_stand_in_the_order_in_which_they_began(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.json")
    first, second = recorder.begin(), recorder.begin()
    recorder.add(said({"number": 2}), second)
    recorder.add(said({"number": 1}), first)
    assert [json.loads(item.request.body)["number"] for item in read_cassette(recorder.path).interactions] == [1, 2]


# --- conformance audit --secrets -------------------------------------------------------------------------------------


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    bearer = {"Authorization": f"Bearer {canary('cli')}"}
    talk = (said(), said(request_headers=bearer, answer={"a": canary("cli", "sk-proj-")}))
    return write_cassette(tmp_path / "leaky.json", Cassette(talk))


def test_clean_cassettes_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_cassette(tmp_path / "a.json", Cassette((said(), said())))
    assert main(["audit", "--secrets", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "2 exchanges, 0 not searched; secrets: none\n"


def test_secrets_are_told_and_not_shown(leaky: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--secrets", str(leaky)]) == 1
    out = capsys.readouterr().out
    assert "request, header authorization: the value of a secret header" in out
    assert "response, body: /a, character 7: API key" in out
    assert canary("cli") not in out


def test_secrets_as_json(leaky: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--secrets", "--format", "json", str(leaky.parent)]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["exchanges"] == 2
    assert document["unreadable"] == []
    assert [(item["source"], item["interaction"], item["side"]) for item in document["secrets"]] == [
        (str(leaky), 2, "request"), (str(leaky), 2, "response"),
    ]  # fmt: skip
    assert canary("cli") not in json.dumps(document)


def test_files_of_any_maker_are_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = canary("maker", "sk-proj-")
    tape = {"interactions": [{"request": {"uri": "https://a/", "method": "GET", "headers": {"X-Api-Key": [secret]}},
                              "response": {"status": {"code": 200}, "body": {"string": ""}}}]}  # fmt: skip
    entry = {"request": {"url": "https://a/", "cookies": [{"name": "a", "value": secret}]}, "response": {"status": 200}}
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(tape))
    (tmp_path / "b.yml.gz").write_bytes(gzip.compress(yaml.safe_dump(tape).encode()))
    (tmp_path / "c.har").write_text(json.dumps({"log": {"entries": [entry]}}))
    line = {"request": {"model": "m"}, "request_headers": {"cookie": f"a={secret}"}}
    (tmp_path / "d.jsonl").write_text("\n" + json.dumps(line))
    (tmp_path / "e.json").write_text("no")
    assert main(["audit", "--secrets", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert secret not in out
    for told in (
        "a.yaml:2  request, header x-api-key", "b.yml.gz:2  request, header x-api-key", "c.har:1  file, character",
        "d.jsonl:2  request, header cookie", "e.json:1  not searched", "4 exchanges, 1 not searched",
    ):  # fmt: skip
        assert told in out, told


def test_nothing_to_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "--secrets", str(tmp_path)]) == 4
    assert capsys.readouterr().out.startswith("0 exchanges")
