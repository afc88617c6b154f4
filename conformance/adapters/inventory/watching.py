"""Notes which doors of a library a shim goes through, with which options, and which arguments do not fit its types.

Nothing is noted unless the environment variable `VARIABLE` names a folder with a file `REQUEST`: a JSON object with
the methods to watch, as `LibraryMethod.at` writes them, by the name of the shim. Then each of them is put behind a
function that looks at the calls of our own shims; calls inside of the library are its own affair. What is new in a
process is added to a file there, line by line: a JSON object with ``method`` and, as it is, ``parameter``, ``option``,
``output`` or ``wrong``.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import os
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator
from pathlib import Path
from types import FrameType, MethodType
from typing import Any

from conformance.adapters.inventory import VARIABLE
from conformance.adapters.inventory.forms import ContainerForm, ObjectForm, RecordForm, TypeForm
from conformance.adapters.inventory.matching import matched
from conformance.adapters.inventory.walk import LibraryMethod, method_at

REQUEST = "request.json"
OURS = "conformance.adapters."
"""Where those stand who call a library as a user does."""


HANDS_ON = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class CoroutineLike:
    """A plain function that stands for a coroutine function, and is taken for one (`inspect.iscoroutinefunction`)."""

    def __init__(self, through: Callable[..., Any], function: Any) -> None:
        functools.update_wrapper(self, function)
        self._through = through
        self.__code__, self.__defaults__ = function.__code__, function.__defaults__
        self.__kwdefaults__ = function.__kwdefaults__

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._through(*arguments, **options)

    def __get__(self, instance: Any, kind: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)


class DoorWatcher:
    """What was seen in this process."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / f"seen-{os.getpid()}.jsonl"
        self._seen: set[str] = set()

    def watch(self, method: LibraryMethod, others: Collection[Any] = ()) -> None:
        """Put a method, and what stands for it in subclasses, behind a function that looks at its calls.

        ``others`` are the classes that have an entry of their own for a method of this name.
        """
        self._put(method, method.holder)
        if isinstance(method.holder, type) and not method.attribute.startswith("_"):
            for kind in set(_subclasses(method.holder)).difference(others):
                if method.attribute in vars(kind):
                    self._put(method, kind)

    def _put(self, method: LibraryMethod, holder: Any) -> None:
        raw = inspect.getattr_static(holder, method.attribute)
        function = raw.__func__ if isinstance(raw, staticmethod | classmethod) else raw
        try:
            watched: Any = self._through(method, function)
        except (TypeError, ValueError):  # it cannot be called, or says nothing of its arguments
            return
        if isinstance(raw, staticmethod | classmethod):
            watched = type(raw)(watched)
        with contextlib.suppress(TypeError, AttributeError):  # a class that cannot be changed is not watched
            setattr(holder, method.attribute, watched)

    def _through(self, method: LibraryMethod, function: Any) -> Callable[..., Any]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def through(*arguments: Any, **options: Any) -> Any:
            if not _is_from_us(sys._getframe(1)):
                return function(*arguments, **options)
            self._arguments(method, _bound(signature, arguments, options))
            result = function(*arguments, **options)
            if inspect.iscoroutine(result):
                return self._awaited(method, result)
            self._output(method, result)
            return result

        return CoroutineLike(through, function) if inspect.iscoroutinefunction(function) else through

    async def _awaited(self, method: LibraryMethod, coming: Awaitable[Any]) -> Any:
        result = await coming
        self._output(method, result)
        return result

    def _arguments(self, method: LibraryMethod, given: dict[str, Any]) -> None:
        self._note(method=method.at)
        for name, value in given.items():
            parameter = method.parameters.get(name)
            if parameter is None or type(value) in parameter.absent:
                continue
            self._note(method=method.at, parameter=name)
            became = matched(name, parameter.form, value, parameter.absent)
            if became.wrong is not None:
                self._note(method=method.at, wrong=became.wrong)
            for option in became.options if parameter.about_tools else ():
                self._note(method=method.at, option=option)

    def _output(self, method: LibraryMethod, result: Any) -> None:
        for text, form in method.outputs.items():
            if _is_of(form, result):
                self._note(method=method.at, output=text)

    def _note(self, **said: str) -> None:
        line = json.dumps(said)
        if line not in self._seen:
            self._seen.add(line)
            with self._file.open("a", encoding="utf-8") as file:
                file.write(line + "\n")


def _bound(signature: inspect.Signature, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """The arguments by their names. Where they do not fit, there are none: the library says so itself."""
    try:
        return signature.bind(*arguments, **options).arguments
    except TypeError:
        return {}


def _subclasses(kind: type) -> Iterator[type]:
    """Those of a class, and of these, as far as they were imported."""
    every: list[type] = type.__subclasses__(kind)
    for one in every:
        yield one
        yield from _subclasses(one)


def _is_from_us(caller: FrameType | None) -> bool:
    """Whether a shim makes a call: in its own frame, or through decorators, which take whatever they are given."""
    while caller is not None and isinstance(caller.f_locals.get("self"), CoroutineLike):
        caller = caller.f_back
    while caller is not None:
        module = str(caller.f_globals.get("__name__", ""))
        if module.startswith(OURS) or caller.f_code.co_flags & HANDS_ON != HANDS_ON:
            return module.startswith(OURS) and module != __name__  # else a method that is watched calls another
        caller = caller.f_back
    return False


def _is_of(form: TypeForm, result: Any) -> bool:
    if not isinstance(form, ObjectForm | ContainerForm | RecordForm):
        return False
    try:
        return isinstance(result, form.kind)
    except TypeError:
        return typed(form, result)


def typed(form: TypeForm, result: Any) -> bool:
    """Whether a result is a dictionary, where the form is one with named keys."""
    return isinstance(form, RecordForm) and form.is_dictionary and isinstance(result, dict)


def watch_if_asked(shim: str) -> None:
    """Watch the methods that are asked for, before the shim of this name takes hold of them."""
    if VARIABLE not in os.environ:
        return
    folder = Path(os.environ[VARIABLE])
    watcher = DoorWatcher(folder)
    asked = []
    for at in json.loads((folder / REQUEST).read_text("utf-8")).get(shim, ()):
        with contextlib.suppress(ImportError, AttributeError):
            asked.append(method_at(at))
    for method in asked:
        watcher.watch(method, [one.holder for one in asked if one.attribute == method.attribute])

