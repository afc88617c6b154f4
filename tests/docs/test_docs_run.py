"""Every command of README and docs is run by ``tools/run_docs.py``, or it is known why it cannot be run here.

``classes.toml`` has a class for each. A small sample is run here, always the same; all of them by the tool.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from classed import HOW, REASONS, RUN, Row, all_commands, commands_of, parser_takes, row_of, table, to_run, words_fit
from classed import wrong_with as problem_of
from written_commands import CAPITALS, ROOT, WrittenCommand

sys.path.append(str(ROOT / "tools"))

from run_docs import Runner, block, key_of, page_of, why

LEAST_RUN = 258
"""How many commands are run, as they stand or in a smaller form. It may not go down."""
LEAST_DIFFERENT = 151
SAMPLE = 4
"""At most 20 processor seconds."""


def test_every_command_has_a_class() -> None:
    assert [problem for one in all_commands() if (problem := problem_of(one))] == []


def test_what_is_run_can_be_given() -> None:
    """With values for what stands in capitals, and with what makes it small."""
    rows = [(one, row) for one in all_commands() if (row := row_of(one)) and row.how in RUN]
    words = {to_run(one, row)[1:]: str(one) for one, row in rows if one.program == "conformance"}
    given = {said: WrittenCommand("", line, inline=False) for line, said in words.items()}
    assert [said for said, one in given.items() if "--help" not in one.words and not parser_takes(one)] == []


def test_as_many_are_run_as_before() -> None:
    rows = [(one, row) for one in all_commands() if (row := row_of(one))]
    run = [(one, row) for one, row in rows if row.how in RUN]
    left = Counter(why(row) for _, row in rows if row.how not in RUN)
    print(f"{len(rows)} commands, {len(run)} are run", *left.items(), sep="\n")
    assert len(run) >= LEAST_RUN
    assert len({key_of(one, row) for one, row in run}) >= LEAST_DIFFERENT


def test_nothing_in_the_table_is_of_no_use() -> None:
    """A row that is no command's first, a thing in no room, a reason or a value that nobody needs."""
    rows = {id(row): row for one in all_commands() if (row := row_of(one))}
    assert [row.words for row in table().rows if id(row) not in rows] == []
    things = {name for row in rows.values() for name in row.room}
    things |= {name for thing in table().things.values() for name in thing.needs}
    assert things == set(table().things)
    assert {row.reason for row in rows.values() if row.how == "not"} == set(table().reasons) == set(REASONS)
    words = {found for one in all_commands() for word in one.words for found in CAPITALS.findall(word)}
    assert {name for row in (table().values, *(row.values for row in rows.values())) for name in row} - words == set()


def test_the_table_is_as_it_says() -> None:
    for row in table().rows:
        assert row.how in HOW
        assert bool(row.reason) is (row.how == "not"), row.words
        assert bool(row.by and row.says) is (row.how == "held"), row.words
        assert bool(row.instead) is (row.how == "instead"), row.words
        assert row.how in RUN or not (row.room or row.values or row.add or row.beside), row.words
    for name, thing in table().things.items():
        assert all((ROOT / link).exists() for link in thing.links), name
        assert all(list(ROOT.glob(pattern)) for pattern in thing.copies.values()), name
        assert all(block(*place.split(" ")) for place in thing.shown.values()), name


def test_a_new_command_is_told() -> None:
    (new,) = commands_of(Path("page.md"), "```\nconformance report a.json --badges x\n```")
    assert "page.md:2: conformance report a.json --badges x: no row of tests/docs/classes.toml fits" in problem_of(new)
    (other,) = commands_of(Path("page.md"), "```sh\nmake it\n```")
    assert "page.md:2: make it: no row" in problem_of(other)


def test_a_reason_that_is_not_true_is_told() -> None:
    whole = WrittenCommand("page.md:1", ("record",), inline=True)
    assert parser_takes(whole)
    assert not REASONS["mention"](whole)
    assert REASONS["mention"](WrittenCommand("page.md:1", ("audit", "--secrets"), inline=True))
    assert not REASONS["index"](WrittenCommand("page.md:1", ("run", "openai"), inline=False))
    assert not REASONS["key"](WrittenCommand("page.md:1", ("record", "--provider", "xai", "--plan"), inline=False))


def test_a_word_in_capitals_has_a_value() -> None:
    row = Row(("conformance explain *",), "ends", values={"RULE": "common.x"}, add="--more")
    command = WrittenCommand("page.md:1", ("explain", "RULE"), inline=False)
    assert to_run(command, row) == ("conformance", "explain", "common.x", "--more")


@pytest.mark.parametrize(
    ("pattern", "words", "fits"),
    [
        ("a b*", "a bc", True), ("a b*", "a bc d", False), ("a **", "a", True), ("a ** d", "a b c d", True),
        ("** d", "a b", False), ("a *", "a", False),
    ],
)  # fmt: skip
def test_patterns_are_read_word_by_word(pattern: str, words: str, fits: bool) -> None:
    assert words_fit(pattern.split(), words.split()) is fits


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("```sh\ncd x && pytest -q 'a b' | tee f  # all\n```", ["pytest -q 'a b'"]),
        ("```text\nnode --test   # none\n  12 passed\n```", ["node --test"]),
        ("So:\n\n    conformance run --help   # it\n    python x.py\n", ["conformance run --help", "python x.py"]),
        ("Say `python tools/x.py [NAME...] --n 1`, in `python`.", ["python tools/x.py NAME --n 1"]),
        ("```python\npip = 1\n```", []),
    ],
)
def test_commands_of_other_programs_are_found(text: str, lines: list[str]) -> None:
    assert [one.line for one in commands_of(Path("page.md"), text)] == lines


SERVER = """
import http.server, signal, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(4))
server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
"""


@pytest.mark.parametrize(
    ("program", "how", "codes", "right"),
    [
        ("pass", "ends", (0,), True),
        ("raise SystemExit(1)", "ends", (0,), False),
        ("raise SystemExit(1)", "ends", (0, 1), True),
        ("1 / 0", "ends", (1,), False),
        ("import time; time.sleep(60)", "ends", (0,), False),
        (SERVER, "serves", (4,), True),
        ("print('no address')", "serves", (0,), False),
    ],
)
def test_what_comes_of_a_command(program: str, how: str, codes: tuple[int, ...], right: bool, tmp_path: Path) -> None:
    command = WrittenCommand("page.md:1", ("-c", program), inline=False, program=sys.executable)
    row = Row(("**",), how, codes=codes)
    runner = Runner(tmp_path / "kept", 1.0 if "sleep" in program else 60.0)
    outcome = runner.outcome(command, row)
    assert outcome.right is right, outcome
    again = Runner(tmp_path / "kept", 1.0)
    assert again.came[key_of(command, row)] == outcome
    assert "1 of them run" in page_of([(command, row, outcome)], contained=True)


@pytest.mark.slow
def test_a_sample_does_what_the_pages_promise(tmp_path: Path) -> None:
    words = [sys.executable, "tools/run_docs.py", "--sample", str(SAMPLE), "--seconds", "300", "--keep", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{SAMPLE} commands, {SAMPLE} run, 0 otherwise than promised" in done.stdout
