"""Connections between workers, for all that they send each other: one socket from each worker to each other one.

Ray's own calls would take more time than a block: its object store copies every array twice, and its threads compete
with training for the CPUs. A message is a short text in JSON that says what is called, and then the bytes of its
arrays, which are read into memory as they are. Nothing is unpickled.

The driver makes a secret for each training and sends it through Ray. Both sides of a connection prove that they have it
by an HMAC of a number that the other side drew, so the secret itself is not sent here. What follows is neither
encrypted nor signed, as on Ray. A worker listens on the address that Ray knows its machine by, and on no other. On one
machine, workers connect by Unix sockets, which take three quarters of the CPU time of TCP.
"""

import hmac
import json
import secrets
import socket
import struct
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pairloom.cluster.workers.mailbox import LostError, Mailbox

SECONDS_TO_CONNECT = 10.0
SECONDS_TO_PROVE = 10.0
_BACKLOG = 1024
_HAS_NEAR = sys.platform == "linux"  # Unix sockets that are no files
_SEND_BUFFER = 1 << 22  # bytes of a Unix socket; the system may allow less
_NONCE, _PROOF = 32, 32  # bytes
_LONGEST_HEADER = 1 << 16  # bytes
_HEADER = struct.Struct("<I")  # the length of the text
_GREETING = struct.Struct("<II")  # the number of the worker that connects, and of the one that it wants
_DTYPES = {np.dtype(kind).str for kind in (np.float32, np.float64, np.int32, np.int64)}

Address = tuple[str, int]
Room = Callable[[tuple[int, ...], Any], npt.NDArray[Any]]


class Callee(Protocol):
    """Who answers the calls of other workers: the worker."""

    mailbox: Mailbox

    def answer(self, method: str, content: Sequence[Any]) -> Any:
        """Call a method by its name."""


class _Connection(NamedTuple):
    """A socket to another worker, and who may write to it."""

    socket: socket.socket
    address: Address
    turn: threading.Lock


class Links:
    """How a worker reaches the others, and is reached by them."""

    def __init__(self, worker: Callee, number: int, host: str) -> None:
        self._worker, self._number = worker, number
        self._secret, self._peers = b"", list[Address]()
        self._connections: dict[int, _Connection] = {}
        self._lock = threading.Lock()
        self._calls = 0
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, 0), family=family, backlog=_BACKLOG)
        self.address: Address = listening.getsockname()[:2]
        threading.Thread(target=self._listen, args=(listening,), daemon=True).start()
        if _HAS_NEAR:
            near = socket.socket(socket.AF_UNIX)
            near.bind(_near(self.address))
            near.listen(_BACKLOG)
            threading.Thread(target=self._listen, args=(near,), daemon=True).start()

    def meet(self, secret: bytes, peers: Sequence[Address]) -> None:
        """The secret of the training, and where all workers listen now. One that was started again listens elsewhere.

        Before this call, all connections are refused.
        """
        with self._lock:
            self._secret, self._peers = secret, list(peers)

    def reach(self) -> None:
        """Connect to all others now: what keeps them apart should be known before the training."""
        for worker in range(len(self._peers)):
            if worker != self._number:
                self._connection(worker)

    # --- Calls to others

    def __call__(self, worker: int, method: str, content: tuple[Any, ...]) -> Callable[[], Any]:
        """Call a method of another worker, without waiting. Returns a function that waits for the result.

        A `post` has no result: if it does not arrive, this worker or the other one will notice the broken connection.
        """
        with self._lock:
            self._calls += 1
            call = self._calls
        connection = self._connection(worker)
        with self._errors(worker), connection.turn:
            _send(connection.socket, {"call": call, "method": method}, content)
        return lambda: self._result(worker, connection, call)

    def close(self) -> None:
        """End all connections that this worker has opened, and all waits for them. The next call opens a new one."""
        with self._lock:
            connections, self._connections = self._connections, {}
        for connection in connections.values():
            _end(connection.socket)

    def _result(self, worker: int, connection: _Connection, call: int) -> Any:
        with self._errors(worker):
            header, content = _receive(connection.socket, np.empty)
        if header.get("call") != call:
            raise LostError(f"worker {worker} answered another call")
        if "error" in header:
            raise LostError(str(header["error"]))
        return content[0]

    def _connection(self, worker: int) -> _Connection:
        with self._lock:
            if not self._peers:
                raise LostError(f"worker {self._number} was started again")
            there, address = self._connections.get(worker), self._peers[worker]
            if there is None or there.address != address:
                if there is not None:
                    _end(there.socket)
                with self._errors(worker):
                    there = _Connection(self._connect(worker, address), address, threading.Lock())
                self._connections[worker] = there
        return there

    def _connect(self, worker: int, address: Address) -> socket.socket:
        connection = self._opened(address)
        try:
            greeting, drawn = _GREETING.pack(self._number, worker), secrets.token_bytes(_NONCE)
            theirs = _exactly(connection, _NONCE)
            connection.sendall(greeting + drawn + self._proof(b"connects", greeting, theirs, drawn))
            if not hmac.compare_digest(_exactly(connection, _PROOF), self._proof(b"accepts", greeting, theirs, drawn)):
                raise OSError("it does not have the secret of this training")
            return _ready(connection)
        except BaseException:
            connection.close()
            raise

    def _opened(self, address: Address) -> socket.socket:
        if _HAS_NEAR and address[0] == self.address[0]:
            near = socket.socket(socket.AF_UNIX)
            near.settimeout(SECONDS_TO_CONNECT)
            try:
                near.connect(_near(address))
                return near
            except OSError:  # for example a container of its own on the same machine
                near.close()
        return socket.create_connection(address, SECONDS_TO_CONNECT)

    def _proof(self, *what: bytes) -> bytes:
        return hmac.digest(self._secret, b"".join(what), "sha256")

    def _errors(self, worker: int) -> "_Reached":
        return _Reached(worker, self._peers[worker])

    # --- Calls of others

    def _listen(self, listening: socket.socket) -> None:
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        """Answer the calls that come through a connection until it ends."""
        attempt = -1  # that the last message was for
        with connection:
            try:
                if not self._accept(connection):
                    return
                while True:
                    header, content = _receive(connection, self._worker.mailbox.room)
                    method = header["method"]
                    if method == "post":
                        attempt = content[0]
                        self._worker.answer(method, content)
                    else:
                        self._answer(connection, header["call"], method, content)
            except (OSError, ValueError, KeyError, TypeError) as error:
                self._worker.mailbox.end(attempt, f"a connection ended ({error})")

    def _accept(self, connection: socket.socket) -> bool:
        """Whether the other side has the secret, and wants this worker."""
        connection.settimeout(SECONDS_TO_PROVE)
        drawn = secrets.token_bytes(_NONCE)
        connection.sendall(drawn)
        greeting, theirs = _exactly(connection, _GREETING.size), _exactly(connection, _NONCE)
        proof = _exactly(connection, _PROOF)
        expected = self._proof(b"connects", greeting, drawn, theirs)
        wanted = _GREETING.unpack(greeting)[1]
        if not self._secret or not hmac.compare_digest(proof, expected) or wanted != self._number:
            return False
        connection.sendall(self._proof(b"accepts", greeting, drawn, theirs))
        _ready(connection)
        return True

    def _answer(self, connection: socket.socket, call: int, method: str, content: Sequence[Any]) -> None:
        try:
            result = self._worker.answer(method, content)
        except Exception as error:
            _send(connection, {"call": call, "error": str(error)}, ())
        else:
            _send(connection, {"call": call}, (result,))


