"""A failure as a program that needs only the library: a loopback provider, and the library's own call.

`replay` plays the case again, `writer` puts its model calls into the words of the library
(`conformance.adapters.libraries.calls`), in the language that the library is for: `python` or `javascript`.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from conformance.adapters.libraries import LIBRARIES
from conformance.adapters.libraries.calls import call_of_library
from conformance.adapters.libraries.calls.contract import Call
from conformance.documents import Document
from conformance.report.script.comments import conclusion, introduction
from conformance.report.script.javascript import JavaScript
from conformance.report.script.language import Language, names_in
from conformance.report.script.python import Python
from conformance.report.script.replay import NoScriptError, delivery, played
from conformance.report.script.writer import ProgramWriter
from conformance.report.summary import reproduction

__all__ = ["NoScriptError", "script"]

LANGUAGES: Mapping[str, Language] = {"python": Python(), "node": JavaScript()}
"""By the kind of a library."""
ALL = 1000
"""More model calls than a case has."""
RAISED = ("error", "crash", "timeout")
"""Outcomes of a library that gave no answer."""


def script(document: Document, cell: Document) -> str:
    """A program that shows a failure of ``cell`` in its earliest model call. Raises `NoScriptError`.

    Of several it is the shortest whose case has no other failure before.
    """
    if not cell["failures"]:
        raise NoScriptError(f"nothing failed in {cell['adapter']}/{cell['provider']}/{cell['rule']}")
    adapter = next(item for item in document["adapters"] if item["id"] == cell["adapter"])
    again = reproduction(document, cell["failures"][0])
    call = call_of_library(adapter["name"], cell["provider"])
    if call is None:
        raise NoScriptError(f"no program is known for {adapter['name']}; repeat it with: {again}")
    if document["run"].get("responder", "scripted") != "scripted":
        raise NoScriptError(f"the answers are not those of the script; repeat it with: {again}")
    number = {item["evidence"]: _model_call(document, item) for item in cell["failures"]}
    first = min(number.values())
    earliest = [failure for failure in cell["failures"] if number[failure["evidence"]] == first]
    troubled = {failure["case"] for failure in _before(document, cell, first)}
    calm = [failure for failure in earliest if failure["case"] not in troubled]
    return min((_program(document, cell, adapter, call, failure) for failure in calm or earliest), key=len)


def _before(document: Document, cell: Document, number: int) -> Iterator[Document]:
    """What failed before a cell does in the model call ``number``, or kept the library from answering it."""
    for other in document["cells"]:
        if (other["adapter"], other["provider"]) != (cell["adapter"], cell["provider"]):
            continue
        silent = other["outcome"] in RAISED and cell["outcome"] not in RAISED
        yield from (item for item in other["failures"] if silent or _model_call(document, item) < number)


def _model_call(document: Document, failure: Document) -> int:
    """The number of the model call in which it failed; where that is not known, it may be any."""
    return int(document["evidence"][failure["evidence"]].get("model_call", ALL))


def _program(document: Document, cell: Document, adapter: Document, call: Call, failure: Document) -> str:
    case, provider = failure["case"], cell["provider"]
    again = played(case, provider, document["run"]["profile"], _scenarios(document, failure))
    again = again[: _model_call(document, failure)]
    if call.without_tools is not None and not again[0].intent.tools:
        call = call.without_tools
    streamed, raises = delivery(case).streaming, cell["outcome"] in RAISED
    language = LANGUAGES[LIBRARIES[adapter["name"]].kind]
    writer = ProgramWriter(call, language, provider, streamed, again, raises)
    return _put_together(writer, document, cell, adapter, failure)


def _scenarios(document: Document, failure: Document) -> Path | None:
    """Where the scenario is, if it is not one of the package's."""
    words = shlex.split(reproduction(document, failure))
    return Path(words[words.index("--scenarios") + 1]) if "--scenarios" in words else None


def _put_together(
    writer: ProgramWriter, document: Document, cell: Document, adapter: Document, failure: Document
) -> str:
    language = writer.language
    body = [
        language.answers(writer.played),
        language.provider,
        *filter(None, (writer.helpers(), writer.client(), writer.data())),
        writer.ask(),
        "\n".join(writer.conversation()),
        *filter(None, [language.end]),
    ]
    imported = [line for line in f"{language.server}\n{writer.call.imports}".split("\n") if line]
    head = [f"{language.comment}{line}" for line in introduction(adapter, cell, failure)]
    tail = [f"{language.comment}{line}".rstrip() for line in conclusion(document, cell, failure)]
    text = "\n\n".join(body)
    return "\n\n".join([*head, language.imports(imported, names_in(text)), text, "\n".join(tail)]) + "\n"
