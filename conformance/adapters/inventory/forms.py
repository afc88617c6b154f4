"""What values a type allows, as a small tree: the same for all kinds of type definitions.

A form is read from an annotation once. Fields of records are read when they are asked for, because types of libraries
name each other in circles.
"""

from __future__ import annotations

import collections.abc
import dataclasses
import enum
import functools
import sys
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any

from conformance.adapters.inventory.reading import hints

WRAPPERS = ("Annotated", "Required", "NotRequired", "ReadOnly", "Final", "ClassVar", "InitVar", "Unpack")


@dataclass(frozen=True, eq=False)
class TypeForm:
    """What a place may hold. ``text`` is how a reader would write the type."""

    text: str


@dataclass(frozen=True, eq=False)
class OpenForm(TypeForm):
    """No limit is known."""


@dataclass(frozen=True, eq=False)
class ValuesForm(TypeForm):
    """One of some values: of a ``Literal``, or the members of an enum."""

    values: tuple[Any, ...]
    kind: type | None = None


@dataclass(frozen=True, eq=False)
class UnionForm(TypeForm):
    """One of several forms."""

    branches: tuple[TypeForm, ...]


@dataclass(frozen=True, eq=False)
class ContainerForm(TypeForm):
    """A container. ``items`` are what it holds; of a mapping, what its values are."""

    kind: type
    items: tuple[TypeForm, ...]


@dataclass(frozen=True, eq=False)
class ObjectForm(TypeForm):
    """An object of a class that tells no fields."""

    kind: type


@dataclass(frozen=True, eq=False)
class RecordField:
    """A field of a record."""

    form: TypeForm
    required: bool


@dataclass(frozen=True, eq=False)
class RecordForm(TypeForm):
    """An object with fields: a ``TypedDict``, a dataclass, or a class of pydantic's."""

    kind: type

    @functools.cached_property
    def places(self) -> Mapping[str, RecordField]:
        """The fields by name, as a user writes them."""
        return dict(_places(self.kind))

    @property
    def is_dictionary(self) -> bool:
        """Whether its objects are dictionaries."""
        return hasattr(self.kind, "__required_keys__")

    @property
    def is_pydantic(self) -> bool:
        """Whether pydantic made it, so that a dictionary may stand for it."""
        return isinstance(getattr(self.kind, "model_fields", None), Mapping)

    @property
    def is_open(self) -> bool:
        """Whether it takes more than its fields."""
        return self.is_pydantic and typing.cast("Any", self.kind).model_config.get("extra") == "allow"

    @functools.cached_property
    def aliases(self) -> Mapping[str, str]:
        """Other names of fields, each with the field's."""
        fields = typing.cast("Any", self.kind).model_fields if self.is_pydantic else {}
        return {field.alias: name for name, field in fields.items() if field.alias}


    @property
    def wider(self) -> frozenset[str]:
        """The further keys of the library's dictionaries that have all of its keys: each of them is one of these, too.

        Source: typing specification, "TypedDict", assignability is structural.
        """
        return _wider(self.kind, len(sys.modules))


@functools.cache
def _wider(kind: Any, loaded: int) -> frozenset[str]:
    """The keys of `RecordForm.wider`. ``loaded`` says how many modules there are: more may have come since."""
    own = hints(kind)
    others = (other for other in _dictionaries(kind.__module__.partition(".")[0]) if other is not kind)
    told = (hints(other) for other in others if own.keys() <= other.__annotations__.keys())
    return frozenset(key for one in told if all(one[name] == own[name] for name in own) for key in one)


