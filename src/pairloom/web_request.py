"""Requests to a local server, read strictly and within limits: from a socket to a method, a target, headers and JSON.

Refused are heads of more than 16 kB and bodies of more than 1 MB; whoever is slow (5 s for anything to come, 10 s for
all of it); doubtful lengths (two of them, or chunks, by which proxies and servers come to disagree); and JSON that two
programs may read in two ways: keys that come twice, NaN, bytes that are not UTF-8, half characters, deep nesting.
"""

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Never

from pairloom.errors import RequestError

LONGEST_HEAD = 16 * 1024
LONGEST_BODY = 1024 * 1024
DEEPEST_JSON = 16
MOST_NEIGHBOURS = 1000
MOST_WORDS = 256
MOST_CONNECTIONS = 64
SECONDS_TO_READ = 5.0  # for the next bytes to come
SECONDS_TO_REQUEST = 10.0  # for all of them: a byte now and then does not keep a connection open

_REQUEST_LINE = re.compile(r"([A-Z]{1,16}) (/[!-~]*) HTTP/1\.[01]")
_HEADER_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*)")
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)


class Headers(tuple[tuple[str, str], ...]):
    """Headers as they came, (name, value) each."""

    def one(self, name: str) -> str | None:
        """The value of a header that may come once at most; `name` is in lower case."""
        values = [value for key, value in self if key.lower() == name]
        if len(values) > 1:
            raise RequestError(400, f"The header {name} comes {len(values)} times. Send it once.")
        return values[0] if values else None


class Request(NamedTuple):
    """What somebody asks."""

    method: str
    target: str  # as it was sent: nothing is decoded
    headers: Headers
    body: bytes


# --- From a socket


class Incoming:
    """The requests of one connection, one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._ahead = bytearray()

    def next(self) -> Request | None:
        """The next request; None if there is none, since the other side has ended or waits too long to begin."""
        until = time.monotonic() + SECONDS_TO_REQUEST
        while (end := self._ahead.find(b"\r\n\r\n", 0, LONGEST_HEAD + 4)) < 0:
            if len(self._ahead) >= LONGEST_HEAD + 4:
                raise RequestError(431, f"The head of a request has {LONGEST_HEAD:,} bytes at most.")
            if not self._read(until, begun=bool(self._ahead)):
                return None
        method, target, headers = parse_head(self._take(end + 4)[:-4])
        length = body_length(method, headers)
        while len(self._ahead) < length:
            self._read(until, begun=True)
        return Request(method, target, headers, self._take(length))

    def _read(self, until: float, begun: bool) -> bool:
        """More bytes. That none come is an error only in the middle of a request."""
        try:
            self._connection.settimeout(max(min(SECONDS_TO_READ, until - time.monotonic()), 0.001))
            data = self._connection.recv(1 << 16)
        except (TimeoutError, ConnectionError):
            data = b""
        if begun and (not data or time.monotonic() > until):
            raise RequestError(408, f"A request has to be here within {SECONDS_TO_REQUEST:.0f} seconds.")
        self._ahead += data
        return bool(data)

    def _take(self, length: int) -> bytes:
        taken = bytes(self._ahead[:length])
        del self._ahead[:length]
        return taken


def parse_head(head: bytes) -> tuple[str, str, Headers]:
    """Method, target and headers of what comes before the empty line."""
    first, *lines = head.decode("latin-1").split("\r\n")
    request = _REQUEST_LINE.fullmatch(first)
    if request is None:
        raise RequestError(400, "The first line of the request is not one of HTTP/1.1.")
    headers = [_HEADER_LINE.fullmatch(line) for line in lines]
    if None in headers:
        raise RequestError(400, "A line of the request's head is not a header.")
    return request[1], request[2], Headers((found[1], found[2].rstrip(" \t")) for found in headers if found)


def body_length(method: str, headers: Headers) -> int:
    """How many bytes follow the head: none but with POST, which must say so in the one way that leaves no doubt."""
    length = headers.one("content-length")
    if headers.one("transfer-encoding") is not None:
        raise RequestError(501, "A body in chunks is not read here. Send its Content-Length.")
    if method != "POST":
        if length not in (None, "0"):
            raise RequestError(400, f"A request by {method} has no body here.")
        return 0
    if length is None or not re.fullmatch("[0-9]{1,9}", length):
        raise RequestError(411, "A request by POST has to say its Content-Length.")
    if int(length) > LONGEST_BODY:
        raise RequestError(413, f"The body of a request has {LONGEST_BODY:,} bytes at most.")
    return int(length)


class Connections:
    """Places for connections; whoever comes when all are taken is sent away rather than kept waiting."""

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        self._places = threading.BoundedSemaphore(most)

    @contextmanager
    def place(self) -> Iterator[None]:
        """Hold a place while the body runs."""
        if not self._places.acquire(blocking=False):
            raise RequestError(503, "Too many connections are open. Try again later.")
        try:
            yield
        finally:
            self._places.release()


# --- What the body says


def json_of(request: Request) -> Any:
    """The JSON of a request. Its type has to be named, since a page elsewhere may send other types without asking."""
    if (request.headers.one("content-type") or "").partition(";")[0].strip().lower() != "application/json":
        raise RequestError(415, "The body has to be JSON. Send Content-Type: application/json.")
    return parse_json(request.body)


def parse_json(data: bytes) -> Any:
    """The value of a JSON text that has one meaning only, and is not too large or deep."""
    if len(data) > LONGEST_BODY:
        raise RequestError(413, f"The body of a request has {LONGEST_BODY:,} bytes at most.")
    try:
        text = data.decode("utf-8")
        _check_depth(text)
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_not_a_number, parse_float=_finite)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # fails on half characters, written as \ud800
    except ValueError as error:
        raise RequestError(400, f"The body is not JSON as it is read here: {error}.") from error
    return value


def _check_depth(text: str) -> None:
    depth = 0
    for token in _JSON_TOKEN.finditer(text):
        depth += (token[0] in "[{") - (token[0] in "]}")
        if depth > DEEPEST_JSON:
            raise ValueError(f"it is nested more than {DEEPEST_JSON} deep")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key comes twice")
    return found


def _not_a_number(name: str) -> Never:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if abs(number) == float("inf"):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def checked_count(value: object) -> int:
    """How many neighbours are asked for."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_NEIGHBOURS:
        raise RequestError(400, f"The number of neighbours has to be a whole one from 1 to {MOST_NEIGHBOURS:,}.")
    return value


def checked_words(value: object) -> list[str]:
    """The words that are asked about."""
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_WORDS or not all(isinstance(w, str) for w in value):
        raise RequestError(400, f"Words have to be a list of 1 to {MOST_WORDS} strings.")
    return value
