"""A server for each test, an environment without credentials, and short waits."""

import tempfile
from datetime import timedelta

import pytest

from pairloom.corpus.remote import stores
from tests.corpus.remote.servers import running


@pytest.fixture(autouse=True)
def own_environment(monkeypatch, tmp_path):
    """No credentials and settings of the person who runs the tests. Copies go to a folder of their own."""
    for name in (
        *("AWS_PROFILE", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"),
        *stores._AWS_CREDENTIALS,
        *stores._AWS_ENDPOINTS,
        *stores._GOOGLE_CREDENTIALS,
        *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "SSL_CERT_FILE"),
        *("GOOGLE_BASE_URL", stores.ALLOW_HTTP),
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    backoff = {"init_backoff": timedelta(milliseconds=1), "max_backoff": timedelta(milliseconds=2), "base": 2}
    monkeypatch.setitem(stores._RETRY, "backoff", backoff)


@pytest.fixture
def copies(tmp_path):
    """The temporary files that exist."""
    return lambda: [path.name for path in (tmp_path / "copies").iterdir()]


@pytest.fixture
def server():
    with running() as server:
        yield server


@pytest.fixture
def bucket(server, monkeypatch):
    """s3://shop and gs://shop, with a folder of texts."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.address)
    monkeypatch.setenv("GOOGLE_BASE_URL", server.address)
    server.files |= {
        "/shop/corpus/b.txt": b"second\n",
        "/shop/corpus/a.txt": b"first file\n",
        "/shop/corpus/sub/c.txt": b"third\n",
        "/shop/corpus/.hidden.txt": b"hidden\n",
        "/shop/corpus/.git/d.txt": b"hidden\n",
        "/shop/corpus/notes.md": b"notes\n",
        "/shop/corpus-old/e.txt": b"old\n",
        "/shop/top.txt": b"top\n",
    }
    return server
