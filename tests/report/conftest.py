"""A real browser for the page: one for all tests, and one page in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Show, requested, settle
from sample_results import Document

from conformance.report.html import page
from conformance.report.merge import merged_results
from conformance.report.packing import Programs

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser needs seconds, of which the last of its tests pays the most."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium, driven by its own driver; nothing is downloaded."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("needs chromium and chromedriver")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", "--window-size=1400,900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    yield started
    started.quit()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Show]:
    """Opens the page of a result, as a file; in the end nothing may be in the console, and nothing asked for."""
    file = tmp_path / "index.html"

    def open_page(
        document: Document | list[Document], hash_: str = "", programs: Programs | None = None
    ) -> None:
        documents = document if isinstance(document, list) else [document]
        file.write_text(page(merged_results(documents, beside=True), programs), "utf-8")
        browser.get("about:blank")
        browser.get(file.as_uri() + hash_)
        settle(browser)

    browser.get("about:blank")
    browser.get_log("browser")
    browser.get_log("performance")
    yield open_page
    assert browser.get_log("browser") == []
    assert {url for url in requested(browser) if not url.startswith(("about:", "data:"))} <= {file.as_uri()}
