"""The parameters of a URL: what may be asked, read from a query string and checked.

A query string is untrusted. `parse` refuses everything that is not in the list of parameters, so that answers see
strings of bounded length, whole numbers in their range, and values of closed choices.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from pairloom.errors import InputError
from pairloom.system.display import quoted

MOST_WORDS = 256  # of one request
LONGEST_WORD = 1000  # characters
MOST_FIELDS = MOST_WORDS + 16

Asked = Mapping[str, Any]


class Parameter(NamedTuple):
    """One parameter. Without a default it is required."""

    name: str
    meaning: str
    default: str | int | None = None
    between: tuple[int, int] | None = None  # of a whole number
    choices: tuple[str, ...] = ()
    repeats: bool = False  # a list of strings, in the order of the query
    required: bool = False

    def read(self, values: Sequence[str]) -> Any:
        """The value of this parameter, from all values that the query has for it."""
        if not values:
            if self.required:
                raise InputError(f"The parameter {self.name} is missing. It is {self.meaning}.")
            return self.default
        if self.repeats:
            if len(values) > MOST_WORDS:
                raise InputError(f"There are {len(values)} {self.name} parameters. Use at most {MOST_WORDS}.")
            return [self._checked(value) for value in values]
        if len(values) > 1:
            raise InputError(f"The parameter {self.name} occurs {len(values)} times. Give it once.")
        return self._number(values[0]) if self.between else self._checked(values[0])

    def _number(self, text: str) -> int:
        assert self.between is not None
        least, most = self.between
        if not (text.isascii() and text.isdigit() and len(text) < 16 and least <= int(text) <= most):
            raise InputError(f"{self.name}={quoted(text)} is not possible. Use a whole number of {least} to {most}.")
        return int(text)

    def _checked(self, text: str) -> str:
        if self.choices and text not in self.choices:
            raise InputError(f"{self.name}={quoted(text)} is not possible. Use {' or '.join(self.choices)}.")
        if len(text) > LONGEST_WORD:
            raise InputError(
                f"The value of {self.name} has {len(text)} characters. Use words of at most {LONGEST_WORD}."
            )
        return text


def parse(query: bytes, parameters: Sequence[Parameter]) -> Asked:
    """The parameters in a query string, each with its value or default."""
    try:
        fields = parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except UnicodeDecodeError:
        raise InputError("The query is not UTF-8 in percent-encoding. Encode it as browsers do.") from None
    except ValueError:
        raise InputError(f"The query has more than {MOST_FIELDS} parameters. Ask in several requests.") from None
    given: dict[str, list[str]] = {parameter.name: [] for parameter in parameters}
    for name, value in fields:
        if name not in given:
            known = f"Use {', '.join(given)}." if given else "Leave it out."
            raise InputError(f"There is no parameter {quoted(name)} here. {known}")
        given[name].append(value)
    return {parameter.name: parameter.read(given[parameter.name]) for parameter in parameters}
