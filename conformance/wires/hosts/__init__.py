"""The hosts' files, each read once. A host is added by putting its file here, and by nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources

from conformance.wires.host import Host, read_host


@cache
def hosts() -> Mapping[str, Host]:
    """Every host that has a file, by id, in the order of their ids. Raises `HostError` for a file with a mistake."""
    folder = resources.files("conformance.wires.hosts")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    found = (read_host(file.read_text("utf-8"), file.name) for file in files)
    return {host.id: host for host in found}
