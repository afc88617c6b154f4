"""The page, in a real browser: it shows what the result says, and does nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from browsing import Show, choose, click, find, go, matrix, press, settle, texts, type_search, until
from sample_results import PAYLOAD, hostile, large, sample

from conformance.report import causes, summary
from conformance.report.html import page
from conformance.report.packing import Program

CELL = "#/cell/alpha/openai-chat/common.parse.integers-above-2-53"


def test_every_matrix_is_the_result(browser: Any, show: Show) -> None:
    document = sample()
    show(document)
    for adapter in ("alpha", "beta"):
        go(browser, f"#/library/{adapter}")
        own = {(cell["rule"], cell["provider"]): cell for cell in document["cells"] if cell["adapter"] == adapter}
        shown = matrix(browser)
        assert {place: glyph for place, (glyph, _) in shown.items()} == {
            place: summary.GLYPHS[summary.shown(cell)] for place, cell in own.items()
        }
        for (rule, provider), (_, label) in shown.items():
            assert label == f"{summary.words(summary.shown(own[rule, provider]))}: {rule} on {provider}, {adapter}"


def test_a_single_library_is_told_at_once(browser: Any, show: Show) -> None:
    """The verdict in words, what the run was, what to mend first, and what is wrong with the baseline."""
    document = sample("alpha")
    document["run"]["interrupted"] = True
    show(document)
    assert browser.title == "alpha 1.2.0: tool calling"
    text = " ".join(texts(browser, "#view"))
    for words in (
        "alpha", "1.2.0", "does not conform", "2026-11-21 08:30 UTC", "profile portable", "suite 0.1.0, 189 rules",
        "conformance run alpha beta --out result.json", "Interrupted", document["run"]["baseline"][0],
        causes.first_to_mend(document) or "", "How to read it",
    ):  # fmt: skip
        assert words in text


def test_the_title_is_short_however_many_libraries_there_are(browser: Any, show: Show) -> None:
    show(sample())
    assert browser.title == "2 libraries: tool calling"
    go(browser, "#/library/beta")
    assert browser.title == "beta 1.2.0 · 2 libraries: tool calling"


def test_the_first_view_counts_and_leads_to_the_library(browser: Any, show: Show) -> None:
    show(sample())
    sums = {link.get_attribute("aria-label"): link for link in find(browser, ".overview .sum")}
    assert len(sums) == 5
    sums["fail, 2/4 rules pass: alpha on anthropic"].click()
    settle(browser)
    assert {provider for _, provider in matrix(browser)} == {"anthropic"}
    browser.back()
    settle(browser)
    assert find(browser, ".overview")


def test_of_whom_nothing_was_judged_nothing_is_claimed(browser: Any, show: Show) -> None:
    """Nor of who was not tried with what is needed."""
    document = sample()
    for cell in document["cells"]:
        if (cell["adapter"], cell["provider"]) == ("beta", "anthropic"):
            cell |= {"outcome": "unsupported", "why": "it cannot be loaded", "scenarios": []}
    show(document, "#/?on=anthropic")
    assert texts(browser, ".answer-of .verdict")[-1] == "not tried: anything"
    go(browser, "#/?on=openai-chat")
    assert texts(browser, ".answer-of .verdict")[0] == "nothing breaks"
    click(browser, ".chip", "images")
    assert set(texts(browser, ".answer-of .verdict")) == {"not tried: images"}


def test_filters_of_rules_are_in_the_address(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    choose(browser, "stage", "parse")
    assert {rule for rule, _ in matrix(browser)} == {"common.parse.integers-above-2-53", "common.parse.unknown-fields"}
    choose(browser, "level", "should")
    assert {rule for rule, _ in matrix(browser)} == {"common.parse.unknown-fields"}
    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)
    settle(browser)
    assert {rule for rule, _ in matrix(browser)} == {"common.parse.unknown-fields"}
    choose(browser, "stage", "")
    choose(browser, "level", "")
    browser.find_element("css selector", ".filters input").send_keys("ORPHAN follows")
    until(lambda: len(matrix(browser)) == 3)
    browser.find_element("css selector", ".filters input").send_keys(" nothing like it")
    until(lambda: find(browser, ".nothing"))


def test_chips_count_what_the_filters_leave_and_none_of_zero_is_lit(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    before = int(texts(browser, '.chip[value="pass"] b')[0])
    choose(browser, "stage", "parse")
    after = int(texts(browser, '.chip[value="pass"] b')[0])
    assert after == sum(glyph == "✓" for glyph, _ in matrix(browser).values()) < before
    click(browser, '.chip[value="attention"]')
    assert find(browser, '.chip[value="fail"][aria-pressed="true"]')
    assert "0" not in texts(browser, ".chip b")
    assert texts(browser, ".matrix thead .tally") == ["0/2", "1/2", "1/2"], "heads count all rules of the filters"


def test_causes_are_told_in_their_order_and_lead_to_their_cells(browser: Any, show: Show) -> None:
    show(sample(), "#/library/alpha")
    told = [causes.title(sample(), one) for one in causes.causes_of(sample()) if one["adapter"] == "alpha"]
    assert texts(browser, ".cause h4") == told
    click(browser, ".cause .quiet", "Show the evidence")
    assert texts(browser, "h1") == [causes.causes_of(sample())[0]["such_as"]["rule"]]


FINDING = {
    "id": "a", "title": "`find` is off", "judgement": "fault", "consequence": "lost", "why": "See `f(x)`, and <b>.",
    "issues": [{"url": "https://example.org/issues/7", "state": "open", "date": "2026-11-23"}],
}  # fmt: skip


def test_findings_are_grouped_with_their_cells_and_their_program(browser: Any, show: Show) -> None:
    """What stands between backticks is code."""
    document = sample("alpha")
    for cell in document["cells"][1:3]:
        cell["judged"] = [FINDING]
    show(document, programs={("alpha", "a"): Program("print(1)", "<1>")})
    assert texts(browser, ".cause.fail > summary strong code") == ["find"]
    assert texts(browser, "details.cause .judged code") == ["f(x)"]
    assert "`" not in texts(browser, "details.cause .judged")[0]
    assert texts(browser, "details.cause .part pre") == ["print(1)", "<1>"]
    assert texts(browser, "details.cause .places .id") == [cell["rule"] for cell in document["cells"][1:3]]
    go(browser, CELL)
    assert [link.get_attribute("href") for link in find(browser, ".judged a")] == ["https://example.org/issues/7"]
    assert "lost, fault" in texts(browser, ".notice.judged")[0]


def test_a_failing_cell_has_its_evidence(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    click(browser, '[aria-label="fail: common.parse.integers-above-2-53 on openai-chat, alpha"]')
    until(lambda: find(browser, "mark.at"))
    assert texts(browser, "h1") == ["common.parse.integers-above-2-53"]
    text = " ".join(texts(browser, "#view"))
    for words in (
        "Integers above 2^53 are exact.", "lost", "40 pass", "2 fail", "/calls/0/arguments/id in the turn",
        "Failures of the first 2 of 3 cases", "arguments.floats/blocking", "shell.success",
        "POST https://api.example.org/v1/chat/completions", "authorization: …", "90 bytes of stream in 7 reads",
        'at byte 17: data: {"at": "caf', '"ratio": 20.0', "and 5 more",
        "conformance explain alpha/openai-chat/common.parse.integers-above-2-53 --issue",
    ):  # fmt: skip
        assert words in text
    assert texts(browser, ".failure[open] .half.expected pre") == ["9007199254740993"]
    assert texts(browser, ".failure[open] .half.found pre") == ["9007199254740992.0"]
    assert texts(browser, ".failure[open] mark.at") == ["9007199254740992.0"]
    assert texts(browser, ".failure[open] .command code")[0].endswith("--rule common.parse.integers-above-2-53")
    go(browser, "#/rule/common.parse.integers-above-2-53")
    assert "RFC 8259 §6" in texts(browser, ".facts")[0]
    assert [link.get_attribute("href") for link in find(browser, ".facts a")] == ["https://example.org/issues/7#c_1"]


def test_a_pointer_to_what_is_missing_marks_what_holds_its_place(browser: Any, show: Show) -> None:
    show(sample("alpha"), "#/cell/alpha/anthropic/common.result.no-orphan")
    [mark] = until(lambda: texts(browser, "mark.near"))
    assert json.loads(mark) == {"role": "tool", "content": "the order ‘7’ – ✓"}
    text = " ".join(texts(browser, "#view"))
    missing = "There is no /messages/2/tool_call_id"
    for words in (missing, "The baseline expects this: fail.", "of model call 2", "not JSON"):
        assert words in text


def test_every_cell_says_why(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    for provider, rule, words in (
        ("openai-chat", "common.binary.images", "Unsupported: the adapter does not declare image_results."),
        ("anthropic", "common.binary.images", "Not applicable: no image was sent."),
        ("openai-responses", "common.parse.unknown-fields", "its entry can go"),
        ("openai-responses", "common.binary.images", "Traceback (most recent call last)"),
        ("openai-chat", "chat.stream.done-sentinel", "warming up"),
        ("openai-chat", "common.declare.schema-passthrough", "2 scenarios that exercised it"),
    ):
        go(browser, f"#/cell/alpha/{provider}/{rule}")
        until(lambda words=words: words in " ".join(texts(browser, "#view")))


def test_the_keyboard_reaches_everything(browser: Any, show: Show) -> None:
    """Arrows go from cell to cell over those that do not exist, Enter opens, and the focus is on the new heading."""
    show(sample("alpha"))
    browser.execute_script("document.querySelector('.matrix .cell').focus()")
    for key in ("ARROW_DOWN", "ARROW_RIGHT", "ARROW_RIGHT", "HOME"):
        press(browser, key)
    focused = browser.switch_to.active_element.get_attribute("aria-label")
    assert focused == "fail: common.parse.integers-above-2-53 on openai-chat, alpha"
    press(browser, "ENTER")
    assert browser.execute_script("return document.activeElement.tagName") == "H1"
    browser.execute_script("document.activeElement.blur()")
    browser.find_element("css selector", "body").send_keys("/")
    assert browser.execute_script("return document.activeElement.type") == "search"


@pytest.mark.parametrize(
    "hash_",
    ["#/nothing", "#/library/x", "#/cell/alpha/x/y", "#/rule/%E0%A4%A", "#/scenario/%3Cimg%3E", "#/provider/x",
     "#view=x"],
)
def test_a_link_that_leads_nowhere_says_so(browser: Any, show: Show, hash_: str) -> None:
    show(sample("alpha"), hash_)
    assert texts(browser, "h1")[0].startswith("No ")
    click(browser, "#view a", "To the first view")
    assert len(matrix(browser)) == 16


def test_what_is_searched_is_found_by_words_of_its_sentence(browser: Any, show: Show) -> None:
    show(sample())
    type_search(browser, "follows call")
    assert texts(browser, ".places .id") == ["common.result.no-orphan"]
    click(browser, ".places .id")
    assert texts(browser, ".verdict") == ["1 of 2 libraries breaks it"]


def test_two_versions_stand_beside_each_other(browser: Any, show: Show) -> None:
    """What changed is what `conformance diff` tells."""
    from conformance.report.diff import difference

    old, new = sample("alpha"), sample("beta")
    new = json.loads(json.dumps(new).replace("beta", "alpha"))
    new["adapters"][0]["version"] = "1.3.0"
    show([old, new])
    click(browser, ".quiet", "What changed from alpha 1.2.0 to alpha 1.3.0")
    told = difference(old, new)
    worse, better = len(told["regressions"]), len(told["fixes"])
    judged = f"of {told['compared']} that were judged in both."
    assert texts(browser, ".best") == [f"{worse} cells worse, {better} better, {judged}"]
    assert set(texts(browser, "h2.better + .scroll tbody .id")) == {change["rule"] for change in told["fixes"]}
    assert "Only alpha 1.2.0 was asked about openai-responses." in texts(browser, "#view > p")


@pytest.mark.parametrize("width", [390, 1400])
def test_hostile_strings_are_text(browser: Any, show: Show, width: int) -> None:
    browser.set_window_size(width, 900)
    document = hostile(sample())
    for cell in document["cells"]:
        cell["failures"] = [{**failure, "found": "x" * 100_000} for failure in cell["failures"]]
        cell["judged"] = [{**FINDING, "title": PAYLOAD, "why": PAYLOAD, "id": PAYLOAD}]
    show(document)
    links = "return [...document.querySelectorAll('#view a')].map((link) => link.getAttribute('href'))"
    hashes = {hash_ for hash_ in browser.execute_script(links) if hash_.startswith("#")}
    go(browser, sorted(hashes)[0])
    hashes |= {hash_ for hash_ in browser.execute_script(links) if hash_.startswith("#")}
    kinds = {hash_.split("/")[1]: hash_ for hash_ in sorted(hashes)}
    assert {"library", "provider", "cell", "rule"} <= kinds.keys()
    for hash_ in (*kinds.values(), "#/rules", "#/compare", "#/search?q=script"):
        go(browser, hash_)
        assert browser.title.startswith("No ") is False
        browser.execute_script("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
        settle(browser)
        assert browser.execute_script("return window.pwned === undefined")
        assert not browser.find_elements("css selector", "#view :is(img, iframe, object, base, script)")
        outward = browser.execute_script("return [...document.querySelectorAll('a')].map((link) => link.protocol)")
        assert set(outward) <= {"https:", "file:"}
        assert browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0, hash_
    go(browser, kinds["cell"])
    until(lambda: "\\u2028\\u2029\\u202e\\u0000\\u001b[31m" in " ".join(texts(browser, "#view")))
    assert "</script></style><img src=x onerror=" in " ".join(texts(browser, "#view"))
    browser.set_window_size(1400, 900)


def test_the_policy_lets_no_script_in(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "index.html"
    added = "<script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'></body>"
    file.write_text(page(sample()).replace("</body>", added), "utf-8")
    browser.get(file.as_uri())
    settle(browser)
    assert browser.execute_script("return window.pwned === undefined")
    assert find(browser, ".overview")
    assert any("Content Security Policy" in entry["message"] for entry in browser.get_log("browser"))
    browser.get_log("performance")


def test_copying_a_command(browser: Any, show: Show) -> None:
    show(sample("alpha"), CELL)
    copied = "window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    browser.execute_script(copied)
    until(lambda: find(browser, ".failure .command button"))[0].click()
    assert until(lambda: browser.execute_script("return window.copied")).startswith("conformance run python:alpha")
    assert texts(browser, ".failure .command button")[0] == "Copied"


def test_twenty_thousand_cells_are_quick(browser: Any, show: Show) -> None:
    """Paper gets every row."""
    show(large(rules=2000, providers=10))
    assert len(matrix(browser)) == 20_000
    redraw = """
        const filter = document.querySelector('.filters select[name="level"]');
        const start = performance.now();
        filter.dispatchEvent(new Event("change"));
        document.querySelector(".matrix").getBoundingClientRect();
        const took = performance.now() - start;
        window.dispatchEvent(new Event("beforeprint"));
        return [took, document.querySelectorAll(".matrix tbody tr:not(.stage)").length];
    """
    measured = []
    while len(measured) < 12 and min((took for took, _ in measured), default=400) >= 400:
        measured.append(browser.execute_script(redraw))
    assert {rows for _, rows in measured} == {2000}
    assert min(took for took, _ in measured) < 400
    settle(browser)


def test_without_javascript_a_sentence_is_shown(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "index.html"
    file.write_text(page(sample()), "utf-8")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(file.as_uri())
        text = browser.find_element("css selector", "body").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "does not conform" in text
    assert "needs JavaScript" in text


# --- the file itself -------------------------------------------------------------------------------------------------


def test_the_file_loads_nothing() -> None:
    text = page(sample())
    loaders = "<script src", "@import", "url(", "fetch(", "XMLHttpRequest", "import(", "innerHTML", "eval(", " onclick="
    assert [loader for loader in loaders if loader in text] == []


def test_data_cannot_end_its_element() -> None:
    text = page(hostile(sample()))
    assert text.count("</script>") == page(sample()).count("</script>")
    assert "pwned=1>" not in text.replace(PAYLOAD, "")
    assert "\u2028" not in text
    text.encode()


def test_the_script_is_javascript(tmp_path: Path) -> None:
    """Each part by itself, and all of them without their comments."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    from conformance.report import html

    (tmp_path / "whole.js").write_text(html._script(), "utf-8")
    parts = Path(html.__file__).with_name("page")
    files = [tmp_path / "whole.js", *(parts / f"{name}.js" for name in html.SCRIPTS)]
    compiled = "for (const file of process.argv.slice(1)) new vm.Script(fs.readFileSync(file, 'utf8'), file)"
    checked = subprocess.run([node, "-e", compiled, *files], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert {path.stem for path in parts.glob("*.js")} == set(html.SCRIPTS)
