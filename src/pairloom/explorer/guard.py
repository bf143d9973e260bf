"""Who may ask. Every request passes here before anything else sees it.

Web pages of strangers run in the same browser as ours, and can send requests to this machine. They are told apart by

    Host                    must name this machine: a stranger's name that leads here is refused (DNS rebinding)
    Origin, Sec-Fetch-Site  must be this site, or absent: whatever the method, browsers send at least one of them
    the token               is only in our cookie (SameSite=Strict, not readable by scripts) and in the terminal

The address that opens the page has a code, which is exchanged for the cookie and works once. So neither the history of
the browser nor a list of processes gives away the token.
"""

import hmac
import re
import secrets
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_HEADER_BYTES = 16 << 10

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")

# regl, which draws the map, compiles its draw commands by `Function`: that needs 'unsafe-eval'. Scripts still come
# from this server only, and no word or other data becomes a script. Its worker, which indexes points, is a blob.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; worker-src blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]

_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::(?P<port>\d{1,5}))?\Z")


class Guard:
    """The rules for one server.

    token  what a request must know; None if whoever reaches the server may ask
    port   of the server; None accepts every port in Host
    names  the names that Host may have
    addresses  also accept every numeric address in Host. No stranger's name can look like one.
    """

    def __init__(
        self,
        token: str | None = None,
        port: int | None = None,
        names: Iterable[str] = LOCAL_NAMES,
        addresses: bool = False,
    ) -> None:
        self.token, self.port, self.names, self.addresses = token, port, {name.lower() for name in names}, addresses
        self.code: str | None = secrets.token_urlsafe(24) if token is not None else None
        self.cookie = "pairloom" if port is None else f"pairloom-{port}"  # browsers do not tell ports apart

    def refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Why a request is not answered, or None if it is."""
        if not self.is_here(headers.getlist("host")):
            return _error(403, "The Host header does not name this server. Open the address that the command printed.")
        if not _is_same_site(headers):
            return _error(
                403, "The request comes from another site. Type the address into the browser, or copy it there."
            )
        if scope["method"] not in ("GET", "HEAD"):
            return _error(405, "This server only answers questions. Use GET.", {"allow": "GET, HEAD"})
        if headers.get("content-length", "0").strip() != "0" or "transfer-encoding" in headers:
            return _error(413, "Questions have no body. Put the parameters into the address.")
        if self.token is not None and not self._is_known(headers):
            return self._exchanged(scope) or _error(
                401,
                "The token is missing or wrong. Open the address that the command printed, which works once, "
                "or send the header Authorization: Bearer TOKEN.",
                {"www-authenticate": "Bearer"},
            )
        return None

    def is_here(self, hosts: list[str]) -> bool:
        """Whether the one Host header names this server."""
        match = _HOST.match(hosts[0]) if len(hosts) == 1 else None
        if match is None or (self.port is not None and int(match["port"] or 80) != self.port):
            return False
        return match["name"].lower() in self.names or (self.addresses and _is_address(match["name"]))

    def _is_known(self, headers: Headers) -> bool:
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        given = [bearer.strip()] if kind.lower() == "bearer" else []
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            given += [value] if name == self.cookie else []
        return any(_same(value, self.token) for value in given)

    def _exchanged(self, scope: Scope) -> Response | None:
        """The cookie for the code, which then works no more. None if there is no code, or a wrong one."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("code", [""])[-1]
        if scope["path"] != "/" or scope["method"] != "GET" or not _same(given, self.code):
            return None
        self.code = None
        response = RedirectResponse("./", 303)
        response.set_cookie(self.cookie, str(self.token), httponly=True, samesite="strict")
        response.headers["cache-control"] = "no-store"
        return response


class Guarded:
    """ASGI: an application behind a guard, whose answers all have the headers of safety."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app, self._guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":  # the start and end of the server
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        refusal = self._guard.refusal(scope, Headers(scope=scope))
        await (refusal or self._app)(scope, receive, send_safely)


def _is_same_site(headers: Headers) -> bool:
    origins = headers.getlist("origin")
    own = {f"{scheme}://{headers['host'].lower()}" for scheme in ("http", "https")}
    if any(origin.lower() not in own for origin in origins):
        return False
    return all(site in ("same-origin", "none") for site in headers.getlist("sec-fetch-site"))


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _same(given: str, secret: str | None) -> bool:
    """Compared in a time that does not depend on how many characters are right."""
    return secret is not None and hmac.compare_digest(given.encode("utf-8", "surrogatepass"), secret.encode())


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": message}, status, headers)
