"""The names of models: which one a request asks for, and when two names are of one model, or of one family.

A provider answers under another name than the one that was asked for: the dated snapshot behind an alias, its own
prefix, the words in another order. So names are compared by what is left without these.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache
from typing import Literal
from urllib.parse import unquote

from conformance.model import Json
from conformance.wires.facts import obj

ModelSwitch = Literal["model", "family"]

_IN_PATH = re.compile(
    r"^(?>.*?/(?:models|tunedModels|deployments)/)(.+?)(?::[A-Za-z]+|/chat/completions)/?$"
    r"|/model/([^/]+)/(?:invoke|converse)(?:-[a-z-]+)?/?$"
)
_SELLER = re.compile(r"^(?:.*/|(?:[a-z]+\.)+(?=[a-z]))")
"""Who sells the model: ``anthropic/``, ``accounts/fireworks/models/``, ``us.anthropic.``."""
_SNAPSHOT = re.compile(
    r"(?:[-@](?:latest|v1|\d{4}-\d\d-\d\d|\d{8}|\d{4}|\d{3}|(?<=preview-)\d\d-\d\d|(?<=exp-)\d\d-\d\d))$"
)
"""What tells snapshots of one model apart: a date, a number of three or four digits, ``latest``, Bedrock's ``v1``."""
_FAMILY = re.compile(r"[a-z]+")
_NO_NAME = frozenset({"", "unknown"})


def model_asked(path: str, document: Json) -> str:
    """The name of the model in a request's path, else in its decoded body; ``""`` if neither has one."""
    in_path = _named_in(path)
    named: Json = obj(document).get("model") if in_path is None else in_path
    return named if isinstance(named, str) else ""


@lru_cache(maxsize=1_000)
def _named_in(path: str) -> str | None:
    found = _IN_PATH.search(path)
    return unquote(found[1] or found[2]) if found else None


def model_answered(answer: Json) -> str:
    """The name of the model in an answer's body, ``""`` if it has none."""
    named = obj(answer).get("model") or obj(answer).get("modelVersion")
    return named if isinstance(named, str) else ""


@lru_cache(maxsize=1_000)
def model_known_as(name: str) -> str:
    """The model that a name is of, written the same way for all its names; ``""`` if the name tells none.

    The order of the words does not count, that of the numbers does.
    """
    words = [word for word in re.split(r"[-._ ]", _bare(name)) if word]
    numbers = [word for word in words if word.isdigit()]
    while len(numbers) > 1 and numbers[-1] == "0":
        numbers.pop()
    known = "-".join([*sorted(word for word in words if not word.isdigit()), *numbers])
    return "" if known in _NO_NAME else known


def model_family(name: str) -> str:
    """The letters with which the name of a model begins: ``claude``, ``gpt``, ``o``."""
    found = _FAMILY.match(_bare(name))
    return found[0] if found else ""


def model_switch(now: Set[str], then: Set[str]) -> ModelSwitch | None:
    """What is different between two models, each told by all its names. Of one without a name nothing is."""
    known = [{model_known_as(name) for name in names} - {""} for names in (now, then)]
    if not known[0] or not known[1] or known[0] & known[1]:
        return None
    families = [{model_family(name) for name in names if model_known_as(name)} for names in (now, then)]
    return "model" if families[0] & families[1] else "family"


def _bare(name: str) -> str:
    """A name without who sells the model, where it runs (``:free``), and which snapshot it is."""
    bare = _SELLER.sub("", name.lower()).partition(":")[0]
    while (shorter := _SNAPSHOT.sub("", bare)) != bare:
        bare = shorter
    return bare


RELATED = (frozenset({"gpt", "o", "chatgpt", "codex", "computer"}), frozenset({"gemini", "gemma", "learnlm"}))
"""Families whose models one maker makes."""


def other_maker(now: Set[str], then: Set[str]) -> bool:
    """Whether two models, each told by all its names, are of two makers. Of one without a name nothing is known."""
    if model_switch(now, then) != "family":
        return False
    families = {model_family(name) for name in (*now, *then)} - {""}
    return not any(families <= related for related in RELATED)
