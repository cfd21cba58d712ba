"""What is known, through a pipeline: fitted by the step that listens, placed step by step."""

from __future__ import annotations

from inspect import signature
from typing import Any

from sklearn import get_config
from sklearn.pipeline import Pipeline

from sidelight.estimator import placed_by


def fit_to(estimator: Any, X: Any, side: Any) -> Any:
    """Fit an estimator to rows and what is known of them; of a pipeline the step that listens.

    Where scikit-learn's metadata routing is enabled, it finds the steps that asked for it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sidelight import PCA
    >>> from sidelight.side import Condition
    >>> pipe = make_pipeline(StandardScaler(), PCA(1))
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> fit_to(pipe, X, Condition(["a", "b"] * 10))[-1].side_report_[0].kind
    'Condition'
    """
    if side is None or (isinstance(side, (list, tuple)) and not side):
        return estimator.fit(X)
    if not isinstance(estimator, Pipeline) or get_config()["enable_metadata_routing"]:
        return estimator.fit(X, side=side)
    steps = [name for name, step in estimator.steps if _listens(step)]
    if len(steps) != 1:
        found = f"{' and '.join(steps)} do" if steps else "none does"
        raise ValueError(
            f"What is known of the rows goes to the step of a pipeline that takes side "
            f"information, and of {', '.join(name for name, _ in estimator.steps)} {found}. Say "
            f"who is told: sklearn.set_config(enable_metadata_routing=True), and "
            f"set_fit_request(side=True) on the steps."
        )
    return estimator.fit(X, **{f"{steps[0]}__side": side})


def placed(model: Any, X: Any, side: Any) -> Any:
    """New rows in the map, by their own values of a factor that any step takes out."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    for step in steps:
        if step is not None and step != "passthrough":
            X = placed_by(step, X, side)
    return X


def _listens(step: Any) -> bool:
    return hasattr(step, "fit") and "side" in signature(step.fit).parameters
