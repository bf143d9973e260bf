"""All that `pairloom inspect` shows, as plain data."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from pairloom.config import TextOptions
from pairloom.corpus.inputs.arrow_rows import check_not_arrow
from pairloom.corpus.kinds.text_files import FileCorpus, TextCorpus
from pairloom.corpus.plain_text import other_format
from pairloom.corpus.sentences import open_corpus
from pairloom.preparing.inspection.findings import FOR_ITEMS, Oddity, findings
from pairloom.preparing.inspection.sample import MIN_COUNTS, SAMPLE_BYTES, TextSample, look_at_letters, read_sample
from pairloom.preparing.inspection.small_text import as_options, settings_for
from pairloom.progress import OnProgress, ignore
from pairloom.system.addresses import is_address, shown
from pairloom.types import PathName

_TEXT = 1 << 20  # characters as they are in the files, for what looks wrong
_LISTS = 10_000  # the same of a column of words
_FREQUENT = 20
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
        other = None if text.as_text or text.columns else other_format(beginning, corpus.files[0])
        size, n_files = corpus.size_bytes or 0, len(corpus.files)
    odd = list(findings(sample, beginning[:_TEXT], text, other))
    n_tokens = round(sample.tokens * (1 if sample.whole else size / max(1, sample.bytes_read)))
    return {
        "corpus": paths,
        "files": n_files,
        "bytes": size,
        "format": other.name if other else f"the column {', '.join(text.columns)}" if text.columns else "plain text",
        "encoding": text.encoding,
        "tokenize": text.rule,
        **_of_sample(sample),
        "tokens_estimated": n_tokens,
        "wrong": [{"what": what, "advice": advice} for what, advice, _ in odd],
        "next": None if other or not sample.tokens else _command(paths, text, odd, n_tokens),
    }


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
    given = [f"--encoding {text.encoding}"] if text.encoding != TextOptions().encoding else []
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
