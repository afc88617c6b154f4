"""What the server says about itself: the findings as JSON, scenarios as they are on the wire, and a page that shows
findings as they come.

What clients send is shown here, so nothing of it is ever markup: the page puts it in place as text, and its
Content-Security-Policy runs no script but its own. Only a browser that was led here by this machine's own name is
answered: a page elsewhere must not read it under a name that points here.
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

from conformance.hints import nearest
from conformance.report.scenario_on_wire import NotPlayedError, on_wire, on_wire_data, players
from conformance.scenarios import load_scenarios
from conformance.server.log import Log

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

LOCAL = re.compile(r"(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?")
MAX_SHOWN = 500


def pages(log: Log, *, only_local: bool = True) -> Starlette:
    """The application under ``/conformance/``."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse
    from starlette.responses import Response as Plain
    from starlette.routing import Route

    document = _page().encode()
    headers = {
        "content-security-policy": _policy(),
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
    }

    def refused(request: Request) -> Response | None:
        if only_local and not LOCAL.fullmatch(request.headers.get("host", "")):
            return PlainTextResponse("Ask under the name localhost.", 403)
        return None

    async def findings(request: Request) -> Response:
        since, limit = _number(request, "since", 0), _number(request, "limit", 100)
        if since is None or limit is None:
            return PlainTextResponse("since and limit are whole numbers", 400)
        return refused(request) or JSONResponse(log.document(since, min(limit, MAX_SHOWN)), headers=headers)

    async def scenarios(request: Request) -> Response:
        known = load_scenarios(log.settings.root)
        rows = [{"id": one.id, "title": one.title, "providers": players(one)} for one in known.values()]
        return refused(request) or JSONResponse(rows, headers=headers)

    async def scenario(request: Request) -> Response:
        known, name = load_scenarios(log.settings.root), request.path_params["name"]
        if (turned_away := refused(request)) is not None:
            return turned_away
        if name not in known:
            return PlainTextResponse(f"there is no scenario {name[:100]!r}{nearest(name, known)}", 404)
        try:
            played = on_wire(known[name], request.query_params.get("provider"), log.settings.profile)
        except NotPlayedError as problem:
            return PlainTextResponse(str(problem), 404)
        return JSONResponse(on_wire_data(played), headers=headers)

    async def page(request: Request) -> Response:
        return refused(request) or Plain(document, media_type="text/html; charset=utf-8", headers=headers)

    async def home(request: Request) -> Response:
        return RedirectResponse("/conformance/")

    async def icon(request: Request) -> Response:
        return Plain(status_code=204)

    routes = [
        Route("/", home),
        Route("/conformance", home),
        Route("/conformance/", page),
        Route("/conformance/findings", findings),
        Route("/conformance/scenarios", scenarios),
        Route("/conformance/scenarios/{name}", scenario),
        Route("/favicon.ico", icon),
    ]
    return Starlette(routes=routes)


def _number(request: Any, name: str, default: int) -> int | None:
    text = request.query_params.get(name, "")
    if not text:
        return default
    return int(text) if re.fullmatch(r"\d{1,15}", text) else None


def _page() -> str:
    parts = {name: _file(f"live.{name}") for name in ("css", "js")}
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _file("live.html"))


def _policy() -> str:
    """Runs and styles by nothing but what stands in the page, which is known by hash."""
    script, style = (_hash(_file(f"live.{name}")) for name in ("js", "css"))
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _file(name: str) -> str:
    return (resources.files("conformance.server") / "page" / name).read_text("utf-8")
