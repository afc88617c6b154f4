"""Archives that strangers send: the certificates that `conformance verify` reads."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path

from fuzz_playing import Target
from own_files import some_results

from conformance.certificates.archive import ABOUT, LOCK, NAMES, RESULT, TRANSCRIPT, ArchiveError, opened, read_archive

SAID = b'{"method":"initialize","params":{},"said":[{"jsonrpc":"2.0","id":0,"result":{"protocol":1}}]}\n'


def _archives() -> list[bytes]:
    """Certificates, packed and not: what is not packed can be bent."""
    made = []
    for number, result in enumerate(some_results()[:3]):
        files = {RESULT: result, TRANSCRIPT: SAID, LOCK: b"ollama==0.6.3\n"}
        about = {
            "schema": "https://toolcall-conformance.dev/schemas/certificate-1.json",
            "issued": "2026-11-28T00:00:00Z", "suite": {"version": "0.2.0", "mark": "0" * 64},
            "subject": {"address": "reference", "library": "", "name": "reference", "version": "0.2.0",
                        "kind": "translator", "language": "python", "runtime": "python 3.11"},
            "selection": {"providers": ["ollama"], "profile": "native", "generated": "none"},
            "command": "conformance certificate reference", "exit_code": 0,
            "files": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        }  # fmt: skip
        whole = {ABOUT: json.dumps(about).encode(), **files}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)[number % 2]) as archive:
            for name in NAMES:
                archive.writestr(name, whole[name])
        made.append(packed.getvalue())
    return made


def _read_archive(data: bytes, folder: Path) -> None:
    file = folder / "certificate.zip"
    file.write_bytes(data)
    contents = read_archive(file)
    assert tuple(sorted(contents)) == tuple(sorted(NAMES))
    opened(contents)


TARGETS = (Target("certificate", _archives, _read_archive, (ArchiveError,), "the archive of a certificate", 60),)
