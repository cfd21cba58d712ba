"""Tables of distances that forgive a transformation, from rows."""

from __future__ import annotations

from typing import Any

from sidelight.core import FloatArray, OneOf, require_memory
from sidelight.transforms.distances.measure import KINDS, InvariantDistance
from sidelight.transforms.distances.paths import along_steps
from sidelight.transforms.own import transformation_of
from sidelight.transforms.transformation import Shape


def invariant_distances(
    X: Any,
    transformation: Any,
    image_shape: Shape = None,
    *,
    kind: str = "tangent",
    Y: Any = None,
) -> FloatArray:
    """Compare all rows of X with one another, or with those of Y, but for a transformation.

    ``"tangent"`` is the distance between tangent planes, min ‖(x + Uᵀα) − (y + Vᵀβ)‖;
    ``"correction"`` is sin² of the smallest principal angle between them; ``"reconstruction"`` is
    the error of the best step from one to the other, summed along the best path through the rows
    of X (between X and Y it is that of one step).

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        The items.
    transformation : transformation, function or list of them
        What is forgiven.
    image_shape : tuple of int, optional
        (height, width) or (height, width, channels) of images.
    kind : {"tangent", "correction", "reconstruction"}
        Which distance.
    Y : array-like of shape (m, n_features), optional
        Other items.

    Returns
    -------
    ndarray of shape (n, n) or (n, m)
        The distances.

    Examples
    --------
    >>> from sidelight.transforms import Tangents
    >>> X = [[1.0, 1.0, 1.0], [1.0, 2.0, 2.0], [4.0, 1.0, 1.0]]
    >>> invariant_distances(X, Tangents([[0.0, 1.0, 1.0]])).round(2).tolist()
    [[0.0, 0.0, 3.0], [0.0, 0.0, 3.0], [3.0, 3.0, 0.0]]
    """
    who = "invariant_distances"
    if not OneOf(KINDS).admits(kind):
        raise ValueError(f"The 'kind' argument of {who} must be {OneOf(KINDS)}. Got {kind!r}.")
    measure = InvariantDistance(transformation_of(transformation), image_shape, kind)
    items = measure.frames(X, who=who)
    others = None if Y is None else measure.frames(Y, who=who, new=True)
    n, m = len(items), len(items if others is None else others)
    require_memory(
        16.0 * n * m,
        what=f"the {n} × {m} table of distances",
        who=who,
        instead="Compare fewer rows at once.",
    )
    D = measure.table(items, others)
    return along_steps(D) if kind == "reconstruction" and Y is None else D
