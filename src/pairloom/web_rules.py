"""Whom a local server lets in, and what every answer of it carries.

A page anywhere on the web can send requests to 127.0.0.1, and so can every user of this machine. So

- the Host must be one that the server goes by: a foreign name that was made to point here is refused (DNS rebinding);
- what a browser says of where a request comes from must be the server itself, for every method without exception;
- data needs a token, which the browser gets by a URL that works once. It goes in a header, never in a cookie: cookies
  are sent to every port of a host, so another server on this machine would be told it;
- files come out of a table that was filled when the server began; no path is ever made of what somebody asks.

The reading of requests, with its limits, is web_request.py.
"""

import hmac
import secrets
import threading
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from ipaddress import ip_address
from typing import NamedTuple

from pairloom.errors import ConfigError, RequestError
from pairloom.web_request import Headers

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

# No Access-Control-Allow-Origin, so no other page may read an answer.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


# --- Where it is reached


def check_address(address: str, names: Sequence[str] = ()) -> None:
    """Refuse to listen to other machines by accident. For before the server begins.

    Every address but loopback needs the names by which it is to be reached, given by hand: so no default opens a
    server, and there is something to check the Host against. Nothing is encrypted: on the way the token can be read.
    """
    if not (is_loopback(address) or names):
        raise ConfigError(
            f"address={address} can be reached from other machines. Use 127.0.0.1, or name the hosts by which it is to "
            "be reached."
        )


def is_loopback(address: str) -> bool:
    """Whether only this machine reaches an address. Names are resolved by others, so none counts but localhost."""
    try:
        return ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address == "localhost"


class Place(NamedTuple):
    """Where a server is reached: its port, and names beside those of loopback."""

    port: int
    names: tuple[str, ...] = ()

    @property
    def hosts(self) -> frozenset[str]:
        """Every Host that is answered."""
        names = (*LOOPBACK, *self.names)
        bare = names if self.port == 80 else ()  # browsers leave out the port that goes without saying
        return frozenset([*(f"{name}:{self.port}" for name in names), *bare])

    def check(self, headers: Headers) -> None:
        """Refuse what comes under a foreign name or from a foreign page, whatever its method is."""
        if (host := headers.one("host")) not in self.hosts:
            raise RequestError(403, f"This server does not go by the name {host!r}. Use http://127.0.0.1:{self.port}/.")
        if (origin := headers.one("origin")) is not None and origin != f"http://{host}":
            raise RequestError(403, "Another page may not ask this server.")
        if headers.one("sec-fetch-site") not in (None, "same-origin", "none"):  # none: typed, or a bookmark
            raise RequestError(403, "Another page may not ask this server.")


# --- Who may ask


class Keys:
    """The token of a running server, and the one-time codes that a browser gets it for.

    The server prints `url(...)`. The part behind # is not sent anywhere: the page's script takes it out of the address,
    posts it, gets what `exchange` gives, and sends that with every request as `Authorization: Bearer ...`.
    """

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self._codes: set[str] = set()
        self._lock = threading.Lock()

    def url(self, place: Place) -> str:
        """An address that lets one browser in, once. Ask again for the next."""
        code = secrets.token_urlsafe(32)
        with self._lock:
            self._codes.add(code)
        host = place.names[0] if place.names else "127.0.0.1"
        return f"http://{host}:{place.port}/#{code}"

    def exchange(self, code: str) -> str:
        """The token for a code, which is used up by it."""
        with self._lock:
            found = [known for known in self._codes if same(known, code)]
            self._codes.difference_update(found)
        if not found:
            raise RequestError(401, "This address has been used, or never was one. Take a new one from the server.")
        return self.token

    def check(self, headers: Headers) -> None:
        """Refuse a request without the token."""
        if not same(f"Bearer {self.token}", headers.one("authorization") or ""):
            raise RequestError(401, "The token is missing or wrong. Open the address that the server printed.")


def same(secret: str, given: str) -> bool:
    """Whether they are equal, in a time that does not depend on how much of them is."""
    return hmac.compare_digest(secret.encode(), given.encode("utf-8", "surrogatepass"))


# --- What goes out


class Asset(NamedTuple):
    """A file that a server gives out, whole and in memory."""

    kind: str  # text/html; charset=utf-8
    body: bytes


def asset(table: Mapping[str, Asset], target: str) -> Asset:
    """The file of a request's target: what the table has under exactly this name, before a `?`. Nothing is decoded."""
    found = table.get(target.partition("?")[0])
    if found is None:
        raise RequestError(404, "There is no such page.")
    return found


def answer(status: int, kind: str, body: bytes, *, head_only: bool = False, close: bool = False) -> bytes:
    """A whole response. To be sent by one call: a head and a body sent apart wait 40 ms for each other (Nagle)."""
    headers = {"Content-Type": kind, "Content-Length": str(len(body)), **HEADERS}
    headers |= {"Connection": "close"} if close else {}
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {headers[name]}" for name in headers)]
    return "\r\n".join([*lines, "\r\n"]).encode("ascii") + (b"" if head_only else body)
