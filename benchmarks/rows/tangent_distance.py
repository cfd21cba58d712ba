"""Tables of distances that forgive affine motions of images, over the size of the images."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.row import OURS, Array, Contender, Goal, Problem, Row


def blobs(n: int, *, side: int) -> Problem:
    """Images of two blobs each, somewhere in the picture; the tangents come with them."""
    from sidelight.transforms import Affine

    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[:side, :side] / side
    images = np.zeros((n, side, side))
    for _ in range(2):
        y, x = rng.uniform(0.3, 0.7, (2, n, 1, 1))
        tall, wide = rng.uniform(0.05, 0.15, (2, n, 1, 1))
        images += np.exp(-(((rows - y) / tall) ** 2) - ((columns - x) / wide) ** 2)
    X = images.reshape(n, -1)
    return Problem(X, truth=Affine().tangents(X, (side, side)))


def ours(problem: Problem) -> Array:
    """sidelight, tangents included."""
    from sidelight.transforms import Affine, invariant_distances

    side = int(np.sqrt(problem.X.shape[1]))
    return invariant_distances(problem.X, Affine(smoothing=0), (side, side))


def by_pairs(problem: Problem, *, normal: bool) -> Array:
    """A loop over pairs, each a problem of least squares; its tangents are given."""
    X, T = problem.X, problem.truth
    assert T is not None
    n = len(X)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            A, d = np.concatenate([T[i], -T[j]]), X[j] - X[i]
            if normal:
                theta = np.linalg.solve(A @ A.T + 1e-12 * np.eye(len(A)), A @ d)
            else:
                theta = np.linalg.lstsq(A.T, d)[0]
            D[i, j] = D[j, i] = np.linalg.norm(d - theta @ A)
    return D


def largest_difference(problem: Problem, ours: Array, theirs: Array) -> float:
    """The largest difference of two distances, beside the longest."""
    return float(np.abs(ours - theirs).max() / theirs.max())


_LOOP = Contender(partial(by_pairs, normal=True), slow=True)


def _row(size: int, side: int, contenders: dict[str, Contender], goals: tuple[Goal, ...]) -> Row:
    return Row(
        name=f"tangent-distance-{size}/blobs_{side}",
        work=f"Tangent distance, {size:,} × {size:,} images of {side} × {side}",
        data=partial(blobs, side=side),
        size=size,
        small=40,
        warm=40,
        contenders={OURS: Contender(ours), **contenders},
        compare=largest_difference,
        tolerance=5e-3,  # the ridge is a thousandth of the way along a tangent
        goals=goals,
    )


_LSTSQ = Contender(partial(by_pairs, normal=False), slow=True)

TANGENT_DISTANCE = (
    _row(
        1000,
        28,
        {"numpy lstsq": _LSTSQ, "numpy normal equations": _LOOP},
        (Goal(20, over="numpy lstsq"), Goal(8, over="numpy normal")),
    ),
    _row(500, 14, {"numpy lstsq": _LSTSQ}, (Goal(20),)),
    _row(500, 56, {"numpy lstsq": _LSTSQ}, (Goal(20),)),
)
