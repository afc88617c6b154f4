"""Where an agent runs: a scratch home, a workspace with the script's files, and its environment variables."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.agents.recipe import AgentRecipe
from conformance.recipes.placeholders import filled_in

KEY = "sk-test-0000"
"""The key that agents are given. Every key is taken."""

QUIET: Mapping[str, str] = {
    "DO_NOT_TRACK": "1", "DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "DISABLE_ERROR_REPORTING": "1",
    "NO_UPDATE_NOTIFIER": "1", "OTEL_SDK_DISABLED": "true", "CI": "1", "NO_COLOR": "1", "TERM": "dumb",
    "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
}  # fmt: skip
"""What keeps agents from reporting, updating and painting, as far as they listen to anything common."""

USUAL: Mapping[str, str] = {
    "OPENAI_BASE_URL": "${origin}/p/${chat}/v1", "OPENAI_API_BASE": "${origin}/p/${chat}/v1",
    "ANTHROPIC_BASE_URL": "${origin}/p/anthropic", "GOOGLE_GEMINI_BASE_URL": "${origin}/p/gemini",
    "OLLAMA_HOST": "${origin}/p/ollama", "OPENAI_API_KEY": "${key}", "ANTHROPIC_API_KEY": "${key}",
    "GEMINI_API_KEY": "${key}",
}  # fmt: skip
"""What many agents read. A recipe's own come after."""

NOWHERE = "http://127.0.0.1:9"
"""A proxy that nobody is at."""


@dataclass(frozen=True, slots=True)
class AgentSurroundings:
    """The folders and the words of one run. ``programs`` are the folders of the agent's programs; ``resumes`` is what
    it is asked when it is started again, ``thinks`` says that the model thinks."""

    recipe: AgentRecipe
    root: Path
    provider: str
    origin: str
    url: str
    task: str
    resumes: str = ""
    thinks: bool = False
    programs: Sequence[Path] = ()
    away: bool = False
    """Whether proxies that nobody is at keep it from others, as far as it listens to them."""

    @property
    def home(self) -> Path:
        """The agent's home."""
        return self.root / "home"

    @property
    def workspace(self) -> Path:
        """Where it works."""
        return workspace_in(self.root)

    @property
    def values(self) -> dict[str, str]:
        """What placeholders stand for."""
        own = self.recipe.providers[self.provider]
        chat = self.provider if self.provider not in ("anthropic", "gemini", "ollama") else "openai-chat"
        known = {
            "origin": self.origin, "provider": self.provider, "chat": chat, "model": self.recipe.model, "key": KEY,
            "home": str(self.home), "workspace": str(self.workspace), "task": self.task,
        }  # fmt: skip
        known["url"] = filled_in(own.url, known) if own.url else self.url
        further = {**self.recipe.values, **(self.recipe.thinking if self.thinks else {}), **own.values}
        return {**known, **{name: filled_in(text, known) for name, text in further.items()}}

    @property
    def environment(self) -> dict[str, str]:
        """The agent's whole environment: nothing of ours is in it but the path."""
        path = os.pathsep.join([*map(str, self.programs), os.environ.get("PATH", "/usr/bin:/bin")])
        own = {**USUAL, **self.recipe.environment}
        folders = {"PATH": path, "HOME": str(self.home), "TMPDIR": str(self.root / "tmp"), "USER": "agent"}
        away = _proxies() if self.away else {}
        return {**folders, **QUIET, **away, **{name: filled_in(text, self.values) for name, text in own.items()}}

    @property
    def command(self) -> tuple[str, ...]:
        """What is run."""
        return self.filled_words(self.recipe.command)

    @property
    def resume_command(self) -> tuple[str, ...]:
        """What is run after an interruption."""
        return self.filled_words(self.recipe.resume, task=self.resumes)

    def filled_words(self, words: Sequence[str], **other: str) -> tuple[str, ...]:
        """Words of a command; the program is looked for where the agent's programs are. ``other`` are placeholders that
        stand for something else this time."""
        values = {**self.values, **other}
        first, *rest = (filled_in(word, values) for word in words)
        return (shutil.which(first, path=self.environment["PATH"]) or first, *rest)

    def made(self, files: Mapping[str, bytes]) -> None:
        """Make the folders, the script's files and the recipe's."""
        for folder in (self.home, self.workspace, self.root / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            _written(self.workspace / name, content)
        for name, text in self.recipe.files.items():
            _written(self.home / filled_in(name, self.values), filled_in(text, self.values).encode())
        if shutil.which("git"):
            subprocess.run(["git", "init", "--quiet"], cwd=self.workspace, check=False, env=self.environment)


def workspace_in(root: Path) -> Path:
    """The workspace of a run that has its folders in ``root``."""
    return root / "work"


def _written(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _proxies() -> dict[str, str]:
    here = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
    return {**here, **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE)}
