"""The real server on a free port, asked politely and not: what it answers, what it closes, what it never says."""

import re
import socket
import threading
import time

import pytest

import pairloom.explorer.serving as serving
from pairloom.errors import InputError
from pairloom.explorer.serving import MOST_CONNECTIONS, Explore, bound


@pytest.fixture(scope="module")
def server(models):
    patch = pytest.MonkeyPatch()
    patch.setattr(serving, "SECONDS_FOR_HEADERS", 1)
    patch.setattr(serving, "SECONDS_FOR_ANSWER", 5)
    patch.setattr(serving, "SWITCH_INTERVAL", 0.005)  # Python's own: it holds for the whole process
    with Explore() as server:
        server.load(models)
        thread = threading.Thread(target=server.run)
        thread.start()
        yield server
        server.stop()
        thread.join(10)
        assert not thread.is_alive()
    patch.undo()


def exchange(server, data, seconds=5):
    """Send bytes and return all that comes back until the connection is closed."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=seconds) as connection:
        received = b""
        try:
            connection.sendall(data)
            while chunk := connection.recv(1 << 16):
                received += chunk
        except (ConnectionResetError, BrokenPipeError):
            pass
        return received


def request(server, target="/api/models", method="GET", headers="", token=True):
    known = f"Authorization: Bearer {server.token}\r\n" if token else ""
    host = f"Host: 127.0.0.1:{server.port}\r\nConnection: close\r\n"
    return exchange(server, f"{method} {target} HTTP/1.1\r\n{host}{known}{headers}\r\n".encode("latin-1"))


def status(answer):
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else None


def test_a_question_with_the_token_is_answered(server):
    answer = request(server, "/api/near?word=king")
    assert status(answer) == 200 and b'"word":["king"]' in answer
    assert b"\r\nserver:" not in answer.lower()
    assert status(request(server, "/api/near?word=king", token=False)) == 401


def test_the_address_opens_the_page_once(server):
    assert re.fullmatch(rf"http://127\.0\.0\.1:{server.port}/\?code=[\w-]{{32}}", server.opening_address)
    target = server.opening_address.partition(str(server.port))[2]
    first, second = (request(server, target, token=False) for _ in range(2))
    assert (status(first), status(second)) == (303, 401)
    cookie = re.search(rb"set-cookie: ([^;]+)", first)[1].decode()
    page = request(server, "/", token=False, headers=f"Cookie: {cookie}\r\n")
    assert status(page) == 200 and b"<title>pairloom</title>" in page


HEADERS = ["", "Origin: http://evil.example\r\n", "Origin: null\r\n", "Sec-Fetch-Site: cross-site\r\n"]
METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get", "G\0T"]
TARGETS = [
    "/api/near?word=%ff%fe",
    "/api/near?word=%00",
    "/api/near?word=" + "a" * 20_000,
    "/api/near?word=king&n=99999999999999999999",
    "/api/near?word=king&n=1e9",
    "/api/near?" + "word=king&" * 1000,
    "/api/near?word=king;n=3",
    "/api/near?%=%&word=%zz",
    "/api/classes?k=65",
    "/api/map?model=999",
    "/api/words?start=99999999999",
    "/api/path?from=king&to=king",
    "/api/%6eear?word=king",
    "/api/near/?word=king",
    "/../../../../etc/passwd",
    "/..%2f..%2f..%2fetc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/vendor/../../guard.py",
    "//etc/passwd",
    "/\\..\\..\\windows\\win.ini",
    "/index.html%00.js",
    "/?code=%ff&code=" + "x" * 1000,
    "http://evil.example/api/models",
    "*",
    "",
    "/api/near?word=<script>",
    "/ç",
    "/openapi.json?x=" + "%" * 100,
]
RAW = [
    b"",
    b"\r\n\r\n",
    b"\0" * 1000,
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: \xff\xfe\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzzz\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
    b"A" * 1_000_000,
]


def hostile_requests(server):
    """Some 250 requests, most of them with the token: a stranger's request ends sooner."""
    yield from RAW
    for target in TARGETS:
        for host in (f"127.0.0.1:{server.port}", "evil.example"):
            for token in (f"Authorization: Bearer {server.token}\r\n", ""):
                head = f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{token}\r\n"
                yield head.encode("latin-1", "replace")
    known = f"Host: 127.0.0.1:{server.port}\r\nConnection: close\r\nAuthorization: Bearer {server.token}\r\n"
    for method in METHODS:
        for header in HEADERS:
            yield f"{method} /api/models HTTP/1.1\r\n{known}{header}\r\n".encode()
        for body in (b"{", b"[" * 10_000, b'{"a": NaN}', b"\xff" * 100, b"x" * 2_000_000):
            head = f"{method} /api/near?word=king HTTP/1.1\r\n{known}Content-Type: application/json\r\n"
            yield f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def test_hostile_requests_learn_nothing_and_break_nothing(server, caplog):
    leaks = re.compile(rb"Traceback|File \"|/src/|site-packages|uvicorn|starlette|python|h11|root:|\.py\b", re.I)
    statuses = []
    for data in hostile_requests(server):
        answer = exchange(server, data)
        body = answer.partition(b"\r\n\r\n")[2]
        assert answer == b"" or (status(answer) is not None and status(answer) < 500), (data[:200], answer[:300])
        assert not leaks.search(answer.partition(b"\r\n\r\n")[0]), (data[:200], answer[:300])
        if status(answer) != 200:
            assert not leaks.search(body), (data[:200], body[:300])
        assert server.token.encode() not in answer
        statuses.append(status(answer))
    assert len(statuses) >= 200
    assert {400, 401, 403, 404, 405, 413} <= set(statuses)
    assert caplog.records == []  # nor does the terminal of the user fill with tracebacks
    assert status(request(server)) == 200


