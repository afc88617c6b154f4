"""Releases that are made here, and an index on loopback that offers them: small wheels around the real ollama SDK.

A wheel holds a copy of the installed SDK, what breaks this release at its end, and a ``.pth`` file that leads to the
packages beside this test, so that nothing else has to be installed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

TURNED = '''

def _turned(chat):
    def turned(self, *args, **asked):
        answer = chat(self, *args, **asked)
        if not asked.get("stream") and answer.message.tool_calls:
            answer.message.tool_calls = answer.message.tool_calls[::-1]
        return answer
    return turned

Client.chat = _turned(Client.chat)
'''
"""Calls come in another order than the model made them in, where answers come whole."""
OLDER = "\ndel ChatResponse\n"
"""A release of before there were types of answers: the shim's ``needs`` tell it."""


def package_folder() -> Path:
    """Where the real SDK is installed."""
    found = find_spec("ollama")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


def make_wheel(folder: Path, version: str, more: str) -> Path:
    """The wheel of a release, which ends in the lines ``more``."""
    real = package_folder()
    files = {f"ollama/{path.name}": path.read_text("utf-8") for path in real.glob("*.py")}
    files["ollama/__init__.py"] += more
    files["beside.pth"] = f"{real.parent}\n"
    about = f"ollama-{version}.dist-info"
    files[f"{about}/METADATA"] = f"Metadata-Version: 2.1\nName: ollama\nVersion: {version}\n"
    files[f"{about}/WHEEL"] = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    lines = [f"{name},sha256={_digest(text)},{len(text.encode())}" for name, text in files.items()]
    files[f"{about}/RECORD"] = "\n".join([*lines, f"{about}/RECORD,,", ""])
    wheel = folder / f"ollama-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return wheel


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


@contextmanager
def index(wheels: Mapping[Path, str]) -> Iterator[str]:
    """The address of a simple index (PEP 691 and 700) that offers wheels, each with the day it was uploaded."""
    listing = {
        "meta": {"api-version": "1.1"},
        "name": "ollama",
        "versions": [wheel.name.split("-")[1] for wheel in wheels],
        "files": [
            {
                "filename": wheel.name, "url": f"/files/{wheel.name}", "upload-time": f"{day}T00:00:00Z",
                "hashes": {"sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}, "size": wheel.stat().st_size,
            }
            for wheel, day in wheels.items()
        ],
    }  # fmt: skip
    contents = {f"/files/{wheel.name}": wheel.read_bytes() for wheel in wheels}
    contents["/simple/ollama/"] = json.dumps(listing).encode()

    class Index(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self.wfile.write(self._answer())

        def _answer(self) -> bytes:
            body = contents.get(self.path)
            self.send_response(200 if body is not None else 404)
            kind = "application/vnd.pypi.simple.v1+json" if self.path.endswith("/") else "application/octet-stream"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body or b"")))
            self.end_headers()
            return body or b""

        def log_message(self, *said: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        server.server_close()
