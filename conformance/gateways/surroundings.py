"""Where a gateway runs: a scratch home with its files, a port of its own, and its environment variables."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.gateways.recipe import GatewayRecipe
from conformance.recipes.placeholders import filled_in

KEY = "sk-test-0000"
"""The key that gateways and providers are given."""

QUIET: Mapping[str, str] = {
    "DO_NOT_TRACK": "1", "DISABLE_TELEMETRY": "1", "NO_UPDATE_NOTIFIER": "1", "OTEL_SDK_DISABLED": "true", "CI": "1",
    "NO_COLOR": "1", "TERM": "dumb", "LANG": "C.UTF-8",
}  # fmt: skip
NOWHERE = "http://127.0.0.1:9"
"""A proxy that nobody is at."""


@dataclass(frozen=True, slots=True)
class GatewaySurroundings:
    """The folders and the words of one run. ``away``: proxies that nobody is at keep it from others."""

    recipe: GatewayRecipe
    root: Path
    upstream: str
    port: int
    programs: Sequence[Path] = ()
    away: bool = False

    @property
    def home(self) -> Path:
        """The gateway's home."""
        return self.root / "home"

    @property
    def origin(self) -> str:
        """Where the gateway is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def values(self) -> dict[str, str]:
        """What placeholders stand for."""
        return {
            "gateway": self.origin, "port": str(self.port), "upstream": self.upstream, "key": KEY,
            "home": str(self.home), "python": sys.executable,
        }  # fmt: skip

    @property
    def environment(self) -> dict[str, str]:
        """The gateway's whole environment: nothing of ours is in it but the path."""
        path = os.pathsep.join([*map(str, self.programs), os.environ.get("PATH", "/usr/bin:/bin")])
        folders = {"PATH": path, "HOME": str(self.home), "TMPDIR": str(self.root / "tmp"), "USER": "gateway"}
        own = {name: filled_in(text, self.values) for name, text in self.recipe.environment.items()}
        return {**folders, **QUIET, **(_proxies() if self.away else {}), **own}

    def words(self, command: Sequence[str]) -> tuple[str, ...]:
        """A command; the program is looked for where the gateway's programs are."""
        first, *rest = (filled_in(word, self.values) for word in command)
        return (shutil.which(first, path=self.environment["PATH"]) or first, *rest)

    def made(self) -> None:
        """Make the folders and the recipe's files."""
        for folder in (self.home, self.root / "tmp"):
            folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.recipe.files.items():
            path = self.home / filled_in(name, self.values)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(filled_in(text, self.values), "utf-8")


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port: int = opened.getsockname()[1]
        return port


def _proxies() -> dict[str, str]:
    here = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
    return {**here, **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOWHERE)}
