"""Every view of the page: asked by hand, opened by its address, left by the back button."""

import re

import pytest

pytest.importorskip("playwright", reason="needs a browser: run `make browser-test`")
from playwright.sync_api import expect

ROYAL = {"king", "queen", "prince", "crown", "throne", "palace", "royal", "duke"}
HOSTILE = ("<img/src=x/onerror=hacked=1>", "‹U+202E›gnik", "شاه", "מלך", "国王", "a&amp;b", "'\"<b>", "#near?word=king")
FAMILY = ROYAL | set(HOSTILE)


def words(page, selector):
    return page.locator(f"{selector} .word").all_inner_texts()


def test_a_word_is_searched_with_completion_by_keyboard(visit):
    page = visit.open()
    page.keyboard.press("/")
    field = page.get_by_role("combobox", name="Search a word")
    expect(field).to_be_focused()
    page.keyboard.type("QU")
    expect(page.locator(".options li")).to_have_count(1)
    expect(field).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("option", name="queen")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    expect(page.locator("#view h2")).to_have_text("queen")
    assert page.url.endswith("#near?word=queen")
    assert page.title() == "queen – Near – pairloom"
    expect(page.locator("#announcer")).to_contain_text("Nearest to queen")


def test_escape_closes_the_completions_and_keeps_the_text(visit):
    page = visit.open()
    field = page.get_by_role("combobox", name="Search a word")
    field.press_sequentially("k")
    page.locator(".options").wait_for()
    field.press("Escape")
    expect(page.locator(".options")).to_be_hidden()
    expect(field).to_have_value("k")


def test_neighbours_are_of_the_planted_topic_among_words_and_contexts(visit):
    page = visit.open("#near?word=king")
    expect(page.locator("#view h2")).to_have_text("king")
    similar = words(page, ".group-of:nth-of-type(1) .bars")
    assert len(similar) == 12
    assert len(FAMILY & set(similar)) >= 10
    contexts = page.get_by_role("heading", name="Contexts").locator("..")
    assert len(FAMILY & set(contexts.locator(".word").all_inner_texts())) >= 8
    assert re.fullmatch(r"[\d.]+ %|> 99.9 %", contexts.locator(".number").first.inner_text())
    visit.screenshot("near")


def test_several_words_are_chips_and_their_mean_is_asked(visit):
    page = visit.open("#near?word=king&word=piano")
    expect(page.locator(".chips li")).to_have_count(2)
    expect(page.locator("#view h2")).to_have_text("king + piano")
    page.get_by_role("button", name="Remove king").click()
    expect(page.locator("#view h2")).to_have_text("piano")
    assert page.url.endswith("#near?word=piano")


def test_two_words_are_compared_with_reasons_and_probabilities(visit):
    page = visit.open("#pair?a=king&b=queen&w=king&c=crown")
    expect(page.locator("#view h2")).to_have_text("king and queen")
    expect(page.get_by_role("heading", name="Why are these two similar?")).to_be_visible()
    prefer = page.get_by_role("heading", name="Both prefer").locator("..")
    assert len(prefer.locator(".bars li").all()) == 10
    assert prefer.locator(".fill").first.bounding_box()["width"] > 20
    expect(page.locator(".figures").first).to_contain_text("p(D=1 | king, queen)")
    expect(page.locator(".figures").last).to_contain_text("p(D=1 | king, crown)")
    expect(page.get_by_role("heading", name="Near king")).to_be_visible()
    visit.screenshot("pair")


def test_an_analogy_has_two_answers(visit):
    page = visit.open("#analogy")
    for label, word in (("A word", "king"), ("is to", "queen"), ("as", "apple")):
        page.get_by_role("combobox", name=label, exact=True).fill(word)
    page.get_by_role("button", name="Find what").click()
    expect(page.get_by_role("heading", name="By addition")).to_be_visible()
    expect(page.get_by_role("heading", name="By multiplication")).to_be_visible()
    assert "a=king&b=queen&c=apple" in page.url
    expect(page.locator("#view h2 em")).to_have_text(re.compile("pear|plum|cherry|grape|melon|fruit|orchard"))
    visit.screenshot("analogy")


