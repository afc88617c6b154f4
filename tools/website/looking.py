"""A site that was built, looked at: axe in a real browser, and an address for each rule."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.rules import catalogue

LOOKED_AT = (
    "index", "author", "recordings", "team", "publisher", "use", "lookup", "trust", "glossary", "matrix",
    "rules/index", "rules/common.result.no-orphan", "docs/api", "docs/running", "docs/fields/anthropic",
    "reports/libraries/findings",
)  # fmt: skip
"""One page of each kind, and all that are written for the site."""
RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then(
  (result) => done(result.violations.map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 160)}`)),
  (problem) => done([String(problem)]));
"""


def barriers(out: Path, pages: list[str]) -> list[str]:
    """What is wrong, a line each."""
    lost = [f"rules/{rule}.html is not there" for rule in catalogue() if not (out / "rules" / f"{rule}.html").exists()]
    lost += [f"{page} is not in the site" for page in LOOKED_AT if page not in pages]
    return lost or list(_found_by_axe(out))


def _found_by_axe(out: Path) -> Iterator[str]:
    script = _axe()
    shown = browser()
    try:
        for scheme, width in (("light", 1400), ("dark", 390)):
            shown.set_window_size(width, 900)
            feature = {"name": "prefers-color-scheme", "value": scheme}
            shown.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
            for page in LOOKED_AT:
                shown.get((out / f"{page}.html").resolve().as_uri())
                shown.execute_script(script)
                for problem in shown.execute_async_script(RUN_AXE):
                    yield f"{page}, {scheme}, {width} wide: {problem}"
    finally:
        shown.quit()


def _axe() -> str:
    with tempfile.TemporaryDirectory() as folder:
        words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent", "axe-core@4"]
        subprocess.run(words, cwd=folder, check=True)
        return (Path(folder) / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


def browser() -> Any:
    """Chromium without a window."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = _program("chromium", "chromium-browser", "google-chrome")
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"):
        options.add_argument(word)
    service = webdriver.ChromeService(executable_path=_program("chromedriver"))
    started = webdriver.Chrome(options=options, service=service)
    started.set_script_timeout(60)
    return started


def _program(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise SystemExit(f"--check needs {names[0]}")
    return found
