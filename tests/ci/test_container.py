"""The container image: built from Debian packages and run, where the tools are and somebody wants to wait for it.

It takes minutes, root, and Debian's mirror, so it runs only where ``CONFORMANCE_CONTAINER`` is set.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("debootstrap", "buildah")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("CONFORMANCE_CONTAINER"), reason="CONFORMANCE_CONTAINER is not set"),
    pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason=f"not installed: {' or '.join(TOOLS)}"),
    pytest.mark.skipif(os.geteuid() != 0, reason="debootstrap wants root"),
]


def test_an_image_is_built_and_conforms(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path / "dist", ROOT], check=True)
    [wheel] = (tmp_path / "dist").glob("*.whl")
    out = tmp_path / "out"
    subprocess.run(["bash", ROOT / "ci" / "container.sh", wheel, out], check=True)
    assert re.fullmatch(r"sha256:[0-9a-f]{64}\n", (out / "digest.txt").read_text("utf-8"))
    assert re.search(r"^python3 3\.11", (out / "packages.txt").read_text("utf-8"), re.MULTILINE)
    assert "toolcall-conformance==" in (out / "python.txt").read_text("utf-8")

    store = ["--storage-driver", "vfs", "--root", f"{tmp_path}/store", "--runroot", f"{tmp_path}/run"]
    asked = ["buildah", *store, "from", f"oci-archive:{out / 'image.tar'}"]
    name = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    words = ["conformance", "run", "--scenario", "shell.success", "--provider", "anthropic", "-j", "1"]
    played = ["buildah", *store, "run", "--isolation", "chroot", name, "--", *words]
    said = subprocess.run(played, check=False, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "conforms" in said.stdout
