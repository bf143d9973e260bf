import re

import pytest

import pairloom
from pairloom.advice.tuning.page import chart, page
from pairloom.advice.tuning.space import ITEMS, MOST_WORK, TEXT, default_options, item_options, propose, work
from pairloom.errors import ConfigError, InputError
from pairloom.preparing.inspection.presets import PRESETS


@pytest.fixture(scope="module")
def found(sessions):
    return pairloom.tune(sessions, "next-item", trials=9, dim=16)


def test_the_settings_that_are_found_do_better_than_the_defaults(found):
    assert found.winner.candidate != 0
    assert found.winner.score > found.default.score + 0.1
    assert found.winner.check > found.default.check + 0.1  # also on lines that no choice depended on
    assert found.best["epochs"] > 5


def test_options_that_are_given_are_not_searched(found):
    assert "dim" not in found.trials[0].options
    assert found.best["dim"] == 16
    assert "--dim 16" in found.command


def test_the_best_settings_can_be_trained_with(found, sessions):
    emb = pairloom.train(sessions, **found.best)
    assert emb.record["config"]["epochs"] == found.best["epochs"]


def test_the_same_search_has_the_same_result_with_any_number_of_threads(found, sessions):
    again = pairloom.tune(sessions, "next-item", trials=5, dim=16, threads=1)
    assert again.table == found.table[:5]


def test_a_search_that_ends_by_the_clock_is_repeated_by_its_number_of_trials(sessions, found):
    timed = pairloom.tune(sessions, "next-item", budget="1s", dim=16)
    assert timed.ended == "time"
    n = min(len(timed.trials), len(found.trials))
    assert timed.table[:n] == found.table[:n]
    assert f"--trials {len(timed.trials)}" in timed.ending


def test_interrupting_it_returns_what_was_found_so_far(sessions):
    reports = []

    def interrupt(progress):
        reports.append(progress)
        if progress.stage == "tune" and progress.done >= 2:
            raise KeyboardInterrupt

    result = pairloom.tune(sessions, "next-item", trials=50, dim=8, on_progress=interrupt)
    assert result.ended == "interrupted"
    assert len(result.trials) >= 2
    assert result.default.trainings == 2


def test_an_interrupt_before_the_first_trial_is_passed_on(sessions):
    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pairloom.tune(sessions, "next-item", trials=2, on_progress=interrupt)


def test_questions_about_words_are_a_target(topics, tmp_path):
    questions = tmp_path / "same.tsv"
    pairs = [(f"t{i}w0", f"t{j}w1", 10 if i == j else 0) for i in range(12) for j in (i, (i + 5) % 20)]
    questions.write_text("".join(f"{a}\t{b}\t{score}\n" for a, b, score in pairs))
    result = pairloom.tune(topics, questions, trials=4, dim=16)
    assert result.score_name == "Spearman"
    assert result.winner.score > 0.5
    assert result.winner.check is None


def test_questions_about_other_words_are_refused(topics, tmp_path):
    questions = tmp_path / "other.tsv"
    questions.write_text("tiger\tcat\t7.35\n")
    with pytest.raises(InputError, match=r"Only 0 of the questions in .*other.tsv have all their words"):
        pairloom.tune(topics, questions, trials=1)


def test_words_with_spaces_are_words(topics):
    spaced = [[f"a {word}" for word in line] for line in topics]
    assert pairloom.tune(spaced, trials=2, dim=8).winner.score > 3.0  # bits; 0 if they were split, since none is known


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trials": 3, "budget": "1m"}, "Give trials or budget, not both"),
        ({"budget": "soon"}, r"budget='soon' is not a time\. Use for example 90s, 10m or 1h"),
        ({"budget": "epoch"}, "is not a time"),
        ({"trials": 0}, "trials=0 is out of range"),
        ({"model": "cbow"}, "Leave out model, objective and positional"),
        ({"dimm": 5}, "did you mean 'dim'"),
        ({name: values[0] for name, values in TEXT.items()}, "there is nothing to try"),
    ],
)
def test_wrong_parameters_are_refused_before_the_text_is_read(options, message):
    with pytest.raises(ConfigError, match=message):
        pairloom.tune("missing.txt", **options)


