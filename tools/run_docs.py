"""Run the commands that README and docs show, each in a scratch folder, and write what came to a page.

    python tools/run_docs.py --keep build/docs --out reports/docs-commands.md    all; goes on where it ended
    python tools/run_docs.py --page docs/running.md                              those of one page
    python tools/run_docs.py --only '*audit*' --only '*serve*'                   those that look so, in that order
    python tools/run_docs.py --sample 5                                          five, always the same
    python tools/run_docs.py --list                                              what becomes of each; runs nothing

What a command needs stands in ``tests/docs/classes.toml``. Commands that come to the same words in the same room are
run once. Nobody but this machine's loopback can be reached meanwhile. Exit code: 0 where each did what the pages
promise, 1 where one did not, took too long, or had no room, 2 where a command has no class.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "docs")]

from classed import RUN, Row, Thing, all_commands, row_of, table, to_run, wrong_with
from written_commands import FENCE, WrittenCommand

from conformance.sealed.contained import contain

SECONDS = 120.0
"""How long a command may take. A machine that does other work wants more: ``--seconds``."""
END_SECONDS = 20.0
"""How long a program has to end what it started, when it is told to."""
SAID = 1200
"""How much of what a command said is kept."""
KEYS = re.compile(r".*(API_KEY|TOKEN|SECRET|PASSWORD)$|CONFORMANCE_.*|OLLAMA_HOST|PYTEST_.*")
"""Variables that no command is given."""
SITE = re.compile(r"https?://127\.0\.0\.1:\d+")
WAITS = "waiting for a change"


@dataclass(frozen=True)
class Outcome:
    """What came of a command: its exit code (None: it took too long), the clock's and the processor's seconds."""

    code: int | None
    seconds: float
    processor: float
    right: bool
    said: str = ""


class RoomError(Exception):
    """A room that could not be made."""


class Runner:
    """Runs commands in rooms, and keeps things that rooms need and what came."""

    def __init__(self, keep: Path, seconds: float) -> None:
        self.keep, self.seconds = keep.resolve(), seconds
        self.made: dict[str, Path] = {}
        self.kept = self.keep / "came.jsonl"
        self.keep.mkdir(parents=True, exist_ok=True)
        lines = self.kept.read_text("utf-8").splitlines() if self.kept.exists() else []
        self.came = {entry.pop("key"): Outcome(**entry) for entry in map(json.loads, lines)}

    def outcome(self, command: WrittenCommand, row: Row) -> Outcome:
        """What came of a command: from the last time, where it did what it should."""
        key = key_of(command, row)
        if key not in self.came or not self.came[key].right:
            self.came[key] = self._run(command, row)
            with self.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, **asdict(self.came[key])}) + "\n")
        return self.came[key]

    def _run(self, command: WrittenCommand, row: Row) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="docs-") as folder:
            room = Path(folder)
            for name in row.room:
                self._lay(name, room)
            with self._beside(row.beside, room):
                return self._play(to_run(command, row), row, room)

    def _play(self, words: Sequence[str], row: Row, room: Path) -> Outcome:
        began = time.monotonic()
        spent = -os.times().children_user - os.times().children_system
        with tempfile.NamedTemporaryFile() as said, started(words, room, said) as process:
            try:
                if row.how == "serves":
                    problem = ask(wait_for(said, SITE, process, self.seconds))
                    process.send_signal(signal.SIGTERM)
                elif row.how == "watches":
                    problem = "" if wait_for(said, re.compile(WAITS), process, self.seconds) else "it waits for nothing"
                    process.send_signal(signal.SIGTERM)
                else:
                    problem = ""
                code: int | None = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                code, problem = None, f"not ended after {self.seconds:g} s"
            said.seek(0)
            text = said.read().decode("utf-8", "replace")
        spent += os.times().children_user + os.times().children_system
        right = code in row.codes and not problem and "Traceback (most recent call last)" not in text
        kept = "" if right else f"{problem}\n{text[-SAID:]}".strip()
        return Outcome(code, round(time.monotonic() - began, 1), round(spent, 2), right, kept)

    @contextlib.contextmanager
    def _beside(self, line: str, room: Path) -> Iterator[None]:
        if not line:
            yield
            return
        with tempfile.NamedTemporaryFile() as said, started(shlex.split(line), room, said) as process:
            wait_for(said, SITE, process, self.seconds)
            yield

    def _lay(self, name: str, room: Path) -> None:
        """Put a thing into a room."""
        thing = table().things[name]
        for one in thing.needs:
            self._lay(one, room)
        shutil.copytree(self._thing(name, thing), room, dirs_exist_ok=True)
        for path, text in thing.texts.items():
            (room / path).parent.mkdir(parents=True, exist_ok=True)
            filled = text.replace("{room}", str(room)).replace("{python}", sys.executable)
            (room / path).write_text(filled.lstrip("\n"), "utf-8")
        for link in thing.links:
            if not (room / link).exists():
                (room / link).symlink_to(ROOT / link)

    def _thing(self, name: str, thing: Thing) -> Path:
        """The folder that holds a thing. It is made once, by our own commands."""
        digest = hashlib.sha256(repr(thing).encode()).hexdigest()[:8]
        folder = self.keep / "things" / f"{name}-{digest}"
        if folder.exists():
            return folder
        with tempfile.TemporaryDirectory(dir=self.keep) as made:
            room = Path(made) / "room"
            room.mkdir()
            for one in thing.needs:
                self._lay(one, room)
            for line in thing.made:
                came = self._play(shlex.split(line), Row((), "ends", codes=thing.codes), room)
                if not came.right:
                    raise RoomError(f"{name} was not made by {line!r}: {came.code}, {came.said}")
            for into, pattern in thing.copies.items():
                copy_all(pattern, room / into)
            for other, file in thing.same.items():
                (room / other).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(room / file, room / other)
            for path, place in thing.shown.items():
                (room / path).parent.mkdir(parents=True, exist_ok=True)
                (room / path).write_text(block(*place.split(" ")), "utf-8")
            folder.parent.mkdir(exist_ok=True)
            room.rename(folder)
        return folder


def copy_all(pattern: str, into: Path) -> None:
    """Copy a folder, a file, or the files of a pattern, out of the checkout."""
    source = ROOT / pattern
    into.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, into)
    elif source.is_file():
        shutil.copy(source, into)
    else:
        into.mkdir()
        for file in source.parent.glob(source.name):
            shutil.copy(file, into)


def block(page: str, language: str, word: str) -> str:
    """The block of a page that has a word in it."""
    blocks = (found[0] for found in FENCE.finditer((ROOT / page).read_text("utf-8")))
    found = next(one for one in blocks if one.lstrip().startswith(f"```{language}") and word in one)
    return "\n".join(found.split("\n")[1:-1]) + "\n"


@contextlib.contextmanager
def started(words: Sequence[str], room: Path, said: object) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a room. It and what it started end with the block."""
    environment = {name: value for name, value in os.environ.items() if not KEYS.fullmatch(name)}
    environment |= {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "CONFORMANCE_OUT": "out"}
    process = subprocess.Popen(
        expanded(words, room, environment), cwd=room, env=environment, stdin=subprocess.DEVNULL, stdout=said,  # type: ignore[call-overload]
        stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(END_SECONDS)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def expanded(words: Sequence[str], room: Path, environment: dict[str, str]) -> list[str]:
    """What a shell makes of words: variables, and the names of files."""
    made: list[str] = []
    for word in words:
        full = re.sub(r"\$(\w+)", lambda found: environment.get(found[1], found[0]), word)
        files = sorted(path.name for path in room.glob(full)) if "*" in full and "/" not in full else []
        made += files or [full]
    return made


def wait_for(said: object, what: re.Pattern[str], process: subprocess.Popen[bytes], seconds: float) -> str:
    """What a program says that fits, as soon as it says it; nothing where it ends before."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended = process.poll() is not None
        found = what.search(Path(said.name).read_text("utf-8", "replace"))  # type: ignore[attr-defined]
        if found or ended:
            return found[0] if found else ""
        time.sleep(0.1)
    raise subprocess.TimeoutExpired(process.args, seconds)


def ask(address: str) -> str:
    """Ask a server once. What is wrong with that: it says no address, or does not answer."""
    if not address:
        return "it says no address"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        opener.open(f"{address}/", timeout=60).close()
    except urllib.error.HTTPError:
        return ""
    except OSError as problem:
        return f"it does not answer: {problem}"
    return ""


def key_of(command: WrittenCommand, row: Row) -> str:
    """Two commands with one key are run once."""
    things = [table().things[name] for name in row.room]
    told = (to_run(command, row), row.how, things, row.codes, row.beside)
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def chosen(page: str, only: Sequence[str], sample: int) -> list[WrittenCommand]:
    """The commands of a page that look so, in that order; of those that are run a sample, always the same."""
    there = [one for one in all_commands() if fnmatchcase(place(one), page)]
    found = list(dict.fromkeys(one for look in only or ["*"] for one in there if fnmatchcase(one.line, look)))
    if not sample:
        return found
    first = {key_of(one, row): one for one in reversed(found) if (row := row_of(one)) and row.how in RUN}
    return [first[key] for key in sorted(first)[:sample]]


def page_of(came: Sequence[tuple[WrittenCommand, Row, Outcome | None]], contained: bool) -> str:
    """The report."""
    run = [(one, row, outcome) for one, row, outcome in came if outcome]
    left = [(one, row) for one, row, outcome in came if not outcome]
    wrong = [(one, row, outcome) for one, row, outcome in run if not outcome.right]
    waiting = sum(row.how in RUN for _, row in left)
    different = {key_of(one, row): outcome for one, row, outcome in run}
    lines = [
        "# The commands of README and docs, run", "",
        f"Made by `python tools/run_docs.py` on {datetime.date.today()}. "
        "[What each command needs](../tests/docs/classes.toml).", "",
        f"{len(came)} commands, {len(run)} of them run ({len(different)} different ones): {len(run) - len(wrong)} did "
        f"what the pages promise, {len(wrong)} did not. They took "
        f"{sum(one.processor for one in different.values()):.0f} processor seconds."
        + (f" {waiting} more can be run, and were not yet." if waiting else "")
        + ("" if contained else " **The network was not contained.**"), "",
        "| page | commands | run | as promised | processor seconds |", "|---|--:|--:|--:|--:|",
    ]  # fmt: skip
    for page in sorted({place(one) for one, _, _ in came}):
        there = [(one, row, outcome) for one, row, outcome in came if place(one) == page]
        ran = [outcome for _, _, outcome in there if outcome]
        right = sum(outcome.right for outcome in ran)
        seconds = sum(outcome.processor for outcome in ran)
        lines.append(f"| {page} | {len(there)} | {len(ran)} | {right} | {seconds:.1f} |")
    reasons = Counter(why(row) for _, row in left)
    lines += ["", "## Not run", "", "| why | commands |", "|---|--:|"]
    lines += [f"| {reason} | {count} |" for reason, count in reasons.most_common()]
    if wrong:
        lines += ["", "## Otherwise than promised", ""]
        lines += [f"- {one}: exit code {outcome.code}" for one, _, outcome in wrong]
    lines += ["", "## What was run", "", "| command | as | exit code | seconds |", "|---|---|--:|--:|"]
    seen: set[str] = set()
    for one, row, outcome in run:
        if (key := key_of(one, row)) not in seen:
            seen.add(key)
            words = shlex.join(to_run(one, row))
            shown = "as it is" if words == one.line else f"`{cell(words)}`"
            lines.append(f"| `{cell(one.line)}` | {shown} | {outcome.code} | {outcome.seconds:.1f} |")
    return "\n".join(lines) + "\n"


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def place(command: WrittenCommand) -> str:
    return command.place.partition(":")[0]


def why(row: Row) -> str:
    """Why a command is not run here, as a sentence."""
    if row.how == "held":
        return f"`{row.by}` runs it"
    return table().reasons[row.reason] if row.how == "not" else "not run yet"


def main() -> int:
    """The command. Returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", default="*", metavar="GLOB", help="only of these pages")
    parser.add_argument("--only", action="append", metavar="GLOB", help="only commands that look so, in that order")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="N of those that are run, always the same")
    parser.add_argument("--seconds", type=float, default=SECONDS, metavar="S", help="for each (default: %(default)s)")
    parser.add_argument("--until", type=float, default=0, metavar="S", help="begin none after so many seconds")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what came, and go on from it")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the report")
    parser.add_argument("--list", action="store_true", help="only say what becomes of each")
    asked = parser.parse_args()
    commands = chosen(asked.page, asked.only, asked.sample)
    if problems := [problem for one in commands if (problem := wrong_with(one))]:
        print("\n".join(problems))
        return 2
    rows = [(one, row) for one in commands if (row := row_of(one))]
    if asked.list:
        for one, row in rows:
            print(f"{row.how:<8} {one}" + ("" if row.how in RUN else f"    ({why(row)})"))
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what was started ends with us, and what came is told
    contained = contain()
    began = time.monotonic()
    came: list[tuple[WrittenCommand, Row, Outcome | None]] = []
    rooms, interrupted = 0, False
    with contextlib.ExitStack() as stack:
        keep = asked.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="docs-kept-")))
        runner = Runner(keep, asked.seconds)
        told: set[str] = set()
        for one, row in rows:
            key = key_of(one, row)
            outcome = runner.came.get(key) if row.how in RUN else None
            late = interrupted or (bool(asked.until) and time.monotonic() - began > asked.until)
            if row.how in RUN and not late and key not in told and not (outcome and outcome.right):
                told.add(key)
                try:
                    outcome = runner.outcome(one, row)
                except KeyboardInterrupt:
                    interrupted = True
                except RoomError as problem:
                    print(f"ROOM {one}\n     {problem}", flush=True)
                    rooms += 1
                else:
                    print(f"{'ok  ' if outcome.right else 'FAIL'} {outcome.seconds:7.1f} s  {one}", flush=True)
                    if not outcome.right:
                        said = f"exit code {outcome.code}\n{outcome.said}".replace("\n", "\n     ")
                        print(f"     {said}", flush=True)
            came.append((one, row, outcome))
    run = [outcome for _, _, outcome in came if outcome]
    print(f"{len(came)} commands, {len(run)} run, {sum(not one.right for one in run)} otherwise than promised")
    for reason, count in Counter(why(row) for _, row, outcome in came if not outcome).most_common():
        print(f"{count:5}  {reason}")
    if asked.out:
        asked.out.write_text(page_of(came, contained), "utf-8")
    if interrupted:
        return 130
    return 1 if rooms or any(not one.right for one in run) else 0


if __name__ == "__main__":
    sys.exit(main())
