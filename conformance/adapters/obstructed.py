"""Whether a failure of a shim is the shim's, the installation's or the network's: a closed question, asked of the
exception itself, in the process where it was raised.

A shim's if a frame of ours asked the library for what the release does not have: a module or a name to import, an
attribute that no class of its kind knows, an argument that the call does not take. What is raised deeper, inside of the
library's own frames, is the library's.
"""

from __future__ import annotations

import importlib.util
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, is_typeddict

from conformance.adapters import network
from conformance.adapters.paths import portable
from conformance.obstacles import Obstacle, ObstacleKind

OURS = tuple(f"{Path(__file__).parent / name}/" for name in ("libraries", "capture"))
"""Where our own frames are."""
NOT_BOUND = re.compile(
    r"\(\) (got an unexpected keyword argument '(?P<keyword>\w+)'|got multiple values for|missing \d+ required"
    r"|takes [\w ]{1,40} positional arguments? but|takes no (keyword )?arguments)"
)
"""How Python says that a call does not fit a signature."""
MACHINERY = ("<frozen importlib", str(Path(importlib.util.__file__).parent))
"""The frames of an import."""


def obstacle_of(problem: BaseException) -> Obstacle | None:
    """What a failure was, if it was none of the library's own. Only a shim's failures are asked."""
    if not any(map(_is_ours, _frames(problem))):
        return None
    kind = next((kind for kind, is_one in _KINDS.items() if is_one(problem)), None)
    if kind is None:
        return None
    error = portable(f"{type(problem).__name__}: {' '.join(str(problem).split())}")[:500]
    return Obstacle(kind, error, asked=_own_line(problem))


def _is_misfit(problem: BaseException) -> bool:
    frames = list(_frames(problem))
    ours = max((place for place, frame in enumerate(frames) if _is_ours(frame)), default=None)
    if ours is None:
        return False
    beyond = frames[ours + 1 :]
    match problem:
        case ImportError():
            of_ours = (problem.name or "").partition(".")[0] == "conformance"
            return not of_ours and not [frame for frame in beyond if not frame.f_code.co_filename.startswith(MACHINERY)]
        case AttributeError():
            looked_up = all(frame.f_code.co_name in ("__getattr__", "__getattribute__") for frame in beyond)
            return looked_up and _is_unknown(problem.obj, problem.name)
        case TypeError() if found := NOT_BOUND.search(str(problem)):
            return all(_hands_on(frame, found["keyword"]) for frame in beyond)
    return False


def _hands_on(frame: FrameType, keyword: str | None) -> bool:
    """Whether a frame is that of a decorator, which was given the keyword and handed it on with all others."""
    code = frame.f_code
    is_wrapper = code.co_flags & inspect.CO_NESTED and code.co_flags & inspect.CO_VARKEYWORDS
    if keyword is None or not is_wrapper:
        return False
    names = inspect.getargvalues(frame)
    return keyword in names.locals.get(names.keywords or "", ())


def _is_unknown(thing: object, name: str | None) -> bool:
    """Whether a thing of a library has no such attribute in this release: no class of its part of the library has."""
    if isinstance(thing, ModuleType):
        return True
    kind = thing if isinstance(thing, type) else type(thing)
    package = kind.__module__.partition(".")[0]
    if package in sys.stdlib_module_names or package in ("builtins", "conformance"):
        return False
    part = kind.__module__.rpartition(".")[0] or kind.__module__
    return not any(name in _declared(other) for other in (*kind.__mro__, *_classes(part)))


def _classes(part: str) -> Iterator[type]:
    """The classes in a package and what it holds, without those whose fields are keys."""
    for name, module in list(sys.modules.items()):
        if name == part or name.startswith(f"{part}."):
            found = [one for one in vars(module).values() if isinstance(one, type) and not is_typeddict(one)]
            yield from (one for one in found if one.__module__.startswith(part))


def _declared(kind: type) -> set[str]:
    own: Mapping[str, Any] = vars(kind)
    return {*own, *own.get("__annotations__", ())}


def _is_incomplete(problem: BaseException) -> bool:
    """Whether the library asked for a package that is not there, or for a name that another one does not have."""
    return any(
        _asks_for_another(one) for one in _chain(problem) if isinstance(one, ImportError) and _tells(problem, one)
    )


def _asks_for_another(problem: ImportError) -> bool:
    frames = [frame for frame in _frames(problem) if not frame.f_code.co_filename.startswith(MACHINERY)]
    if not frames or _is_ours(frames[-1]) or not problem.name:
        return False
    wanted, asking = problem.name.partition(".")[0], frames[-1].f_globals.get("__name__", "").partition(".")[0]
    if wanted == asking:
        return getattr(sys.modules.get(problem.name.rpartition(".")[0]), "__file__", "") is None  # shared by packages
    return wanted != "conformance" and wanted not in sys.stdlib_module_names


def _tells(problem: BaseException, reason: BaseException) -> bool:
    return problem is reason or str(reason) in str(problem)


def _chain(problem: BaseException) -> Iterator[BaseException]:
    """An exception, and those that it was raised from or while."""
    seen: list[BaseException] = []
    found: BaseException | None = problem
    while found is not None and found not in seen:
        seen.append(found)
        yield found
        found = found.__cause__ or found.__context__


def _lost_the_network(problem: BaseException) -> bool:
    """Whether a host on the network was asked for just now, and the failure is about a connection."""
    return bool(network.watch.strangers()) and any(
        isinstance(one, OSError) or "Connect" in type(one).__name__ for one in _chain(problem)
    )


def _frames(problem: BaseException) -> Iterator[FrameType]:
    trace = problem.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _own_line(problem: BaseException) -> str:
    """The source of the last line of ours, from which the library was asked."""
    last, trace = "", problem.__traceback__
    while trace is not None:
        if _is_ours(trace.tb_frame):
            last = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
        trace = trace.tb_next
    return last


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(OURS)


_KINDS: Mapping[ObstacleKind, Callable[[BaseException], bool]] = {
    "misfit": _is_misfit,
    "installation": _is_incomplete,
    "network": _lost_the_network,
}
