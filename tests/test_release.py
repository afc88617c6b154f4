"""A release is cut by one command: the version everywhere, the CHANGELOG's heading, and nothing where it cannot be."""

from __future__ import annotations

import datetime
import shutil
import sys
from pathlib import Path

import pytest

from conformance.version import VERSION

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools")]

import release  # noqa: E402

NEWER = f"{int(VERSION.split('.', maxsplit=1)[0]) + 1}.0.0"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the files that a release changes."""
    for name in (*release.PLACES, "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    changelog = tmp_path / "CHANGELOG.md"
    text = changelog.read_text("utf-8").replace("## [Unreleased]\n", "## [Unreleased]\n\n### Fixed\n- Something.\n", 1)
    changelog.write_text(text, "utf-8")
    return tmp_path


def contents(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text("utf-8") for name in (*release.PLACES, "CHANGELOG.md")}


def test_the_version_is_the_same_everywhere() -> None:
    assert release.main(["--check"]) == 0


def test_a_release_changes_every_place_and_says_what_is_next(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(checkout)
    assert release.main([NEWER, "--root", str(checkout)]) == 0
    after = contents(checkout)
    assert all(NEWER in text for text in after.values())
    places = {name: after[name].replace(NEWER, VERSION) for name in release.PLACES}
    assert places == {name: before[name] for name in release.PLACES}, "nothing else is changed"
    heading = f"## [Unreleased]\n\n## [{NEWER}] - {datetime.date.today().isoformat()}\n"
    assert after["CHANGELOG.md"] == before["CHANGELOG.md"].replace("## [Unreleased]\n", heading)
    assert "tools/publish.py" in capsys.readouterr().out
    assert release.main(["--check", "--root", str(checkout)]) == 0


@pytest.mark.parametrize(
    ("version", "edit", "complaint"),
    [
        (VERSION, None, "does not come after"),
        ("0.0.1", None, "does not come after"),
        ("1.0", None, "is no version"),
        (NEWER, ("README.md", f"reference {VERSION}", "reference 0.0.9"), "differ already: README.md: 0.0.9"),
        (NEWER, ("pyproject.toml", "version =", "release ="), "no version stands"),
        (NEWER, ("CHANGELOG.md", "## [Unreleased]", f"## [Unreleased]\n\n## [{VERSION}]"), "nothing is unreleased"),
        (NEWER, ("CHANGELOG.md", "## [Unreleased]", "## Unreleased"), "one heading"),
    ],
)
def test_where_it_cannot_be_cut_nothing_is_changed(
    version: str,
    edit: tuple[str, str, str] | None,
    complaint: str,
    checkout: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if edit is not None:
        path = checkout / edit[0]
        path.write_text(path.read_text("utf-8").replace(edit[1], edit[2]), "utf-8")
    before = contents(checkout)
    assert release.main([version, "--root", str(checkout)]) == 2
    assert complaint in capsys.readouterr().err
    assert contents(checkout) == before


def test_versions_that_differ_are_told(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = checkout / "clients/node/package.json"
    path.write_text(path.read_text("utf-8").replace(f'"version": "{VERSION}"', '"version": "0.0.9"'), "utf-8")
    assert release.main(["--check", "--root", str(checkout)]) == 1
    assert capsys.readouterr().out == f"clients/node/package.json: 0.0.9, not {VERSION}\n"
