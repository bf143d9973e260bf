"""Text from files or from Python, as sentences that can be read more than once.

A corpus is read twice: to count its words and to encode them. So files are opened again, streams and remote files are
copied to temporary files, and a Python iterable must be able to start over.

The rules of text:
- A line is a sentence. Lines end at CR, LF, CRLF or the end of a file, and nowhere else.
- Words are the items of `line.split()`, or what another rule of `pairloom.method.tokens` finds.
- A byte order mark at the start of a file is dropped.
- Words longer than MAX_WORD_BYTES bytes are left out, with a warning.
- A NUL is a character like any other, but causes a warning.
- Files in JSON, CSV, CoNLL-U, XML or HTML are refused, unless `as_text` or a tokenizer is given.

>>> list(open_corpus([["the", "cat"], ["sat"]]).sentences())
[['the', 'cat'], ['sat']]
"""

import os
from dataclasses import replace

from pairloom.config import TextOptions, Tokenizer
from pairloom.corpus.finding import names_files
from pairloom.corpus.inputs.frames import frame_columns, is_frame
from pairloom.corpus.inputs.row_batch import column_advice
from pairloom.corpus.inputs.row_source import RowSource
from pairloom.corpus.kinds.columns import TextColumn, WordColumn
from pairloom.corpus.kinds.corpus import Corpus, GeneratedText
from pairloom.corpus.kinds.text_files import TextCorpus
from pairloom.corpus.kinds.token_lists import TokenCorpus
from pairloom.errors import CorpusTypeError
from pairloom.system.display import of_type, quoted
from pairloom.types import CorpusLike


def open_corpus(
    source: CorpusLike,
    *,
    text: TextOptions = TextOptions(),  # noqa: B008 (frozen, so one for all calls is safe)
    tokenize: Tokenizer | None = None,
) -> Corpus:
    """Open text files, or Python objects that hold token lists, as a corpus.

    source is one of
    - a path: a file (plain, gzip, bzip2, xz or zstd), a glob, a folder, or "-" for standard input
    - an address of a file, or of a glob or folder on an object store: s3://, gs://, https://
    - a list of such paths and addresses
    - an iterable of lists of words that can be read more than once: [["a", "b"], ["c", "d"]]
    - a `GeneratedText`, for example the result of `pairloom.walk`
    - with text.column, or text.session and text.item: files of JSON Lines, CSV, Parquet or Arrow, or a data frame
    tokenize: instead of text.tokenize, a function from a line, without its line end, to a list of words. A line longer
    than about a megabyte is cut at white space before it is tokenized.
    """
    text = text if tokenize is None else replace(text, tokenize=tokenize)
    if text.columns:
        return _open_columns(source, text)
    if isinstance(source, str | os.PathLike):
        return TextCorpus([source], text)
    if isinstance(source, list | tuple) and source and all(isinstance(item, str | os.PathLike) for item in source):
        if not any(isinstance(item, os.PathLike) or names_files(item) for item in source):
            raise CorpusTypeError(
                f"A sentence must be a list of words, but corpus[0] is the string {quoted(source[0])}. "
                "Use [s.split() for s in sentences]; if these are file names, no such files exist."
            )
        return TextCorpus(source, text)
    if text.tokenizer is not None:
        raise CorpusTypeError(
            f"tokenize= works on the lines of files, but the corpus is {of_type(source)}. "
            "Give a path, or token lists and no tokenize=."
        )
    if isinstance(source, GeneratedText):
        return source.open(text)
    if is_frame(source):
        raise CorpusTypeError(f"{of_type(source, 'A')} is a table: {_frame_advice(source)}")
    return TokenCorpus(source, text)


def _frame_advice(frame: object) -> str:
    if type(frame).__name__ == "Series":
        return "give its values as a list, for example by .tolist()."
    return column_advice(frame_columns(frame), None)


def _open_columns(source: CorpusLike, text: TextOptions) -> Corpus:
    """The columns of a table: texts, lists of words, or sessions."""
    table = RowSource(source, text)
    lists = table.holds_lists() or text.session is not None  # the first rows show what is wrong, before all takes long
    if lists and text.tokenizer is not None:
        raise CorpusTypeError("tokenize= works on texts, but these rows hold words already. Leave it out.")
    return WordColumn(source, table) if lists else TextColumn(source, table)
