"""Environments of their own: what is where, what is made, what goes wrong. No network: builders are stood in for."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES, Library
from conformance.adapters.libraries.way import Way
from conformance.cli import main
from conformance.environments import find, making
from conformance.environments.finding import requirements_of, version_order
from conformance.environments.index import uploads, version_of
from conformance.environments.kinds import kind
from conformance.environments.places import ABANDONED_SECONDS, MARKER, all_installed, new_folder, root
from conformance.environments.tools import complaint, run_tool
from conformance.environments.virtual import python_in

RELEASES = {"1.82.0": "2026-03-01T02:35:26.844876Z", "1.83.0": "2026-03-31T05:08:25Z", "1.9.0": "2023-01-01T00:00:00Z"}


class Builder:
    """A kind of environment whose installer writes a file. ``newest`` is what it installs when no version is asked."""

    def __init__(self) -> None:
        self.built: list[tuple[tuple[str, ...], str | None, str | None]] = []
        self.index: Mapping[str, str] | None = RELEASES
        self.problem: BaseException | None = None
        self.newest = "1.83.0"

    def runtime(self) -> str:
        return "python 3.11"

    def releases(self, distribution: str) -> Mapping[str, str] | None:
        return self.index

    def build(self, folder: Path, requirements: Sequence[str], version: str | None, date: str | None) -> str:
        if self.problem is not None:
            raise self.problem
        self.built.append((tuple(requirements), version, date))
        python_in(folder).parent.mkdir(parents=True)
        python_in(folder).write_text("", "utf-8")
        return version or self.newest

    def whole(self, folder: Path) -> bool:
        return python_in(folder).exists()

    def python(self, folder: Path) -> Path | None:
        return python_in(folder)

    def inner(self, name: str, folder: Path, way: Way | None) -> str:
        return name


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Builder:
    builder = Builder()
    monkeypatch.setenv("CONFORMANCE_ENVS", str(tmp_path / "envs"))
    for module in ("making", "finding"):
        monkeypatch.setattr(f"conformance.environments.{module}.kind", lambda name: builder)
    return builder


def make(*words: str) -> int:
    return main(["env", *words])


def test_making_prints_the_address_to_run(builder: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    assert make("litellm-responses", "--version", "1.82.0") == 0
    assert capsys.readouterr().out == "env:litellm-responses@1.82.0\n"
    found = find("env:litellm-responses@1.82.0")
    assert (found.address, found.name, found.version) == ("litellm-responses", "litellm-responses", "1.82.0")
    assert found.python is not None
    assert found.python.exists()
    assert find("env:litellm@1.82.0").python == found.python  # the shims of a library share it


def test_making_again_makes_nothing(builder: Builder) -> None:
    assert make("litellm", "--version", "1.82.0") == make("litellm", "--version", "1.82.0") == 0
    assert len(builder.built) == 1


def test_the_newest_is_asked_for_again_and_kept_once(builder: Builder) -> None:
    assert make("litellm") == make("litellm") == 0
    assert len(builder.built) == 2
    assert len(list(all_installed(root()))) == 1
    assert find("env:litellm").version == "1.83.0"


def test_the_newest_of_several_is_the_default(builder: Builder) -> None:
    for version in ("1.9.0", "1.82.0"):
        make("litellm", "--version", version)
    assert find("env:litellm").version == "1.82.0"


@pytest.mark.parametrize(
    ("words", "date"),
    [
        (["--version", "1.82.0"], "2026-03-02"),
        (["--version", "1.83.0"], None),  # the newest there is
        (["--version", "1.82.0", "--date", "2026-05-01"], "2026-05-01"),
        ([], None),
    ],
)
def test_an_old_version_gets_what_there_was_then(builder: Builder, words: list[str], date: str | None) -> None:
    make("litellm", *words)
    assert [entry[2] for entry in builder.built] == [date]


def test_another_date_makes_it_anew(builder: Builder) -> None:
    make("litellm", "--version", "1.82.0")
    make("litellm", "--version", "1.82.0", "--date", "2026-05-01")
    assert [found.date for found in all_installed(root())] == ["2026-05-01"]


def test_an_index_that_does_not_say_when_is_no_obstacle(builder: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    builder.index = None
    assert make("litellm", "--version", "1.82.0") == 0
    assert "does not say when litellm 1.82.0 came out" in capsys.readouterr().err


def test_a_broken_environment_is_told_and_made_again(builder: Builder) -> None:
    make("litellm", "--version", "1.82.0")
    python = find("env:litellm@1.82.0").python
    assert python is not None
    python.unlink()
    with pytest.raises(AdapterError, match=r"is broken: run `conformance env litellm --version 1\.82\.0` again"):
        find("env:litellm@1.82.0")
    make("litellm", "--version", "1.82.0")
    assert find("env:litellm@1.82.0").python != python


@pytest.mark.parametrize("problem", [AdapterError("no"), KeyboardInterrupt()])
def test_what_is_not_finished_is_not_there(builder: Builder, problem: BaseException) -> None:
    builder.problem = problem
    with pytest.raises(type(problem)):
        making.make("litellm", "1.82.0", None, say=lambda text: None)
    assert list(root().iterdir()) == []


def test_what_a_killed_build_left_behind_is_swept(builder: Builder) -> None:
    young, old = new_folder(root(), "litellm"), new_folder(root(), "litellm")
    then = old.stat().st_mtime - ABANDONED_SECONDS - 1
    os.utime(old, (then, then))
    make("litellm", "--version", "1.82.0")
    assert (young.exists(), old.exists()) == (True, False)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"distribution": "litellm"}'])
def test_an_unreadable_marker_is_no_environment(builder: Builder, text: str) -> None:
    make("litellm", "--version", "1.82.0")
    [found] = all_installed(root())
    (found.folder / MARKER).write_text(text, "utf-8")
    assert list(all_installed(root())) == []


def test_other_needs_are_another_environment(
    builder: Builder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make("aisuite", "--version", "1.82.0")
    monkeypatch.setitem(LIBRARIES, "aisuite", Library("aisuite:AISuite", "aisuite", needs=("more",)))  # type: ignore[arg-type]
    with pytest.raises(AdapterError, match="there is no such environment"):
        find("env:aisuite@1.82.0")
    assert make("--list") == 0
    assert "nothing uses it" in capsys.readouterr().out


def test_list_and_remove(builder: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    make("litellm", "--version", "1.82.0")
    make("aisuite")
    capsys.readouterr()
    assert make("--list", "litellm") == 0
    out = capsys.readouterr().out
    assert out.startswith("litellm 1.82.0  python 3.11, as of 2026-03-02  env:litellm@1.82.0 ")
    assert out.count("\n") == 1
    assert make("litellm", "--remove") == 0
    assert [found.distribution for found in all_installed(root())] == ["aisuite"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["litelm"], "unknown library 'litelm'; did you mean 'litellm'?"),
        (["litellm", "--version", "1.82.1"], "there is no litellm 1.82.1; near it are 1.82.0"),
        (["litellm", "--remove"], "there is no environment of litellm"),
        ([], "give the NAME of a library"),
    ],
)
def test_wrong_usage_is_one_clear_line(
    builder: Builder, words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert make(*words) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_a_root_of_ones_own(builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make("litellm", "--version", "1.82.0", "--root", str(tmp_path / "elsewhere"))
    assert [found.version for found in all_installed(tmp_path / "elsewhere")] == ["1.82.0"]
    monkeypatch.delenv("CONFORMANCE_ENVS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert root() == tmp_path / "cache" / "conformance" / "envs"


def test_a_folder_that_cannot_be_is_one_clear_line(builder: Builder, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(AdapterError, match="cannot keep environments in"):
        making.make("litellm", None, None, at=tmp_path / "file", say=lambda text: None)


def test_missing_environments_say_how_to_make_them(builder: Builder) -> None:
    with pytest.raises(AdapterError, match=r"^env:litellm@9: .*run `conformance env litellm --version 9` first$"):
        find("env:litellm@9")


# --- the pieces ------------------------------------------------------------------------------------------------------


def test_requirements_are_those_of_all_shims_of_a_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, library in {
        "one": Library("a:A", "lib", extras=("y", "x"), needs=("n",)),
        "two": Library("b:B", "lib", extras=("z",)),
        "three": Library("c:C", "lib", kind="node"),
    }.items():
        monkeypatch.setitem(LIBRARIES, name, library)  # type: ignore[arg-type]
    assert requirements_of(LIBRARIES["two"]) == ("lib[x,y,z]", "n")


def test_versions_have_an_order() -> None:
    versions = ["1.83.0", "1.9.0", "0.31", "0.31.1", "1.83.0.dev1", "1.83.0rc1", "1.82.10"]
    assert max(versions[:4], key=version_order) == "1.83.0"
    assert sorted(["0.31.1", "0.31", "0.4"], key=version_order) == ["0.4", "0.31", "0.31.1"]
    assert sorted(versions, key=version_order)  # whatever they look like, they compare


@pytest.mark.parametrize(
    ("filename", "version"),
    [
        ("any_llm_sdk-1.13.0-py3-none-any.whl", "1.13.0"),
        ("any-llm-sdk-1.13.0.tar.gz", "1.13.0"),
        ("any_llm_sdk-1.13.0.zip", "1.13.0"),
        ("any_llm_sdk_extra-1.13.0.tar.gz", None),
        ("any_llm_sdk.tar.gz", None),
    ],
)
def test_versions_in_file_names(filename: str, version: str | None) -> None:
    assert version_of(filename, "any-llm-sdk") == version


def test_an_index_that_cannot_be_reached_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    assert uploads("litellm") is None


@pytest.mark.parametrize(
    ("output", "sense"),
    [
        ("error: Failed to fetch: https://x/\n  cause: dns error", "the package index cannot be reached: error: "),
        ("  × No solution found\n  ╰─▶ Because there is no version of x==9", "the package index does not have it: No"),
        ("ERROR: No matching distribution found for x==9", "the package index does not have it: ERROR: No matching"),
        ("error: build failed", "it cannot be installed: error: build failed"),
        ("", "it cannot be installed: the installer said nothing"),
    ],
)
def test_what_installers_say_is_one_line(output: str, sense: str) -> None:
    assert complaint(output).startswith(sense)
    assert "\n" not in complaint(output)


def test_a_tool_that_is_not_there() -> None:
    with pytest.raises(AdapterError, match="cannot run no-such-tool"):
        run_tool(["no-such-tool"])
    with pytest.raises(AdapterError, match="it cannot be installed: out of luck"):
        run_tool([sys.executable, "-c", "import sys; sys.exit('out of luck')"])


def test_there_are_environments_for_every_library() -> None:
    for library in LIBRARIES.values():
        assert kind(library.kind).runtime()
