"""pairloom explore, in processes of its own: what it prints, how it ends, and the page that it exports."""

import json
import signal
import subprocess
import sys
import urllib.request
from types import SimpleNamespace

import pytest

from pairloom.cli.commands import explore
from pairloom.cli.main import main


@pytest.fixture
def started(model):
    """A function that starts the command and returns the process and what it printed as JSON."""
    running = []

    def start(*args):
        command = [sys.executable, "-m", "pairloom", "explore", str(model), *args, "--json", "--no-browser", "--quiet"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.append(process)
        return process, json.loads(process.stdout.readline())

    yield start
    for process in running:
        process.kill()
        process.communicate(timeout=10)


def asked(facts, url):
    request = urllib.request.Request(facts["address"] + url, headers={"Authorization": f"Bearer {facts['token']}"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_answers_until_a_signal_ends_it(number, code, started, model):
    process, facts = started("--words", "10")
    (described,) = asked(facts, "api/models")["models"]
    assert (described["name"], described["words"], described["mapped"]) == (model.name, 20, 10)
    assert facts["open"].startswith(facts["address"] + "?code=")
    process.send_signal(number)
    printed, errors = process.communicate(timeout=5)
    assert (process.returncode, printed) == (code, "")
    assert errors == "pairloom explore: interrupted; no file is left half-written.\n"


def test_a_port_that_is_taken_is_refused_at_once(started, model, capsys):
    _, facts = started()
    port = facts["address"].rstrip("/").rpartition(":")[2]
    assert main(["explore", str(model), "--port", port]) == 2
    assert f"Port {port} of 127.0.0.1 cannot be used" in capsys.readouterr().err


def test_the_exported_page_is_the_same_every_time(model, output, tmp_path):
    page = tmp_path / "page.html"
    printed = output("explore", model, "--export", page, "--quiet", "--json")
    first = page.read_bytes()
    assert json.loads(printed) == {"output": str(page), "bytes": len(first), "models": [model.name]}
    assert first.startswith(b"<!doctype html>") and b'id="embedded"' in first
    assert "open it in a browser" in output("explore", model, "--export", page, "--threads", "1")
    assert page.read_bytes() == first
    assert output("explore", model, "--export", page, "--export-words", "3", "--quiet") == ""
    assert len(page.read_bytes()) < len(first)


def test_the_address_is_printed_and_opened(capsys, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    server = SimpleNamespace(address="http://a/", opening_address="http://a/?code=c", token="t")
    shown = SimpleNamespace(name="king.loom", embedding=range(71_290), mapped=20_000)
    explore._announce(server, [shown], SimpleNamespace(json=False, no_browser=False))
    out, err = capsys.readouterr()
    assert out == "king.loom: 71,290 words, 20,000 on the map\nopen      http://a/?code=c\ntoken     t\n"
    assert "Ctrl-C ends the server." in err
    for _ in range(100):
        if opened:
            break
        __import__("time").sleep(0.01)
    assert opened == ["http://a/?code=c"]


def test_without_its_packages_it_says_what_to_install(model, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert main(["explore", str(model)]) == 2
    assert capsys.readouterr().err == (
        "pairloom explore: pairloom explore needs an extra package. Install it with: pip install 'pairloom[explore]'\n"
    )
