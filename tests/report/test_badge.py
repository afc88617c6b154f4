"""Badges say how many rules pass, whatever adapters are called."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from sample_results import PAYLOAD, sample

from conformance.report import summary
from conformance.report.badge import GREEN, GREY, RED, YELLOW, badges


def test_there_is_one_for_each_adapter_and_each_of_its_providers() -> None:
    document = sample()
    made = dict(badges(document))
    columns = {f"{adapter}-{provider}.svg" for adapter, provider in summary.columns(document)}
    assert set(made) == columns | {"alpha.svg", "beta.svg"}
    for image in made.values():
        root = ET.fromstring(image)
        assert root.attrib["aria-label"] == root[0].text


@pytest.mark.parametrize(
    ("outcomes", "colour", "words"),
    [
        (["pass", "pass"], GREEN, "openai-chat: 2/2 rules"),
        (["pass", "not_applicable"], GREEN, "openai-chat: 1/1 rules"),
        (["pass", "warn"], YELLOW, "openai-chat: 1/2 rules"),
        (["warn", "timeout"], RED, "openai-chat: 0/2 rules"),
        (["unsupported", "not_applicable"], GREY, "openai-chat: nothing judged"),
    ],
)
def test_words_and_colour_are_those_of_the_cells(outcomes: list[str], colour: str, words: str) -> None:
    document = sample("alpha")
    cells = [cell for cell in document["cells"] if cell["provider"] == "openai-chat"][: len(outcomes)]
    document["cells"] = [{**cell, "outcome": outcome} for cell, outcome in zip(cells, outcomes, strict=True)]
    image = dict(badges(document))["alpha-openai-chat.svg"]
    assert ET.fromstring(image).attrib["aria-label"] == words
    assert colour in image


def test_names_cannot_leave_the_folder_or_the_text() -> None:
    document = sample("alpha")
    document["adapters"][0]["id"] = "../../x"
    for cell in document["cells"]:
        cell["adapter"] = "../../x"
        cell["provider"] = PAYLOAD
    for name, image in badges(document):
        assert "/" not in name and not name.startswith(".")
        root = ET.fromstring(image)
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert tags == {"svg", "title", "rect", "path", "g", "text"}
