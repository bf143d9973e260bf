"""The scripts of other programs that docs/ shows beside ours run where those programs are installed."""

import shutil

import pytest

from tests.pages import blocks


@pytest.mark.parametrize(
    ("page", "package"), [("docs/from-gensim.md", "gensim"), ("docs/from-fasttext.md", "fasttext")]
)
def test_the_script_of_the_other_program_runs(page, package, ask, tmp_path):
    # Subsampling must leave pairs to every thread of fastText, whose mean loss is NaN for a thread without any.
    lines = (f"the king is a man and the queen is a woman w{i % 3000} w{7 * i % 3000}\n" for i in range(20_000))
    (tmp_path / "corpus.txt").write_text("".join(lines))
    script = blocks(page, "py")[0]
    assert (
        ask(package, f"import json, os, sys\nos.chdir(sys.argv[1])\n{script}\nprint(json.dumps('done'))", tmp_path)
        == "done"
    )
    shutil.rmtree(tmp_path)
