"""Guess the encoding of text that could not be decoded, to say in the error message what its bytes speak for.

Each candidate is an encoding with the usual letters of a language. If the bytes are valid in the encoding, and enough
of the characters beyond ASCII are usual letters in a usual place, the text may be in it. The best candidate is the
guess, and without a good one there is none: latin-1 can decode every file, and makes nonsense of most.
"""

import codecs
import re
from collections import Counter
from typing import NamedTuple

_SAMPLE = 1 << 14  # bytes around the error
_FEW = 16  # bytes; fewer show nothing about NULs
_PLANES = 0x10  # the largest third byte of UTF-32
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # not in text, in any encoding of a candidate
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
# Marks that text in several languages has. They neither speak for a language nor against it.
_NEUTRAL = set("\u00a0°§©®™€£·•‚„“”‘’–—…«»‹›、。，．「」『』（）！？：；《》・ー　％〜～\ufeff")


class _Language(NamedTuple):
    """Usual letters beyond ASCII, and the least share of the characters beyond ASCII that they have in a text."""

    letters: frozenset[str]
    least: float
    latin: bool = False  # its letters stand among those of ASCII, and a capital only begins a word
    fewest: int = 5  # characters beyond ASCII; fewer speak for no language


def _alphabet(letters: str, fewest: int = 5) -> _Language:
    return _Language(frozenset(letters), 0.8, latin=True, fewest=fewest)


_WESTERN = _alphabet("äöüßéèàâçêëîïôûùœæñáíóúãõåøìò¿¡£“”‘’–—…«»°€", fewest=1)
_ICELANDIC = _alphabet("áéíóúýöðþæ")
_POLISH = _alphabet("ąćęłńóśźż")
_CZECH = _alphabet("áčďéěíňóřšťúůýžľäô")
_HUNGARIAN = _alphabet("áéíóöőúüű")
_ROMANIAN = _alphabet("ăâîşţ")
_CROATIAN = _alphabet("čćđšž")
_BALTIC = _alphabet("āčēģīķļņšūžąęėįų")
_TURKISH = _alphabet("çğıöşüâî")
# 0.84 of the letters of a Russian text. Capitals of cp1251 that are read as koi8-r look like 0.59.
_RUSSIAN = _Language(frozenset("оеаинтсрвлкмдпуяі"), 0.65)
_GREEK = _Language(frozenset("αοιετσνηυρπκμλςάέήίόύώ"), 0.7)
_JAPANESE = _Language(frozenset(map(chr, range(0x3041, 0x3094))), 0.25)  # hiragana
_SIMPLIFIED = _Language(
    frozenset(
        "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种"
        "事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实"
    ),
    0.15,
)
_TRADITIONAL = _Language(
    frozenset(
        "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種"
        "事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實"
    ),
    0.15,
)
_KOREAN = _Language(
    frozenset("이다는의에을를가고하은지한도로서기사나리어아대자시정그인일들있해것보수과으니었전부라"), 0.3
)
_CANDIDATES = (
    ("cp1250", _HUNGARIAN),  # before the western languages, which have all of its letters but at most one at a time
    ("cp1252", _WESTERN),  # latin-1 is the same without quotation marks and dashes
    ("cp1252", _ICELANDIC),
    *((encoding, language) for language in (_POLISH, _CZECH, _ROMANIAN, _CROATIAN)
      for encoding in ("cp1250", "iso-8859-2")),
    ("cp1257", _BALTIC),
    ("cp1254", _TURKISH),
    ("cp1251", _RUSSIAN),
    ("mac_cyrillic", _RUSSIAN),  # has the small letters of cp1251 but for one
    ("koi8-r", _RUSSIAN),
    ("koi8-u", _RUSSIAN),
    ("cp866", _RUSSIAN),
    ("cp1253", _GREEK),
    ("iso-8859-7", _GREEK),
    ("shift_jis", _JAPANESE),
    ("cp932", _JAPANESE),
    ("euc-jp", _JAPANESE),
    ("gb18030", _SIMPLIFIED),
    ("big5", _TRADITIONAL),
    ("cp949", _KOREAN),  # has all of euc-kr, and the syllables that euc-kr lacks
)  # fmt: skip


def guessed_encoding(data: bytes, at: int) -> str | None:
    """The encoding that the bytes around `at` speak for, or None."""
    if len(_CONTROLS.findall(data)) * 100 > len(data):  # not text
        return None
    sample = _lines_around(data, at)
    if is_valid(sample, "utf-8"):
        return "utf-8"
    found = [(_fit(sample, encoding, language), encoding) for encoding, language in _CANDIDATES]
    best, encoding = max(found, key=lambda fit: fit[0])  # the first of several that fit alike
    return _simplest(sample, encoding) if best >= 1.0 else None


