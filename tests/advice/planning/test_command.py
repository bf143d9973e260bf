"""`pairloom plan`: tables for people, JSON for programs, a plot."""

import json
import xml.etree.ElementTree as ET

import pytest

from pairloom.cli.main import main

MEDIUM = ["plan", "--tokens", "10G", "--words", "2M", "--threads", "8", "--pairs-per-second", "2e6"]


@pytest.fixture
def printed(capsys):
    def run(*more):
        assert main([*MEDIUM, *map(str, more)]) == 0
        return capsys.readouterr().out

    return run


def test_the_tables_name_every_item_and_end_with_the_recommendation(printed):
    out = printed("--workers", 8)
    assert "On 8 workers with 8 threads each and a network of 10 Gb/s" in out
    for item in ("training", "network", "its rows, before and after the round", "rows that change their worker"):
        assert f"\n{item} " in out
    assert "\nWhat binds: " in out and "\nRecommended: " in out


def test_one_machine_has_no_traffic(printed):
    out = printed()
    assert "On one machine with 8 threads" in out and "received by a worker" not in out


def test_json_has_the_same_numbers(printed):
    found = json.loads(printed("--workers", 8, "--json"))
    assert found["words"] == 2_000_000 and found["tokens"] == 10**10 and found["workers"] == 8
    assert found["seconds"] == pytest.approx(sum(found["time"].values()))
    assert found["memory"] == sum(found["memory_items"].values())
    assert found["traffic"] == pytest.approx(sum(found["traffic_items"].values()))
    assert found["traffic_of_a_round"].keys() == found["traffic_items"].keys()
    eight = next(row for row in found["by_workers"] if row["workers"] == 8)
    assert eight == {name: found[name] for name in eight}
    assert found["recommended"] in [row["workers"] for row in found["by_workers"]]
    assert {"binds", "why", "parts", "rounds", "pairs", "start_up", "driver_memory"} <= found.keys()


def test_the_plot_is_an_svg_with_a_dot_for_every_number_of_workers(printed, tmp_path):
    found = json.loads(printed("--chart", tmp_path / "plan.svg", "--json"))
    drawn = ET.parse(tmp_path / "plan.svg").getroot()
    dots = [e for e in drawn.iter() if e.get("class", "").startswith("dot ")]
    assert len(dots) == len(found["by_workers"])


def test_a_corpus_is_planned_as_it_is_trained(corpus, capsys):
    assert main(["plan", str(corpus), "--min-count", "1", "--pairs-per-second", "1e6", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == 4800


def test_an_option_is_named_as_it_was_typed(capsys):
    assert main([*MEDIUM, "--network", "slow"]) == 2
    assert capsys.readouterr().err.startswith("pairloom plan: --network 'slow' is not the speed of a network.")
    assert main([*MEDIUM, "--workers", "0"]) == 2
    assert capsys.readouterr().err.startswith("pairloom plan: --workers 0 is out of range.")
