"""Paths in tracebacks and in what adapters print, as readers on other machines know them."""

from __future__ import annotations

import re
from pathlib import Path

import conformance

_FOLDER = r"(?<![/:\w])(?:file://)?(?:/[^\s\"'<>|:;,()/]+)+/"
_RULES = (
    (re.compile(re.escape(str(Path(conformance.__file__).parent.parent)) + "/"), ""),
    (re.compile(rf"{_FOLDER}(?:site|dist)-packages/"), ""),
    (re.compile(rf"{_FOLDER}(node_modules/)"), r"\1"),
    (re.compile(rf"{_FOLDER}(\w+)-[0-9a-f]{{12}}/((?:shim|library)\.mjs)"), r"\1/\2"),
    (re.compile(rf"{_FOLDER}lib/(python\d+\.\d+/)"), r"\1"),
    (re.compile(re.escape(str(Path.home())) + "/"), "~/"),
)


def portable(text: str) -> str:
    """``text`` with files of packages named from their package on: ``litellm/main.py``, ``python3.11/json/decoder.py``.

    Where they are installed says nothing about a failure, and may say who had it.
    """
    for pattern, instead in _RULES:
        text = pattern.sub(instead, text)
    return text
