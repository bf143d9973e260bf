"""Commands and functions with addresses: the same bytes as from local files, or a refusal that says why."""

import gzip
import json

import pytest

import pairloom
from pairloom.cli.main import main
from pairloom.errors import InputError

TEXT = b"the cat sat on the mat\nthe dog sat on the cat\n" * 40
OPTIONS = ["--dim", "8", "--sample", "0", "--epochs", "1", "--min-count", "1", "-q"]


@pytest.fixture
def files(bucket, tmp_path):
    """Texts and tables, on the server and below tmp_path/shop."""
    rows = [{"body": "the cat sat", "n": i} for i in range(50)]
    bucket.files = {
        "/shop/text/a.txt.gz": gzip.compress(TEXT),
        "/shop/text/b.txt": b"one more file\n" * 20,
        "/shop/rows.jsonl": "".join(json.dumps(row) + "\n" for row in rows).encode(),
        "/shop/rows.tsv": b"n\tbody\n" + b"1\tthe cat, it sat\n" * 50,
    }
    arro3 = pytest.importorskip("arro3.io"), pytest.importorskip("arro3.core")
    (tmp_path / "shop" / "text").mkdir(parents=True)
    arro3[0].write_parquet(
        arro3[1].Table.from_pydict({"body": arro3[1].Array([row["body"] for row in rows], arro3[1].DataType.string())}),
        tmp_path / "shop" / "rows.parquet",
    )
    bucket.files["/shop/rows.parquet"] = (tmp_path / "shop" / "rows.parquet").read_bytes()
    for name, data in bucket.files.items():
        (tmp_path / name[1:]).write_bytes(data)
    return bucket


@pytest.mark.parametrize(
    ("path", "options"),
    [
        ("text/*", []),
        ("text", []),
        ("text/a.txt.gz", []),
        ("rows.jsonl", ["--column", "body"]),
        ("rows.tsv", ["--column", "body"]),
        ("rows.parquet", ["--column", "body"]),
    ],
)
@pytest.mark.parametrize("scheme", ["s3", "gs", "http"])
def test_a_training_gives_the_bytes_of_the_local_file(files, tmp_path, scheme, path, options):
    root = f"{files.address}/shop" if scheme == "http" else f"{scheme}://shop"
    if scheme == "http" and "." not in path:
        pytest.skip("web servers list no files")
    models = [tmp_path / "local.loom", tmp_path / "remote.loom"]
    for model, source in zip(models, (tmp_path / "shop", root), strict=True):
        assert main(["train", f"{source}/{path}", "-o", str(model), *OPTIONS, *options]) == 0
    assert models[0].read_bytes() == models[1].read_bytes()


def test_other_commands_read_addresses_too(files, tmp_path, capsys):
    for command in (["inspect"], ["vocab", "-o", f"{tmp_path}/v.txt"], ["phrases", "-o", f"{tmp_path}/p.txt"]):
        assert main([*command, "s3://shop/text/a.txt.gz", f"{files.address}/shop/text/b.txt"]) == 0
    assert (tmp_path / "v.txt").read_text().startswith("the ")
    assert "s3://shop/text/a.txt.gz" in capsys.readouterr().out
    assert main(["inspect", f"{files.address}/shop/text/b.txt?signature=SECRET"]) == 0
    assert "SECRET" not in "".join(capsys.readouterr())


def test_a_saved_command_has_no_secret_and_asks_for_it(files, tmp_path, capsys):
    folder = tmp_path / "run"
    signed = f"{files.address}/shop/text/b.txt?signature=SECRET"
    begin = ["train", signed, "-o", f"{tmp_path}/m.loom", "--checkpoint", str(folder), *OPTIONS]
    assert main([*begin, "--report", f"{tmp_path}/r.html"]) == 0
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"SECRET" in path.read_bytes()]
    assert b"b.txt" in (tmp_path / "r.html").read_bytes()
    capsys.readouterr()
    assert main(["train", "--resume", str(folder)]) == 2
    assert capsys.readouterr().err == (
        f"pairloom train: The password or query of {files.address}/shop/text/b.txt was not saved. Type the whole "
        "command again, with --resume instead of --checkpoint.\n"
    )
    assert main(["train", signed, "-o", f"{tmp_path}/m.loom", "--resume", str(folder), *OPTIONS]) == 0
    unsigned = [*begin, "--checkpoint", f"{folder}2"]
    unsigned[1] = "s3://shop/text/b.txt"
    assert main(unsigned) == 0
    assert main(["train", "--resume", f"{folder}2"]) == 0


@pytest.mark.parametrize(
    ("call", "what", "shown"),
    [
        (lambda: pairloom.load("https://me:SECRET@h/m.loom?SECRET"), "A file of vectors", "https://h/m.loom"),
        (lambda: pairloom.train([["a", "b"]], output="s3://shop/m.loom"), "The output", "s3://shop/m.loom"),
        (lambda: pairloom.Vocabulary.read("https://h/v.txt"), "A list", "https://h/v.txt"),
    ],
)
def test_what_must_be_local_says_so(call, what, shown):
    with pytest.raises(InputError) as error:
        call()
    assert str(error.value) == (
        f"{what} must be a file on this machine, and {shown} is an address. Give the path of a local file."
    )
