"""What is contacted, with which credentials, and what of an address is never shown."""

import base64
import json
import logging
import sys
import threading
from pathlib import Path
from shutil import which

import pytest

import pairloom
from pairloom.corpus.finding import find_files, remove_spooled
from pairloom.corpus.remote import stores
from pairloom.corpus.remote.stores import located
from pairloom.errors import InputError, MissingExtraError
from tests.corpus.remote.servers import make_certificate, running, status


def read(address):
    found = find_files([address])
    data = b"".join(file.path.read_bytes() for file in found)
    remove_spooled(found)
    return data


def test_without_the_extra_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(MissingExtraError) as error:
        find_files(["s3://shop/a.txt"])
    assert str(error.value) == "s3:// needs an extra package. Install it with: pip install 'pairloom[remote]'"


def test_requests_are_signed_only_with_credentials_of_the_environment(bucket, monkeypatch):
    assert read("s3://shop/top.txt") == read("gs://shop/top.txt") == b"top\n"
    assert {request.authorization for request in bucket.requests} == {None}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "KEY")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "SECRET")
    monkeypatch.setenv("GOOGLE_BEARER_TOKEN", "TOKEN")
    bucket.requests.clear()
    read("s3://shop/top.txt")
    assert all(request.authorization.startswith("AWS4-HMAC-SHA256 Credential=KEY/") for request in bucket.requests)
    bucket.requests.clear()
    read("gs://shop/top.txt")
    assert {request.authorization for request in bucket.requests} == {"Bearer TOKEN"}


def test_credentials_of_gcloud_are_used_if_they_are_there(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr("obstore.store.GCSStore", lambda *_, skip_signature, **__: made.append(skip_signature))
    located("gs://shop/a.txt")
    file = stores._gcloud_credentials()
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    located("gs://shop/a.txt")
    assert file.is_relative_to(tmp_path) and made == [True, False]


@pytest.mark.parametrize(
    ("scheme", "advice"),
    [
        ("s3", "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, for example by: eval "),
        ("gs", "Set GOOGLE_APPLICATION_CREDENTIALS to a file of credentials, for example that of: gcloud auth "),
    ],
)
@pytest.mark.parametrize("path", ["top.txt", "corpus", "corpus/*"])
def test_missing_credentials_are_asked_for(bucket, scheme, advice, path):
    bucket.password = "right"
    with pytest.raises(InputError) as error:
        read(f"{scheme}://shop/{path}")
    reason = "403" if path == "top.txt" or path == "corpus" else "403, AccessDenied"  # a HEAD has no body
    assert str(error.value).startswith(f"{scheme}://shop/{path}: access is denied ({reason}). {advice}")


def test_a_bucket_of_another_region_names_the_setting(bucket):
    bucket.faults["/shop/top.txt"], bucket.forever = [status(301)], True
    with pytest.raises(InputError, match=r"top.txt: the bucket is in another region\. Set AWS_REGION to it\.$"):
        read("s3://shop/top.txt")


def test_a_password_is_sent_to_the_host_that_it_was_given_for_alone(server):
    server.files["/a.txt"] = b"a\n"
    address = f"http://me%40home:pa%2Fss@127.0.0.1:{server.server_port}/a.txt"
    assert read(address) == b"a\n"
    expected = "Basic " + base64.b64encode(b"me@home:pa/ss").decode()
    assert server.requests[-1].authorization == expected
    with running() as other:
        other.files["/a.txt"] = b"b\n"
        server.faults["/a.txt"] = [status(302, Location=f"{other.address}/a.txt")]
        assert read(address) == b"b\n"
        assert other.requests[-1].authorization is None


def test_a_query_reaches_the_server_as_it_is(server):
    server.files["/a b.txt"] = b"a\n"
    assert read(f"{server.address}/a%20b.txt?signature=x%2Fy+z%3D#part") == b"a\n"
    assert server.requests[-1].path == "/a%20b.txt?signature=x%2Fy+z%3D"


def test_http_is_for_this_machine_alone(monkeypatch, server):
    server.files["/a.txt"] = b"a\n"
    assert read(f"http://localhost:{server.server_port}/a.txt") == b"a\n"
    refused = "{} would be read by http://, and on its way anyone could read and change it. Use https://; or set "
    for address in ("http://example.invalid/a.txt", "http://127.0.0.1.example.invalid/", "http://[::1/a.txt"):
        with pytest.raises(InputError) as error:
            located(address)
        assert str(error.value).startswith(refused.format(address))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://example.invalid")
    with pytest.raises(InputError) as error:
        located("s3://shop/a.txt")
    assert str(error.value).startswith(refused.format("s3://shop/a.txt"))
    monkeypatch.setenv(stores.ALLOW_HTTP, "1")
    assert located("http://example.invalid/a.txt").name == "http://example.invalid/a.txt"
    assert located("http://[::1]:8000/a.txt").name == "http://[::1]:8000/a.txt"


@pytest.mark.skipif(which("openssl") is None, reason="needs openssl to make a certificate")
def test_https_wants_a_certificate_that_is_trusted(server, tmp_path, monkeypatch):
    import ssl

    certificate, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with running() as secure:
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        secure.files["/a.txt"] = b"a\n"
        server.files["/plain.txt"] = b"b\n"
        address = f"https://127.0.0.1:{secure.server_port}/a.txt"
        with pytest.raises(InputError, match=r"certificate of the server is not valid\. If it is your own, set SSL_CE"):
            read(address)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert read(address) == b"a\n"
        secure.faults["/a.txt"] = [status(302, Location=f"{server.address}/plain.txt")]
        with pytest.raises(InputError, match="it is redirected to an address that is not read"):
            read(address)
        assert server.requests == []  # nothing goes from https to http


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("az://container/a.txt", "az://container/a.txt: az:// is not read. Use s3://, gs://, https:// or a path."),
        ("file:///a.txt", "file:///a.txt: file:// is not read. Use s3://, gs://, https:// or a path."),
        ("https://", "https:// is not an address. Check it."),
        ("https://me:SECRET@[/x", "https://[/x is not an address. Check it."),
        (
            Path("https://host/a.txt"),
            "https:/host/a.txt lost a slash when it became a Path. Give the address as a string.",
        ),
    ],
)
def test_what_is_no_address_is_refused(address, message):
    with pytest.raises(InputError) as error:
        find_files([address])
    assert str(error.value) == message


