"""Files, folders and globs on object stores are those that a local disk would have, in the same order."""

import pytest

from pairloom.corpus.finding import find_files, remove_spooled
from pairloom.corpus.remote.listing import matches
from pairloom.errors import InputError


def names(*sources):
    found = find_files(sources)
    remove_spooled(found)
    return [file.name.partition("shop/")[2] for file in found]


@pytest.mark.parametrize("scheme", ["s3", "gs"])
@pytest.mark.parametrize(
    "path",
    [
        "corpus/a.txt",
        "corpus",
        "corpus/",
        "corpus/*.txt",
        "corpus/**/*.txt",
        "**/[a-c].txt",
        "corpus/.*.txt",
        "*/?.txt",
        "*.txt",
        "",
    ],
)
def test_an_address_stands_for_the_files_that_a_path_stands_for(bucket, tmp_path, scheme, path):
    for name, data in bucket.files.items():
        (tmp_path / name[1:]).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name[1:]).write_bytes(data)
    assert names(f"{scheme}://shop/{path}") == names(f"{tmp_path}/shop/{path}") != []


def test_a_listing_has_all_pages(bucket):
    bucket.files |= {f"/shop/many/{i:02}.txt": b"x\n" for i in range(15)}
    assert names("s3://shop/many/*") == [f"many/{i:02}.txt" for i in range(15)]


def test_a_name_with_brackets_is_found_before_what_it_matches(bucket):
    bucket.files |= {"/shop/x[1].txt": b"x\n", "/shop/x1.txt": b"y\n"}
    assert names("s3://shop/x[1].txt") == ["x[1].txt"]


@pytest.mark.parametrize("name", ["a b.txt", "é.txt", "100%.txt", "a+b.txt", "what?.txt", "a#b.txt"])
def test_any_name_is_taken_as_it_is(bucket, name):
    bucket.files[f"/shop/odd/{name}"] = b"x\n"
    assert names(f"s3://shop/odd/{name}", "s3://shop/odd") == [f"odd/{name}"] * 2


def test_addresses_and_paths_keep_their_order(bucket, tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "local.txt").write_bytes(b"local\n")
    sources = "s3://shop/top.txt", tmp_path / "shop" / "local.txt", "s3://shop/corpus/a.txt", "s3://shop/top.txt"
    assert names(*sources) == ["top.txt", "local.txt", "corpus/a.txt", "top.txt"]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("s3://shop/none.txt", "s3://shop/none.txt does not exist. Check the address of the corpus."),
        ("s3://shop/none/*.txt", "No file matches s3://shop/none/*.txt. Check the pattern."),
        ("gs://none/a.txt", "gs://none/a.txt: no such bucket. Check the address."),
        ("s3:///a.txt", "s3:///a.txt has no bucket. Write s3://bucket/path."),
        (
            "s3://shop/corpus/sub2/",
            "The folder s3://shop/corpus/sub2/ has no files that end in .txt, .gz, .bz2, .xz, .zst, and only these are "
            "read from a folder. Give other files by name or by a glob.",
        ),
        (
            "https://host/*.txt",
            "https://host/*.txt: web servers do not list their files. Give the address of each file.",
        ),
    ],
)
def test_what_is_not_there_is_said(bucket, address, message):
    bucket.files["/shop/corpus/sub2/x.md"] = b""
    with pytest.raises(InputError) as error:
        find_files([address])
    assert str(error.value) == message


def test_local_paths_are_checked_before_anything_is_contacted(bucket, tmp_path):
    with pytest.raises(InputError, match=r"missing.txt does not exist"):
        find_files(["s3://shop/top.txt", tmp_path / "missing.txt"])
    assert bucket.requests == []


def test_a_pattern_of_two_stars_takes_any_depth():
    assert matches(["a.txt"], ["**", "a.txt"]) and matches(["x", "y", "a.txt"], ["**", "a.txt"])
    assert not matches([".x", "a.txt"], ["**", "a.txt"])
    assert not matches([], ["a"]) and matches(["x"], ["**"])
