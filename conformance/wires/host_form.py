"""What a host does with requests and errors otherwise than its wire, where the wire has no deviations of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from conformance.http import Request
from conformance.model import Json
from conformance.script import STATUS, ErrorKind, ScriptError
from conformance.wires.card import Card
from conformance.wires.host_file import HostError, HostSettings, changed, check_errors, check_json_object, with_message


@dataclass(frozen=True, slots=True)
class HostForm:
    """Where a host's requests go, what stands in them, and how it words errors."""

    path: str = ""
    """What follows the base URL; ``{model}`` stands for the model's name. Empty: as at the wire's provider."""
    stream_path: str = ""
    """The same for streams. Empty: ``path``."""
    add: str = "{}"
    """Members that stand in the body, too, as JSON text."""
    remove: tuple[str, ...] = ()
    """Members that must not stand in the body."""
    errors: Mapping[ErrorKind, str] = field(default_factory=dict)
    """The body of each kind of error, as JSON text with ``"$message"`` in it."""

    def request(self, made: Request, own: Card, host: Card, model: str, *, stream: bool) -> Request:
        """A request of the wire's own, sent to the host with the host's key."""
        without = {own.key.header, own.version_header if host.version_header is None and self.path else None}
        headers = {name: value for name, value in made.headers.items() if name.lower() not in without}
        path = (self.stream_path if stream else "") or self.path
        url = host.base_url + (path.replace("{model}", quote(model, safe="")) or made.url.removeprefix(own.base_url))
        moved = replace(made, url=url, headers={**headers, **host.key.placeholder})
        if self.add == "{}" and not self.remove:
            return moved
        body = {name: value for name, value in made.document.items() if name not in self.remove}
        return Request.post_json(url, {**body, **json.loads(self.add)}, moved.headers)

    def error_body(self, error: ScriptError) -> Json:
        """The body that reports an error."""
        return with_message(json.loads(self.errors[error.kind]), error.message)


def host_form(settings: HostSettings) -> HostForm:
    """What a host's file says. Raises `HostError` for a wrong setting."""
    for place, table in settings:
        if isinstance(table.get("add"), str):
            check_json_object(place, "add", table["add"])
        errors = table.get("errors")
        if isinstance(errors, dict):
            check_errors(place, errors)
            if missing := STATUS.keys() - errors.keys():
                raise HostError(place, f"errors lacks {min(missing)!r}: say each of {', '.join(STATUS)}")
    return changed(HostForm(), settings)
