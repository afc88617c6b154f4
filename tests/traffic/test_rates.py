"""How often something is wrong: counted by time, model, host and rule, with an interval."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from talk import records, write_lines

from conformance.cli import main
from conformance.schemas import schema
from conformance.traffic.moments import hour_of, moment
from conformance.traffic.rates import MAX_NAMES, OTHERS, Rate, RateCounter, rates, wilson
from conformance.traffic.records import RecordedExchange
from conformance.transcript import Exchange

TOLD = Path(__file__).parent / "told"

INTERVALS = {(0, 10): (0.0, 0.2775), (1, 10): (0.0179, 0.4042), (5, 10): (0.2366, 0.7634), (10, 10): (0.7225, 1.0)}
"""Wilson's intervals as published: R, ``binom::binom.confint(x, 10, methods = "wilson")``."""


@pytest.mark.parametrize("counted", INTERVALS)
def test_the_interval(counted: tuple[int, int]) -> None:
    assert wilson(*counted) == pytest.approx(INTERVALS[counted], abs=1e-4)


MOMENTS = {
    1795834847: "2026-11-28T03", 1795834847123.5: "2026-11-28T03", "1795834847083477911": "2026-11-28T03",
    "2026-11-28T03:00:47Z": "2026-11-28T03", "2026-11-28 03:00:47.083": "2026-11-28T03",
    "2026-11-28T04:00:47+01:00": "2026-11-28T03", "Sat, 28 Nov 2026 03:00:47 GMT": "2026-11-28T03",
}  # fmt: skip


@pytest.mark.parametrize("told", MOMENTS)
def test_times_as_recorders_write_them(told: object) -> None:
    seconds = moment(told)
    assert seconds is not None
    assert hour_of(seconds) == MOMENTS[told]  # type: ignore[index]


@pytest.mark.parametrize("told", [None, True, "", "soon", 0, -5, float("nan"), float("inf"), 1e300, "9" * 4000, [], {}])
def test_what_is_no_time(told: object) -> None:
    assert moment(told) is None


def test_hours_are_added_up() -> None:
    rows = [("2026-11-28T03", "m", "h", "r", 4, 1), ("2026-11-28T04", "m", "h", "r", 6, 0), ("", "m", "h", "r", 1, 1)]
    assert rates(rows, "day") == [Rate("", "m", "h", "r", 1, 1), Rate("2026-11-28", "m", "h", "r", 10, 1)]
    assert rates(rows, "total") == [Rate("", "m", "h", "r", 11, 2)]
    assert len(rates(rows, "hour")) == 3


def test_names_without_end_are_told_apart_up_to_a_number() -> None:
    counter = RateCounter()
    for number in range(MAX_NAMES + 5):
        answer = {"model": f"model-{number}"}
        counter.begin(RecordedExchange("a", 1), Exchange("openai-chat", answer=answer))
        counter.add("r", 1, 0)
    models = {model for _, model, *_ in counter.rows()}
    assert len(models) == MAX_NAMES + 1
    assert OTHERS in models


def test_rates_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(TOLD / "openllmetry-openai.spans.jsonl"), "--rates", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(schema("rates")).validate(document)
    [unknown] = [rate for rate in document["rates"] if rate["rule"] == "model.call.unknown-name"]
    assert (unknown["model"], unknown["checked"], unknown["failed"]) == ("gpt-4o", 3, 1)
    assert unknown["low"] < unknown["rate"] < unknown["high"]


def test_a_rule_that_is_broken_has_a_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = records("openai-chat")
    lines[1]["request"]["messages"][2]["tool_call_id"] = "call_nobody"
    lines[1]["time"] = "2026-11-28T03:00:00Z"
    path = write_lines(tmp_path / "a.jsonl", lines)
    assert main(["audit", str(path), "--rates", "hour"]) == 1
    assert "2026-11-28T03  test-model  api.openai.com  common.result.no-orphan" in capsys.readouterr().out


def test_markdown_escapes_what_others_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [line, *_] = records("openai-chat")
    line["request"]["model"] = "a|b <img>"
    path = write_lines(tmp_path / "a.jsonl", [line])
    main(["audit", str(path), "--rates", "total", "--format", "markdown"])
    out = capsys.readouterr().out
    assert out.startswith("| model | host | rule | failed | of | rate | 95 % |\n|")
    assert "a\\|b &lt;img>" in out


def test_shards_have_rates_if_they_were_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told, part = str(TOLD / "openllmetry-openai.spans.jsonl"), str(tmp_path / "part")
    assert main(["audit", told, "--rates", "--shard", "1/1", "--out", part]) == 0
    capsys.readouterr()
    assert main(["merge", part, "--rates"]) == 0
    merged = capsys.readouterr().out
    assert main(["audit", told, "--rates"]) == 0
    assert merged == capsys.readouterr().out
    assert main(["audit", told, "--shard", "1/1", "--out", str(tmp_path / "without")]) == 0
    assert main(["merge", str(tmp_path / "without"), "--rates"]) == 2
    assert "judged without --rates" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--format", "markdown"], ["--rates", "--format", "jsonl"]])
def test_formats_that_do_not_fit(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", str(TOLD), *options]) == 2
    assert "conformance: --" in capsys.readouterr().err
