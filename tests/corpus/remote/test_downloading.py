"""A remote file is read once, whole, or not at all, whatever the connection does."""

import logging
import os
import shutil
import signal
import threading
import time

import pytest

import pairloom
from pairloom.corpus.finding import find_files, remove_spooled
from pairloom.corpus.remote import downloading
from pairloom.corpus.sentences import open_corpus
from pairloom.errors import CorpusChangedError, InputError, OutputError
from tests.corpus.remote.servers import chunked, cut, hang_up, silence, status, tagged

TEXT = b"".join(b"line %d of some text\n" % i for i in range(200_000))  # several megabytes, so several blocks


@pytest.fixture
def address(server):
    server.files["/a.txt"] = TEXT
    return f"{server.address}/a.txt"


def content(*addresses):
    found = find_files(addresses)
    try:
        return b"".join(file.path.read_bytes() for file in found)
    finally:
        remove_spooled(found)


@pytest.mark.parametrize(
    ("faults", "ranges"),
    [
        ([], [None]),
        ([cut(1_000_000)], [None, 1_000_000]),
        ([cut(1_000_000), cut(500_000), hang_up], [None, 1_000_000, 1_500_000, 1_500_000]),
        ([status(503), status(500)], [None, None, None]),
        ([hang_up], [None, None]),
        ([silence(3)], [None, None]),
        ([cut(1_000_000, tag=None)], [None, None]),  # without an ETag it may be another file now
        ([cut(1_000_000), tagged("other")], [None, 1_000_000, None]),  # it is another file now
        ([cut(1_000_000, ranges=False), tagged("", ranges=False)], [None, 1_000_000, None]),
        ([status(302, Location="/a.txt")], [None, None]),
    ],
)
def test_all_bytes_arrive_though_the_connection_fails(server, address, copies, faults, ranges, monkeypatch):
    monkeypatch.setattr("pairloom.corpus.remote.stores.SILENT_SECONDS", 2)
    server.faults["/a.txt"] = list(faults)
    assert content(address) == TEXT
    asked = [request.range and int(request.range.removeprefix("bytes=").split("-")[0]) for request in server.requests]
    assert asked == ranges
    assert copies() == []


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (cut(100), "the connection broke again and again. Try again later, or copy the file here first."),
        (cut(100, tag=None), "the connection broke again and again. Try again later, or copy the file here first."),
        (cut(100, ranges=False), "the connection broke, and the server cannot resume. Try again later."),
        (status(404), "not found (404). Check the address."),
        (status(401), "access is denied (401). It needs a password or a signed address. Check it."),
        (status(403), "access is denied (403). It needs a password or a signed address. Check it."),
        (
            status(503),
            "the server answered 503. It was tried 7 times. Try again later, or copy the file here first.",
        ),
        (status(400), "the server answered 400. Try again later, or copy the file here first."),
        (status(302, Location="/a.txt"), "it is redirected in circles. Check the address."),
        (
            status(302, Location="file:///etc/passwd"),
            "it is redirected to an address that is not read. Check the address.",
        ),
        (
            status(302, Location="ftp://127.0.0.1/x"),
            "it is redirected to an address that is not read. Check the address.",
        ),
        (silence(1), "the server was silent for too long. It was tried 7 times. Try again later."),
        (
            chunked,
            "the server does not say how long the file is, so one that is cut short would not be noticed. Copy the "
            "file here first, and give its path.",
        ),
    ],
)
def test_each_failure_says_what_to_do_and_leaves_nothing(server, address, copies, fault, message, monkeypatch):
    monkeypatch.setattr("pairloom.corpus.remote.stores.SILENT_SECONDS", 0.3 if "silent" in message else 20)
    server.faults["/a.txt"], server.forever = [fault], True
    with pytest.raises(InputError) as error:
        find_files([f"{address}?signature=SECRET"])
    assert str(error.value) == f"{address}: {message}"
    assert copies() == []


