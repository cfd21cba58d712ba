"""A column of texts as numbers: how often which words come, rare words counting more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sidelight.core import BoolArray, FloatArray, counted
from sidelight.io.coding.kinds import as_words
from sidelight.io.table import columns_of_frame

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

    #: Texts of any length, by their angle.
    metric: ClassVar[str | None] = "cosine"

    column: str
    vocabulary: tuple[str, ...]
    idf: FloatArray

    @classmethod
    def learn(
        cls, columns: Mapping[str, npt.NDArray[Any]], column: str, who: str
    ) -> tuple[TextColumn, str]:
        """Learn the words and how rare they are, and say what is done.

        Texts without any of the words count for nothing, as though they were not there.
        """
        from sklearn.feature_extraction.text import TfidfVectorizer

        found, texts = TfidfVectorizer(max_features=_MOST_WORDS), _texts(columns[column])
        try:
            told = _has_words(found.fit_transform(texts))
        except ValueError as error:
            raise ValueError(
                f"The column {column!r} of {who} holds no words to compare rows by. Is it the "
                f"column of texts?"
            ) from error
        words = tuple(map(str, found.get_feature_names_out()))
        if not told.all():
            found = TfidfVectorizer(vocabulary=list(words))
            found.fit([text for text, kept in zip(texts, told, strict=True) if kept])
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

    def apply(self, data: Any, who: str = "X") -> Any:
        """Code the texts of a frame, or of columns by name, as sparse rows.

        A text without a known word is refused, being like nothing.
        """
        coded = self.code(data, who)
        self.told(coded, "error", who, "Leave these rows out.")
        return coded

    def code(self, data: Any, who: str = "X") -> Any:
        """The weights of words as sparse rows, empty where a text has no known word."""
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.preprocessing import normalize

        columns = data if isinstance(data, Mapping) else columns_of_frame(data)
        if self.column not in columns:
            raise ValueError(f"{who} lacks the column {self.column!r} of texts.")
        counter = CountVectorizer(vocabulary=list(self.vocabulary))
        counts = counter.transform(_texts(columns[self.column])).astype(np.float64)
        return normalize(counts.multiply(self.idf).tocsr())

    def told(
        self, coded: Any, missing: str, who: str, remedy: str, row_names: Any = None
    ) -> tuple[BoolArray, str]:
        """Which texts have a known word, and what is said of those that are left out.

        Only ``missing="drop-rows"`` leaves any out; ``remedy`` is what an error advises.
        """
        if missing in ("mean", "drop-columns"):
            raise ValueError(
                f"A text without words has no mean, and there is no other column: {missing!r} "
                f"makes no sense for the texts of {who}. {remedy}"
            )
        kept = _has_words(coded)
        gone = int((~kept).sum())
        if not gone:
            return kept, ""
        if missing != "drop-rows":
            first = int(np.argmin(kept))
            named = "" if row_names is None else f", named {str(row_names[first])!r}"
            raise ValueError(
                f"{gone:,} of {counted(len(kept), 'text')} in the column {self.column!r} of {who} "
                f"{'has' if gone == 1 else 'have'} no word that the others have, the first in row "
                f"{first + 1}{named}: such a text is like nothing. {remedy}"
            )
        if gone == len(kept):
            raise ValueError(
                f"No text in the column {self.column!r} of {who} has a word that the model knows. "
                f"None is left."
            )
        rows = counted(gone, "row")
        return kept, f"Left out {rows} without a word that the others have in {self.column!r}."

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


def _has_words(coded: Any) -> BoolArray:
    return np.asarray(np.diff(coded.tocsr().indptr) > 0)


def _texts(values: npt.NDArray[Any]) -> list[str]:
    return [word or "" for word in as_words(values)]
