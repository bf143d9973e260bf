"""Who may ask: Host, Origin, methods, bodies, the token and the code that is exchanged for it."""

import asyncio

import pytest

from pairloom.explorer.application import application
from pairloom.explorer.guard import Guard, Guarded
from pairloom.explorer.page_files import page_files
from pairloom.explorer.serving import _names
from tests.explorer.asking import Client

TOKEN = "secret-token"


@pytest.fixture
def guard():
    return Guard(TOKEN, 8000)


@pytest.fixture
def locked(models, guard):
    return Client(application(models, guard), "127.0.0.1:8000")


def status(client, url="/api/models", method="GET", **headers):
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.request(method, url, headers={"authorization": f"Bearer {TOKEN}"} | headers).status_code


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_a_host_that_names_this_machine_is_answered(host, locked):
    assert status(locked, host=host) == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:8001",
        "127.0.0.1.evil.example:8000",
        "localhost:8000@evil.example",
        "",
        "0x7f.1:8000",
        "127.0.0.1:8000 ",
        "127.0.0.1:99999999",
        "[::2]:8000",
        "192.168.0.7:8000",
        "localhost:",
    ],
)
def test_a_host_of_another_name_is_refused(host, locked):
    assert status(locked, host=host) == 403


def test_two_hosts_are_refused(locked):
    twice = [("host", "127.0.0.1:8000"), ("host", "evil.example"), ("authorization", f"Bearer {TOKEN}")]
    assert locked.get("/api/models", headers=twice).status_code == 403


def test_a_server_for_all_addresses_takes_every_numeric_host(models):
    names, addresses = _names("0.0.0.0")
    guard = Guard(TOKEN, 8000, names, addresses)
    for host in ("192.168.0.7:8000", "[fe80::1]:8000", "localhost:8000"):
        assert guard.is_here([host])
    for host in ("evil.example:8000", "192.168.0.7:8001", "192.168.0.7.evil.example:8000"):
        assert not guard.is_here([host])
    assert _names("192.168.0.7") == (("127.0.0.1", "localhost", "[::1]", "192.168.0.7"), False)
    assert _names("::1")[0][-1] == "[::1]"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://localhost:8000"},  # the same machine under another name is another site
        {"origin": "http://127.0.0.1:8001"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},  # another port of this machine
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE"])
def test_requests_of_other_sites_are_refused_whatever_the_method(method, headers, locked):
    assert status(locked, method=method, **headers) == 403


def test_requests_of_the_page_itself_are_answered(locked):
    assert status(locked, origin="http://127.0.0.1:8000", sec_fetch_site="same-origin") == 200
    assert status(locked, sec_fetch_site="none") == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO"])
def test_only_questions_are_answered(method, locked):
    assert status(locked, method=method) == 405


def test_a_body_is_refused(locked):
    headers = {"authorization": f"Bearer {TOKEN}"}
    assert locked.request("GET", "/api/models", headers=headers, content=b"{}").status_code == 413
    assert status(locked, transfer_encoding="chunked") == 413


@pytest.mark.parametrize("url", ["/", "/index.html", "/api/models", "/openapi.json", "/api/map", "/nothing"])
def test_without_the_token_nothing_is_answered(url, locked):
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"}, {"cookie": "a=b"}):
        response = locked.get(url, headers=headers)
        assert response.status_code == 401
        assert TOKEN not in response.text and response.headers["www-authenticate"] == "Bearer"


def test_the_code_is_exchanged_once_for_a_cookie(locked, guard):
    code = guard.code
    assert locked.get("/?code=wrong").status_code == 401
    assert locked.get(f"/api/models?code={code}").status_code == 401
    first = locked.get(f"/?code={code}")
    assert (first.status_code, first.headers["location"]) == (303, "./")
    assert first.headers["set-cookie"] == f"pairloom-8000={TOKEN}; HttpOnly; Path=/; SameSite=strict"
    assert first.headers["cache-control"] == "no-store"
    assert locked.get(f"/?code={code}").status_code == 401
    assert locked.get("/?code=").status_code == 401
    cookie = {"cookie": f"other=1; pairloom-8000={TOKEN}"}
    assert locked.get("/api/models", headers=cookie).status_code == 200
    assert locked.get(f"/?code={code}", headers=cookie).status_code == 200


def test_a_stranger_cannot_spend_the_code(locked, guard):
    code = guard.code
    assert locked.get(f"/?code={code}", headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert locked.request("HEAD", f"/?code={code}").status_code == 401
    assert locked.get(f"/?code={code}").status_code == 303


@pytest.mark.parametrize("url", ["/", "/api/models", "/nothing", "/api/near?word=kng"])
def test_every_answer_has_the_headers_of_safety(url, client, locked):
    for response in (client.get(url), locked.get(url)):
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert "http" not in policy and "unsafe-inline" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in response.headers and "server" not in response.headers


def test_files_of_the_page_come_from_a_table(client):
    files = page_files()
    page = client.get("/")
    assert page.content == files["/index.html"].content and page.headers["content-type"] == "text/html; charset=utf-8"
    for url in ("/style.css", "/app.js", "/vendor/regl.js"):
        plain = client.get(url, headers={"accept-encoding": "identity"})
        packed = client.get(url, headers={"accept-encoding": "gzip"})
        assert plain.content == packed.content == files[url].content
        assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
        again = client.get(url, headers={"if-none-match": plain.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "url",
    [
        "/../guard.py",
        "/..%2fguard.py",
        "/page/../../guard.py",
        "//etc/passwd",
        "/%2e%2e/guard.py",
        "/vendor",
        "/vendor/",
        "/vendor/regl.LICENSE",
        "/index.html/",
        "/app.js%00.css",
        "/etc/passwd",
        "/./app.js",
        "/C:/x",
        "/style.css/..",
    ],
)
def test_no_request_becomes_a_path(url, client):
    response = client.request("GET", url)
    assert response.status_code in (200, 404)
    if response.status_code == 200:  # the client itself resolves dots
        assert response.content in {file.content for file in page_files().values()}


def test_without_a_token_the_host_is_still_checked(models):
    from pairloom.explorer import app

    assert Client(app(models), "evil.example").get("/api/models").status_code == 403
    assert Client(app(models), "localhost:1234").get("/api/models").status_code == 200


@pytest.mark.parametrize(("kind", "passed"), [("websocket", []), ("lifespan", ["lifespan"])])
def test_only_requests_and_the_life_of_the_server_get_through(kind, passed, guard):
    seen, sent = [], []

    async def inner(scope, receive, send):
        seen.append(scope["type"])

    async def send(message):
        sent.append(message["type"])

    asyncio.run(Guarded(inner, guard)({"type": kind}, None, send))
    assert seen == passed and sent == ([] if passed else ["websocket.close"])
