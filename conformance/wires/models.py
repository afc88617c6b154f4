"""Which model a request asks for, as providers name it: in the path, else in the body."""

from __future__ import annotations

import re
from urllib.parse import unquote

from conformance.model import Json
from conformance.wires.facts import obj

_IN_PATH = re.compile(r"/(?:models|tunedModels|deployments)/(.+?)(?::[A-Za-z]+|/chat/completions)/?$")


def model_asked(path: str, document: Json) -> str:
    """The name of the model in a request's path, else in its decoded body; ``""`` if neither has one."""
    found = _IN_PATH.search(path)
    named: Json = unquote(found[1]) if found else obj(document).get("model")
    return named if isinstance(named, str) else ""
