"""Requests as browsers send them are read, and all others refused, soon and in little memory."""

import json
import socket
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairloom import web_request
from pairloom.errors import RequestError
from pairloom.web_request import (
    LONGEST_BODY,
    LONGEST_HEAD,
    Connections,
    Headers,
    Incoming,
    Request,
    body_length,
    checked_count,
    checked_words,
    json_of,
    parse_head,
    parse_json,
)


def refused(status, call, *args):
    with pytest.raises(RequestError) as error:
        call(*args)
    assert error.value.status == status
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def line():
    """Both ends of a connection: what the other side has, and what the server reads."""
    theirs, ours = socket.socketpair()
    with theirs, ours:
        yield theirs, Incoming(ours)


# --- From a socket


def test_requests_are_read_one_after_the_other(line):
    theirs, incoming = line
    theirs.sendall(
        b"GET /app.js?v=1 HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nAccept:*/* \t\r\n\r\n"
        b"POST /near HTTP/1.1\r\nContent-Length: 4\r\n\r\n[1]\n"
        b"HEAD / HTTP/1.0\r\n\r\n"
    )
    theirs.shutdown(socket.SHUT_WR)
    assert incoming.next() == Request(
        "GET", "/app.js?v=1", Headers([("Host", "127.0.0.1:8000"), ("Accept", "*/*")]), b""
    )
    assert incoming.next() == Request("POST", "/near", Headers([("Content-Length", "4")]), b"[1]\n")
    assert incoming.next() == Request("HEAD", "/", Headers(), b"")
    assert incoming.next() is None
    assert incoming.next() is None


def test_a_request_may_come_in_pieces(line):
    theirs, incoming = line
    data = b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"

    def send():
        for i in range(len(data)):
            theirs.sendall(data[i : i + 1])

    thread = threading.Thread(target=send)
    thread.start()
    assert incoming.next().body == b"abc"
    thread.join()


@pytest.mark.parametrize("data", [b"G", b"GET / HTTP/1.1\r\n", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nshort"])
def test_a_connection_that_ends_in_the_middle_is_refused(line, data):
    theirs, incoming = line
    theirs.sendall(data)
    theirs.close()
    assert refused(408, incoming.next) == "A request has to be here within 10 seconds."


class Socket:
    """A connection that does what it is told when somebody reads."""

    def __init__(self, recv):
        self.recv = recv

    def settimeout(self, seconds):
        assert seconds > 0


def test_a_connection_that_is_reset_has_ended():
    def recv(_):
        raise ConnectionResetError

    assert Incoming(Socket(recv)).next() is None


def test_bytes_that_never_stop_coming_do_not_keep_it_open_either(monkeypatch):
    monkeypatch.setattr(web_request, "SECONDS_TO_REQUEST", 0.05)

    def recv(_):
        time.sleep(0.0005)
        return b"x"

    refused(408, Incoming(Socket(recv)).next)


def test_whoever_does_not_begin_is_not_waited_for(line, monkeypatch):
    monkeypatch.setattr(web_request, "SECONDS_TO_READ", 0.05)
    begun = time.monotonic()
    assert line[1].next() is None
    assert time.monotonic() - begun < 5


def test_a_byte_now_and_then_does_not_keep_a_connection_open(line, monkeypatch):
    monkeypatch.setattr(web_request, "SECONDS_TO_READ", 0.2)
    monkeypatch.setattr(web_request, "SECONDS_TO_REQUEST", 0.5)
    theirs, incoming = line
    stop = threading.Event()

    def drip():
        theirs.sendall(b"GET / HTTP/1.1\r\n")
        while not stop.wait(0.02):
            theirs.sendall(b"a: b\r\n")

    thread = threading.Thread(target=drip)
    begun = time.monotonic()
    thread.start()
    refused(408, incoming.next)
    stop.set()
    thread.join()
    assert time.monotonic() - begun < 5


def of_size(n):
    head = b"GET / HTTP/1.1\r\nA: "
    return head + b"x" * (n - len(head)) + b"\r\n\r\n"


def test_a_head_has_16_kB_at_most(line):
    theirs, incoming = line
    theirs.sendall(of_size(LONGEST_HEAD))
    assert len(incoming.next().headers.one("a")) > 16_000
    theirs.sendall(of_size(LONGEST_HEAD + 1))
    assert refused(431, incoming.next) == "The head of a request has 16,384 bytes at most."


def test_a_body_has_1_MB_at_most(line):
    theirs, incoming = line
    theirs.sendall(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (LONGEST_BODY + 1))
    assert refused(413, incoming.next) == "The body of a request has 1,048,576 bytes at most."


# --- Heads


@pytest.mark.parametrize(
    "first",
    [
        b"", b"GET /", b"GET / HTTP/2", b"GET / HTTP/1.2", b"GET  / HTTP/1.1", b"get / HTTP/1.1", b"GET x: HTTP/1.1",
        b"GET x HTTP/1.1", b"OPTIONS * HTTP/1.1", b"GET /\xe9 HTTP/1.1", b"GET /a b HTTP/1.1", b"GET /\x00 HTTP/1.1",
        b" GET / HTTP/1.1", b"GET / HTTP/1.1 ", b"GET\t/\tHTTP/1.1", b"\x16\x03\x01", b"G" * 17 + b" / HTTP/1.1",
        b"GET / HTTP/1.1\n", b"GET /\r HTTP/1.1",
    ],
)  # fmt: skip
def test_a_first_line_of_another_form_is_refused(first):
    assert refused(400, parse_head, first) == "The first line of the request is not one of HTTP/1.1."


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"no colon",
        b": x",
        b"a b: c",
        b" folded: x",
        b"\tfolded",
        b"a : b",
        b"a: \x00",
        b"a: b\nc: d",
        b"a: b\rc",
        b"\xe9: x",
    ],
)
def test_a_header_of_another_form_is_refused(header):
    assert refused(400, parse_head, b"GET / HTTP/1.1\r\n" + header) == "A line of the request's head is not a header."


