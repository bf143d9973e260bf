"""All that `pairloom inspect` shows, as plain data."""

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from pairloom.config import TextOptions
from pairloom.corpus.inputs.arrow_rows import check_not_arrow
from pairloom.corpus.kinds.text_files import FileCorpus, TextCorpus
from pairloom.corpus.pieces import whole_files
from pairloom.corpus.plain_text import OtherFormat, other_format
from pairloom.corpus.sentences import open_corpus
from pairloom.preparing.inspection.findings import FOR_ITEMS, Oddity, findings
from pairloom.preparing.inspection.sample import MIN_COUNTS, SAMPLE_BYTES, TextSample, look_at_letters, read_sample
from pairloom.preparing.inspection.small_text import as_options, settings_for
from pairloom.progress import OnProgress, ignore
from pairloom.system.addresses import is_address, shown
from pairloom.types import PathName

_TEXT = 1 << 20  # characters as they are in the files, for what looks wrong
_LISTS = 10_000  # the same of a column of words
_FREQUENT, _NAMES = 20, 5
_LOOKED_AT = 1_000  # files, for their format
_FEWEST_SHARE = 0.001  # of letters; scripts with less are not shown


def inspect_corpus(
    source: PathName | Sequence[PathName], text: TextOptions, on_progress: OnProgress = ignore
) -> dict[str, Any]:
    """What will be read from some files, what looks wrong, and the command to run next."""
    paths = [os.fspath(path) for path in ([source] if isinstance(source, str | os.PathLike) else source)]
    sources = [path if is_address(path) else Path(path) for path in paths]
    paths = list(map(shown, paths))
    with open_corpus(sources, text=replace(text, as_text=True)) as corpus:
        assert isinstance(corpus, FileCorpus)
        if not text.as_text and not text.columns:
            check_not_arrow(corpus.files[0])
        beginning = _beginning(corpus)
        sample = read_sample(corpus, SAMPLE_BYTES, on_progress)
        look_at_letters(sample, beginning)
        others = [] if text.as_text or text.columns else list(_other_formats(corpus))
        size, names = corpus.size_bytes or 0, [file.name for file in corpus.files]
    odd = list(findings(sample, beginning[:_TEXT], text, others, n_files=len(names)))
    n_tokens = round(sample.tokens * (1 if sample.whole else size / max(1, sample.bytes_read)))
    return {
        "corpus": paths,
        "files": len(names),
        "names": names[:_NAMES],
        "bytes": size,
        "format": _format(text, [other.name for _, other in others], len(names)),
        "encoding": text.encoding,
        "tokenize": text.rule,
        **_of_sample(sample),
        "tokens_estimated": n_tokens,
        "wrong": [{"what": what, "advice": advice} for what, advice, _ in odd],
        "next": None if others or not sample.tokens else _command(paths, text, odd, n_tokens),
    }


def _other_formats(corpus: FileCorpus) -> Iterator[tuple[str, OtherFormat]]:
    """The files that are not plain text, as their beginnings show: of each its name and its format."""
    for piece in islice(whole_files(corpus.files, corpus.text), _LOOKED_AT):
        first = next(piece.blocks(plain=False, keep_unspaced=True), None)
        found = other_format(first[0].text, piece.file, corpus.text.encoding) if first else None
        if found:
            yield piece.file.name, found


def _format(text: TextOptions, others: Sequence[str], n_files: int) -> str:
    if text.columns:
        return f"the {'column' if len(text.columns) == 1 else 'columns'} {', '.join(text.columns)}"
    return "plain text" if not others else others[0] if len(others) == n_files else f"plain text and {others[0]}"


def _beginning(corpus: FileCorpus) -> str:
    """The first text as it is in the files."""
    if isinstance(corpus, TextCorpus):
        return next((block.text for _, block in corpus.file_blocks()), "")
    return "\n".join(" ".join(words) for words in islice(corpus.sentences(), _LISTS))


def _of_sample(sample: TextSample) -> dict[str, Any]:
    shown = list(zip(sample.words[:_FREQUENT], sample.counts.tolist(), strict=False))
    return {
        "whole": sample.whole,
        "bytes_read": sample.bytes_read,
        "lines": sample.lines,
        "empty_lines": sample.empty_lines,
        "tokens": sample.tokens,
        "words": len(sample.words),
        "first_lines": sample.first,
        "frequent": [[word, n] for word, n in shown],
        "kept": [
            {"min_count": least, "words": n, "tokens": round(share, 4)}
            for least in MIN_COUNTS
            for n, share in [sample.kept(least)]
        ],
        "scripts": {script: round(share, 4) for script, share in sample.scripts.items() if share >= _FEWEST_SHARE},
    }


def _command(paths: Sequence[str], text: TextOptions, odd: Sequence[Oddity], n_tokens: int) -> str:
    """The command that trains on these files, with the options that the findings ask for."""
    usual = TextOptions()
    given = [f"--encoding {text.encoding}"] if text.encoding != usual.encoding else []
    given += [f"--errors {text.errors}"] if text.errors != usual.errors else []
    given += [f"--max-sentence {text.max_sentence}"] if text.max_sentence != usual.max_sentence else []
    given += ["--as-text"] if text.as_text else []
    columns = ((name, getattr(text, name)) for name in ("column", "session", "item", "order"))
    given += [f"--{name} {shlex.quote(column)}" for name, column in columns if column is not None]
    given += ["--lowercase"] if text.lowercase else []
    advised = [option for finding in odd for option in finding.options]
    if text.rule != "spaces" and not any(option.startswith("--tokenize") for option in advised):
        given.append(f"--tokenize {text.rule}")
    if text.item is not None:
        advised.append(FOR_ITEMS)
    settings = {} if FOR_ITEMS in advised else settings_for(n_tokens)
    command = ["pairloom train", *map(shlex.quote, paths), "-o vectors.loom", *given, *advised, as_options(settings)]
    return " ".join(filter(None, command))
