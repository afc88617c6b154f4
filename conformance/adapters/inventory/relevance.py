"""What is about tools. One rule for all libraries:

1. A *name* is about tools when one of its words is: ``tool``, ``tools``, ``toolset``, ``toolkit``, ``mcp``,
   ``functions``, or ``function`` before call, choice, declaration or response.
2. A *type* leads to tools when its name is about tools, or one of its fields is; a field is when its name is about
   tools, or its type leads to them. A container leads where its items do, a union where one of its branches does, a
   class also where one of the library's subclasses of it does.
3. A *parameter* is about tools when its name is, or its type leads to tools.
4. A *method* is about tools when one of its parameters is. A method of what such a method returned is, when what it
   gives leads to tools.

*Options* of a parameter are read by the same rule (`conformance.adapters.inventory.options`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from conformance.adapters.inventory.forms import (
    ContainerForm,
    ObjectForm,
    RecordForm,
    TypeForm,
    UnionForm,
    ValuesForm,
    form_of,
)

ALONE = frozenset({"tool", "tools", "toolset", "toolsets", "toolkit", "toolkits", "mcp", "functions"})
AFTER_FUNCTION = frozenset(
    {"call", "calls", "calling", "choice", "declaration", "declarations", "response", "responses"}
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_about_tools(name: str) -> bool:
    """Whether a name has a word for tools."""
    words = [word.lower() for word in _WORD.findall(name)]
    return not ALONE.isdisjoint(words) or any(
        one == "function" and other in AFTER_FUNCTION for one, other in pairwise(words)
    )


_leading: dict[TypeForm, bool] = {}


def leads_to_tools(form: TypeForm) -> bool:
    """Whether a value of this form may hold something about tools."""
    if form in _leading:
        return _leading[form]
    seen = {form}
    queue = [form]
    for one in queue:
        if _leading.get(one) or _says_tools(one):
            _leading[form] = True
            return True
        for inner in _inside(one):
            if inner not in seen:
                seen.add(inner)
                queue.append(inner)
    _leading.update(dict.fromkeys(seen, False))
    return False


def _says_tools(form: TypeForm) -> bool:
    """Whether the form itself says so, by the name of its type or of a field."""
    if isinstance(form, RecordForm):
        return is_about_tools(form.kind.__name__) or any(map(is_about_tools, form.places))
    kind = form.kind if isinstance(form, ValuesForm | ObjectForm | ContainerForm) else None
    return kind is not None and is_about_tools(kind.__name__)


def _inside(form: TypeForm) -> Iterator[TypeForm]:
    if isinstance(form, UnionForm):
        yield from form.branches
    elif isinstance(form, ContainerForm):
        yield from form.items
    elif isinstance(form, RecordForm):
        yield from (place.form for place in form.places.values())
        yield from map(form_of, _kinds_of(form.kind))


def _kinds_of(kind: type) -> Iterator[type]:
    """The library's own subclasses: where a message is taken, so is one with calls."""
    if not hasattr(kind, "__required_keys__"):
        home = kind.__module__.partition(".")[0]
        every: list[type] = kind.__subclasses__()
        yield from (one for one in every if one.__module__.partition(".")[0] == home)


def is_parameter_about_tools(name: str, form: TypeForm) -> bool:
    """The third rule."""
    return is_about_tools(name) or leads_to_tools(form)
