"""Light and dark, wide and narrow, with and without eyes; and the page that needs no server."""

import subprocess
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs a browser: run `make browser-test`")
from playwright.sync_api import expect

from tests.explorer.browser.driving import pairloom, visiting

VIEWS = (
    "#near?word=king",
    "#pair?a=king&b=queen&w=king&c=crown",
    "#analogy?a=king&b=queen&c=apple",
    "#odd?word=king&word=queen&word=melon",
    "#path?from=king&to=piano",
    "#models?word=king",
    "#near?word=unknown",
)
PAPER = "getComputedStyle(document.body).backgroundColor"


def test_dark_follows_the_system_and_the_switch_is_remembered(chromium, server, cookies):
    with visiting(chromium, server["address"], cookies, color_scheme="dark") as visit:
        page = visit.open("#near?word=king")
        assert page.evaluate(PAPER) == "rgb(20, 22, 26)"
        visit.screenshot("dark")
        page.get_by_role("button", name="Switch to light colours").click()
        assert page.evaluate(PAPER) == "rgb(251, 250, 248)"
        page.reload()
        assert page.evaluate(PAPER) == "rgb(251, 250, 248)"
        visit.screenshot("light")


def test_a_phone_scrolls_in_one_direction_only(chromium, server, cookies):
    with visiting(chromium, server["address"], cookies, viewport={"width": 400, "height": 800}) as visit:
        for view in VIEWS:
            page = shown(visit, view)
            assert page.evaluate("document.documentElement.scrollWidth") <= 400, view
            assert page.locator("#points").bounding_box()["height"] > 300
            visit.screenshot(f"phone-{name(view)}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault(chromium, server, cookies, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    with visiting(chromium, server["address"], cookies, color_scheme=scheme) as visit:
        for view in VIEWS:
            page = shown(visit, view)
            page.wait_for_timeout(200)
            found = axe.run(page, options=rules).response["violations"]
            assert [(fault["id"], [node["target"] for node in fault["nodes"]]) for fault in found] == [], view


def shown(visit, view):
    """The page with the answer of a view, or with its error."""
    page = visit.open(view)
    page.wait_for_selector(f"#views [aria-current][href^='#{view[1:].split('?')[0]}']")
    page.locator("#view .answer[aria-busy=false]").first.wait_for()
    page.locator("#view h2, #view [role=alert]").first.wait_for()
    return page


def name(view):
    """ "near-unknown" for "#near?word=unknown"."""
    return "near-unknown" if "unknown" in view else view[1:].split("?")[0]


@pytest.fixture(scope="module")
def exported(models) -> Path:
    path = models / "page.html"
    names = [models / "topics.loom", models / "other.loom"]
    subprocess.run([pairloom(), "explore", *names, "--export", path, "--method", "pca", "--quiet"], check=True)
    return path


@pytest.mark.parametrize("view", VIEWS[:-1])
def test_the_exported_file_answers_from_disk_as_the_server_does(chromium, server, cookies, exported, figures, view):
    with visiting(chromium, server["address"], cookies) as visit:
        page = visit.open(view)
        page.locator("#view h2").wait_for()
        expected = answers(page)
    with visiting(chromium, exported.as_uri()) as visit:
        page = visit.open(view)
        page.locator("#view h2").wait_for()
        found = answers(page)
        expect(page.locator("#note")).to_contain_text("rounded to 8 bits")
        visit.screenshot(f"exported-{name(view)}")
    assert found["heading"] == expected["heading"]
    assert len(found["numbers"]) == len(expected["numbers"]) > 0
    # Rounding may swap neighbours that are almost equally near; the numbers in order are the same.
    difference = max(abs(one - other) for one, other in zip(found["numbers"], expected["numbers"], strict=True))
    figures.append(f"largest difference of a number in the exported file, {view}: {difference:.3f}")
    assert difference < 0.011  # 0.01 as the page says, and both numbers are rounded


def answers(page):
    texts = page.locator("#view .number, #view dd").all_inner_texts()
    plain = [text.replace("−", "-").strip("%> ").strip() for text in texts]
    return {
        "heading": page.locator("#view h2").inner_text(),
        "numbers": [float(text) / (100 if "%" in raw else 1) for text, raw in zip(plain, texts, strict=True)],
    }


def test_the_exported_file_shows_classes_and_completes(chromium, exported):
    with visiting(chromium, exported.as_uri()) as visit:
        page = visit.open("#near?word=king&colour=class")
        expect(page.locator("#legend")).to_have_attribute("data-mode", "class")
        page.keyboard.press("/")
        page.keyboard.type("pia")
        expect(page.locator(".options bdi")).to_have_text(["piano"])
