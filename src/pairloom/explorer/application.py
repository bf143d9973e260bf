"""The explorer as one Starlette application: the URLs, the files of the page, all behind the guard."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from pairloom.errors import PairloomError, UnknownWordError
from pairloom.explorer.answers import Explorer
from pairloom.explorer.guard import Guard, Guarded
from pairloom.explorer.models import ExploredModel
from pairloom.explorer.openapi import document
from pairloom.explorer.page_files import PageFile, page_files
from pairloom.explorer.parameters import parse
from pairloom.explorer.urls import URLS, Url
from pairloom.explorer.workers import KeptAnswers

JSON = "application/json"
BINARY = "application/octet-stream"


def application(
    models: Sequence[ExploredModel], guard: Guard, files: Mapping[str, PageFile] | None = None
) -> Starlette:
    """The application. `files` are those of the page if None is given."""
    explorer, answers = Explorer(models), KeptAnswers()
    described = json_bytes(document())
    routes: list[BaseRoute] = [Route(url.path, _Asked(url, explorer, answers)) for url in URLS]
    routes.append(Route("/openapi.json", _Fixed(PageFile(described, described, JSON, ""))))
    for path, file in (page_files() if files is None else files).items():
        routes.append(Route(path, _Fixed(file)))
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guarded, guard=guard)],
        exception_handlers={HTTPException: _not_found},
    )
    app.router.redirect_slashes = False
    app.state.answers, app.state.explorer = answers, explorer
    return app


def json_bytes(data: Any) -> bytes:
    """Data as JSON in UTF-8. Half of a surrogate pair, which UTF-8 does not have, becomes an escape of JSON."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


class _Asked:
    """ASGI: answers one URL of the table."""

    def __init__(self, url: Url, explorer: Explorer, answers: KeptAnswers) -> None:
        self._url, self._explorer, self._answers = url, explorer, answers
        self._media_type = BINARY if url.schema is None else JSON

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        question = self._url.path, scope["query_string"]
        answer = self._answers.kept(question)
        if answer is None:
            compute = partial(self._compute, scope["query_string"])
            try:
                answer = compute() if self._url.quick else await self._answers.computed(question, compute)
            except PairloomError as error:
                status = 404 if isinstance(error, UnknownWordError) else 400
                await JSONResponse({"error": str(error)}, status)(scope, receive, send)
                return
        await self._response(scope, answer)(scope, receive, send)

    def _compute(self, query: bytes) -> bytes:
        answer = self._url.answer(self._explorer, parse(query, self._url.parameters))
        return answer if isinstance(answer, bytes) else json_bytes(answer)

    def _response(self, scope: Scope, answer: bytes) -> Response:
        headers = {"cache-control": "no-cache"}
        if self._url.path == "/api/map":
            headers["etag"] = self._explorer.model(parse(scope["query_string"], self._url.parameters)).map_tag
            if Headers(scope=scope).get("if-none-match") == headers["etag"]:
                return Response(None, 304, headers)
        return Response(answer, 200, headers, self._media_type)


class _Fixed:
    """ASGI: answers with a file."""

    def __init__(self, file: PageFile) -> None:
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        file, asked = self._file, Headers(scope=scope)
        headers = {"cache-control": "no-cache", "vary": "accept-encoding"}
        if file.tag:
            headers["etag"] = file.tag
        if file.tag and asked.get("if-none-match") == file.tag:
            response = Response(None, 304, headers)
        elif "gzip" in asked.get("accept-encoding", "") and len(file.packed) < len(file.content):
            response = Response(file.packed, 200, headers | {"content-encoding": "gzip"}, file.media_type)
        else:
            response = Response(file.content, 200, headers, file.media_type)
        await response(scope, receive, send)


def _not_found(request: Request, error: Exception) -> Response:
    message = "There is nothing at this address. /openapi.json lists what can be asked."
    return JSONResponse({"error": message}, getattr(error, "status_code", 404))
