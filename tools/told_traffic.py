"""Make tests/traffic/told: what real instrumentations and gateways tell of model calls.

    python tools/told_traffic.py [--to FOLDER] [KIND...]

Each KIND gets an environment of its own with its packages from the index. Its application (`told_client.py`) gives
tools to `conformance serve --provoke`, which answers wrongly in a known order: an undeclared tool, arguments that the
schema does not allow, arguments that are no JSON, and a failure. What is told of it is kept, without what differs each
time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "traffic" / "told"
CLIENT = Path(__file__).with_name("told_client.py")

FILE_EXPORTER = tuple(
    f"opentelemetry-{name}==0.66b1"
    for name in ("exporter-otlp-json-file", "exporter-otlp-json-common", "exporter-otlp-common", "proto-json")
)
"""What writes the files, installed without its dependencies: it asks for the newest SDK, and works with others."""
_SDK = ("opentelemetry-sdk", "httpx")
_V2 = ("opentelemetry-instrumentation-openai-v2==2.4b0", "opentelemetry-util-genai==0.4b0", "openai<2",
       "opentelemetry-sdk==1.41.1", "httpx")  # fmt: skip
PACKAGES = {
    "openai-v2": _V2,
    "openai-v2-latest": _V2,
    "openllmetry-openai": ("opentelemetry-instrumentation-openai==0.62.4", "openai", *_SDK),
    "openllmetry-anthropic": ("opentelemetry-instrumentation-anthropic==0.62.4", "anthropic", *_SDK),
    "openllmetry-0.40-openai": ("opentelemetry-instrumentation-openai==0.40.14", "openai<2", *_SDK),
    "openllmetry-0.40-anthropic": ("opentelemetry-instrumentation-anthropic==0.40.14", "anthropic<0.60", *_SDK),
    "openinference-openai": ("openinference-instrumentation-openai==0.1.66", "openai", *_SDK),
    "openinference-anthropic": ("openinference-instrumentation-anthropic==3.1.0", "anthropic", *_SDK),
    "litellm": ("litellm==1.110.2",),
}  # fmt: skip
"""What each kind needs. The packages are pinned: what they write is what the tests expect."""

KEPT = ("id", "call_type", "status", "custom_llm_provider", "startTime", "endTime", "model", "api_base", "messages",
        "response", "model_parameters", "stream")  # fmt: skip
"""What is kept of litellm's lines. The rest is about costs, users and the machine."""


def main() -> None:
    """Make the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="*", choices=[[], *PACKAGES])
    parser.add_argument("--to", type=Path, default=FOLDER)
    options = parser.parse_args()
    command = [sys.executable, "-m", "conformance", "serve", "--port", "0", "--provoke", "--lenient"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            base = server.stdout.readline().strip()
            for kind in options.kind or PACKAGES:
                make(kind, base, options.to)
        finally:
            server.terminate()


def make(kind: str, base: str, to: Path) -> None:
    """Install one kind, let it talk, and keep what it tells."""
    with tempfile.TemporaryDirectory() as scratch:
        python = Path(scratch) / "venv" / "bin" / "python"
        subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--pre"]
        subprocess.run([*install, *PACKAGES[kind]], check=True)
        subprocess.run([*install, "--no-deps", *FILE_EXPORTER], check=True)
        told = Path(scratch) / "told"
        subprocess.run([str(python), str(CLIENT), kind, base, str(told)], check=True)
        for file in (told.with_suffix(".spans"), told.with_suffix(".logs")):
            if file.exists() and file.stat().st_size:
                keep(file, to / f"{kind}{file.suffix}.jsonl")


def keep(file: Path, to: Path) -> None:
    """Keep what is told, without what is of this run alone."""
    lines = [trimmed(json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), "utf-8")


def trimmed(line: dict[str, Any]) -> dict[str, Any]:
    """A line without the instance, the machine's costs and the traces of exceptions."""
    if "call_type" in line:
        return {name: line[name] for name in KEPT if name in line}
    for resource in [*line.get("resourceSpans", ()), *line.get("resourceLogs", ())]:
        resource["resource"] = {}
        for scope in [*resource.get("scopeSpans", ()), *resource.get("scopeLogs", ())]:
            for span in scope.get("spans", ()):
                span["events"] = [event for event in span.get("events", ()) if event.get("name") != "exception"]
    return line


if __name__ == "__main__":
    main()