def test_headers_are_found_in_any_case_and_are_there_once():
    _, _, headers = parse_head(b"GET / HTTP/1.1\r\nHOST: a\r\nX: \r\nY: 1\r\ny: 2")
    assert headers.one("host") == "a"
    assert headers.one("x") == ""
    assert headers.one("z") is None
    assert refused(400, headers.one, "y") == "The header y comes 2 times. Send it once."


@given(st.binary(max_size=200))
def test_any_bytes_are_a_head_or_refused(data):
    for head in (data, b"GET / HTTP/1.1\r\n" + data):
        try:
            method, target, headers = parse_head(head)
        except RequestError as error:
            assert error.status == 400
        else:
            assert target.startswith("/") and method.isalpha()
            assert all(name and value == value.strip(" \t") for name, value in headers)


def lengths(*values, **more):
    return Headers(
        [*(("Content-Length", value) for value in values), *((k.replace("_", "-"), v) for k, v in more.items())]
    )


def test_how_much_follows_is_said_in_one_way():
    assert body_length("GET", Headers()) == 0
    assert body_length("GET", lengths("0")) == 0
    assert body_length("POST", lengths("0")) == 0
    assert body_length("POST", lengths("1048576")) == LONGEST_BODY


@pytest.mark.parametrize("length", ["", "-1", "+1", "1.0", "1,1", "0x10", "٣", " 1", "1e3", "9" * 10])
def test_a_length_that_is_not_plain_digits_is_none(length):
    assert refused(411, body_length, "POST", lengths(length)) == "A request by POST has to say its Content-Length."


def test_doubtful_lengths_are_refused():
    refused(411, body_length, "POST", Headers())
    refused(400, body_length, "POST", lengths("4", "4"))
    refused(501, body_length, "POST", lengths("4", Transfer_Encoding="chunked"))
    refused(501, body_length, "GET", lengths(Transfer_Encoding="identity"))
    for method in ("GET", "HEAD", "DELETE", "PUT", "OPTIONS"):
        assert refused(400, body_length, method, lengths("4")) == f"A request by {method} has no body here."


def test_more_connections_than_places_are_sent_away_and_places_are_given_back():
    connections = Connections(2)
    with connections.place():
        with connections.place():
            assert refused(503, connections.place().__enter__) == "Too many connections are open. Try again later."
        with pytest.raises(KeyError), connections.place():
            raise KeyError
        with connections.place():
            pass


