"""When a release was uploaded, asked of the package index.

Source: PEP 691 (JSON of the simple index) and PEP 700 (``versions`` and ``upload-time``), at the index that pip and uv
are told to use.
"""

from __future__ import annotations

import json
import os
import re
import ssl
import urllib.error
import urllib.request
from typing import Any

INDEX_VARIABLES = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL")
CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "PIP_CERT")
DEFAULT_INDEX = "https://pypi.org/simple"
SECONDS = 30.0
MAX_BYTES = 100_000_000


def uploads(distribution: str, *, withdrawn: bool = True) -> dict[str, str] | None:
    """The versions of a distribution, each with the time of its first upload; ``None`` when the index does not say.

    ``withdrawn``: also those whose files were all withdrawn since (PEP 592), which nobody gets who does not name them.
    """
    name = re.sub(r"[-_.]+", "-", distribution).lower()
    request = urllib.request.Request(
        f"{_index().rstrip('/')}/{name}/", headers={"accept": "application/vnd.pypi.simple.v1+json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=SECONDS, context=_certificates()) as answer:
            document: Any = json.loads(answer.read(MAX_BYTES))
        files = [item for item in document["files"] if withdrawn or not item.get("yanked")]
        return _first_uploads(files, name)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, urllib.error.URLError):
        return None


def _index() -> str:
    return next((os.environ[name] for name in INDEX_VARIABLES if os.environ.get(name)), DEFAULT_INDEX)


def _certificates() -> ssl.SSLContext:
    chosen = next((os.environ[name] for name in CERTIFICATE_VARIABLES if os.environ.get(name)), None)
    return ssl.create_default_context(cafile=chosen)


def _first_uploads(files: list[dict[str, Any]], name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in files:
        version, time = version_of(str(item["filename"]), name), item.get("upload-time")
        if version is not None and isinstance(time, str):
            found[version] = min(time, found.get(version, time))
    return found


def version_of(filename: str, name: str) -> str | None:
    """The version in the name of a file of ``name``: a wheel, or a source archive."""
    stem = re.sub(r"\.(tar\.(gz|bz2)|zip)$", "", filename)
    wheel = filename.endswith(".whl")
    parts = filename.split("-") if wheel else stem.rsplit("-", 1)
    if len(parts) < 2 or re.sub(r"[-_.]+", "-", parts[0]).lower() != name:
        return None
    return parts[1]
