"""Write src/pairloom/method/tokens/unicode.txt: what `--tokenize words` knows about characters.

    python3.12 -m pip install uniseg==0.8.1 && python3.12 scripts/unicode_tables.py

The file is part of the package, so that all Pythons split a text into the same words: each has a Unicode of its own
(3.11 has 14.0, 3.12 has 15.0, 3.13 has 15.1). Categories and case foldings come from this Python, the property
Word_Break of UAX #29 from uniseg. Both must be of the same Unicode. A newer one changes words, so say so in the
changelog.
"""

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pairloom.method.tokens.characters import PATH, REMOVED, Kind

SURROGATES = range(0xD800, 0xE000)
PICTOGRAPHS = (range(0x2600, 0x27C0), range(0x1F000, 0x1FB00))  # where emoji are
NOT_SEEN = (0xFE0E, 0xFE0F)  # variation selectors: whether an emoji is shown as text or as a picture
# The two apostrophes of don't are one; a mark that would become a letter stays a mark.
OTHER_FOLDS = {0x2019: "'", 0x345: "\u0345"}
OF_WORD_BREAK = {
    "ALETTER": Kind.LETTER,
    "HEBREW_LETTER": Kind.HEBREW,
    "NUMERIC": Kind.NUMBER,
    "KATAKANA": Kind.KATAKANA,
    "EXTENDNUMLET": Kind.JOINER,
    "EXTEND": Kind.MARK,
    "ZWJ": Kind.ZWJ,
    "FORMAT": REMOVED,
    "REGIONAL_INDICATOR": Kind.FLAG,
    "MIDLETTER": Kind.MID_LETTER,
    "MIDNUM": Kind.MID_NUMBER,
    "MIDNUMLET": Kind.MID_BOTH,
    "SINGLE_QUOTE": Kind.MID_BOTH,
    "DOUBLE_QUOTE": Kind.MID_HEBREW,
}


def kind_of(code: int, word_break: Callable[[str], str]) -> Kind:
    """The kind of a character."""
    letter = chr(code)
    category = unicodedata.category(letter)
    if code in NOT_SEEN:
        return REMOVED
    found = OF_WORD_BREAK.get(word_break(letter).upper(), Kind.OTHER)
    if letter.isspace():  # a narrow space would join words
        return Kind.OTHER
    if found == Kind.OTHER and category.startswith("L"):
        return Kind.SINGLE
    pictograph = category == "So" and any(code in pictographs for pictographs in PICTOGRAPHS)
    return Kind.PICTURE if found == Kind.OTHER and pictograph else found


def ranges(codes: Iterable[int]) -> Iterator[str]:
    """Rising numbers as ranges, in hexadecimal: 41-5A 61-7A AA."""
    first = last = -1
    for code in [*codes, 1 << 30]:
        if code != last + 1:
            if first >= 0:
                yield f"{first:X}" if first == last else f"{first:X}-{last:X}"
            first = code
        last = code


def fold_lines(codes: Iterable[int]) -> Iterator[str]:
    """Foldings: `41-5A +20` for characters that are moved, `DF 73 73` for one that becomes several."""
    moved: dict[int, list[int]] = {}
    for code in codes:
        folded = [ord(letter) for letter in OTHER_FOLDS.get(code, chr(code).casefold())]
        if len(folded) > 1:
            yield " ".join(f"{number:X}" for number in (code, *folded))
        elif folded != [code]:
            moved.setdefault(folded[0] - code, []).append(code)
    for distance, some in sorted(moved.items()):
        yield f"{distance:+X} " + " ".join(ranges(some))


def main() -> None:
    import uniseg
    from uniseg.db import word_break

    if uniseg.unidata_version != unicodedata.unidata_version:
        sys.exit(f"uniseg has Unicode {uniseg.unidata_version}, this Python {unicodedata.unidata_version}.")
    codes = [code for code in range(0x110000) if code not in SURROGATES]
    kinds = {code: kind_of(code, word_break) for code in codes}
    lines = [f"Unicode {unicodedata.unidata_version}, by scripts/unicode_tables.py"]
    for kind in Kind:
        if kind != Kind.OTHER:
            lines.append(f"{kind.name} " + " ".join(ranges(code for code in codes if kinds[code] == kind)))
    lines += ["", *fold_lines(code for code in codes if kinds[code] != Kind.OTHER)]
    Path(PATH).write_text("\n".join(lines) + "\n")
    print(f"{PATH}: {len(lines)} lines")


if __name__ == "__main__":
    main()