# --- JSON


def test_json_is_read_as_it_is():
    value = {"words": ["cat", "café", "\u2028", "\U0001f600"], "k": 10, "x": [1.5, -0.0, 1e300, True, None, {}]}
    assert parse_json(json.dumps(value).encode()) == value
    assert parse_json(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "Expecting value: line 1 column 1 (char 0)."),
        (b"{", "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)."),
        (b"[1,]", "Expecting value"),
        (b"{} {}", "Extra data"),
        (b"'a'", "Expecting value"),
        (b"\xff", "can't decode byte 0xff"),
        (b'"\xc0\xaf"', "can't decode byte 0xc0"),
        (b'"\xed\xa0\x80"', "can't decode byte 0xed"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b"{\x00}", "Expecting property name"),
        ("[]".encode("utf-16"), "can't decode byte"),
        (b"NaN", "NaN is no number of JSON."),
        (b"[-Infinity]", "-Infinity is no number of JSON."),
        (b"1e999", "1e999 is too large a number."),
        (b"-1" + b"0" * 400 + b".5", "-1000000000000000000 is too large a number."),
        (b"1" * 5000, "Exceeds the limit"),
        (b'{"a": 1, "a": 2}', "a key comes twice."),
        (b'{"a": {"b": 1, "\\u0062": 2}}', "a key comes twice."),
        (rb'["\ud800"]', "surrogates not allowed"),
        (rb'{"\udfff": 1}', "surrogates not allowed"),
        (b"[" * 17 + b"]" * 17, "it is nested more than 16 deep."),
        (b'{"a":' * 17 + b"1" + b"}" * 17, "it is nested more than 16 deep."),
        (b"[" * 500_000, "it is nested more than 16 deep."),
        (rb'"\"' + rb"\"" * 400_000, "Unterminated string"),
        (b'"' + b"[" * 900_000, "Unterminated string"),
        (b'"a\nb"', "Invalid control character"),
    ],
)
def test_json_of_two_meanings_or_of_none_is_refused_at_once(data, reason):
    begun = time.monotonic()
    message = refused(400, parse_json, data)
    assert time.monotonic() - begun < 2
    assert message.startswith("The body is not JSON as it is read here: ")
    assert reason in message
    assert len(message) < 300


def test_brackets_in_strings_are_no_depth():
    assert parse_json(b'["' + b"[{" * 100 + b'\\"]", [[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]')[0].startswith("[{[{")


def test_json_has_1_MB_at_most():
    assert parse_json(b" " * (LONGEST_BODY - 1) + b"1") == 1
    assert refused(413, parse_json, b" " * LONGEST_BODY + b"1") == "The body of a request has 1,048,576 bytes at most."


@given(st.one_of(st.binary(max_size=60), st.text('[]{}:,"\\u0d81aeN-+.', max_size=60).map(str.encode)))
def test_any_bytes_are_json_or_refused(data):
    try:
        value = parse_json(data)
    except RequestError as error:
        assert error.status == 400
    else:
        assert parse_json(json.dumps(value, allow_nan=False).encode()) == value


def request(kind, body=b"{}"):
    return Request("POST", "/", Headers([] if kind is None else [("Content-Type", kind)]), body)


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_the_type_of_json_is_named(kind):
    assert json_of(request(kind)) == {}


@pytest.mark.parametrize(
    "kind", [None, "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "json"]
)
def test_what_any_page_may_send_without_asking_is_no_json(kind):
    assert refused(415, json_of, request(kind)) == "The body has to be JSON. Send Content-Type: application/json."


def test_how_many_and_which_words_have_bounds():
    assert checked_count(1) == 1
    assert checked_count(1000) == 1000
    assert checked_words(["a"] * 256) == ["a"] * 256
    for count in (0, -1, 1001, 1.0, True, "5", None, [1]):
        assert refused(400, checked_count, count) == "The number of neighbours has to be a whole one from 1 to 1,000."
    for words in ([], ["a"] * 257, "cat", {"a": 1}, [1], [["a"]], None, ["a", None]):
        assert refused(400, checked_words, words) == "Words have to be a list of 1 to 256 strings."
