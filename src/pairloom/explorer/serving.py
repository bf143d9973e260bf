"""uvicorn with limits: how many connections, how large and how slow a request may be."""

import asyncio
import ipaddress
import logging
import secrets
import socket
import sys
from collections.abc import Sequence
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from pairloom.errors import InputError
from pairloom.explorer.application import application
from pairloom.explorer.guard import LOCAL_NAMES, MOST_HEADER_BYTES, Guard
from pairloom.explorer.models import ExploredModel
from pairloom.system.display import quoted
from pairloom.system.threads import one_thread

LOOPBACK = "127.0.0.1"
MOST_CONNECTIONS = 64
SECONDS_FOR_HEADERS = 5  # until a request is complete, from the connection or the last answer on
SECONDS_FOR_ANSWER = 60  # until an answer is computed and read: k-means over many words, a map over a slow network
SECONDS_TO_STOP = 1
SWITCH_INTERVAL = 0.0005  # of Python's threads, in seconds: the event loop waits that long for a thread that computes


class Limited(H11Protocol):
    """HTTP/1.1 with a bound for the number of connections, and a deadline for every request and every answer.

    uvicorn itself waits for ever for the end of a request that has begun, and answers 503 to too many connections.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._expect(SECONDS_FOR_HEADERS)

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._expect(SECONDS_FOR_ANSWER)

    def on_response_complete(self) -> None:
        self._expect(SECONDS_FOR_HEADERS)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _expect(self, seconds: float) -> None:
        """Close the connection if the next step takes longer than this."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self.loop.call_later(seconds, self.transport.abort)


class Explore:
    """A server on a port of its own. `load` gives it models, then `run` answers until a signal or `stop` ends it."""

    def __init__(self, host: str = LOOPBACK, port: int = 0) -> None:
        self._socket = bound(host, port)
        self.host, self.port = host, int(self._socket.getsockname()[1])
        self.token = secrets.token_urlsafe(32)
        self.guard = Guard(self.token, self.port, *_names(host))
        self._models: Sequence[ExploredModel] = ()

    def __enter__(self) -> "Explore":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def load(self, models: Sequence[ExploredModel]) -> None:
        """Take the models to explore."""
        self._models = models
        self.app = application(models, self.guard)
        self._server = uvicorn.Server(_config(self.app))

    @property
    def address(self) -> str:
        """Where the page is."""
        host = LOOPBACK if _is_unspecified(self.host) else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    @property
    def opening_address(self) -> str:
        """The address that lets one browser in."""
        return f"{self.address}?code={self.guard.code}"

    def run(self) -> None:
        """Answer requests. A signal ends it and is then raised again."""
        sys.setswitchinterval(SWITCH_INTERVAL)
        _quieten(logging.getLogger("uvicorn.error"))
        for model in self._models:
            self.app.state.answers.start(model.prepare)
        # A search is as fast as memory. Two threads of BLAS would only wait for each other where cores are busy.
        with one_thread():
            self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """Let `run`, which is in another thread, return."""
        self._server.should_exit = True


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens on an address and a port. Port 0 is any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError, OverflowError) as error:
        raise InputError(f"The host {quoted(host)} has no address here ({_reason(error)}). Use 127.0.0.1.") from None
    try:
        if sys.platform != "win32":  # elsewhere it lets another program take the port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise InputError(
            f"Port {port} of {host} cannot be used ({_reason(error)}). Choose another, or 0 for any free one."
        ) from None
    return listening


def _quieten(logger: logging.Logger) -> None:
    """Log faults of ours only. A request that breaks HTTP after its headers is answered twice, and h11 complains."""
    logger.setLevel(logging.ERROR)
    logger.addFilter(lambda record: not (record.exc_info and isinstance(record.exc_info[1], h11.LocalProtocolError)))


def _config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Limited,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=SECONDS_FOR_HEADERS,
        timeout_graceful_shutdown=SECONDS_TO_STOP,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
    )


def _names(host: str) -> tuple[tuple[str, ...], bool]:
    """The names that a Host header may have, and whether any numeric address may stand there."""
    if _is_unspecified(host):
        return (*LOCAL_NAMES, socket.gethostname()), True
    return (*LOCAL_NAMES, f"[{host}]" if ":" in host else host), False


def _is_unspecified(host: str) -> bool:
    """Whether the host stands for all addresses of this machine."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