def _dictionaries(package: str) -> tuple[Any, ...]:
    """The ``TypedDict`` classes of the modules that a package has loaded."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == package]
    things = (thing for module in modules for thing in list(vars(module).values()))
    return tuple({thing for thing in things if isinstance(thing, type) and hasattr(thing, "__required_keys__")})


def form_of(annotation: Any) -> TypeForm:
    """The form of a resolved annotation."""
    try:
        return _known(annotation)
    except TypeError:  # what cannot be a key
        return _form(annotation)


@functools.cache
def _known(annotation: Any) -> TypeForm:
    return _form(annotation)


def _form(annotation: Any) -> TypeForm:
    origin = typing.get_origin(annotation)
    if origin is None and hasattr(annotation, "__value__"):  # an alias with a name of its own
        return form_of(annotation.__value__)
    if hasattr(annotation, "__supertype__"):  # NewType
        return form_of(annotation.__supertype__)
    if isinstance(annotation, typing.TypeVar):
        return form_of(annotation.__bound__) if annotation.__bound__ is not None else _limits(annotation)
    if getattr(origin, "__name__", getattr(origin, "_name", "")) in WRAPPERS:
        return form_of(typing.get_args(annotation)[0])
    if origin is typing.Literal:
        return ValuesForm(_text(annotation), typing.get_args(annotation))
    if origin in (typing.Union, UnionType):
        return _either(typing.get_args(annotation))
    if origin is not None and hasattr(origin, "__value__"):  # an alias with parameters
        return form_of(origin.__value__)
    if isinstance(origin, type):
        return _generic(annotation, origin)
    if isinstance(annotation, type):
        return _of_class(annotation)
    return OpenForm("Any")


def _limits(variable: Any) -> TypeForm:
    return _either(variable.__constraints__) if variable.__constraints__ else OpenForm("Any")


def _either(members: tuple[Any, ...]) -> TypeForm:
    """A union. Unions inside of it are no level of their own."""
    branches: dict[int, TypeForm] = {}
    for member in members:
        form = form_of(member)
        for branch in form.branches if isinstance(form, UnionForm) else (form,):
            branches.setdefault(id(branch), branch)
    texts = " | ".join(branch.text for branch in branches.values())
    return UnionForm(texts, tuple(branches.values()))


def _generic(annotation: Any, origin: type) -> TypeForm:
    parts = typing.get_args(annotation)
    if origin is type or issubclass(origin, collections.abc.Callable):  # type: ignore[arg-type]
        return OpenForm(_text(annotation))
    if issubclass(origin, collections.abc.Mapping) and len(parts) == 2:
        return ContainerForm(_text(annotation), origin, (form_of(parts[1]),))
    if _holds_items(origin):
        items = tuple(form_of(part) for part in parts if part is not Ellipsis)
        return ContainerForm(_text(annotation), origin, items)
    form = _of_class(origin)
    if isinstance(form, RecordForm):
        return form
    return ContainerForm(_text(annotation), origin, tuple(map(form_of, parts)))


def _holds_items(kind: type) -> bool:
    return issubclass(kind, collections.abc.Iterable | collections.abc.AsyncIterable | collections.abc.Awaitable)


def _of_class(kind: Any) -> TypeForm:
    generic = getattr(kind, "__pydantic_generic_metadata__", None) or {}
    kind = generic.get("origin") or kind  # what pydantic makes of Model[T] is a class that no object has
    if kind is object:
        return OpenForm("object")
    if kind is bool:
        return ValuesForm("bool", (True, False), bool)
    if issubclass(kind, enum.Enum):
        return ValuesForm(kind.__name__, tuple(kind), kind)
    return RecordForm(kind.__name__, kind) if is_record(kind) else ObjectForm(kind.__name__, kind)


def is_record(kind: type) -> bool:
    """Whether a class tells its fields."""
    return (
        hasattr(kind, "__required_keys__")
        or dataclasses.is_dataclass(kind)
        or isinstance(getattr(kind, "model_fields", None), Mapping)
    )


def _places(kind: Any) -> typing.Iterator[tuple[str, RecordField]]:
    if hasattr(kind, "__required_keys__"):
        for name, annotation in hints(kind).items():
            yield name, RecordField(form_of(annotation), _is_required(kind, name, annotation))
        return
    if dataclasses.is_dataclass(kind):
        told = hints(kind)
        for field in dataclasses.fields(kind):
            if field.init and not field.name.startswith("_"):
                given = field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING
                yield field.name, RecordField(form_of(told.get(field.name, Any)), not given)
        return
    for name, field in kind.model_fields.items():
        yield name, RecordField(form_of(field.annotation), field.is_required())


def _is_required(kind: Any, name: str, annotation: Any) -> bool:
    """Whether a key must be there. The words of the annotation are surer: a class may have them as text only."""
    word = getattr(typing.get_origin(annotation), "_name", None)
    if word in ("Required", "NotRequired"):
        return bool(word == "Required")
    return name in kind.__required_keys__ and bool(getattr(kind, "__total__", True))


def _text(annotation: Any) -> str:
    """How a type is written, without the modules of its names."""
    if annotation is NoneType:
        return "None"
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return " | ".join(map(repr, parts))
    if origin in (typing.Union, UnionType):
        return " | ".join(map(_text, parts))
    if origin is not None and getattr(origin, "__name__", "") in WRAPPERS:
        return _text(parts[0])
    name = getattr(origin or annotation, "__name__", None) or str(annotation).rpartition(".")[2]
    inner = ", ".join("…" if part is Ellipsis or isinstance(part, list) else _text(part) for part in parts)
    return f"{name}[{inner}]" if inner else name


text_of = _text
