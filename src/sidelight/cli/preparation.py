"""What is done to a table before it is embedded, and undone after: kept in the model file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from sidelight.core import FloatArray, is_sparse, listed
from sidelight.estimator import takes_factor_out
from sidelight.io.coding import coder_of
from sidelight.io.table import Table

#: Columns of known factors, and the periods of those whose numbers come round.
Factors: TypeAlias = tuple[tuple[str, float | None], ...]


@dataclass(frozen=True, eq=False)
class Preparation:
    """Which columns are used, in which order, and how they are scaled.

    Parameters
    ----------
    columns : tuple of str
        Their names.
    mean : ndarray of shape (n_columns,), optional
        Subtracted from each column.
    scale : ndarray of shape (n_columns,), optional
        What each column is divided by.
    factors : tuple of (str, float or None)
        The columns of known factors, and the periods of those whose numbers come round.
    coder : object
        How columns that are no numbers became some, where they did.
    """

    columns: tuple[str, ...]
    mean: FloatArray | None = None
    scale: FloatArray | None = None
    factors: Factors = ()
    coder: Any = None

    @classmethod
    def of(
        cls,
        table: Table,
        *,
        standardize: bool,
        factors: Factors = (),
        coder: Any = None,
    ) -> Preparation:
        """Learn the preparation of a table; a sparse array has none."""
        if standardize and coder is not None:
            raise ValueError(
                "--standardize has no effect on mixed columns or texts, which are brought to one "
                "scale already. Leave it out."
            )
        if standardize and is_sparse(table.X):
            raise ValueError(
                f"--standardize would fill the zeros of the sparse array {table.name}. Leave it "
                f"out; for counts say --metric cosine."
            )
        if not standardize:
            return cls(table.column_names, None, None, factors, coder=coder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            # in double precision whatever the table is in
            mean = np.asarray(np.nanmean(table.X, axis=0, dtype=np.float64))
            scale = np.nanstd(table.X, axis=0, dtype=np.float64)
        constant = ~(scale > 1e-12 * np.abs(mean))
        return cls(table.column_names, mean, np.where(constant, 1.0, scale), factors)

    def apply(self, table: Table) -> FloatArray:
        """Prepare a table: choose the columns by name, and scale them.

        Where the table or the model has no names, columns are taken by their place.
        """
        if is_sparse(table.X):
            return table.X
        absent = [name for name in self.columns if name not in table.column_names]
        if absent and not self.by_place(table):
            texts = [name for name in absent if name in table.labels]
            if texts:
                raise ValueError(
                    " ".join(
                        [
                            f"{table.name} has text in {listed(texts, 'column')}, where the model "
                            f"was fitted on numbers.",
                            *table.warnings,
                        ]
                    )
                )
            raise ValueError(
                f"{table.name} lacks {listed(absent, 'column')}, which the model was fitted on. "
                f"It has {listed(table.column_names, 'column', 12)}. Columns are found by name: "
                f"rename them, or leave the names out with --no-header in a table without."
            )
        X = table.X if absent else table.select(self.columns)
        if self.mean is None or self.scale is None:
            return X
        prepared = np.subtract(X, self.mean, dtype=X.dtype, casting="same_kind")
        prepared /= self.scale.astype(X.dtype)
        return prepared

    def unused(self, names: Sequence[str]) -> list[str]:
        """The columns that the model does not use; none where it could only be all of them."""
        beside = [name for name in names if name in self.conditions]
        data = [name for name in names if name not in beside]
        others = [name for name in data if name not in self.columns]
        return [*beside, *others] if len(others) < len(data) else [*beside]

    def by_place(self, table: Table) -> bool:
        """Whether columns can only be told by their place: one of the two has no names."""
        return len(self.columns) == table.X.shape[1] and (
            _nameless(self.columns) or _nameless(table.column_names)
        )

    @property
    def conditions(self) -> tuple[str, ...]:
        """The columns of known factors."""
        return tuple(name for name, _ in self.factors)

    def for_factor_of(self, model: Any, factors: Factors) -> Preparation:
        """With the columns of known factors, where a model takes some out of rows."""
        if not takes_factor_out(model):
            if factors:
                raise ValueError(
                    f"The {type(model).__name__} takes no known factor out of rows, so that "
                    f"--condition-column has no effect. Leave it out: only a model that was fitted "
                    f"with a factor that showed in the data takes it out."
                )
            return replace(self, factors=())
        if not (factors or self.factors):
            raise ValueError(
                f"The {type(model).__name__} takes a known factor out of rows, and the model file "
                f"does not say in which column it is. Give --condition-column."
            )
        return replace(self, factors=_with_periods_of(self.factors, factors))

    def undo(self, X: FloatArray) -> FloatArray:
        """Bring what a model decoded back to the units of the table."""
        if self.coder is not None:
            return np.asarray(self.coder.undo(X))
        if self.mean is None or self.scale is None:
            return X
        return np.asarray(X * self.scale + self.mean)

    def to_extras(self) -> dict[str, Any]:
        """Give the plain values that a model file keeps."""
        told = {
            "condition": [name for name, _ in self.factors],
            "period": [period for _, period in self.factors],
        }
        return {
            **{"columns": list(self.columns), "mean": self.mean, "scale": self.scale},
            **(told if self.factors else {}),
            **({} if self.coder is None else self.coder.to_plain()),
        }

    @classmethod
    def from_model(cls, model: Any, extras: Mapping[str, Any]) -> Preparation:
        """Read the preparation from a model file, also of a model that Python code saved."""
        names = extras.get("columns")
        if names is None:
            names = getattr(model, "feature_names_in_", None)
        if names is None:
            names = [f"column {place + 1}" for place in range(model.n_features_in_)]
        kept = {name: extras.get(name) for name in ("mean", "scale")}
        return cls(
            tuple(map(str, names)), **kept, factors=_factors_in(extras), coder=coder_of(extras)
        )


def _factors_in(extras: Mapping[str, Any]) -> Factors:
    """The factors that a model file names; of one alone the first files had no list."""
    names, periods = extras.get("condition"), extras.get("period")
    if names is None:
        return ()
    if isinstance(names, str):
        return ((names, periods),)
    return tuple(zip(map(str, names), periods or [None] * len(names), strict=True))


def _with_periods_of(fitted: Factors, given: Factors) -> Factors:
    """The columns that are given, or those of the fit; a period that is not said is the fit's."""
    if not given:
        return fitted
    if len(given) != len(fitted):
        return given
    pairs = zip(given, fitted, strict=True)
    return tuple(
        (name, before if period is None else period) for (name, period), (_, before) in pairs
    )


def _nameless(names: Sequence[str]) -> bool:
    """Whether columns have only the names that a reader gave them."""
    return all(name == f"column {place + 1}" for place, name in enumerate(names))
