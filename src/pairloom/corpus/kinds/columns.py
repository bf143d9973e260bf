"""Columns of a table as a corpus: texts, lists of words, or the items of sessions."""

import os
from collections.abc import Iterator, Sequence

from pairloom.corpus.decoding import ByteBlock, TextBlock
from pairloom.corpus.inputs.row_source import RowSource
from pairloom.corpus.inputs.sentences_of import Sessions, lists_of, text_blocks_of
from pairloom.corpus.inputs.word_lists import WordLine, short_enough
from pairloom.corpus.kinds.text_files import FileCorpus, TextCorpus
from pairloom.corpus.kinds.token_lists import as_given
from pairloom.corpus.pieces import NUL, TextPiece
from pairloom.errors import InputError
from pairloom.system.display import of_type
from pairloom.types import CorpusLike, PathName


class TextColumn(TextCorpus):
    """The texts of a column. Only this machine reads them."""

    def __init__(self, source: CorpusLike, table: RowSource) -> None:
        self._table = table
        super().__init__(_sources(source), table.text, table.files)

    def pieces(self) -> list[TextPiece]:
        return []

    def _byte_blocks(self) -> Iterator[tuple[str, ByteBlock]]:
        blocks = self.file_blocks(self._plain)
        return ((name, ByteBlock(text.encode(), goes_on, read)) for name, (text, goes_on, read) in blocks)

    def file_blocks(self, plain: bool = False) -> Iterator[tuple[str, TextBlock]]:
        self.odd_characters.clear()
        try:
            for name, block in text_blocks_of(self._table):
                self.add_odd(name, {NUL: block.text.count(NUL)})
                yield name, block._replace(text=block.text.lower()) if self.text.lowercase else block
        except InputError:
            self.check_unchanged()
            raise
        self.empty_rows = self._table.nulls


class WordColumn(FileCorpus):
    """Lists of words in a column, or the items of sessions."""

    def __init__(self, source: CorpusLike, table: RowSource) -> None:
        self._table = table
        self._sessions = Sessions(table) if table.text.session is not None else None
        super().__init__(_sources(source), table.files, table.text)

    def word_lines(self) -> Iterator[WordLine]:
        self.odd_characters.clear()
        nuls = 0
        for words, done in self._lists():
            nuls += sum(word.count(NUL) for word in words)
            yield WordLine(*short_enough(as_given(words, self.text)), False, done)
        self.add_odd(self.name, {NUL: nuls})
        self.empty_rows = self._table.nulls

    def _lists(self) -> Iterator[tuple[list[str], int]]:
        if self._sessions is None:
            return lists_of(self._table)
        return ((items, self.size_bytes or 0) for items in self._sessions)


def _sources(source: CorpusLike) -> Sequence[PathName]:
    """Where a table is, for its name: paths, or what type it has."""
    if isinstance(source, str | os.PathLike):
        return [source]
    return source if isinstance(source, list | tuple) else [f"the corpus ({of_type(source)})"]