class _Reached:
    """Turns errors of a socket into a `LostError`."""

    def __init__(self, worker: int, address: Address) -> None:
        self._worker, self._address = worker, address

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        if isinstance(error, OSError | ValueError):
            host, port = self._address
            raise LostError(
                f"worker {self._worker} cannot be reached at {host}:{port} ({error}). Workers connect to each other "
                "directly: let no firewall be between them."
            ) from None


def _near(address: Address) -> str:
    """The name of a Unix socket that is no file. The system removes it with the process."""
    return f"\0pairloom-{address[0]}-{address[1]}"


def _ready(connection: socket.socket) -> socket.socket:
    """No time limits from now on, and no waiting for more to send. A machine that is gone is noticed."""
    connection.settimeout(None)
    if connection.family == socket.AF_UNIX:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
    else:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return connection


def _end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)  # ends calls that wait in other threads
    connection.close()


# --- A message


def _send(connection: socket.socket, header: dict[str, Any], content: Sequence[Any]) -> None:
    """Send a text with everything but arrays, and then the arrays."""
    arrays = [np.ascontiguousarray(item) for item in content if isinstance(item, np.ndarray)]
    light = [
        {"dtype": item.dtype.str, "shape": item.shape} if isinstance(item, np.ndarray) else item for item in content
    ]
    text = json.dumps({**header, "content": light}).encode()
    connection.sendall(_HEADER.pack(len(text)) + text)
    for array in arrays:
        connection.sendall(array.reshape(-1).view(np.uint8).data)


def _receive(connection: socket.socket, room: Room) -> tuple[dict[str, Any], list[Any]]:
    """The header of a message, and its content. room: makes memory for its arrays."""
    (length,) = _HEADER.unpack(_exactly(connection, _HEADER.size))
    if length > _LONGEST_HEADER:
        raise ValueError("a message is too long")
    header = json.loads(_exactly(connection, length))
    return header, [_item(connection, item, room) for item in header["content"]]


def _item(connection: socket.socket, item: Any, room: Room) -> Any:
    if not isinstance(item, dict):
        return tuple(item) if isinstance(item, list) else item
    if item["dtype"] not in _DTYPES:
        raise ValueError("a message has an array of an unknown kind")
    array = room(tuple(item["shape"]), np.dtype(item["dtype"]))
    _fill(connection, array.reshape(-1).view(np.uint8).data)
    return array


def _exactly(connection: socket.socket, n: int) -> bytes:
    content = bytearray(n)
    _fill(connection, memoryview(content))
    return bytes(content)


def _fill(connection: socket.socket, memory: memoryview) -> None:
    while len(memory):
        n = connection.recv_into(memory, 0, socket.MSG_WAITALL)
        if n == 0:
            raise OSError("the other side has closed it")
        memory = memory[n:]
