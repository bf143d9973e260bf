"""Servers on 127.0.0.1 for the tests: plain files, and buckets as S3 and Google's XML interface list and hand them out.

What goes wrong is scripted: `server.faults["/a.txt"] = [cut(100), status(503)]` breaks the first two requests for it.
"""

import hashlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

PAGE = 2  # entries in one answer of a listing, so that even small buckets have several pages


class Request(NamedTuple):
    method: str
    path: str  # with the query
    range: str | None
    authorization: str | None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "FileServer"

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        headers = self.headers
        self.server.requests.append(Request(self.command, self.path, headers["Range"], headers["Authorization"]))
        path, query = unquote(urlsplit(self.path).path), parse_qs(urlsplit(self.path).query)
        faults = self.server.faults.get(path, [])
        if faults:
            (faults[0] if self.server.forever else faults.pop(0))(self, path)
        elif self.server.password is not None and headers["Authorization"] != self.server.password:
            status(403, b"<Error><Code>AccessDenied</Code></Error>")(self, path)
        elif "list-type" in query:
            self.send_listing(path.strip("/"), query)
        elif path in self.server.files:
            self.send_file(self.server.files[path])
        else:
            status(404, b"<Error><Code>NoSuchKey</Code></Error>")(self, path)

    def send_file(self, data: bytes, cut: int | None = None, tag: str | None = "", ranges: bool = True) -> None:
        """cut: bytes before the connection breaks. tag: an ETag, None for none, "" for that of the content."""
        begin = (
            int(self.headers["Range"].removeprefix("bytes=").split("-")[0]) if self.headers["Range"] and ranges else 0
        )
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        if tag is not None:
            self.send_header("ETag", f'"{tag or hashlib.md5(data).hexdigest()}"')
        self.send_header("Last-Modified", "Tue, 17 Nov 2026 10:00:00 GMT")
        self.send_header("Content-Length", str(len(data) - begin))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data[begin:] if cut is None else data[begin : begin + cut])
        self.close_connection = cut is not None

    def send_body(self, code: int, body: bytes, **headers: str) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def send_listing(self, bucket: str, query: dict[str, list[str]]) -> None:
        """ListObjectsV2 of S3, which Google's XML interface has too."""
        prefix, after = query.get("prefix", [""])[0], query.get("continuation-token", [""])[0]
        files = {
            path.removeprefix(f"/{bucket}/"): data
            for path, data in self.server.files.items()
            if path.startswith(f"/{bucket}/")
        }
        if not files:
            return status(404, b"<Error><Code>NoSuchBucket</Code></Error>")(self, bucket)
        keys = sorted(key for key in files if key.startswith(prefix) and key > after)
        more = f"<NextContinuationToken>{escape(keys[PAGE - 1])}</NextContinuationToken>" if len(keys) > PAGE else ""
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-11-17T10:00:00.000Z</LastModified>"
            f'<ETag>"{hashlib.md5(files[key]).hexdigest()}"</ETag><Size>{len(files[key])}</Size></Contents>'
            for key in keys[:PAGE]
        )
        truncated = str(bool(more)).lower()
        self.send_body(
            200,
            f"<ListBucketResult><Name>{bucket}</Name><IsTruncated>{truncated}</IsTruncated>{more}{entries}"
            "</ListBucketResult>".encode(),
        )
        return None

    def log_message(self, *_: object) -> None:
        """Say nothing."""


Fault = Callable[[Handler, str], None]


class FileServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, list[Fault]] = {}
        self.forever = False  # whether the first fault of a path never ends
        self.password: str | None = None  # the only value of Authorization that is let in
        self.requests: list[Request] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """Say nothing when a client hangs up."""


@contextmanager
def running() -> Iterator[FileServer]:
    server = FileServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that nobody has signed, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([*command, "-out", str(certificate), "-keyout", str(key)], check=True, capture_output=True)
    return certificate, key


# --- What goes wrong


def status(code: int, body: bytes = b"", **headers: str) -> Fault:
    return lambda handler, _: handler.send_body(code, body, **headers)


def cut(n_bytes: int, tag: str | None = "", ranges: bool = True) -> Fault:
    """The connection breaks after some bytes."""
    return lambda handler, path: handler.send_file(handler.server.files[path], n_bytes, tag, ranges)


def tagged(tag: str | None, ranges: bool = True) -> Fault:
    """The whole file, but under another ETag."""
    return lambda handler, path: handler.send_file(handler.server.files[path], None, tag, ranges)


def silence(seconds: float) -> Fault:
    return lambda handler, path: time.sleep(seconds)


def chunked(handler: Handler, path: str) -> None:
    """An answer that does not say how long it is."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b"3\r\na b\r\n0\r\n\r\n")


def hang_up(handler: Handler, path: str) -> None:
    """No answer at all."""
    handler.close_connection = True
