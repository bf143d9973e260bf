"""The kernel that reads decimal numbers gives Python's, to the last bit, or leaves them to Python."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import pairloom
from pairloom.formats import read_text
from pairloom.kernel.text.numbers import parse_rows


def parse(text: bytes, rows: int, dim: int):
    vectors = np.full((rows, dim), np.nan, np.float32)
    starts, ends = np.empty(rows + 1, np.int64), np.empty(rows, np.int64)
    parse_rows(np.frombuffer(text, np.uint8), vectors, starts, ends)
    return vectors, starts.tolist(), ends.tolist()


def expected(field: str) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float32(float(field))


def same(a, b) -> bool:
    return np.float32(a).tobytes() == np.float32(b).tobytes()


def parsed(field: str):
    """The number, or None if the kernel leaves it to Python."""
    vectors, _, ends = parse(f"w {field}\n".encode(), 1, 1)
    return None if ends == [-1] else vectors[0, 0]


FIELDS = "0 -0 1 -1 +1 1. .5 -.5 0.1 00.10 1e5 1E-5 1e+05 3.4028235e38 1.1754944e-38 1e-45 7e-46 0e999 -0.0e5 1e39 "
FIELDS += "123456789012345678901234567890 0.000000000000000000000000012345678901234567890123456789 16777217 16777219 "
FIELDS += "0.30000001192092895507812 8.5899345919999e9 1e-300 9.99999999999999999999e22 2.2250738585072014e-308"


@pytest.mark.parametrize("field", FIELDS.split())
def test_a_number_is_pythons_or_is_left_to_python(field):
    found = parsed(field)
    assert found is None or same(found, expected(field))


@pytest.mark.parametrize("field", "nan inf -inf 1_0 x 1e 1e+ . - + 1x 0x1 1.2.3 1,5 --1 １".split())
def test_what_is_no_plain_number_is_left_to_python(field):
    assert parsed(field) is None


def test_a_tie_between_two_float32_is_left_to_python():
    assert parsed("16777217") is None  # halfway between 16777216 and 16777218
    assert same(parsed("16777216.9"), 16777216) and same(parsed("16777217.1"), 16777218)


@settings(max_examples=500, deadline=None)
@example(0.1, "%.17g")
@given(
    st.floats(allow_nan=False, allow_infinity=False) | st.floats(width=32, allow_nan=False, allow_infinity=False),
    st.sampled_from(["%r", "%.9g", "%.5g", "%f", "%.18e", "%.30f", "%.6f", "%.17g"]),
)
def test_any_number_in_any_notation_is_pythons_or_is_left_to_python(number, notation):
    field = notation % number
    found = parsed(field)
    assert found is None or same(found, expected(field))


def test_numbers_as_near_to_a_tie_as_digits_allow_are_pythons_or_are_left_to_python():
    rng = np.random.default_rng(0)
    below = rng.normal(size=3000).astype(np.float32) * np.float32(10) ** rng.integers(-30, 30, 3000).astype(np.float32)
    ties = (below.astype(np.float64) + np.nextafter(below, np.float32(np.inf)).astype(np.float64)) / 2
    near = [np.nextafter(ties, -np.inf), ties, np.nextafter(ties, np.inf)]
    fields = [f"{number:.{digits}e}" for numbers in near for number in numbers.tolist() for digits in (15, 16, 17, 20)]
    vectors, _, ends = parse("".join(f"w {field}\n" for field in fields).encode(), len(fields), 1)
    wrong = [f for f, v, end in zip(fields, vectors[:, 0], ends, strict=True) if end > 0 and not same(v, expected(f))]
    assert wrong == []


def test_hardly_any_number_is_left_to_python():
    rng = np.random.default_rng(0)
    numbers = rng.normal(scale=10.0 ** rng.integers(-12, 5, 20_000))  # beyond 2^24 ties are common
    for notation in ("%.9g", "%r", "%.6f", "%.18e"):
        fields = [notation % number for number in numbers.tolist()]
        text = "".join(f"w {field}\n" for field in fields).encode()
        vectors, _, ends = parse(text, len(fields), 1)
        assert ends.count(-1) < 5
        wrong = [
            f for f, v, end in zip(fields, vectors[:, 0], ends, strict=True) if end > 0 and not same(v, expected(f))
        ]
        assert wrong == []


@pytest.mark.parametrize(
    ("line", "regular"),
    [
        ("word 1 2\n", True),
        ("word 1 2 \n", True),
        ("word 1 2\r\n", True),
        ("word\t1\t 2\n", True),
        ("word 1 2 3\n", False),
        ("word 1\n", False),
        ("word\n", False),
        ("two words 1 2\n", False),
        (" 1 2\n", False),
        ("w\x0bwd 1 2\n", False),
        ("\x0c 1 2\n", False),
        ("\n", False),
    ],
)
def test_a_line_is_read_if_it_is_a_word_and_the_numbers_and_else_left_to_python(line, regular):
    text = (line + "next 3 4\n").encode()
    vectors, starts, ends = parse(text, 2, 2)
    assert starts == [0, len(line), len(text)]
    assert ends == [4 if regular else -1, len(line) + 4]
    assert vectors[1].tolist() == [3, 4]


@pytest.mark.parametrize("odd", [None, b"w7 1 2", b"two words 1 2", b"w7 1 16777217"])
def test_the_kernel_and_python_read_a_file_alike(tmp_path, monkeypatch, odd):
    rng = np.random.default_rng(1)
    lines = [b"w%d %r %.6f" % (i, *rng.normal(size=2).tolist()) for i in range(300)]
    lines[7] = odd or lines[7]
    (tmp_path / "v.txt").write_bytes(b"300 2\n" + b"\n".join(lines) + b"\n")
    loaded = {}
    monkeypatch.setattr(read_text, "_KERNEL", 0)
    for few in (0, 10**9):
        monkeypatch.setattr(read_text, "_FEW_NUMBERS", few)
        loaded[few] = pairloom.load(tmp_path / "v.txt", lenient=True).words  # with a space in a word, too
    assert loaded[0].words == loaded[10**9].words
    assert loaded[0].vectors.tobytes() == loaded[10**9].vectors.tobytes()


def test_the_kernels_faults_name_the_line(tmp_path, monkeypatch):
    monkeypatch.setattr(read_text, "_FEW_NUMBERS", 0)
    monkeypatch.setattr(read_text, "_KERNEL", 0)
    monkeypatch.setattr(read_text, "_BLOCK", 64)
    for odd, message in [(b"w 1 x", "b'x' where a number belongs"), (b"w 1 nan", "holds NaN"), (b"w\xff 1 2", "UTF-8")]:
        lines = [b"w%d 1 2" % i for i in range(300)]
        lines[200] = odd
        (tmp_path / "v.txt").write_bytes(b"300 2\n" + b"\n".join(lines) + b"\n")
        with pytest.raises(pairloom.InputError, match=rf"line 202\b.*{message}"):
            pairloom.load(tmp_path / "v.txt")