def test_a_file_that_changes_all_the_time_is_refused(server, address, copies):
    server.faults["/a.txt"] = [fault for i in range(9) for fault in (cut(100, tag=f"v{i}"), tagged(f"w{i}"))]
    with pytest.raises(CorpusChangedError, match=r"a.txt changed while it was downloaded, 3 times\. Start again when"):
        find_files([address])
    assert copies() == []


def test_hosts_that_cannot_be_reached_are_told_apart(server):
    with pytest.raises(InputError, match=r"^https://no.such.host.invalid/a.txt: the host is not known\. Check"):
        find_files(["https://no.such.host.invalid/a.txt"])
    server.server_close()
    with pytest.raises(
        InputError, match=r"the server refuses connections\. It was tried 7 times\. Check the address\."
    ):
        find_files([f"{server.address}/a.txt"])


def test_a_copy_that_the_disk_has_no_room_for_is_not_begun(server, address, copies, monkeypatch, tmp_path):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 5, 5_000_000))
    server.files["/a.txt"] = bytes(6_000_000)
    with pytest.raises(OutputError) as error:
        find_files([address])
    folder = tmp_path / "copies"
    assert str(error.value) == (
        f"{address}: a copy takes 6.0 MB, and {folder} has 5.0 MB of free space. Set TMPDIR to a folder with more."
    )
    assert copies() == []


def test_the_sizes_of_a_folder_are_added_up_before_any_file_is_read(bucket, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 5, 20))
    with pytest.raises(OutputError, match=r"a copy takes 0\.0 MB"):
        find_files(["s3://shop/corpus"])
    assert not [request for request in bucket.requests if request.path.endswith(".txt") and request.method == "GET"]


def test_one_file_that_fails_takes_the_copies_of_the_others_with_it(bucket, copies):
    bucket.faults["/shop/corpus/sub/c.txt"], bucket.forever = [status(403)], True
    with pytest.raises(InputError, match=r"s3://shop/corpus/sub/c.txt: access is denied \(403\)"):
        find_files(["s3://shop/corpus"])
    assert copies() == []


def test_a_signal_ends_a_download_at_once(server, address, copies, monkeypatch):
    monkeypatch.setattr("pairloom.corpus.remote.stores.SILENT_SECONDS", 20)
    server.faults["/a.txt"], server.forever = [silence(5)], True
    begin = time.monotonic()
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        find_files([address])
    assert time.monotonic() - begin < 2
    assert copies() == []


def test_copies_are_private_and_go_with_the_corpus(address, copies, tmp_path):
    corpus = open_corpus(address)
    (name,) = copies()
    assert (tmp_path / "copies" / name).stat().st_mode & 0o077 == 0
    assert sum(map(len, corpus.sentences())) == sum(map(len, corpus.sentences())) == 1_000_000
    corpus.close()
    assert copies() == []


def test_a_corpus_crosses_the_network_once(server, address):
    assert len(pairloom.train(address, dim=8, epochs=1, min_count=1000).words) == 4
    assert len(server.requests) == 1


def test_a_changed_file_is_encoded_again_and_an_equal_one_is_not(server, address, caplog):
    caplog.set_level(logging.INFO, "pairloom")
    settings = {"dim": 8, "epochs": 1, "min_count": 1}
    server.files["/a.txt"] = b"one two three\n" * 50
    pairloom.train(address, **settings)
    assert "taken from the cache" not in caplog.text
    pairloom.train(address, **settings)
    assert "taken from the cache" in caplog.text
    server.files["/a.txt"] = b"one two fours\n" * 50  # as long as before
    assert "fours" in pairloom.train(address, **settings).words.words


def test_many_files_are_copied_a_few_at_a_time(server, monkeypatch):
    running, most = [], []

    async def copied(file):
        running.append(file)
        most.append(len(running))
        await downloading.asyncio.sleep(0.01)
        running.remove(file)
        return file

    assert downloading._for_each(range(20), copied) == list(range(20))
    assert max(most) == downloading.AT_ONCE
