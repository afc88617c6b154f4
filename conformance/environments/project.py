"""How to install this project once more, as the running one is installed."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import conformance
from conformance.version import VERSION

NAME = "toolcall-conformance"


def own_requirement() -> list[str]:
    """The installer's arguments: the source tree when run from a checkout, else where the installed one came from.

    Source: PEP 610, ``direct_url.json``; what comes from an index has none.
    """
    checkout = Path(conformance.__file__).parents[1]
    if _is_ours(checkout / "pyproject.toml"):
        return ["--editable", str(checkout)]
    origin = _origin()
    url = str(origin.get("url", ""))
    if "archive_info" in origin and (not url.startswith("file:") or _path(url).exists()):
        return [f"{NAME} @ {url}"]
    if "vcs_info" in origin:
        return [f"{NAME} @ {origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"]
    if "dir_info" in origin and _path(url).exists():
        return [str(_path(url))]
    return [f"{NAME}=={VERSION}"]


def _is_ours(project: Path) -> bool:
    return project.exists() and f'name = "{NAME}"' in project.read_text("utf-8")


def _origin() -> dict[str, Any]:
    try:
        text = metadata.distribution(NAME).read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return {}
    document: Any = json.loads(text) if text else {}
    return document if isinstance(document, dict) else {}


def _path(url: str) -> Path:
    return Path(url2pathname(urlsplit(url).path))
