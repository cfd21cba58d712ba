"""Folds: some rows to fit to, the others to judge by, and what is known about each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sklearn.model_selection import check_cv
from sklearn.utils import indexable

from sidelight.core import IntArray
from sidelight.side import aligned, side_values


@dataclass(frozen=True)
class Fold:
    """One cut of the rows in two.

    Parameters
    ----------
    train : ndarray of int
        The rows to fit to.
    test : ndarray of int
        The rows left out.
    side : list of side information
        What is known about the rows to fit to, by their places in ``train``.
    side_test : list of side information
        What is known about the rows left out, by their places in ``test``.
    """

    train: IntArray
    test: IntArray
    side: list[Any]
    side_test: list[Any]


def folds(
    X: Any, y: Any = None, *, side: Any = None, cv: Any = 5, groups: Any = None
) -> Iterator[Fold]:
    """Cut the rows of X, and what is known about them, into folds.

    Of what is known about two rows on different sides of the cut nothing is kept: rows are left
    out, not pairs.

    Parameters
    ----------
    X : array or frame of shape (n_samples, n_features)
        The data.
    y : array-like of shape (n_samples,), optional
        Labels, for splitters that look at them.
    side : side information or list of it, optional
        What is known about the rows of X.
    cv : int, splitter or iterable of (train, test)
        As in scikit-learn.
    groups : array-like of shape (n_samples,), optional
        For splitters that keep groups together.

    Yields
    ------
    Fold
        Rows, and what is known about them.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight.model_selection import folds
    >>> from sidelight.side import Pairs
    >>> for fold in folds(np.zeros((4, 2)), side=Pairs(similar=[(0, 1), (1, 3), (2, 3)]), cv=2):
    ...     print(fold.train, fold.side[0].similar.tolist())
    [2 3] [[0, 1]]
    [0 1] [[0, 1]]
    """
    indexable(X, y, groups)
    known = side_values(aligned(side, X), "folds")
    for train, test in check_cv(cv, y).split(X, y, groups):
        yield Fold(train, test, _told_of(known, train), _told_of(known, test))


def _told_of(known: list[Any], rows: IntArray) -> list[Any]:
    """What is known of some rows, without what says nothing about them."""
    kept = [value.within(rows) for value in known]
    return [value for value in kept if not value._says_nothing]