def test_a_key_in_the_address_of_a_bucket_is_refused_without_showing_it():
    with pytest.raises(InputError, match=r"^s3://shop/a.txt: a key before the bucket is not read") as error:
        find_files(["s3://KEY:hunter2@shop/a.txt"])
    assert "hunter2" not in str(error.value)


def test_no_secret_gets_into_the_model_the_cache_the_logs_or_the_threads(server, tmp_path, caplog, capsys, monkeypatch):
    monkeypatch.setenv("PAIRLOOM_CACHE", str(tmp_path / "cache"))
    caplog.set_level(logging.DEBUG)
    server.files |= {"/a.txt": b"one two three\n" * 50, "/b.txt": b"four five\n" * 50}
    host = f"http://me:SECRET@127.0.0.1:{server.server_port}"
    sources = [f"{host}/a.txt?signature=SECRET", f"{host}/b.txt?signature=SECRET"]
    model = pairloom.train(sources, dim=8, epochs=1, min_count=1, output=tmp_path / "m.loom")
    pairloom.train(sources[0], dim=8, epochs=1, min_count=1)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert "m.loom" in [path.name for path in files] and "name.txt" in [path.name for path in files]
    assert not [path for path in files if b"SECRET" in path.read_bytes()]
    assert f"http://127.0.0.1:{server.server_port}/a.txt" in caplog.text
    shown = (caplog.text, *capsys.readouterr(), json.dumps(model.record), *map(str, threading.enumerate()))
    assert not [text for text in shown if "SECRET" in text]