def _simplest(sample: bytes, encoding: str) -> str:
    """cp1252 if it makes the same text of the bytes, since it is best known."""
    return "cp1252" if sample.decode("cp1252", "ignore") == sample.decode(encoding, "ignore") else encoding


def is_mostly_utf8(data: bytes) -> bool:
    """Whether most characters beyond ASCII are valid UTF-8, so that the others are damage."""
    text = data.decode("utf-8", "replace")
    invalid = text.count("\ufffd")
    valid = sum(map(len, _BEYOND_ASCII.findall(text))) - invalid
    return valid > 3 * invalid


def wide_encoding(head: bytes) -> str | None:
    """UTF-16 or UTF-32, if a byte order mark or the places of NUL bytes show it."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = head[: min(_SAMPLE, len(head)) // 4 * 4]
    if len(sample) < _FEW:
        return None
    first, second, third, fourth = (sample[i::4] for i in range(4))
    if not any(fourth) and max(third) <= _PLANES and any(first):
        return "utf-32-le"
    if not any(first) and max(second) <= _PLANES and any(fourth):
        return "utf-32-be"
    for encoding, high, low in (("utf-16-le", sample[1::2], sample[0::2]), ("utf-16-be", sample[0::2], sample[1::2])):
        if 0 in high and low.count(0) * 10 < len(low) and (_is_alphabetic(high) or _is_east_asian(sample, encoding)):
            return encoding
    return None


def other_byte_order(head: bytes, encoding: str) -> str | None:
    """The other of utf-16-le and utf-16-be, if spaces and line ends are only found in it."""
    orders = {"utf-16-le": "utf-16-be", "utf-16-be": "utf-16-le"}
    other = orders.get(codecs.lookup(encoding).name)
    if other is None:
        return None
    usual = {name: _n_usual_in_any_language(head, name) for name in orders}
    return other if usual[other] > usual[orders[other]] else None


def _n_usual_in_any_language(head: bytes, encoding: str) -> int:
    """The number of spaces, line ends and byte order marks. In the other byte order they are U+2000, U+0A00, U+FFFE."""
    text = head[:_SAMPLE].decode(encoding, "replace")
    return sum(map(text.count, (" ", "\n", "\ufeff")))


def _is_alphabetic(high: bytes) -> bool:
    """Whether these may be the high bytes of UTF-16 in an alphabet: 0 for ASCII, and hardly more than one other."""
    usual = dict(Counter(high).most_common(2))
    return 0 in usual and sum(usual.values()) > 0.8 * len(high)


def _is_east_asian(sample: bytes, encoding: str) -> bool:
    return any(_fit(sample, encoding, language) >= 1.0 for language in (_JAPANESE, _SIMPLIFIED, _TRADITIONAL, _KOREAN))


def is_valid(data: bytes, encoding: str) -> bool:
    """Whether the bytes can be decoded, but for a character cut at the end."""
    try:
        codecs.getincrementaldecoder(encoding)().decode(data)
    except UnicodeError:
        return False
    return True


def _lines_around(data: bytes, at: int) -> bytes:
    """Whole lines around a byte, if they are not too long. No candidate has line feeds within characters."""
    begin = data.rfind(b"\n", max(0, at - _SAMPLE), max(0, at - _SAMPLE // 2)) + 1
    end = data.rfind(b"\n", at, at + _SAMPLE) + 1
    return data[begin or max(0, at - _SAMPLE) : end or at + _SAMPLE]


def _fit(sample: bytes, encoding: str, language: _Language) -> float:
    """The share of usual letters, in units of the least one for the language. 0 if the bytes are not valid."""
    if not is_valid(sample, encoding):
        return 0.0
    text = codecs.getincrementaldecoder(encoding)().decode(sample)
    usual = total = 0
    for run in _BEYOND_ASCII.finditer(text):
        before, after = text[run.start() - 1 : run.start()], text[run.end() : run.end() + 1]
        letters = [letter for letter in run[0] if letter not in _NEUTRAL or letter in language.letters]
        total += len(letters)
        usual += _n_usual(letters, before, after, language)
    return usual / total / language.least if total >= language.fewest else 0.0


def _n_usual(letters: list[str], before: str, after: str, language: _Language) -> int:
    """The number of usual letters in a run beyond ASCII, given the ASCII characters around it."""
    in_ascii_word = before.isalpha() or after.isalpha()
    if not language.latin:
        begins = [True, *(not letter.islower() for letter in letters)]  # no capital comes after a small letter
        usual = (b or not a.isupper() for a, b in zip(letters, begins, strict=False) if a.lower() in language.letters)
        return 0 if in_ascii_word else sum(usual)
    n_alphabetic = sum(map(str.isalpha, letters))
    if n_alphabetic > (3 if in_ascii_word else 1) or (before.islower() and "".join(letters[:1]).isupper()):
        return 0
    return sum(letter.lower() in language.letters for letter in letters)
