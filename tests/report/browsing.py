"""What the tests of the page do in a browser."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

Show = Callable[..., None]
"""Opens the page of a result, with a fragment."""


def settle(browser: Any) -> None:
    """Waits until the view and all its rows are there."""
    time.sleep(0.03)
    there = "return document.querySelector('h1') && !document.querySelector('[aria-busy]')"
    until(lambda: browser.execute_script(there))


def until(condition: Callable[[], Any], seconds: float = 20) -> Any:
    """What the condition comes to, as soon as that is true."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "nothing came of it"
        time.sleep(0.02)
    return value


def requested(browser: Any) -> set[str]:
    """Every URL that the browser asked for, without its query and fragment."""
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return {
        event["params"]["request"]["url"].partition("?")[0]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }


def go(browser: Any, hash_: str) -> None:
    """Goes to another view of the page that is open."""
    browser.execute_script("location.hash = arguments[0]", hash_)
    settle(browser)


def find(browser: Any, selector: str) -> Any:
    """The elements that are shown."""
    return [element for element in browser.find_elements("css selector", selector) if element.is_displayed()]


def click(browser: Any, selector: str, words: str = "") -> None:
    """Clicks on what is shown first and holds these words."""
    def wanted() -> Any:
        return next((item for item in find(browser, selector) if words in item.text), None)

    item = until(wanted)
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", item)
    item.click()
    settle(browser)


def type_search(browser: Any, words: str) -> None:
    """Types into the search field, and waits for what is found."""
    field = browser.find_element("css selector", "#bar input")
    field.clear()
    field.send_keys(words)
    until(lambda: browser.execute_script("return document.querySelector('h1')?.textContent").startswith("Search:"))
    until(lambda: words.lower().split()[-1] in texts(browser, "h1")[0])
    settle(browser)


def texts(browser: Any, selector: str) -> list[str]:
    """The text of elements, shown or not."""
    script = "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent)"
    return list(browser.execute_script(script, selector))


def matrix(browser: Any) -> dict[tuple[str, str], tuple[str, str]]:
    """The matrix as it is on the page, without what counts several rules: (rule, provider) → (glyph, label)."""
    rows = browser.execute_script(
        """
        const providers = [...document.querySelectorAll(".matrix thead .provider")].map((head) => head.textContent);
        return [...document.querySelectorAll(".matrix tbody tr:not(.stage)")].flatMap((row) =>
          [...row.querySelectorAll("td")].map((cell, column) => [
            row.querySelector(".id").textContent, providers[column], cell.textContent,
            cell.firstElementChild?.getAttribute("aria-label") ?? ""]));
        """
    )
    return {(rule, provider): (glyph, label) for rule, provider, glyph, label in rows if glyph and label}


def press(browser: Any, key: str) -> None:
    """Presses a key where the focus is."""
    from selenium.webdriver import Keys

    browser.switch_to.active_element.send_keys(getattr(Keys, key))
    settle(browser)


def choose(browser: Any, name: str, value: str) -> None:
    """Chooses in one of the selects."""
    browser.find_element("css selector", f'select[name="{name}"] option[value="{value}"]').click()
    settle(browser)
