"""The hosts' files, each read when it is asked for. A host is added by putting its file here, and by nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from conformance.wires.host import Host, read_host


class Hosts(Mapping[str, Host]):
    """Every host that has a file, by id, in the order of the files' names.

    A file is read once, when its host is asked for: most runs ask for few, and all of them take longer to read than
    what is played in a short run. Raises `HostError` for a file with a mistake, when that one is read.
    """

    def __init__(self) -> None:
        files = (file for file in resources.files(__name__).iterdir() if file.name.endswith(".toml"))
        self._files = {file.name.removesuffix(".toml"): file for file in sorted(files, key=lambda file: file.name)}
        self._read: dict[str, Host] = {}

    def __getitem__(self, name: str) -> Host:
        if name not in self._read:
            file = self._files[name]
            self._read[name] = read_host(file.read_text("utf-8"), file.name)
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


@cache
def hosts() -> Mapping[str, Host]:
    """Every host that has a file, by id, in the order of their ids."""
    return Hosts()
