"""The short form of `reliability.bombs`."""

from reliability import bombs


def test_bombs_end_in_one_line_and_little_memory():
    (figure,) = bombs.measure(short=True, seed=0)
    assert figure.misses == []
    assert figure.met


def test_there_are_twenty_bombs_or_more_that_differ():
    assert len({bomb.name for bomb in bombs.BOMBS}) == len(bombs.BOMBS) >= 20


def test_what_takes_too_much_is_missed():
    bomb = bombs.BOMBS[0]
    ended = bombs.Ended(2, 0.1, 1 << 20, "one line\n")
    assert bombs._miss(bomb, 1000, ended) == ""
    assert "exit code 1" in bombs._miss(bomb, 1000, ended._replace(code=1))
    assert "not one line" in bombs._miss(bomb, 1000, ended._replace(errors="Traceback\nKeyError\n"))
    assert "MB more" in bombs._miss(bomb, 1000, ended._replace(peak=65 << 20))
    assert "s more" in bombs._miss(bomb, 1000, ended._replace(seconds=2.5))