def test_the_odd_one_out_is_found(visit):
    page = visit.open("#odd?word=king&word=queen&word=melon&word=duke")
    expect(page.locator("#view h2")).to_have_text("melon is the odd one out")
    visit.open("#odd?word=king&word=queen", ready=False)
    expect(page.locator(".empty")).to_contain_text("three words or more")


def test_a_path_is_listed_and_drawn_on_the_map(visit):
    page = visit.open("#path?from=king&to=piano")
    expect(page.locator("#view h2")).to_have_text("king → piano")
    steps = words(page, ".steps tbody")
    assert steps[0] == "king"
    assert steps[-1] == "piano"
    assert len(steps) == len(set(steps)) >= 4
    with page.expect_download() as waited:
        page.get_by_role("button", name="Save the map as SVG").click()
    line = re.search(r'<polyline points="([^"]*)"', waited.value.path().read_text())
    assert len(line[1].split()) == len(steps)
    visit.screenshot("path")


def test_two_models_show_what_is_kept_gained_and_lost(visit):
    page = visit.open("#models?word=king")
    expect(page.locator("#view h2")).to_have_text("king")
    counts = [int(re.search(r"\d+", text)[0]) for text in page.locator(".group-of h3").all_inner_texts()]
    kept, gained, lost = counts
    assert kept + gained == kept + lost == 20
    assert kept >= 8
    assert "NaN" not in page.locator("#view").inner_text()
    visit.screenshot("models")
    page.get_by_label("Model on the map").select_option("1")
    expect(page.locator("#about")).to_contain_text("× 16")
    assert "model=1" in page.url


def test_back_and_forward_lead_through_the_views(visit):
    page = visit.open("#near?word=king")
    heading = page.locator("#view h2")
    page.locator(".bars .word-link").first.click()
    expect(heading).not_to_have_text("king")
    second = heading.inner_text()
    page.get_by_role("link", name="Odd one out").click()
    expect(page.get_by_role("link", name="Odd one out")).to_have_attribute("aria-current", "page")
    page.go_back()
    expect(heading).to_have_text(second)
    page.go_back()
    expect(heading).to_have_text("king")
    page.go_forward()
    expect(heading).to_have_text(second)


def test_an_unknown_word_shows_the_servers_own_sentence(visit):
    page = visit.open("#near?word=kingg")
    expect(page.get_by_role("alert")).to_contain_text("'kingg' is not among the")


@pytest.mark.parametrize("word", (HOSTILE[0], "\u202egnik", *HOSTILE[2:]))
def test_hostile_and_foreign_words_are_shown_as_text(visit, word):
    page = visit.open()
    page.evaluate("word => { location.hash = '#near?' + new URLSearchParams({ word }) }", word)
    shown = word.replace("\u202e", "‹U+202E›")
    expect(page.locator("#view h2 bdi")).to_have_text(shown)
    expect(page.locator(".chips bdi")).to_have_text(shown)
    page.wait_for_timeout(100)
    assert page.evaluate("window.hacked") is None
    assert page.locator("#view img, #view b").count() == 0


def test_the_whole_page_works_by_keyboard_alone(visit):
    page = visit.open()
    page.keyboard.press("3")
    expect(page.get_by_role("link", name="Analogy")).to_have_attribute("aria-current", "page")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.keyboard.press("1")
    expect(page.get_by_role("link", name="Near")).to_have_attribute("aria-current", "page")
    page.keyboard.press("/")
    page.keyboard.type("king")
    page.keyboard.press("Enter")
    expect(page.locator("#view h2")).to_have_text("king")
    seen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("(document.activeElement.className || document.activeElement.id) + ''"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", seen[-1]
        if seen[-1] == "why":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Why are these two similar?")).to_be_visible()
