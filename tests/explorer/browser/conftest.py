"""The page in a real browser: Debian's chromium, driven by Playwright, against `pairloom explore` as a user starts it.

`make browser-test` runs these tests in `.venv-browser`, which has Playwright and not pairloom; PAIRLOOM names the
program to test. Playwright rather than Selenium, since it brings its own driver, waits for what it looks for, and sees
requests, downloads and errors of the page. Elsewhere these tests are skipped: not every machine has a browser.
"""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.explorer.browser.driving import ARGUMENTS, Visit, environment, explored, pairloom, visiting

collect_ignore = ["make_models.py"]  # for the Python of the package; doctests are not looked for in it
MEASURED: list[str] = []


@pytest.fixture(scope="session")
def figures() -> list[str]:
    """Lines that are printed after the tests."""
    return MEASURED


def pytest_terminal_summary(terminalreporter) -> None:
    for line in MEASURED:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def models(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    maker = Path(__file__).with_name("make_models.py")
    subprocess.run([pairloom().with_name("python"), maker, folder], check=True, env=environment(folder))
    return folder


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(models) -> Iterator[dict[str, str]]:
    with explored(models / "topics.loom", models / "other.loom") as started:
        yield started


@pytest.fixture(scope="session")
def cookies(chromium, server) -> list[Any]:
    """What the browser keeps after it has opened the address with the code that works once."""
    context = chromium.new_context()
    context.new_page().goto(server["open"])
    kept = context.cookies()
    context.close()
    return kept


@pytest.fixture
def visit(chromium, server, cookies) -> Iterator[Visit]:
    with visiting(chromium, server["address"], cookies) as visit:
        yield visit
