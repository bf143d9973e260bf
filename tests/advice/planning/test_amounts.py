"""Amounts as people write them."""

import pytest

from pairloom.advice.planning.amounts import checked_amount, checked_network
from pairloom.errors import ConfigError


@pytest.mark.parametrize(("text", "amount"), [("1T", 10**12), ("1b", 10**9), ("2.5M", 2_500_000), ("70K", 70_000)])
def test_thousands_have_letters(text, amount):
    assert checked_amount("tokens", text, 2, 10**15, "") == amount


@pytest.mark.parametrize("text", ["", "1X", "-1", "1e9", "nan", "1 T", "9" * 50, "T"])
def test_other_text_is_not_an_amount(text):
    with pytest.raises(ConfigError, match=r"^words="):
        checked_amount("words", text, 2, 10**9, "of the vocabulary")


@pytest.mark.parametrize(("network", "speed"), [("10Gb", 1.25e9), ("100Gb/s", 1.25e10), ("400Mbps", 5e7), (8e6, 1e6)])
def test_a_network_is_in_bits_or_bytes(network, speed):
    assert checked_network(network) == speed


@pytest.mark.parametrize("network", ["", "fast", "10", "Gb", "1b", "-1Gb", None, True, float("nan"), 10, "9" * 50])
def test_other_networks_are_refused(network):
    with pytest.raises(ConfigError, match=r"^network="):
        checked_network(network)
