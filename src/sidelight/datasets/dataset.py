"""What every generator and loader returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from sidelight.core import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Data, what is known about it, and where it comes from.

    A data set unpacks into those of ``X``, ``truth`` and ``labels`` that it has:
    ``X, truth = swiss_roll(100)``, ``X, labels = digits()``,
    ``X, truth, labels = shifted_digits()``.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        One item per row; with ``metric="precomputed"`` the table of distances itself.
    truth : ndarray of shape (n_samples, n_parameters), optional
        The latent parameters that made each item.
    labels : ndarray of shape (n_samples,), optional
        The class of each item.
    name : str
        The short name, as in :func:`sidelight.datasets.load`.
    description : str
        One line on what it is.
    image_shape : tuple of int, optional
        The (rows, columns) that a row of ``X`` is reshaped to, where the items are images.
    feature_names : tuple of str, optional
        One name per column of ``X``.
    truth_names : tuple of str, optional
        One name per column of ``truth``.
    metric : {"euclidean", "precomputed"}
        How ``X`` is meant to be read: ``estimator(metric=dataset.metric).fit(dataset.X)``.
    extras : mapping of str to ndarray
        Whatever else the set holds: actions, distances, names of the items, test parts.

    Examples
    --------
    >>> from sidelight.datasets import digits
    >>> digits()
    Dataset 'digits': X 1797 × 64, labels (10 classes), images 8 × 8
    >>> X, labels = digits()
    >>> X.max()
    np.float64(1.0)
    """

    X: FloatArray
    truth: FloatArray | None = None
    labels: npt.NDArray[Any] | None = None
    name: str = ""
    description: str = ""
    image_shape: tuple[int, int] | None = None
    feature_names: tuple[str, ...] | None = None
    truth_names: tuple[str, ...] | None = None
    metric: str = "euclidean"
    extras: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[npt.NDArray[Any]]:
        yield self.X
        if self.truth is not None:
            yield self.truth
        if self.labels is not None:
            yield self.labels

    def __repr__(self) -> str:
        kind = "distances" if self.metric == "precomputed" else "X"
        parts = [f"{kind} {self.X.shape[0]} × {self.X.shape[1]}"]
        if self.truth is not None:
            names = ", ".join(self.truth_names or ())
            parts.append(f"truth ({names})" if names else f"truth {self.truth.shape[1]}")
        if self.labels is not None:
            count = len(np.unique(self.labels))
            parts.append(f"labels ({count} {'class' if count == 1 else 'classes'})")
        if self.image_shape is not None:
            parts.append(f"images {self.image_shape[0]} × {self.image_shape[1]}")
        if self.extras:
            parts.append("extras " + ", ".join(sorted(self.extras)))
        return f"Dataset {self.name!r}: " + ", ".join(parts)

    @property
    def images(self) -> npt.NDArray[Any]:
        """The items as images, of shape (n_samples, rows, columns)."""
        if self.image_shape is None:
            raise AttributeError(f"The data set {self.name!r} does not hold images.")
        return self.X.reshape(len(self.X), *self.image_shape)
