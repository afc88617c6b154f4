"""The kinds of environments: how each is built, and how a worker gets into it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from conformance.adapters.contract import AdapterError
from conformance.adapters.libraries.way import Way


class EnvironmentKind(Protocol):
    """One kind of environment. Everything about it happens inside of the folder that it is given."""

    @property
    def suffix(self) -> str:
        """How the name of a program ends that runs there."""

    def runtime(self) -> str:
        """The language and its version, such as ``python 3.11``: an environment serves only the one it was made for."""

    def releases(self, distribution: str) -> Mapping[str, str] | None:
        """The library's versions with the time of their upload (ISO 8601, UTC); ``None`` when nobody can be asked."""

    def offered(self, distribution: str) -> Mapping[str, str] | None:
        """`releases` without those that were withdrawn since."""

    def installed(self, folder: Path) -> Mapping[str, str]:
        """All that is installed, by name, each with its version. Raises `AdapterError`."""

    def build(self, folder: Path, requirements: Sequence[str], version: str | None, date: str | None) -> str:
        """Install ``requirements``, the first at ``version``, and all as they were before ``date``.

        Returns the version that the library has now. Raises `AdapterError`.
        """

    def add(self, folder: Path, requirements: Sequence[str], date: str | None) -> None:
        """Install more into what was built. Raises `AdapterError`."""

    def extras(self, folder: Path, distribution: str) -> Mapping[str, Sequence[str]]:
        """The extras that an installed distribution documents, each with the distributions that it brings."""

    def whole(self, folder: Path) -> bool:
        """Whether a worker can start there."""

    def python(self, folder: Path) -> Path | None:
        """The Python that starts the worker; ``None`` for the running one."""

    def inner(self, name: str, folder: Path, way: Way | None) -> str:
        """The address to give to the worker for the shim called ``name``, by a way; ``None`` for the usual one."""

    def wanted(self, distribution: str, version: str, extra: str) -> str:
        """The requirement that installs an extra of a library beside it, or holds another package back."""

    def runs(self, folder: Path, program: Path) -> list[str] | None:
        """The command that runs a program with the library of an environment; the program's own folder is made ready.

        ``None`` where nothing can run it.
        """


def kind(name: str) -> EnvironmentKind:
    """The kind called ``name``. Raises `AdapterError` when there is none."""
    if name == "python":
        from conformance.environments.virtual import PythonKind

        return PythonKind()
    if name == "node":
        from conformance.environments.node import NodeKind

        return NodeKind()
    raise AdapterError(f"there are no environments of kind {name!r}")
