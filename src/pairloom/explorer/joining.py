"""ES modules joined into one script, for a page that works from disk: browsers import nothing from file:// addresses.

Each module becomes a function that is called once, in the order of imports, and returns what it exports:

    const $0 = (() => { ...; return { get a() { return a; } }; })();
    const $1 = (() => { const { a } = $0; ... })();

This is not a parser of JavaScript. It knows the forms of `import` and `export` below, each at the beginning of a line,
and refuses modules with others, so that a form it does not know is an error here and not on the page.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping

from pairloom.errors import InputError
from pairloom.system.display import quoted

_NAME = r"[\w$]+"
_LIST = r"\{[^{}]*\}"
_FROM = r"""["'](?P<source>[^"'\n]+)["'][ \t]*;?[ \t]*$"""
_IMPORT = re.compile(
    rf"^import\s+(?:(?P<default>{_NAME})(?:\s*,\s*)?)?(?P<named>{_LIST}|\*\s+as\s+{_NAME})?(?:\s*from\s*)?{_FROM}", re.M
)
_EXPORT_LIST = re.compile(rf"^export\s*(?P<named>{_LIST})[ \t]*(?:from\s*{_FROM}|;?[ \t]*$)", re.M)
_EXPORT_NAMED = re.compile(
    rf"^export\s+(?=(?:(?:async\s+)?function\s*\*?\s*|class\s+|const\s+)(?P<name>{_NAME}))", re.M
)
_EXPORT_DEFAULT = re.compile(r"^export\s+default\s+", re.M)
_OTHER = re.compile(r"^[ \t]*(?:import|export)\b(?!\s*[:=(.])|\bimport\.meta\b|(?<![{<('*/ ])\bimport\s*\(", re.M)


def joined(modules: Mapping[str, str], start: str) -> str:
    """The module `start` and all that it imports, as one script. `modules` are sources by path.

    >>> print(joined({"main.js": "import { x } from './x.js';\\nprint(x);", "x.js": "export const x = 1;"}, "main.js"))
    "use strict";
    const $0 = (() => {
    const x = 1;
    return { get x() { return x; } };
    })();
    const $1 = (() => {
    const { x } = $0;
    print(x);
    return {  };
    })();
    <BLANKLINE>
    """
    numbers: dict[str, int] = {}
    script = [
        f"const ${numbers.setdefault(path, len(numbers))} = (() => {{\n{_Module(path, modules, numbers).body()}}})();\n"
        for path in _in_order(modules, start, ())
        if path not in numbers
    ]
    return "".join(['"use strict";\n', *script])  # as modules always are


def _in_order(modules: Mapping[str, str], path: str, above: tuple[str, ...]) -> Iterator[str]:
    """The module after all that it imports; a module may come several times."""
    if path in above:
        raise InputError(f"The modules {' and '.join(above[above.index(path) :])} import each other. Break the cycle.")
    if path not in modules:
        raise InputError(
            f"{above[-1] if above else 'The page'} needs {quoted(path)}, which is not there. Add the file."
        )
    for match in [*_IMPORT.finditer(modules[path]), *_EXPORT_LIST.finditer(modules[path])]:
        if match["source"]:
            yield from _in_order(modules, _resolved(match["source"], path), (*above, path))
    yield path


def _resolved(source: str, importer: str) -> str:
    """The path of an imported module. A bare name is a file of vendor/."""
    if not source.startswith("."):
        return f"vendor/{source}.js"
    return posixpath.normpath(posixpath.join(posixpath.dirname(importer), source))


class _Module:
    """One module while it is rewritten."""

    def __init__(self, path: str, modules: Mapping[str, str], numbers: Mapping[str, int]) -> None:
        self._path, self._source, self._numbers = path, modules[path], numbers
        self._exports: dict[str, str] = {}  # exported name: expression

    def body(self) -> str:
        """The module as the body of a function."""
        text = _IMPORT.sub(self._imported, self._source)
        text = _EXPORT_LIST.sub(self._listed, text)
        for match in _EXPORT_NAMED.finditer(text):
            self._exports[match["name"]] = match["name"]
        text = _EXPORT_NAMED.sub("", text)
        if _EXPORT_DEFAULT.search(text):
            self._exports["default"] = "$default"
            text = _EXPORT_DEFAULT.sub("const $default = ", text)
        left = _OTHER.search(text)
        if left:
            line = text[left.start() :].strip().splitlines()[0]
            raise InputError(f"{self._path} cannot be joined with other modules: {quoted(line)}. Write it another way.")
        getters = ", ".join(f"get {name}() {{ return {value}; }}" for name, value in self._exports.items())
        return f"{text.rstrip()}\nreturn {{ {getters} }};\n"

    def _of(self, match: re.Match[str]) -> str:
        return f"${self._numbers[_resolved(match['source'], self._path)]}"

    def _imported(self, match: re.Match[str]) -> str:
        module, lines = self._of(match), []
        if match["default"]:
            lines.append(f"const {match['default']} = {module}.default;")
        if match["named"] and match["named"].startswith("*"):
            lines.append(f"const {match['named'].split()[-1]} = {module};")
        elif match["named"]:
            names = ", ".join(name if name == own else f"{name}: {own}" for name, own in _names(match["named"]))
            lines.append(f"const {{ {names} }} = {module};")
        return " ".join(lines)

    def _listed(self, match: re.Match[str]) -> str:
        for own, name in _names(match["named"]):
            self._exports[name] = f"{self._of(match)}.{own}" if match["source"] else own
        return ""


def _names(listed: str) -> Iterator[tuple[str, str]]:
    """`{ a, b as c }` as (a, a), (b, c)."""
    for item in filter(None, map(str.strip, listed.strip("{}").split(","))):
        first, *rest = item.split()
        yield first, rest[-1] if rest else first
