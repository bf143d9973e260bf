"""Whom a local server lets in: itself, under its own names, with its token."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pairloom.errors import ConfigError, RequestError
from pairloom.web_request import Headers
from pairloom.web_rules import HEADERS, Asset, Keys, Place, answer, asset, check_address, same

HERE = Place(8000)


def refused(status, call, *args):
    with pytest.raises(RequestError) as error:
        call(*args)
    assert error.value.status == status
    return str(error.value)


def headers(**values):
    return Headers((name.replace("_", "-"), value) for name, value in values.items())


# --- The address


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1", "[::1]", "localhost"])
def test_loopback_needs_no_leave(address):
    check_address(address)


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.5", "", "localhost.example.org", "example.org"])
def test_other_addresses_need_the_names_they_are_reached_by(address):
    with pytest.raises(ConfigError) as error:
        check_address(address)
    assert str(error.value) == (
        f"address={address} can be reached from other machines. Use 127.0.0.1, or name the hosts by which it is to be "
        "reached."
    )
    check_address(address, ["loom.example.org"])


# --- Host


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"])
def test_the_server_goes_by_the_names_of_loopback(host):
    HERE.check(headers(Host=host))


FOREIGN_HOSTS = [
    "127.0.0.1", "localhost", "127.0.0.1:8001", "127.0.0.1:80000", "127.0.0.1:08000", "127.0.0.1:8000 ", "evil.org",
    "evil.org:8000", "localhost.evil.org:8000", "127.0.0.1.evil.org:8000", "127.0.0.1:8000.evil.org", "0.0.0.0:8000",
    "127.1:8000", "2130706433:8000", "[::]:8000", "::1:8000", "user@127.0.0.1:8000", "127.0.0.1:8000,evil.org",
    "127.0.0.1:8000/", "", "127.0.0.2:8000", "[::ffff:127.0.0.1]:8000", "localhost.:8000", "LOCALHOST:8001",
]  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_it_goes_by_no_other_name(host):
    assert "does not go by the name" in refused(403, HERE.check, headers(Host=host))


def test_a_request_without_a_host_or_with_two_is_refused():
    refused(403, HERE.check, Headers())
    two = Headers([("Host", "127.0.0.1:8000"), ("host", "127.0.0.1:8000")])
    assert refused(400, HERE.check, two) == "The header host comes 2 times. Send it once."


def test_names_that_were_given_are_names_too_and_none_near_them():
    place = Place(8000, ("loom.example.org",))
    place.check(headers(Host="loom.example.org:8000", Origin="http://loom.example.org:8000"))
    place.check(headers(Host="localhost:8000"))
    refused(403, place.check, headers(Host="xloom.example.org:8000"))
    refused(403, place.check, headers(Host="loom.example.org"))


def test_port_80_goes_without_saying():
    Place(80).check(headers(Host="127.0.0.1", Origin="http://127.0.0.1"))
    Place(80).check(headers(Host="127.0.0.1:80"))
    refused(403, Place(80).check, headers(Host="evil.org"))


# --- Where it comes from


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8000", None])
@pytest.mark.parametrize("site", ["same-origin", "none", None])
def test_the_servers_own_page_may_ask_and_so_may_whoever_types_the_address(origin, site):
    given = {"Host": "127.0.0.1:8000", "Origin": origin, "Sec_Fetch_Site": site}
    HERE.check(headers(**{name: value for name, value in given.items() if value is not None}))


@pytest.mark.parametrize(
    "origin",
    [
        "null", "", "https://127.0.0.1:8000", "http://127.0.0.1", "http://127.0.0.1:8001", "http://localhost:8000",
        "http://evil.org", "http://127.0.0.1:8000.evil.org", "http://127.0.0.1:8000/", "file://", "HTTP://127.0.0.1:8000",
    ],
)  # fmt: skip
def test_no_other_page_may_ask(origin):
    assert refused(403, HERE.check, headers(Host="127.0.0.1:8000", Origin=origin)) == (
        "Another page may not ask this server."
    )


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "Same-Origin", "other"])
def test_what_a_browser_says_of_another_site_is_believed(site):
    """same-site too: another port of localhost is the same site."""
    refused(403, HERE.check, headers(Host="127.0.0.1:8000", Sec_Fetch_Site=site))
    refused(403, HERE.check, headers(Host="127.0.0.1:8000", Origin="http://127.0.0.1:8000", Sec_Fetch_Site=site))


# --- The token


def code_of(url):
    return url.partition("#")[2]


def test_the_printed_address_lets_in_once():
    keys = Keys()
    url = keys.url(HERE)
    assert url.startswith("http://127.0.0.1:8000/#")
    assert keys.token not in url
    assert keys.exchange(code_of(url)) == keys.token
    assert refused(401, keys.exchange, code_of(url)).startswith("This address has been used")
    assert keys.exchange(code_of(keys.url(HERE))) == keys.token


def test_an_address_names_the_host_that_it_is_reached_by():
    assert Keys().url(Place(80, ("loom.example.org",))).startswith("http://loom.example.org:80/#")


@pytest.mark.parametrize("code", ["", "x", "é", "\ud800", "a" * 43])
def test_no_other_code_lets_in(code):
    keys = Keys()
    refused(401, keys.exchange, code)
    good = code_of(keys.url(HERE))
    refused(401, keys.exchange, code)
    refused(401, keys.exchange, good[:-1])
    refused(401, keys.exchange, good + "=")
    assert keys.exchange(good) == keys.token


def test_of_many_who_come_with_the_same_code_one_is_let_in():
    keys = Keys()
    code, begin = code_of(keys.url(HERE)), threading.Barrier(8)

    def enter(_):
        begin.wait(10)
        try:
            return keys.exchange(code)
        except RequestError:
            return None

    with ThreadPoolExecutor(8) as pool:
        assert sorted(filter(None, pool.map(enter, range(8)))) == [keys.token]


def test_the_token_goes_in_a_header():
    keys = Keys()
    keys.check(headers(Authorization=f"Bearer {keys.token}"))
    for wrong in ("", keys.token, f"bearer {keys.token}", f"Bearer {keys.token}x", f"Bearer {keys.token[:-1]}", "é"):
        refused(401, keys.check, headers(Authorization=wrong))
    refused(401, keys.check, headers(Cookie=f"token={keys.token}"))
    refused(401, keys.check, Headers())
    twice = Headers([("Authorization", f"Bearer {keys.token}"), ("authorization", "Bearer x")])
    refused(400, keys.check, twice)


def test_tokens_are_long_and_never_the_same():
    tokens = {Keys().token for _ in range(100)} | {code_of(Keys().url(HERE)) for _ in range(100)}
    assert len(tokens) == 200
    assert min(map(len, tokens)) >= 43  # 256 bits


def test_secrets_are_compared_in_constant_time(monkeypatch):
    compared = []
    monkeypatch.setattr("hmac.compare_digest", lambda a, b: compared.append((a, b)) or a == b)
    assert same("abc", "abc") and not same("abc", "abd")
    keys = Keys()
    keys.check(headers(Authorization=f"Bearer {keys.token}"))
    keys.exchange(code_of(keys.url(HERE)))
    assert len(compared) == 4


# --- What goes out

TABLE = {"/": Asset("text/html; charset=utf-8", b"<p>"), "/app.js": Asset("text/javascript", b"1")}


def test_a_file_is_what_the_table_has_under_its_name():
    assert asset(TABLE, "/").body == b"<p>"
    assert asset(TABLE, "/app.js?v=2").body == b"1"
    assert asset(TABLE, "/?/../app.js").body == b"<p>"


@pytest.mark.parametrize(
    "target",
    [
        "/../etc/passwd", "/..%2fetc%2fpasswd", "/%2e%2e/app.js", "//app.js", "/./app.js", "/app.js/", "/app.js%00",
        "/APP.JS", "/%61pp.js", "/app.js#x", "app.js", "", "/etc/passwd", "/app.js\x00.html", "\\app.js",
    ],
)  # fmt: skip
def test_no_other_name_gives_a_file(target):
    assert refused(404, asset, TABLE, target) == "There is no such page."


def parsed(data):
    head, _, body = data.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return status, dict(line.split(": ", 1) for line in lines), body


def test_every_answer_carries_the_rules():
    status, found, body = parsed(answer(200, "application/json", b"{}"))
    assert status == "HTTP/1.1 200 OK"
    assert body == b"{}"
    assert found == HEADERS | {"Content-Type": "application/json", "Content-Length": "2"}
    assert found["Content-Security-Policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    )
    assert found["X-Content-Type-Options"] == "nosniff"
    assert found["Referrer-Policy"] == "no-referrer"
    assert found["Cache-Control"] == "no-store"
    assert not [name for name in found if name.lower().startswith("access-control")]


def test_the_answer_to_head_has_the_length_and_no_body():
    status, found, body = parsed(answer(404, "text/plain", b"nothing", head_only=True, close=True))
    assert (status, found["Content-Length"], body, found["Connection"]) == ("HTTP/1.1 404 Not Found", "7", b"", "close")


@pytest.mark.parametrize("status", [400, 401, 403, 404, 408, 411, 413, 415, 431, 501, 503])
def test_every_refusal_has_an_answer(status):
    assert answer(status, "text/plain", b"").startswith(b"HTTP/1.1 %d " % status)
