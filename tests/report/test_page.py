"""The page, in a real browser: it shows what the result says, and does nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browsing import Show, choose, find, matrix, press, settle, texts, until
from sample_results import PAYLOAD, hostile, large, sample

from conformance.report import causes, summary
from conformance.report.html import page

OPEN_CELL = "#on=openai-chat&rule=common.parse.integers-above-2-53&adapter=alpha&view=rules"


def test_the_matrix_is_the_result(browser: Any, show: Show) -> None:
    document = sample()
    for adapter in ("alpha", "beta"):
        show(document, f"#view=rules&adapter={adapter}")
        own = {(cell["rule"], cell["provider"]): cell for cell in document["cells"] if cell["adapter"] == adapter}
        shown = matrix(browser)
        assert {place: glyph for place, (glyph, _) in shown.items()} == {
            place: summary.GLYPHS[summary.shown(cell)] for place, cell in own.items()
        }
        for (rule, provider), (_, label) in shown.items():
            cell = own[rule, provider]
            failed = f", {len(cell['failed_cases'])} cases" if "failed_cases" in cell else ""
            assert label == f"{summary.words(summary.shown(cell))}{failed}: {rule} on {provider}"


def test_the_header_tells_the_run(browser: Any, show: Show) -> None:
    document = sample("alpha")
    document["run"]["interrupted"] = True
    show(document)
    text = " ".join(texts(browser, "#top"))
    for words in (
        "alpha", "1.2.0", "does not conform", "2026-11-21 08:30 UTC", "profile portable", "suite 0.1.0, 189 rules",
        "conformance run alpha beta --out result.json", "Interrupted", document["run"]["baseline"][0],
    ):  # fmt: skip
        assert words in text
    assert find(browser, '#top .notice')


def test_the_overview_counts_and_leads_to_the_matrix(browser: Any, show: Show) -> None:
    show(sample())
    sums = {button.get_attribute("aria-label"): button for button in find(browser, ".overview .whole .sum")}
    assert len(sums) == 5
    assert "fail: 2 of 4 rules pass, alpha on anthropic" in sums
    sums["fail: 2 of 4 rules pass, alpha on anthropic"].click()
    settle(browser)
    assert {provider for _, provider in matrix(browser)} == {"anthropic"}
    browser.back()
    settle(browser)
    assert find(browser, ".overview")


def test_the_overview_of_one_adapter_is_by_stage(browser: Any, show: Show) -> None:
    show(sample("alpha"), "#view=overview")
    assert texts(browser, ".overview .part th") == ["declare", "parse", "result", "stream", "binary"]
    assert texts(browser, ".overview tr:nth-child(3) .count") == ["✗ 0/2", "✗ 1/2", "✗ 1/2"]


def test_filters(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    assert len({rule for rule, _ in matrix(browser)}) == 6
    choose(browser, "stage", "parse")
    assert {rule for rule, _ in matrix(browser)} == {
        "common.parse.integers-above-2-53",
        "common.parse.unknown-fields",
    }
    choose(browser, "level", "should")
    assert {rule for rule, _ in matrix(browser)} == {"common.parse.unknown-fields"}
    find(browser, ".bar > .quiet:not([hidden])")[-1].click()
    settle(browser)
    assert len({rule for rule, _ in matrix(browser)}) == 6
    browser.find_element("css selector", "input[type=search]").send_keys("ORPHAN follows")
    until(lambda: len(matrix(browser)) == 3)
    assert "q=ORPHAN+follows" in browser.current_url
    browser.find_element("css selector", "input[type=search]").send_keys(" nothing like it")
    until(lambda: find(browser, ".nothing"))


def test_outcomes_filter_rows_and_fade_what_is_not_meant(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    browser.find_element("css selector", '.chip[value="attention"]').click()
    settle(browser)
    rules = {rule for rule, _ in matrix(browser)}
    assert "common.declare.schema-passthrough" not in rules
    assert len(rules) == 5
    assert texts(browser, "#status") == ["5 of 6 rules"]
    assert texts(browser, ".matrix thead .tally") == ["1/5", "2/4", "2/5"]
    faint = {button.get_attribute("aria-label") for button in find(browser, ".cell.faint")}
    assert "pass: common.parse.unknown-fields on anthropic" in faint
    assert "expected failure, 3 cases: common.result.no-orphan on anthropic" in faint
    assert find(browser, '.chip[value="fail"][aria-pressed="true"]')


def test_chips_count_what_the_filters_leave_and_none_of_zero_is_lit(browser: Any, show: Show) -> None:
    show(sample())
    before = int(find(browser, '.chip[value="pass"] b')[0].text)
    choose(browser, "stage", "parse")
    assert int(find(browser, '.chip[value="pass"] b')[0].text) < before
    show(sample("alpha"))
    browser.find_element("css selector", '.chip[value="attention"]').click()
    settle(browser)
    assert "0" not in texts(browser, ".chip b")


def test_causes_are_told_in_their_order_and_lead_to_their_cells(browser: Any, show: Show) -> None:
    show(sample(), "#view=causes")
    told = [f"alpha: {causes.title(sample(), one)}" for one in causes.causes_of(sample())]
    assert texts(browser, ".cause h3") == told
    assert "beta 1.2.0 on openai-chat, anthropic: conforms" in texts(browser, ".sentences li")
    assert texts(browser, ".mend") == [causes.first_to_mend(sample())]
    find(browser, ".cause .quiet[data-rule]")[0].click()
    until(lambda: find(browser, "#panel-title"))
    assert texts(browser, "#panel-title") == [causes.causes_of(sample())[0]["such_as"]["rule"]]


def test_words_of_judgements_between_backticks_are_code(browser: Any, show: Show) -> None:
    document = sample("alpha")
    cell = document["cells"][1]
    finding = {"id": "a", "title": "`find` is off", "judgement": "fault", "consequence": "lost"}
    cell["judged"] = [{**finding, "why": "See `f(x)`, and <b>."}]
    show(document, OPEN_CELL)
    until(lambda: find(browser, "#panel .judged"))
    assert texts(browser, "#panel .judged code") == ["find", "f(x)"]
    assert "`" not in texts(browser, "#panel .judged")[0]


def test_providers_are_columns_that_can_go(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    browser.find_element("css selector", ".menu summary").click()
    browser.find_element("css selector", '.menu input[value="anthropic"]').click()
    settle(browser)
    assert {provider for _, provider in matrix(browser)} == {"openai-chat", "openai-responses"}
    assert "provider=openai-chat&provider=openai-responses" in browser.current_url


def test_a_failing_cell_opens_its_evidence(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    label = "fail, 3 cases: common.parse.integers-above-2-53 on openai-chat"
    browser.find_element("css selector", f'[aria-label="{label}"]').click()
    until(lambda: find(browser, "#panel mark.at"))
    assert texts(browser, "#panel-title") == ["common.parse.integers-above-2-53"]
    text = " ".join(texts(browser, "#panel"))
    for words in (
        "Integers above 2^53 are exact.", "must", "lost", "40 pass", "2 fail", "/calls/0/arguments/id in the turn",
        "Failures of the first 2 of 3 cases", "arguments.floats/blocking", "shell.success", "RFC 8259 §6",
        "POST https://api.example.org/v1/chat/completions", "authorization: …", "90 bytes of stream in 7 reads",
        'at byte 17: data: {"at": "caf', '"ratio": 20.0', "and 5 more",
    ):  # fmt: skip
        assert words in text
    assert texts(browser, ".failure[open] .half.expected pre") == ["9007199254740993"]
    assert texts(browser, ".failure[open] .half.found pre") == ["9007199254740992.0"]
    assert texts(browser, ".failure[open] mark.at") == ["9007199254740992.0"]
    assert texts(browser, ".failure[open] .command code")[0].endswith("--rule common.parse.integers-above-2-53")
    assert [link.get_attribute("href") for link in find(browser, "#panel dl a")] == ["https://example.org/issues/7#c_1"]


def test_a_pointer_to_what_is_missing_marks_what_holds_its_place(browser: Any, show: Show) -> None:
    show(sample("alpha"), "#on=anthropic&rule=common.result.no-orphan")
    [mark] = until(lambda: texts(browser, "#panel mark.near"))
    assert json.loads(mark) == {"role": "tool", "content": "the order ‘7’ – ✓"}
    text = " ".join(texts(browser, "#panel"))
    assert "There is no /messages/2/tool_call_id" in text
    assert "The baseline expects this: fail." in text
    assert "of model call 2" in text
    assert "not JSON" in text


@pytest.mark.parametrize(
    ("provider", "rule", "words"),
    [
        ("openai-chat", "common.binary.images", "Unsupported: the adapter does not declare image_results."),
        ("anthropic", "common.binary.images", "Not applicable: no image was sent."),
        ("openai-responses", "common.parse.unknown-fields", "its entry can go"),
        ("openai-responses", "common.binary.images", "Traceback (most recent call last)"),
        ("openai-chat", "chat.stream.done-sentinel", "warming up"),
        ("openai-chat", "common.declare.schema-passthrough", "2 scenarios that exercised it"),
    ],
)
def test_every_cell_says_why(browser: Any, show: Show, provider: str, rule: str, words: str) -> None:
    show(sample("alpha"), f"#on={provider}&rule={rule}")
    until(lambda: words in " ".join(texts(browser, "#panel")))


def test_the_keyboard_reaches_everything(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    assert browser.execute_script("return document.querySelectorAll('.cell[tabindex=\"0\"]').length") == 1
    browser.execute_script("document.querySelector('.cell').focus()")
    for key in ("ARROW_DOWN", "ARROW_RIGHT", "ARROW_RIGHT", "HOME"):
        press(browser, key)
    focused = browser.switch_to.active_element.get_attribute("aria-label")
    assert focused == "fail, 3 cases: common.parse.integers-above-2-53 on openai-chat"
    press(browser, "ENTER")
    assert browser.execute_script("return document.activeElement.id") == "panel-title"
    press(browser, "ESCAPE")
    assert not find(browser, "#panel")
    assert browser.switch_to.active_element.get_attribute("aria-label") == focused


def test_arrows_pass_over_cells_that_do_not_exist(browser: Any, show: Show) -> None:
    show(sample("alpha"))
    browser.execute_script(
        "document.querySelector('[aria-label$=\"common.result.no-orphan on anthropic\"]').focus()"
    )
    press(browser, "ARROW_DOWN")
    label = browser.switch_to.active_element.get_attribute("aria-label")
    assert label == "not applicable: common.binary.images on anthropic"


def test_the_hash_restores_the_view(browser: Any, show: Show) -> None:
    show(sample(), OPEN_CELL + "&stage=parse&outcome=fail&provider=openai-chat&provider=anthropic")
    assert texts(browser, "#panel-title") == ["common.parse.integers-above-2-53"]
    assert set(matrix(browser)) == {
        ("common.parse.integers-above-2-53", "openai-chat"),
        ("common.parse.integers-above-2-53", "anthropic"),
    }
    assert find(browser, '.chip[value="fail"][aria-pressed="true"]')
    assert browser.find_element("css selector", 'select[name="stage"]').get_attribute("value") == "parse"
    [following] = [button for button in find(browser, "#panel button") if button.text == "Next"]
    following.click()
    settle(browser)
    assert "on=anthropic" in browser.current_url
    [before] = [button for button in find(browser, "#panel button") if button.text == "Previous"]
    browser.execute_script("arguments[0].focus()", before)
    press(browser, "ENTER")
    assert "on=openai-chat" in browser.current_url
    assert browser.switch_to.active_element.get_attribute("id") == "panel-title", "there is no cell before the first"


def test_a_hash_that_names_nothing_is_as_good_as_none(browser: Any, show: Show) -> None:
    show(sample("alpha"), "#view=x&stage=y&outcome=z&on=openai-chat&rule=nothing&adapter=%3Cimg%3E&%E0%A4%A")
    assert len(matrix(browser)) == 16
    assert not find(browser, "#panel")


@pytest.mark.parametrize("width", [390, 1400])
def test_hostile_strings_are_text(browser: Any, show: Show, width: int) -> None:
    browser.set_window_size(width, 900)
    document = hostile(sample())
    for cell in document["cells"]:
        cell["failures"] = [{**failure, "found": "x" * 200_000} for failure in cell["failures"]]
    show(document, "#view=rules")
    cells = find(browser, ".cell")
    for number in range(len(cells)):
        browser.execute_script("document.querySelectorAll('.cell')[arguments[0]].click()", number)
        settle(browser)
        browser.execute_script("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
        settle(browser)
    visible = "</script></style><img src=x onerror=\"window.pwned=1\">"
    assert visible in " ".join(texts(browser, "#panel"))
    assert "{{script}}" in " ".join(texts(browser, "#panel"))
    assert "\\u2028\\u2029\\u202e\\u0000\\u001b[31m" in " ".join(texts(browser, "#panel"))
    assert browser.execute_script("return window.pwned === undefined")
    assert browser.execute_script("return document.querySelectorAll('img, iframe, object, base').length") == 0
    assert browser.execute_script("return document.scripts.length") == 3
    links = browser.execute_script("return [...document.querySelectorAll('a')].map((link) => link.protocol)")
    assert set(links) == {"https:"}
    wide = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
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
    show(sample("alpha"), OPEN_CELL)
    copied = "window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; }"
    browser.execute_script(copied)
    until(lambda: find(browser, ".failure .command button"))[0].click()
    assert until(lambda: browser.execute_script("return window.copied")).startswith("conformance run python:alpha")
    assert texts(browser, ".failure .command button")[0] == "Copied"


@pytest.mark.parametrize(("width", "modal"), [(390, True), (1400, False)])
def test_the_panel_stands_beside_the_matrix_where_there_is_room(
    browser: Any, show: Show, width: int, modal: bool
) -> None:
    browser.set_window_size(width, 900)
    show(sample("alpha"), OPEN_CELL)
    assert browser.execute_script("return document.getElementById('panel').matches(':modal')") is modal
    press(browser, "ESCAPE")
    assert not find(browser, "#panel")
    browser.set_window_size(1400, 900)


def test_twenty_thousand_cells_are_quick(browser: Any, show: Show) -> None:
    document = large(rules=2000, providers=10)
    show(document)
    assert len(matrix(browser)) == 20_000
    redraw = """
        const [overview, rules] = document.querySelectorAll(".tab");
        overview.click();
        const start = performance.now();
        rules.click();
        document.querySelector(".matrix").getBoundingClientRect();
        return performance.now() - start;
    """
    until(lambda: browser.execute_script("return document.readyState") == "complete")
    assert min(browser.execute_script(redraw) for _ in range(3)) < 200
    settle(browser)


def test_paper_gets_every_row(browser: Any, show: Show) -> None:
    show(large(rules=600, providers=6))
    rows = browser.execute_script(
        """
        const [overview, rules] = document.querySelectorAll(".tab");
        overview.click();
        rules.click();
        window.dispatchEvent(new Event("beforeprint"));
        return document.querySelectorAll(".matrix tbody tr:not(.stage)").length;
        """
    )
    assert rows == 600


def test_paper_gets_the_panel_after_the_matrix(browser: Any, show: Show) -> None:
    browser.set_window_size(390, 900)
    show(sample("alpha"), OPEN_CELL)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    tops = browser.execute_script(
        "return ['.matrix', '#panel'].map((selector) => document.querySelector(selector).getBoundingClientRect())"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.set_window_size(1400, 900)
    assert tops[1]["top"] >= tops[0]["bottom"]


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
    assert text.isascii() or text.encode()
    for loader in (" src=", "@import", "url(", "fetch(", "XMLHttpRequest", "import(", "innerHTML", "eval("):
        assert loader not in text


def test_data_cannot_end_its_element() -> None:
    text = page(hostile(sample()))
    assert text.count("</script>") == page(sample()).count("</script>")
    assert "pwned=1>" not in text.replace(PAYLOAD, "")
    assert "\u2028" not in text
    text.encode()


def test_a_judgement_is_told_before_the_failures(browser: Any, show: Show) -> None:
    document = sample("alpha")
    cell = next(cell for cell in document["cells"] if cell["rule"].endswith("above-2-53"))
    told = {"id": "a", "judgement": "fault", "consequence": "lost", "title": PAYLOAD, "why": "It rounds."}
    cell["judged"] = [
        {**told, "issues": [{"url": "https://example.org/issues/7", "state": "open", "date": "2026-11-23"}]}
    ]
    show(document, OPEN_CELL)
    (text,) = texts(browser, "#panel .judged")
    assert text.startswith(PAYLOAD[:60])  # control characters are shown by name
    assert "(lost, fault)" in text
    assert "It rounds." in text
    assert [link.get_attribute("href") for link in find(browser, "#panel .judged a")] == ["https://example.org/issues/7"]
