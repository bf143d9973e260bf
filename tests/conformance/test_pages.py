"""The scripts of other programs that docs/ shows beside ours run where those programs are installed."""

import shutil

import pytest

from tests.pages import blocks


@pytest.mark.parametrize(
    ("page", "package"), [("docs/from-gensim.md", "gensim"), ("docs/from-fasttext.md", "fasttext")]
)
def test_the_script_of_the_other_program_runs(page, package, ask, tmp_path):
    (tmp_path / "corpus.txt").write_text("the king is a man and the queen is a woman\n" * 50)
    script = blocks(page, "py")[0]
    assert (
        ask(package, f"import json, os, sys\nos.chdir(sys.argv[1])\n{script}\nprint(json.dumps('done'))", tmp_path)
        == "done"
    )
    shutil.rmtree(tmp_path)
