"""The composite action: its shell steps, run on a real adapter, and the workflows that the documentation shows."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from action import ROOT, action, environment, run_action

BRIEF = "--provider ollama --scenario shell.success --delivery blocking"

BROKEN = """
from conformance.adapters.reference import ReferenceAdapter

class Broken(ReferenceAdapter):
    def build_request(self, provider, conversation, *, stream):
        request = super().build_request(provider, conversation, stream=stream)
        return type(request)(request.method, request.url, request.headers, request.body.replace(b'"tool"', b'"user"'))
"""

PAGE = (ROOT / "docs" / "ci.md").read_text("utf-8")
FILES = dict(re.findall(r"^```yaml (\S+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)) | {
    path: (ROOT / path).read_text("utf-8") for path in ("action.yml", ".github/workflows/weekly.yml")
}

SCHEMAS = {
    "action.yml": "vendor.github-actions",
    ".gitlab-ci.yml": "vendor.gitlab-ci",
    **dict.fromkeys((name for name in FILES if name.startswith(".github/")), "vendor.github-workflows"),
}
"""The published schema of each file, as check-jsonschema carries it."""


@pytest.mark.slow
def test_an_adapter_that_conforms(tmp_path: Path) -> None:
    inputs = {"adapter": "reference", "args": BRIEF, "package": ""}
    code, said = run_action(inputs, tmp_path, environment(tmp_path))
    assert code == 0, said
    out = tmp_path / "conformance-results"
    assert json.loads((out / "result.json").read_text("utf-8"))["cells"]
    assert "<testsuite" in (out / "junit.xml").read_text("utf-8")
    assert (out / "page" / "index.html").is_file()
    assert (tmp_path / "summary.md").read_text("utf-8") == (out / "result.md").read_text("utf-8")
    assert "no earlier result to compare with" in said["Compare"]

    shutil.copy(out / "result.json", tmp_path / "before.json")
    inputs |= {"before": "before.json", "page": "false"}
    code, said = run_action(inputs, tmp_path, environment(tmp_path))
    assert code == 0, said
    assert "Page" not in said
    assert "0 regressions" in (out / "diff.md").read_text("utf-8")

    code, said = run_action({**inputs, "args": BRIEF.replace("ollama", "gemini")}, tmp_path, environment(tmp_path))
    assert code == 4, "two results without a cell in common are no comparison"


@pytest.mark.slow
def test_an_adapter_that_does_not(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN, "utf-8")
    inputs = {"adapter": "python:broken:Broken", "args": BRIEF, "package": "", "page": "false"}
    code, said = run_action(inputs, tmp_path, environment(tmp_path))
    assert (code, list(said)) == (1, ["Install", "Run", "Compare", "Summary", "Verdict"]), said
    assert "run: exit code 1" in said["Verdict"]
    code, said = run_action({**inputs, "args": "--provider nobody"}, tmp_path, environment(tmp_path))
    assert code == 2


def test_inputs_are_never_text_that_a_shell_reads() -> None:
    for step in action()["runs"]["steps"]:
        assert "${{" not in step["run"], step["name"]
        assert step["shell"] == "bash"


def test_words_in_inputs_are_words(tmp_path: Path) -> None:
    """What stands in an input is given to the command, and run by nobody."""
    inputs = {"adapter": "$(touch harm)", "args": "; touch harm `touch harm`", "package": "", "out": "a b"}
    code, _ = run_action({**inputs, "page": "false"}, tmp_path, environment(tmp_path))
    assert code == 2
    assert not list(tmp_path.rglob("harm"))


@pytest.mark.parametrize("name", SCHEMAS)
def test_files_follow_the_published_schemas(tmp_path: Path, name: str) -> None:
    checker = shutil.which("check-jsonschema")
    if checker is None:
        pytest.skip("needs check-jsonschema, which carries the schemas of GitHub and GitLab")
    path = tmp_path / Path(name).name
    path.write_text(FILES[name], "utf-8")
    done = subprocess.run(
        [checker, "--builtin-schema", SCHEMAS[name], str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_files_are_yaml_of_what_they_say() -> None:
    assert set(SCHEMAS) | {".pre-commit-config.yaml"} == set(FILES)
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    [repo] = yaml.safe_load(FILES[".pre-commit-config.yaml"])["repos"]
    assert {hook["id"] for hook in repo["hooks"]} == hooks
    used = yaml.safe_load(FILES[".github/workflows/conformance.yml"])["jobs"]["conformance"]["steps"]
    [ours] = [step for step in used if "toolcall-conformance" in step.get("uses", "")]
    assert ours["with"].keys() <= action()["inputs"].keys()


def _commands(text: str) -> list[str]:
    """The shell of a workflow, but for what installs the package."""
    document: Any = yaml.safe_load(text)
    if "conformance" in document:
        job = document["conformance"]
        return [line for line in (*job["script"], *job["after_script"]) if "pip install" not in line]
    steps = [step for job in document["jobs"].values() for step in job["steps"]]
    return [step["run"] for step in steps if "run" in step and "pip install" not in step["run"]]


@pytest.mark.slow
@pytest.mark.parametrize("name", [".gitlab-ci.yml", ".github/workflows/recordings.yml"])
def test_the_commands_of_the_page_run(tmp_path: Path, name: str) -> None:
    (tmp_path / "my_adapter.py").write_text("from conformance.adapters.reference import ReferenceAdapter as Adapter\n")
    (tmp_path / "known.yaml").write_text("expected_failures: []\n")
    shutil.copytree(ROOT / "cassettes" / "ollama", tmp_path / "cassettes")
    whole = "conformance run python:my_adapter:Adapter"
    for command in _commands(FILES[name]):
        line = command.replace(whole, f"{whole} {BRIEF}")
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False,
            env={**environment(tmp_path), "CONFORMANCE_OUT": "conformance-results"}, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, (line, done.stdout, done.stderr)
