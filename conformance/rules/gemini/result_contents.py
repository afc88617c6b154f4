"""Gemini: in which content results stand, and beside what."""

from __future__ import annotations

from conformance.rules.check import Finding, Verdicts, check, holds
from conformance.rules.gemini.documents import content_of, contents, fields_of
from conformance.transcript import Exchange


@check("gemini.result.one-content")
def one_content(x: Exchange) -> Verdicts:
    for turn in x.facts.rounds:
        places = [content_of(result) for result in turn.results]
        if len(places) > 1:
            apart = next((at for at in places if at != places[0]), None)
            yield Finding(apart, f"all function responses in {places[0]}", places) if apart else None


@check("gemini.result.role-user")
def role_user(x: Exchange) -> Verdicts:
    """A role that is left out counts as the user's."""
    for at, content in contents(x):
        if fields_of(at, content, "functionResponse"):
            yield holds(content.get("role") in ("user", None), f"{at}/role", "user", content.get("role"))


@check("gemini.result.no-text-beside-response")
def no_text_beside_response(x: Exchange) -> Verdicts:
    for at, content in contents(x):
        if fields_of(at, content, "functionResponse"):
            texts = fields_of(at, content, "text")
            yield Finding(texts[0][0], "a content of its own", texts[0][1]) if texts else None
