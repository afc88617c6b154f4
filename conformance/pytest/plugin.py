"""What pytest loads wherever this package is installed: options, markers and fixtures, and nothing else of ours."""

from __future__ import annotations

import pytest

TYPE_CHECKING = False  # not from typing, see conformance/__init__.py

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from conformance.pytest.cassettes import ConformanceCassette
    from conformance.server import Running

MARKERS = (
    "conformance(provider, family, scenario): a test of a ConformanceSuite (docs/pytest.md)",
    "conformance_cassette(path=None, **settings): which cassette a test plays or records, and how (docs/pytest.md)",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Our options. Each begins with ``--conformance-``."""
    group = parser.getgroup("conformance", "conformance of LLM tool calling")
    group.addoption("--conformance-rule", action="append", metavar="GLOB", help="judge suites by these rules only")
    group.addoption("--conformance-delivery", action="append", metavar="GLOB", help="play these deliveries only")
    group.addoption("--conformance-profile", choices=("native", "portable"), help="the profile of suites")
    group.addoption(
        "--conformance-generated", choices=("none", "pairs", "all"), help="which generated scenarios suites play"
    )
    group.addoption("--conformance-no-baseline", action="store_true", help="known failures fail, too")
    group.addoption(
        "--conformance-record", choices=("once", "none", "new_episodes", "all"),
        help="how conformance_cassette records, whatever tests say (once)",
    )  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Our markers."""
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)


@pytest.fixture(scope="session")
def conformance_server_settings() -> Mapping[str, Any]:
    """Settings of `conformance_server`, by name (`conformance.server.Settings`). Override it."""
    return {}


@pytest.fixture(scope="session")
def conformance_server(conformance_server_settings: Mapping[str, Any]) -> Iterator[Running]:
    """The strict provider on loopback, one for each process that runs tests (`conformance.server.Running`)."""
    from conformance.server import serving

    with serving(**conformance_server_settings) as server:
        yield server


@pytest.fixture(scope="session")
def conformance_cassette_settings() -> Mapping[str, Any]:
    """Settings of `conformance_cassette`, by name (`conformance.pytest.ConformanceCassette`). Override it."""
    return {}


@pytest.fixture
def conformance_cassette(
    request: pytest.FixtureRequest, conformance_cassette_settings: Mapping[str, Any]
) -> Iterator[ConformanceCassette]:
    """What this test sends over httpx and httpx2 is recorded once, and played from then on."""
    from conformance.pytest.cassettes import cassette_of

    with cassette_of(request, conformance_cassette_settings) as cassette:
        yield cassette
