"""Page and models in one HTML file, which works from disk without a server.

The file holds the N most frequent words and contexts of each model, with their vectors as int8: for each row

    scale = max |v| / 127        v ≈ scale * q,  q = round(v / scale)

so that a cosine is off by less than a hundredth at the usual dimensions. The page says so. The bytes depend on the
models and on N only.

Everything in the file is inline, and a Content-Security-Policy allows exactly these scripts and styles, by their
hashes. Words are hostile text: they stand in JSON where `<` is written as an escape, so that no word can end the script
element or begin a comment.
"""

import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import numpy as np

from pairloom import __version__
from pairloom.config import check_whole
from pairloom.errors import InputError, MissingExtraError
from pairloom.explorer.answers import describe
from pairloom.explorer.joining import joined
from pairloom.explorer.models import ExploredModel
from pairloom.explorer.page_files import PageFile, page_files
from pairloom.system.display import quoted
from pairloom.types import Matrix
from pairloom.vectors.vectors import Vectors

WORDS = 10_000
MOST_WORDS = 1_000_000
CLASSES = 12  # as many as the page has colours

# regl compiles its draw commands by `Function` ('unsafe-eval'); see guard.py.
_POLICY = (
    "default-src 'none'; script-src {script} 'unsafe-eval'; style-src {style}; img-src data: blob:; "
    "worker-src blob:; base-uri 'none'; form-action 'none'"
)
_STYLE = re.compile(r'<link rel="stylesheet" href="(?:\./|/)?(?P<file>[\w./-]+)">')
_SCRIPT = re.compile(r'<script type="module" src="(?:\./|/)?(?P<file>[\w./-]+)"></script>')
_ICON = re.compile(r'(?P<before><link rel="icon" href=")(?:\./|/)?(?P<file>[\w./-]+)"')
_LOCAL = re.compile(r'\b(?:src|href)="(?!data:|#|https?:)[^"]*"')


def exported_page(
    models: Sequence[ExploredModel], words: int = WORDS, files: Mapping[str, PageFile] | None = None
) -> bytes:
    """The page with the `words` most frequent words of each model. `files` are those of the page if None is given."""
    check_whole("export_words", words, 1, MOST_WORDS, "10000 is usual")
    files = page_files() if files is None else files
    if "/" not in files:
        raise InputError("The page of the explorer is missing from this installation. Install pairloom again.")
    sources = {path[1:]: file.content.decode() for path, file in files.items() if path.endswith(".js")}
    html = files["/"].content.decode()
    style = _asset(_STYLE, html, files)
    script = _safe_script(joined(sources, _named(_SCRIPT, html)))
    data = json_in_html({"version": __version__, "models": [_model(model, words) for model in models]})
    policy = _POLICY.format(script=_hash(script), style=_hash(style))
    # As functions: in a replacement string, backslashes would be read as escapes.
    html = _ICON.sub(lambda match: f'{match["before"]}{_data_url(files, match["file"])}"', html)
    html = _STYLE.sub(lambda _: f"<style>{style}</style>", html)
    html = _SCRIPT.sub(lambda _: "", html)
    left = _LOCAL.search(html)
    if left:
        raise InputError(f"The page refers to another file, {quoted(left[0])}, so it cannot be one file. Inline it.")
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    html = html.replace('<meta charset="utf-8">', f'<meta charset="utf-8">\n{meta}', 1)
    end = f'<script type="application/json" id="embedded">{data}</script>\n<script>{script}</script>\n</body>'
    return html.replace("</body>", end, 1).encode()


def json_in_html(data: Any) -> str:
    r"""Data as JSON for a script element. It is ASCII, and `<`, `>` and `&` are escapes.

    >>> json_in_html(["</script>", "é"])
    '["\\u003c/script\\u003e","\\u00e9"]'
    """
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def quantised(rows: Matrix) -> tuple[bytes, bytes]:
    """Rows as int8, and the scale of each row as float32, both little-endian."""
    largest = np.abs(rows).max(axis=1) if rows.size else np.zeros(len(rows), np.float32)
    scales = (largest / 127).astype("<f4")
    safe = np.where(scales > 0, scales, 1).astype(np.float64)
    numbers = np.clip(np.rint(rows / safe[:, None]), -127, 127).astype(np.int8)
    return numbers.tobytes(), scales.tobytes()


def _model(model: ExploredModel, n: int) -> dict[str, Any]:
    embedding = model.embedding
    mapped = min(n, model.mapped)
    contexts = _contexts(model, n)
    facts = describe(model)
    return {
        **facts,
        "words": mapped,
        "mapped": mapped,
        "contexts": 0 if contexts is None else len(contexts),
        "all_words": facts["words"],
        "data": {
            "coordinates": _base64(np.ascontiguousarray(model.coordinates[:mapped], "<f4").tobytes()),
            "words": embedding.words.words[:mapped],
            "counts": embedding.words.counts[:mapped].tolist(),
            **_matrix("W", embedding.words.vectors[:mapped]),
            "classes": _classes(model, mapped),
            **({} if contexts is None else {"contexts": contexts.words, **_matrix("C", contexts.vectors)}),
            **_space(model, 0 if contexts is None else len(contexts)),
        },
    }


def _contexts(model: ExploredModel, n: int) -> Vectors | None:
    """The first n contexts. None if there are none, or only nodes of a tree: the page computes σ(v_w·v_c) with them."""
    contexts = model.embedding.contexts
    if not len(contexts) or model.embedding.objective != "negative":
        return None
    return Vectors(contexts.words[:n], contexts.vectors[:n])


def _matrix(name: str, rows: Matrix) -> dict[str, str]:
    numbers, scales = quantised(rows)
    return {name: _base64(numbers), f"{name}_scale": _base64(scales)}


def _classes(model: ExploredModel, mapped: int) -> str | None:
    try:
        return _base64(model.classes(CLASSES)[:mapped].tobytes())
    except MissingExtraError:
        return None


def _space(model: ExploredModel, contexts: int) -> dict[str, str]:
    """What explains the similarity of two words: see `ContextSpace`."""
    try:
        space = model.context_space if contexts else None
    except InputError:
        space = None
    if space is None:
        return {}
    return {
        "mean": _base64(space.mean.astype("<f4").tobytes()),
        "root": _base64(space.root.astype("<f4").tobytes()),
        "noise_root": _base64(space.weights[:contexts].astype("<f4").tobytes()),
    }


def _base64(data: bytes) -> str:
    return b64encode(data).decode()


def _named(pattern: re.Pattern[str], html: str) -> str:
    """The one file that a tag of the page names."""
    found = pattern.findall(html)
    if len(found) != 1:
        raise InputError(f"index.html needs one {pattern.pattern}, and has {len(found)}. Change the page.")
    return str(found[0])


def _asset(pattern: re.Pattern[str], html: str, files: Mapping[str, PageFile]) -> str:
    return files[f"/{_named(pattern, html)}"].content.decode()


def _data_url(files: Mapping[str, PageFile], name: str) -> str:
    file = files[f"/{name}"]
    return f"data:{file.media_type};base64,{_base64(file.content)}"


def _safe_script(script: str) -> str:
    """The script without the sequences that HTML gives a meaning inside a script element. In strings, the same."""
    return re.sub(r"<(?=/script|!--)", r"\\x3c", script, flags=re.IGNORECASE)


def _hash(inline: str) -> str:
    return f"'sha256-{_base64(sha256(inline.encode()).digest())}'"
