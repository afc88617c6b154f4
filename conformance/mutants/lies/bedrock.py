"""Adapters that are wrong about Bedrock's Converse."""

from __future__ import annotations

from dataclasses import replace

from conformance.http import Request
from conformance.mutants.liar import Liar


class AsksForWholeAnswers(Liar):
    """How an answer comes is a matter of who reads it."""

    aims = ("common.http.stream-as-asked",)
    providers = ("bedrock",)

    def posts(self, request: Request) -> Request:
        return replace(request, url=request.url.removesuffix("-stream"))
