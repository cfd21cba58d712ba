"""Which of the known factors a fitted model asks of new rows."""

from __future__ import annotations

from typing import Any

from sidelight.estimator.base import Embedder
from sidelight.metric import FactorRemoval
from sidelight.side import Condition, side_values


def removals_of(model: Any) -> tuple[FactorRemoval, ...]:
    """What takes known factors out in front of a fitted model, or is the model itself."""
    front = (model,) if isinstance(model, FactorRemoval) else getattr(model, "_front", ())
    return tuple(learned for learned in front if isinstance(learned, FactorRemoval))


def placed_by(model: Any, X: Any, side: Any = None) -> Any:
    """New rows in the map, by their own values of a factor that the model takes out.

    Examples
    --------
    >>> import numpy as np
    >>> from sidelight import PCA
    >>> X, batch = np.arange(12.0).reshape(6, 2), Condition(["a", "b"] * 3)
    >>> placed_by(PCA(1).fit(X, side=batch), X[:1], batch.within([0])).shape
    (1, 1)
    """
    conditions = [value for value in side_values(side, "transform") if isinstance(value, Condition)]
    if not conditions or not removals_of(model):
        return model.transform(X)
    return model.transform(X, condition=conditions)


def without_factors(model: Any, X: Any, conditions: list[Any]) -> Any:
    """Rows without the factors that a model takes out of them; as they came where it takes none."""
    if isinstance(model, Embedder) and removals_of(model):
        conditions = model._taken_out(conditions)
    for removal in removals_of(model):
        X = removal.transform(X, condition=conditions)
    return X


def takes_factor_out(model: Any) -> bool:
    """Whether new rows are placed by their values of a known factor."""
    return any(removal.removed_ for removal in removals_of(model))
