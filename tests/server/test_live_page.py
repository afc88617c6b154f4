"""The live page in a real browser: exchanges as they come, no markup of a client's, on a phone and in the dark."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mistakes import SCENARIO, right, wrong

from conformance.server import Running

pytestmark = pytest.mark.slow

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--force-color-profile=srgb",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
HOSTILE = "<img src=x onerror=document.title='owned'></script><script>document.title='owned'</script>"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium, driven by its own driver; nothing is downloaded."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("needs chromium and chromedriver")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}", "--window-size=1200,900"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=driver))
    yield started
    started.quit()


@pytest.fixture(autouse=True)
def quiet(browser: Any) -> None:
    """Forgets what was said in the console of another test's page."""
    browser.get("about:blank")
    browser.get_log("browser")


def until(condition: Callable[[], Any], seconds: float = 20) -> Any:
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "nothing came of it"
        time.sleep(0.05)
    return value


def send(server: Running, name: str | None, provider: str, agent: str = "tests/1") -> None:
    request = right(provider) if name is None else wrong(name, provider)
    assert request is not None
    httpx.post(
        f"{server.origin}/p/{provider}/s/{SCENARIO}{request.path}?{request.query}", content=request.body,
        headers={**request.headers, "user-agent": agent},
    )  # fmt: skip


def rows(browser: Any) -> list[str]:
    shown = "[...document.querySelectorAll('#list > details')].filter((row) => !row.hidden)"
    return list(browser.execute_script(f"return {shown}.map((row) => row.textContent)"))


def test_the_page_shows_what_comes(browser: Any, fresh: Running, tmp_path: Path) -> None:
    browser.get(f"{fresh.origin}/conformance/")
    until(lambda: "strict" in browser.find_element("id", "state").text)
    assert browser.find_element("id", "empty").is_displayed()
    send(fresh, None, "openai-chat")
    send(fresh, "missing_result", "anthropic")
    send(fresh, "bad_name", "gemini", HOSTILE)
    until(lambda: len(rows(browser)) == 3)
    assert not browser.find_element("id", "empty").is_displayed()
    assert "#3" in rows(browser)[0]
    assert HOSTILE[:60] in rows(browser)[0]
    summaries = browser.find_elements("css selector", "summary")
    summaries[0].click()
    finding = until(lambda: browser.find_elements("css selector", ".finding"))[0]
    assert "gemini.naming.pattern" in finding.text
    marks = browser.execute_script("return [...document.querySelectorAll('pre mark')].map((mark) => mark.textContent)")
    assert '"read file!"' in marks
    browser.find_element("id", "wrong").click()
    assert len(rows(browser)) == 2
    browser.execute_script("""
        const chosen = document.getElementById("provider");
        chosen.value = "anthropic";
        chosen.dispatchEvent(new Event("change"));
    """)
    assert len(rows(browser)) == 1
    send(fresh, "no_key", "anthropic")
    until(lambda: len(rows(browser)) == 2)
    assert browser.title != "owned"
    assert browser.execute_script("return document.images.length") == 0
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 1200])
def test_it_fits_and_can_be_read(browser: Any, fresh: Running, width: int, dark: bool) -> None:
    scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    send(fresh, None, "ollama")
    send(fresh, "wrong_type_of_arguments", "openai-responses", "a client with a long name " + "x" * 200)
    browser.get(f"{fresh.origin}/conformance/")
    until(lambda: len(rows(browser)) == 2)
    browser.find_elements("css selector", "summary")[0].click()
    until(lambda: browser.find_elements("css selector", ".finding"))
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(21, 23, 26)") is dark
    assert browser.get_log("browser") == []
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
