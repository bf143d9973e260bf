"""Starting `pairloom explore`, and visiting it with a browser that reports what must not happen."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
SCREENSHOTS = ROOT / ".browser-screenshots"
# --enable-unsafe-swiftshader: WebGL without a graphics card, which Chromium no longer does by itself.
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-background-networking --no-first-run --disable-component-update "
    "--disable-sync --enable-unsafe-swiftshader"
).split()


def pairloom() -> Path:
    return Path(os.environ.get("PAIRLOOM", ROOT / ".venv/bin/pairloom"))


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PAIRLOOM_CACHE": str(folder / "cache")}


@contextmanager
def explored(*models: Path, options: str = "") -> Iterator[dict[str, str]]:
    """`pairloom explore` while the block runs: its address, the address that opens it, and its token."""
    command = [pairloom(), "explore", *models, "--no-browser", "--json", "--quiet", "--method", "pca", *options.split()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(models[0].parent)) as process:
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()
            process.wait(20)


class Visit:
    """A tab, and all that it must not do: errors, violations of the policy, requests to other hosts."""

    def __init__(self, context: Any, address: str) -> None:
        self.page, self.address = context.new_page(), address
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _console(self, message: Any) -> None:
        # The browser itself reports each answer with status 404 as an error; the page shows the server's sentence.
        if message.type == "error" and "status of 40" not in message.text:
            self.errors.append(message.text)

    def open(self, hash_: str = "", *, ready: bool = True) -> Any:
        self.page.goto(self.address + hash_)
        if ready:
            self.page.wait_for_selector("#points[data-named]")
        return self.page

    def screenshot(self, name: str) -> bytes:
        SCREENSHOTS.mkdir(exist_ok=True)
        self.page.wait_for_timeout(250)
        return self.page.screenshot(path=SCREENSHOTS / f"{name}.png")

    def check(self) -> None:
        assert self.errors == []
        allowed = (self.address, "data:", "blob:")
        assert [url for url in self.requests if not url.startswith(allowed)] == []


@contextmanager
def visiting(chromium: Any, address: str, cookies: list[Any] = (), **options: Any) -> Iterator[Visit]:
    settings = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce", **options}
    context = chromium.new_context(**settings)
    context.add_cookies(list(cookies))
    context.set_default_timeout(15_000)
    visit = Visit(context, address)
    yield visit
    visit.check()
    context.close()
