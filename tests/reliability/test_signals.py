"""The short form of `reliability.signals`."""

from reliability import signals


def test_the_short_form_meets_its_bar():
    for figure in signals.measure(short=True, seed=0):
        assert figure.met, figure.misses


def test_ends_that_miss_the_bar_are_told():
    line = "pairloom train: interrupted; no file is left half-written.\n"
    assert signals.missed(signals.Ended(15, 0.1, 143, line, 0.2)) == ""
    for code, said in ((130, line), (None, ""), (143, ""), (143, "Traceback\n"), (143, line + line)):
        assert signals.missed(signals.Ended(15, 0.1, code, said, 0.2))