# --- Which settings are tried


@pytest.mark.parametrize("space", [TEXT, ITEMS])
def test_candidates_are_new_have_values_of_the_space_and_do_not_take_too_long(space):
    tried = [default_options(space)]
    for number in range(1, 60):
        options = propose(space, number, tried[0], tried, seed=1)
        assert options not in tried
        assert all(value in space[name] or value == tried[0][name] for name, value in options.items())
        assert work(options) <= MOST_WORK
        tried.append(options)


def test_even_candidates_change_one_or_two_options_of_the_best():
    best = default_options(TEXT)
    changed = [propose(TEXT, number, best, [best], seed=1) for number in range(2, 40, 2)]
    assert {sum(options[name] != best[name] for name in best) for options in changed} == {1, 2}


def test_for_items_their_preset_is_tried_after_the_defaults(found):
    first = next(trial.options for trial in found.trials if trial.candidate == 1)
    preset = {name: value for name, value in PRESETS["items"].items() if name in first}
    assert len(preset) == 5 and preset.items() <= first.items()


def test_a_preset_that_is_given_is_not_tried_beside_itself(sessions):
    fixed = {**PRESETS["items"], "dim": 8, "window": 2, "epochs": 2}
    result = pairloom.tune(sessions, "next-item", trials=50, **fixed)
    tried = {trial.candidate: trial.options["noise_power"] for trial in result.trials}
    assert sorted(tried.values()) == sorted(ITEMS["noise_power"])


def test_settings_beside_the_best_may_take_as_long_as_it_does():
    best = item_options(ITEMS)
    near = [propose(ITEMS, number, best, [best], seed=1) for number in range(2, 40, 2)]
    assert MOST_WORK < max(map(work, near)) <= work(best)


def test_when_all_settings_are_tried_the_search_ends(topics):
    fixed = {name: values[0] for name, values in TEXT.items() if name != "noise_power"}
    result = pairloom.tune(topics, trials=50, **fixed)
    assert result.ended == "space"
    assert {trial.options["noise_power"] for trial in result.trials} == {0.5, 0.75, 1.0}


# --- What is shown


def test_the_table_has_the_defaults_and_the_best_and_its_first_row_is_the_winner(found):
    rows = found.rows()
    assert rows.rows[0][0] == f"no. {found.winner.candidate}"
    assert "defaults" in [row[0] for row in rows.rows]
    assert "usual" in {row[rows.heads.index("lr")] for row in rows.rows}
    assert {len(row) for row in rows.rows} == {len(rows.heads)}


def test_the_verdict_says_when_it_may_be_chance(found):
    assert re.search(r"by 0\.\d+; another seed changes the score by 0\.\d+\. On lines .*: \+0\.", found.verdict)
    default = found.trials[0]
    better = [default._replace(candidate=1, score=default.score + 0.001, options={**default.options, "epochs": 6})]
    seeds = [default, default._replace(seed=2, score=default.score - 0.01)]
    near = pairloom.TuningResult(**{**vars(found), "trials": (*seeds, *better)})
    assert "So this may be chance: the defaults will do." in near.verdict
    alone = pairloom.TuningResult(**{**vars(found), "trials": tuple(seeds)})
    assert alone.verdict == "No other settings did better than the defaults."
    none = pairloom.TuningResult(**{**vars(found), "trials": ()})
    assert none.verdict.endswith("Nothing is known yet.")


def test_a_page_escapes_names_and_has_no_script(found):
    hostile = pairloom.TuningResult(**{**vars(found), "target": "<script>x</script>", "corpus": ("<b>.txt",)})
    text = page(hostile)
    assert "<script" not in text and "<b>" not in text
    assert "&lt;b&gt;.txt" in text
    assert text.count("<circle") == len(found.trials)


def test_a_chart_is_a_picture_of_its_own(found):
    drawn = chart(found).svg
    assert drawn.startswith("<svg xmlns=") and "<style>" in drawn
    assert drawn.count("<circle") == len(found.trials)
