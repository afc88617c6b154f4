"""Trying an environment as users install it. No network: installers and first requests are stood in for."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries import LIBRARIES
from conformance.cli import env_trial
from conformance.cli.env_trial import tried
from conformance.environments.finding import installs_of, requirements_of
from conformance.environments.kinds import kind
from conformance.environments.places import InstalledEnvironment, InstallFinding, all_installed, mark, runtime
from conformance.environments.virtual import PythonKind
from conformance.report.script import first_request
from conformance.report.script.first_request import FirstFailure
from conformance.report.script.installation import installation

NO_MCP = FirstFailure("ModuleNotFoundError: No module named 'acme_extra'", "openai-chat", True, "import acme_extra\n")
NAME = FirstFailure("NameError: name 'is_mcp_config' is not defined", "openai-chat", False, "is_mcp_config\n")
KEY = FirstFailure("KeyError: 'choices'", "openai-chat", False, "{}['choices']\n")


class Installer(PythonKind):
    """Installs nothing, and keeps what it was asked for."""

    def __init__(self) -> None:
        self.added: list[str] = []
        self.documented: Mapping[str, Sequence[str]] = {"proxy": ["fastapi", "acme-extra"], "mcp": ["acme-extra"]}

    def python(self, folder: Path) -> Path:
        return Path(sys.executable)

    def add(self, folder: Path, requirements: Sequence[str], date: str | None) -> None:
        self.added += requirements

    def extras(self, folder: Path, distribution: str) -> Mapping[str, Sequence[str]]:
        return self.documented


@pytest.fixture
def installer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Installer:
    made = Installer()
    monkeypatch.setattr(env_trial, "kind", lambda name: made)
    monkeypatch.setenv("CONFORMANCE_ENVS", str(tmp_path))
    return made


def environment(tmp_path: Path, name: str = "aisuite") -> InstalledEnvironment:
    folder = tmp_path / f"{name}-made"
    folder.mkdir()
    wanted = requirements_of(LIBRARIES[name])
    made = InstalledEnvironment(LIBRARIES[name].distribution, "0.2.0", wanted, runtime(), None, "2026-11-23", folder)
    mark(made)
    return made


def fails(monkeypatch: pytest.MonkeyPatch, installer: Installer, failure: FirstFailure, until: str | None) -> None:
    """First requests fail, until an extra is installed."""

    def first(name: str, version: str, address: str) -> FirstFailure | None:
        return None if until and any(f"[{until}]" in asked for asked in installer.added) else failure

    monkeypatch.setattr(first_request, "first_failure", first)


def silent(text: str) -> None:
    """Tell nobody."""


@pytest.mark.parametrize("failure", [NO_MCP, NAME], ids=["module", "name"])
def test_what_fails_as_installed_is_one_finding_and_mended_by_the_smallest_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: Installer, failure: FirstFailure
) -> None:
    fails(monkeypatch, installer, failure, until="mcp")
    made = tried(environment(tmp_path), silent)
    asked = "aisuite[anthropic,gemini,mistral,openai]==0.2.0"
    assert made.findings == (InstallFinding("aisuite", asked, failure.error, "mcp", failure.program),)
    assert installer.added == ["aisuite[mcp]==0.2.0"]
    assert [found.findings for found in all_installed(tmp_path)] == [made.findings]
    assert installs_of("env:aisuite@0.2.0") == made.findings
    assert tried(made, silent) is made


def test_a_package_that_is_held_back_can_be_what_mends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: Installer
) -> None:
    failure = FirstFailure("TypeError: Client got an unexpected argument", "anthropic", False, "raise TypeError\n")
    until = lambda *asked: None if "anthropic<1" in installer.added else failure  # noqa: E731
    monkeypatch.setattr(first_request, "first_failure", until)
    [found] = tried(environment(tmp_path, "llama-index"), silent).findings
    assert (found.mended, installer.added) == ("anthropic<1", ["anthropic<1"])
    assert installation("llama-index", "0.2.0", "anthropic", [found.mended]).endswith(" 'anthropic<1'")
    assert "anthropic<1" not in installation("llama-index", "0.2.0", "anthropic", ())


def test_what_nothing_mends_is_a_finding_only_if_the_error_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: Installer
) -> None:
    fails(monkeypatch, installer, NO_MCP, until=None)
    [found] = tried(environment(tmp_path), silent).findings
    assert found.mended == ""
    installer.added.clear()
    fails(monkeypatch, installer, KEY, until=None)
    again = tried(replace(environment(tmp_path, "any-llm"), tried=False), silent)
    assert (again.findings, installer.added) == ((), [])


def test_what_runs_is_no_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: Installer) -> None:
    monkeypatch.setattr(first_request, "first_failure", lambda *asked: None)
    assert installs_of("env:aisuite@0.2.0") is None
    made = tried(environment(tmp_path), silent)
    assert (made.findings, made.tried, installer.added) == ((), True, [])
    assert installs_of("env:aisuite@0.2.0") == ()


def test_a_program_that_does_not_show_it_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: Installer
) -> None:
    fails(monkeypatch, installer, replace(NAME, program="print('all is well')\n"), until="mcp")
    [found] = tried(environment(tmp_path), silent).findings
    assert found.program == ""


def test_an_extra_that_cannot_be_installed_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: Installer
) -> None:
    def refuse(*asked: object) -> None:
        raise AdapterError("the package index cannot be reached")

    fails(monkeypatch, installer, NO_MCP, until="mcp")
    monkeypatch.setattr(installer, "add", refuse)
    said: list[str] = []
    [found] = tried(environment(tmp_path), said.append).findings
    assert found.mended == ""
    assert "the package index cannot be reached" in said


def test_an_environment_of_an_earlier_version_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: Installer
) -> None:
    fails(monkeypatch, installer, NO_MCP, until="mcp")
    old = replace(environment(tmp_path), requirements=requirements_of(LIBRARIES["aisuite"], mended=True))
    mark(old)
    assert tried(old, silent) is old
    assert installs_of("env:aisuite@0.2.0") is None


def test_programs_name_what_mended() -> None:
    assert installation("litellm", "1.0", "gemini") == "pip install litellm[mcp]==1.0"
    assert installation("litellm", "1.0", "gemini", ()) == "pip install litellm==1.0"
    assert installation("litellm-messages", "1.0", "gemini", ("mcp",)) == "pip install litellm[mcp]==1.0"


def test_each_provider_gets_a_first_request(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def errs(child: object, address: str, provider: str) -> str:
        asked.append(provider)
        return provider

    monkeypatch.setattr(first_request, "_played", errs)
    monkeypatch.setattr(first_request, "_error", lambda one: ("KeyError: 'x'", False) if one == "mistral" else None)
    found = first_request.first_failure("openai", "1.0", "openai")
    assert found is not None
    assert (found.provider, found.error, asked[-1]) == ("mistral", "KeyError: 'x'", "mistral")
    assert asked[0] == "openai-chat"


def test_extras_are_read_from_metadata(tmp_path: Path) -> None:
    documented = kind("python").extras(Path(sys.prefix), "toolcall-conformance")
    assert "pytest" in documented["test"]
