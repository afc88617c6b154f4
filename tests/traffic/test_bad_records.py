"""One bad record is one line of an audit, whatever it holds; a rule that breaks is another matter."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.cli import main
from conformance.rules.check import CHECKS
from conformance.schemas import schema
from conformance.traffic.audit import Audit
from conformance.traffic.secrets import SecretAudit

URL = "https://api.openai.com/v1/chat/completions"
BODY = '{"model":"m","messages":[{"role":"user","content":"x"}]}'


def interaction(**changed: Any) -> dict[str, Any]:
    """An interaction as in a cassette."""
    asked = {"method": "POST", "uri": URL, "headers": {"Authorization": ["Bearer x"]}, "body": BODY}
    answered = {"status": {"code": 200}, "headers": {}, "body": {"string": "{}"}}
    return {"request": asked | changed, "response": answered}


ODD_URLS = ["https://[/v1/messages", "http://[::1/v1", "https://x:999999/", "//", "", 5, None, "https://\ud800/", "\0"]
ODD_HEADERS = [{"Host": ["["]}, {"Host": "\0"}, {"content-encoding": ["gzip"]}, {"a": None}, [["a"]], [["a", "b"]], 5]
ODD_BODIES = [
    "9" * 5000, f'{{"model":{"9" * 5000}}}', '{"a":' * 16_000 + "1" + "}" * 16_000, "[" * 100_000, '{"messages":NaN}',
    5, None, ["x"], {"string": 5}, {"base64_string": "***"}, {"encoding": "no-such", "string": "x"}, "\ud800",
]  # fmt: skip
ODD_RECORDS = [
    *(interaction(uri=url) for url in ODD_URLS), *(interaction(headers=headers) for headers in ODD_HEADERS),
    *(interaction(body=body) for body in ODD_BODIES), interaction(method=[]), interaction() | {"response": []},
    interaction() | {"response": {"status": {"code": 10**4000}}}, interaction() | {"id": [], "prev": {}},
    5, None, [], {}, {"request": 5}, {"request": {}},
    {"host": "[", "path": "//[", "request": {"model": "m"}, "response": {}},
    {"host": 5, "path": 5, "request": [], "request_headers": 5, "response": 5, "status": "x", "turn": "x", "prev": 5},
]  # fmt: skip
ODD_YAML = [
    "!!bool abc", "!!int x", "!!int 0x", "!!float q", "!!binary '***'", "!!timestamp 99", "!!null x", "!!set {a}",
    "!!python/object/apply:os.system ['true']", "[" * 3000 + "]" * 3000, "{a: " * 300 + "1" + "}" * 300, "*nobody",
    "!!int " + "9" * 5000, "1" + ":59" * 3000, "!!int 1" + ":59" * 3000, "!!float 1" + ":59" * 2000, ".inf", "~",
]  # fmt: skip


def audited(path: Path) -> Audit:
    """An audit of one file, and a search for secrets in it."""
    audit, secrets = Audit(), SecretAudit()
    for _ in (*audit.read(path), *secrets.read(path)):
        pass
    jsonschema.validate(json.loads(json.dumps(audit.document())), schema("audit"))
    assert not audit.broken
    assert all(len(item.why) < 1000 and "\n" not in item.why for item in audit.unreadable)
    return audit


@pytest.mark.parametrize("number", range(len(ODD_RECORDS)))
def test_a_bad_record_is_one_line(tmp_path: Path, number: int) -> None:
    """Beside a right one, which is judged."""
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(f"{json.dumps(one)}\n" for one in (interaction(), ODD_RECORDS[number])), "utf-8")
    cassette = tmp_path / "b.json"
    cassette.write_text(json.dumps({"interactions": [interaction(), ODD_RECORDS[number]]}), "utf-8")
    archive = tmp_path / "c.har"
    archive.write_text(json.dumps({"log": {"entries": [ODD_RECORDS[number]]}}), "utf-8")
    assert audited(lines).exchanges + len(audited(lines).unreadable) >= 2
    assert audited(cassette).judged >= 1
    audited(archive)


@pytest.mark.parametrize("odd", ODD_YAML, ids=lambda text: text[:20])
def test_odd_yaml_is_one_line(tmp_path: Path, odd: str) -> None:
    path = tmp_path / "a.yaml"
    right = json.dumps(interaction())
    path.write_text(f"version: 1\ninteractions:\n- {right}\n- {odd}\n- request: {odd}\n  response: {odd}\n", "utf-8")
    audit = audited(path)
    assert audit.judged == 1 or odd == "*nobody"
    assert audit.unreadable


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.yaml", "a.har", "a.jsonl.gz"])
@pytest.mark.parametrize("kind", ["fifo", "folder inside", "loop", "closed", "device", "no gzip", "no utf-8", "empty"])
def test_what_is_no_file_is_one_line(tmp_path: Path, name: str, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / name
    match kind:
        case "fifo":
            os.mkfifo(path)
        case "folder inside":
            (path / name).mkdir(parents=True)
        case "loop":
            path.symlink_to(name)
        case "closed":
            path.touch(mode=0)
        case "device":
            path.symlink_to("/dev/zero")
        case _:
            path.write_bytes({"no gzip": b"\x1f\x8b\x08 no", "no utf-8": b"\xff\xfe{}\n", "empty": b""}[kind])
    for words in (["audit"], ["audit", "--secrets"]):
        assert main([*words, str(path)]) in (0, 2, 4)
        assert main([*words, str(tmp_path)]) in (0, 2, 4)
    assert "Traceback" not in "".join(capsys.readouterr())


def test_a_broken_rule_is_told_apart_from_a_broken_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks(exchange: object) -> Any:
        raise KeyError("oops")

    monkeypatch.setitem(CHECKS, "chat.http.endpoint-and-auth", breaks)
    path = tmp_path / "a.json"
    path.write_text(json.dumps([interaction()]), "utf-8")
    assert main(["audit", str(path)]) == 3
    assert "chat.http.endpoint-and-auth broke at" in capsys.readouterr().err
    assert main(["audit", "--format", "json", str(path)]) == 3
    [broken] = json.loads(capsys.readouterr().out)["broken"]
    assert broken["rule"] == "chat.http.endpoint-and-auth"
    assert broken["why"] == "KeyError: 'oops'"
