"""Bugs that users saw and that no other test holds (reports/by-hand/resolved-5-of-8.md names the others)."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from conformance import AdapterError
from conformance.adapters.stdio.faces import introduced
from conformance.http import Request
from conformance.report.summary import MOST_NAMES, subjects
from conformance.server.service import Service

NODE_SAYS = """
import sys
print("node:internal/modules/cjs/loader:1215", file=sys.stderr)
print("Error: Cannot find module '/x/dist/main.js'", file=sys.stderr)
print("    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15)", file=sys.stderr)
print("Node.js v20.20.2", file=sys.stderr)
sys.exit(1)
"""


def test_a_program_that_does_not_start_tells_its_error_and_not_its_last_line(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(NODE_SAYS, "utf-8")
    with pytest.raises(AdapterError) as caught:
        introduced("stdio:node dist/main.js", [sys.executable, str(tmp_path / "program.py")])
    assert str(caught.value).endswith("it printed: Error: Cannot find module '/x/dist/main.js'")


@pytest.mark.parametrize("path", ["/follow_up", "/v1/foo", "/v1beta/models", "/p/anthropic/v1/nothing"])
def test_a_wrong_path_is_answered_with_words_and_no_pattern(path: str) -> None:
    answer = Service().serve(Request("POST", f"http://127.0.0.1{path}", {"content-type": "application/json"}, b"{}"))
    said = json.loads(b"".join(answer.chunks))["error"]["message"]
    assert answer.status == 404
    assert re.fullmatch(r"No such path: POST /[\w/]+ is no call of [\w ]+\.", said), said


@pytest.mark.parametrize(
    ("path", "model", "meant"),
    [
        ("/p/antropic/v1/messages", "any", "anthropic"),
        ("/s/shell.sucess/v1/chat/completions", "any", "shell.success"),
        ("/v1/chat/completions", "conformance/any-provke", "any-provoke"),
    ],
)
def test_of_a_misspelled_name_in_an_address_the_nearest_is_told(path: str, model: str, meant: str) -> None:
    body = json.dumps({"model": model, "messages": [{"role": "user", "content": "Hi"}]}).encode()
    headers = {"content-type": "application/json", "authorization": "Bearer any"}
    answer = Service().serve(Request("POST", f"http://127.0.0.1{path}", headers, body))
    assert answer.status == 404
    assert re.search(f"did you mean '?{meant}\\b", b"".join(answer.chunks).decode())


def test_a_title_counts_adapters_where_they_are_many() -> None:
    few = [{"name": f"a{number}"} for number in range(MOST_NAMES)]
    assert subjects({"adapters": few}) == ", ".join(one["name"] for one in few)
    assert subjects({"adapters": [{"name": f"a{number}"} for number in range(25)]}) == "25 adapters"