def test_a_request_that_never_ends_is_closed(server):
    """A slow loris: a header now and then, for longer than a whole request may take."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(b"GET /api/models HTTP/1.1\r\n")
        began = time.monotonic()
        with pytest.raises(OSError):
            while time.monotonic() < began + 4:
                connection.sendall(b"X: y\r\n")
                time.sleep(0.1)
        assert time.monotonic() - began < 3


def test_a_connection_that_says_nothing_is_closed(server):
    assert exchange(server, b"", seconds=3) == b""


def test_of_200_connections_the_surplus_is_closed_and_the_server_stays(server):
    connections = []
    try:
        for _ in range(200):
            connections.append(socket.create_connection(("127.0.0.1", server.port), timeout=5))
        time.sleep(0.3)
        open_ones = 0
        for connection in connections:
            connection.setblocking(False)
            try:
                open_ones += connection.recv(1) != b""
            except BlockingIOError:
                open_ones += 1
            except ConnectionResetError:
                pass
        assert open_ones <= MOST_CONNECTIONS
    finally:
        for connection in connections:
            connection.close()
    time.sleep(0.2)
    assert status(request(server)) == 200


def test_one_connection_asks_many_questions(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        file = connection.makefile("rb")
        for n in range(1, 6):
            known = f"Host: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
            connection.sendall(f"GET /api/near?word=king&n={n} HTTP/1.1\r\n{known}\r\n".encode())
            length = 0
            while (line := file.readline()) != b"\r\n":
                length = int(line[15:]) if line.lower().startswith(b"content-length:") else length
            assert file.read(length).count(b'"cosine"') == n


def test_a_port_in_use_and_a_host_from_nowhere_are_refused():
    with bound("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=rf"Port {port} of 127.0.0.1 cannot be used \(.*\). Choose another"):
            bound("127.0.0.1", port)
    for host in ("no.such.host.invalid", "a" * 300, "\udc80"):
        with pytest.raises(InputError, match=r"has no address here \(.*\). Use 127.0.0.1."):
            bound(host, 0)


@pytest.mark.parametrize(
    ("host", "address"), [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("localhost", "localhost")]
)
def test_the_address_names_the_host(host, address):
    with Explore(host) as server:
        assert server.address == f"http://{address}:{server.port}/"
