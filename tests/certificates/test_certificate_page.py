"""The commands of the page that tells about certificates, as they stand there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from conformance.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "certificates.md"
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_the_commands_on_the_page_do_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line) for block in BLOCKS for line in block.splitlines()]
    assert len(commands) >= 5
    assert [(words, main(words[1:])) for words in commands] == [(words, 0) for words in commands]
