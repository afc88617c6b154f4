"""Adapters and test modules for suites, written into the folder of an inner pytest."""

from __future__ import annotations

import textwrap

import pytest

MYLIB = '''
import json
from dataclasses import replace

from conformance import AdapterInfo
from conformance.adapters.reference import ReferenceAdapter

CAPABILITIES = {"blocking", "streaming", "parallel_calls", "errors", "error_results", "json_results"}


class Adapter(ReferenceAdapter):
    """Conforms."""

    capabilities = CAPABILITIES

    def __init__(self):
        super().__init__()
        self.info = AdapterInfo("mylib", {"anthropic": self.capabilities}, "1.4")


class Blocking(Adapter):
    """Declares no streams."""

    capabilities = CAPABILITIES - {"streaming"}


class Broken(Adapter):
    """Loses the last of several results."""

    def build_request(self, provider, conversation, *, stream):
        request = super().build_request(provider, conversation, stream=stream)
        body = json.loads(request.body)
        for message in body["messages"]:
            if message["role"] == "user" and len(message["content"]) > 1 and not isinstance(message["content"], str):
                message["content"].pop()
        return replace(request, body=json.dumps(body).encode())


class Raises(Adapter):
    """Stumbles when it reads a stream."""

    def parse_stream(self, provider, chunks, **context):
        print("mylib reads a stream")
        first = next(iter(chunks))
        return self.understood(first)

    def understood(self, data):
        return {}["content"]
'''

BASELINE = """
expected_failures:
  - rule: common.result.exactly-one-per-call
    provider: anthropic
    case: "{case}"
    reason: the last result is lost
    link: https://github.com/example/mylib/issues/12
    expires: {expires}
"""


def suite(adapter: str = "Adapter", **settings: object) -> str:
    """A test module with one suite. ``adapter`` is a class of the library, or an address."""
    address = f"python:mylib:{adapter}" if adapter and ":" not in adapter else adapter
    chosen = {"adapter": address, "providers": ["anthropic"], "scenarios": ["parallel_calls.two_*"]}
    lines = "\n".join(f"    {name} = {value!r}" for name, value in (chosen | settings).items())
    return f"from conformance.pytest import ConformanceSuite\n\n\nclass TestMine(ConformanceSuite):\n{lines}\n"


def written(pytester: pytest.Pytester, module: str, **files: str) -> None:
    """Write the library and a test module, ``test_mine.py``, into the folder of the inner pytest."""
    pytester.makepyfile(mylib=textwrap.dedent(MYLIB), test_mine=module)
    for name, text in files.items():
        (pytester.path / name.replace("_", ".")).write_text(text, "utf-8")
