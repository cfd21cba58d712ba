"""Columns of mixed kinds as numbers, so that Euclidean distances compare rows as Gower does."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray, counted, listed
from sidelight.io.coding.kinds import as_floats, as_words
from sidelight.io.table import columns_of_frame

#: Words of more different values than these are names, not classes.
_MOST_WORDS = 50


def are_classes(words: Collection[str], n: int) -> bool:
    """Whether so many different words in n rows are classes that rows share, or their names."""
    return len(words) <= min(_MOST_WORDS, max(2, n // 2))


@dataclass(frozen=True, eq=False)
class MixedColumns:
    """Numbers by their range, words by whether they are the same.

    The squared Euclidean distance of two coded rows is the sum over the columns of s², where s is
    Gower's: |x − y| / range of numbers and dates (0 to 1 among the rows it was learned from), 0 or
    1 of words and truth values.  Gower's coefficient is the mean of s itself.  A word that was
    never seen is like none: s² is ½ to any of those that were.  A missing word is missing, as a
    number is: ``missing=`` says what becomes of it.

    Parameters
    ----------
    columns : tuple of str
        Their names.
    kinds : tuple of {"number", "date", "words"}
        What each holds.
    low, range : ndarray of shape (n_columns,)
        The least number of each, and how far the largest is from it.
    words : tuple of tuple of str
        The different words of each; none of numbers.
    """

    #: Euclidean distances are Gower's: no metric but a method's own is asked for.
    metric: ClassVar[str | None] = None

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    low: FloatArray
    range: FloatArray
    words: tuple[tuple[str, ...], ...]

    @classmethod
    def learn(cls, columns: Mapping[str, npt.NDArray[Any]], who: str) -> tuple[MixedColumns, str]:
        """Learn the ranges and the words, and say what is done; names of rows are set aside."""
        kept: dict[str, tuple[str, float, float, tuple[str, ...]]] = {}
        aside = []
        for name, values in columns.items():
            numbers = as_floats(values)
            if numbers is None:
                words = tuple(sorted({word for word in as_words(values) if word is not None}))
                if not are_classes(words, len(values)):
                    aside.append(name)
                else:
                    kept[name] = ("words", 0.0, 1.0, words)
            elif not np.isfinite(numbers[1]).any():
                aside.append(name)
            else:
                finite = numbers[1][np.isfinite(numbers[1])]
                spread = float(finite.max() - finite.min())
                kept[name] = (numbers[0], float(finite.min()), spread or 1.0, ())
        if not kept:
            raise ValueError(
                f"{who} has no column that rows could be compared by. It has "
                f"{listed(aside, 'column')}, of more different words than classes have."
            )
        kinds, low, spread_of, words_of = zip(*kept.values(), strict=True)
        coder = cls(tuple(kept), kinds, np.array(low), np.array(spread_of), words_of)
        return coder, coder._said(aside)

    @property
    def names(self) -> tuple[str, ...]:
        """What the coded columns are called."""
        return tuple(
            name
            for column, words in zip(self.columns, self.words, strict=True)
            for name in ([f"{column}={word}" for word in words] or [column])
        )

    @property
    def column_of_each(self) -> tuple[str, ...]:
        """Of which column each of the coded ones is."""
        pairs = zip(self.columns, self.words, strict=True)
        return tuple(column for column, words in pairs for _ in words or [column])

    def apply(self, data: Any, who: str = "X") -> FloatArray:
        """Code the rows of a frame, or of columns by name."""
        columns = data if isinstance(data, Mapping) else columns_of_frame(data)
        absent = [name for name in self.columns if name not in columns]
        if absent:
            raise ValueError(
                f"{who} lacks {listed(absent, 'column')}, which the model was fitted on. It has "
                f"{listed(list(columns), 'column', 12)}. Columns are found by name."
            )
        coded = []
        for place, name in enumerate(self.columns):
            if self.kinds[place] == "words":
                coded.append(self._by_word(name, self.words[place], as_words(columns[name])))
            else:
                numbers = self._numbers(name, self.kinds[place], columns[name], who)
                coded.append((numbers[:, None] - self.low[place]) / self.range[place])
        return np.hstack(coded)

    #: With what is missing still there, as of texts.
    code = apply

    def undo(self, X: FloatArray) -> FloatArray:
        """Coded numbers in their own units, dates in days since 1970, words as shares of one."""
        low, scale = [], []
        for place, words in enumerate(self.words):
            low += [0.0] * len(words) or [self.low[place]]
            scale += [np.sqrt(2.0)] * len(words) or [self.range[place]]
        return np.asarray(X * np.array(scale) + np.array(low))

    def to_plain(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {
            "mixed": {
                "columns": list(self.columns),
                "kinds": list(self.kinds),
                "low": self.low,
                "range": self.range,
                "words": [list(words) for words in self.words],
            }
        }

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> MixedColumns:
        """Read what a model file kept."""
        return cls(
            tuple(plain["columns"]),
            tuple(plain["kinds"]),
            np.asarray(plain["low"], dtype=np.float64),
            np.asarray(plain["range"], dtype=np.float64),
            tuple(map(tuple, plain["words"])),
        )

    def _numbers(self, name: str, kind: str, values: npt.NDArray[Any], who: str) -> FloatArray:
        found = as_floats(values)
        if found is None or (found[0] != kind and np.isfinite(found[1]).any()):
            raise ValueError(
                f"The column {name!r} of {who} must hold {kind}s, as where the model was fitted. "
                f"Got {found[0] + 's' if found else 'words'}."
            )
        return found[1]

    @staticmethod
    def _by_word(name: str, words: Sequence[str], values: Sequence[str | None]) -> FloatArray:
        place_of = {word: place for place, word in enumerate(words)}
        strange = sorted({word for word in values if word is not None} - place_of.keys())
        if strange:
            warnings.warn(
                f"The column {name!r} has {listed(strange, 'value')} that the model was not fitted "
                f"on: such rows are like none of its {counted(len(words), 'value')}.",
                stacklevel=3,
            )
        coded = np.zeros((len(values), len(words)))
        for row, word in enumerate(values):
            if word is None:
                coded[row] = np.nan  # two that are missing are not the same
            elif word in place_of:
                coded[row, place_of[word]] = np.sqrt(0.5)  # so that two words are 1 apart
        return coded

    def _said(self, aside: Sequence[str]) -> str:
        scaled = [n for n, kind in zip(self.columns, self.kinds, strict=True) if kind != "words"]
        parts = []
        if scaled:
            parts.append(f"{listed(scaled, 'column')} by the range of the values")
        if len(scaled) < len(self.columns):
            others = [name for name in self.columns if name not in scaled]
            parts.append(f"{listed(others, 'column')} by whether words are the same")
        left = f" Set aside {listed(aside, 'column')}: too many different words." if aside else ""
        return f"Mixed columns are compared: {', and '.join(parts)}.{left}"
