"""A column of texts as numbers: how often which words come, rare words counting more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray
from sidelight.io.coding.kinds import as_words

#: So many words are kept, the most frequent.
_MOST_WORDS = 5_000


@dataclass(frozen=True, eq=False)
class TextColumn:
    """Texts by their words, tf-idf: counts times ln((1 + n) / (1 + n with the word)) + 1, length 1.

    Parameters
    ----------
    column : str
        The name of the column.
    vocabulary : tuple of str
        Its words.
    idf : ndarray of shape (n_words,)
        How much each counts.
    """

    column: str
    vocabulary: tuple[str, ...]
    idf: FloatArray

    @classmethod
    def learn(
        cls, columns: Mapping[str, npt.NDArray[Any]], column: str, who: str
    ) -> tuple[TextColumn, str]:
        """Learn the words and how rare they are, and say what is done."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        found = TfidfVectorizer(max_features=_MOST_WORDS)
        try:
            found.fit(_texts(columns[column]))
        except ValueError as error:
            raise ValueError(
                f"The column {column!r} of {who} holds no words to compare rows by. Is it the "
                f"column of texts?"
            ) from error
        words = tuple(map(str, found.get_feature_names_out()))
        note = (
            f"The texts of the column {column!r} are compared by {len(words):,} words, rare ones "
            f"counting more (tf-idf), whatever their length (cosine)."
        )
        return cls(column, words, np.asarray(found.idf_, dtype=np.float64)), note

    @property
    def names(self) -> tuple[str, ...]:
        """What the coded columns are called."""
        return self.vocabulary

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that is coded."""
        return (self.column,)

    def apply(self, columns: Mapping[str, npt.NDArray[Any]], who: str = "X") -> Any:
        """Code texts as sparse rows; a text without a known word is refused, being like nothing."""
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.preprocessing import normalize

        if self.column not in columns:
            raise ValueError(f"{who} lacks the column {self.column!r} of texts.")
        counted = CountVectorizer(vocabulary=list(self.vocabulary))
        counts = counted.transform(_texts(columns[self.column])).astype(np.float64)
        empty = np.flatnonzero(np.diff(counts.tocsr().indptr) == 0)
        if len(empty):
            raise ValueError(
                f"{len(empty)} of {counts.shape[0]} texts in the column {self.column!r} of {who} "
                f"have no word that the others have, the first in row {empty[0] + 1}: such a text "
                f"is like nothing. Leave these rows out."
            )
        return normalize(counts.multiply(self.idf).tocsr())

    def undo(self, X: FloatArray) -> FloatArray:
        """As it is: the weights of words."""
        return X

    def to_plain(self) -> dict[str, Any]:
        """What a model file keeps."""
        kept = {"column": self.column, "vocabulary": list(self.vocabulary), "idf": self.idf}
        return {"text": kept}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> TextColumn:
        """Read what a model file kept."""
        idf = np.asarray(plain["idf"], dtype=np.float64)
        return cls(plain["column"], tuple(plain["vocabulary"]), idf)


def _texts(values: npt.NDArray[Any]) -> list[str]:
    return [word or "" for word in as_words(values)]
