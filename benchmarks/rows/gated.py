"""Gated Boltzmann machines: learning beside the same steps written by hand, and distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.row import OURS, Array, Contender, Goal, Limit, Problem, Row, no_answer

#: Pixels of an image, mapping units, pairs of a step.
_PIXELS, _UNITS, _BATCH = 100, 20, 100
#: Batches of the text's own problem, after which shifts are to be transferred.
_BATCHES = 2000
_RATE, _MOMENTUM, _FORGETTING = 0.1, 0.9, 0.999


def shifted(n: int) -> Problem:
    """Random images of 10 × 10, a tenth of the pixels on, shifted by a pixel or not."""
    rng = np.random.default_rng(0)
    X, way = images(rng, _BATCH * n)
    return Problem(X, truth=moved(X, way))


def images(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Images as rows, and a shift for each, down and across."""
    return (rng.random((n, _PIXELS)) < 0.1) * 1.0, rng.integers(-1, 2, (n, 2))


def moved(X: Array, way: Array) -> Array:
    """Each image by its shift."""
    side = int(np.sqrt(_PIXELS))
    row, column = ((np.arange(side) - way[:, axis, None]) % side for axis in (0, 1))
    pixel = (side * row[:, :, None] + column[:, None, :]).reshape(len(X), -1)
    return np.take_along_axis(X, pixel, axis=1)


def ours(problem: Problem) -> Array:
    """sidelight, all weights and biases, with its looks at the error every 25 steps."""
    from sidelight.gated import GatedBoltzmannMachine

    model = GatedBoltzmannMachine(_UNITS, max_iter=len(problem.X) // _BATCH)
    return model.fit(problem.X, problem.truth).history_[-1:]


def by_hand(problem: Problem) -> Array:
    """The same steps: einsum for what meets in three ways, gradients and Adam written out."""
    import torch

    torch.manual_seed(0)
    X, Y = (torch.as_tensor(side, dtype=torch.float32) for side in (problem.X, problem.truth))
    X, n = X - X.mean(0), _PIXELS
    shapes = {"xyz": (n, n, _UNITS), "xy": (n, n), "xz": (n, _UNITS), "yz": (n, _UNITS)}
    shapes |= {"y": (n,), "z": (_UNITS,)}
    W = {name: 0.01 * torch.randn(shape) for name, shape in shapes.items()}
    size = {"xyz": 9.5, "xy": 3.0, "xz": 3.0, "yz": 3.2, "y": 1.0, "z": 1.0}
    first: dict[str, Any] = {name: torch.zeros_like(w) for name, w in W.items()}
    second: dict[str, Any] = {name: torch.zeros_like(w) for name, w in W.items()}
    n_steps = len(X) // _BATCH
    left = torch.zeros(())
    for step, rows in enumerate(torch.randperm(len(X)).split(_BATCH), 1):
        x, y = X[rows], Y[rows]
        filters = torch.einsum("ni,ijk->njk", x, W["xyz"]) + W["yz"]
        b, c = x @ W["xy"] + W["y"], x @ W["xz"] + W["z"]
        z = torch.sigmoid(torch.einsum("nj,njk->nk", y, filters) + c)
        back = torch.sigmoid(torch.einsum("nk,njk->nj", torch.bernoulli(z), filters) + b)
        again = torch.sigmoid(torch.einsum("nj,njk->nk", back, filters) + c)
        # the statistics of outputs and units, data less chains
        met = torch.einsum("nj,nk->njk", y, z) - torch.einsum("nj,nk->njk", back, again)
        gradients = {
            "xyz": torch.einsum("ni,njk->ijk", x, met),
            "xy": x.T @ (y - back),
            "xz": x.T @ (z - again),
            "yz": met.sum(0),
            "y": (y - back).sum(0),
            "z": (z - again).sum(0),
        }
        rate = _RATE * min(1.0, 2.0 * (1.0 - (step - 1) / n_steps))
        for name, g in gradients.items():
            g = g / _BATCH
            first[name].lerp_(g, 1 - _MOMENTUM)
            second[name].mul_(_FORGETTING).addcmul_(g, g, value=1 - _FORGETTING)
            scale = (second[name] / (1 - _FORGETTING**step)).sqrt_().add_(1e-8)
            size_of_step = rate / size[name] / (1 - _MOMENTUM**step)
            W[name].addcdiv_(first[name], scale, value=size_of_step)
        left = ((y - back) ** 2).sum(1).mean()
    return np.asarray(left)[None]


def transferred(problem: Problem) -> Array:
    """Batches one after another, each seen once; then how often a shift is done to others right."""
    from sidelight.gated import GatedBoltzmannMachine

    starts = range(0, len(problem.X), _BATCH)
    some = (slice(start, start + _BATCH) for start in starts)
    assert problem.truth is not None
    batches = ((problem.X[rows], problem.truth[rows]) for rows in some)
    model = GatedBoltzmannMachine(_UNITS).partial_fit(batches)
    rng = np.random.default_rng(1)
    X, way = images(rng, 2000)
    others, _ = images(rng, 2000)
    done = model.apply(model.infer(X, moved(X, way)), others)
    nine = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    off = [((done - moved(others, np.tile(one, (2000, 1)))) ** 2).sum(axis=1) for one in nine]
    return np.asarray((np.array(nine)[np.argmin(off, axis=0)] == way).all(axis=1).mean())[None]


def not_transferred(problem: Problem, answer: Array) -> float:
    """The share of shifts done wrong; fewer batches than the plateau lasts tell nothing."""
    return float(1.0 - answer[0]) if len(problem.X) >= _BATCH * _BATCHES else 0.0


def digit_pairs(n: int) -> Problem:
    """Bundled digits, and the same moved by a pixel."""
    from sidelight.datasets import digits

    pixels = digits().X
    X = np.resize(pixels / pixels.max(), (n, 64))
    return Problem(X, truth=np.roll(X.reshape(n, 8, 8), 1, axis=2).reshape(n, -1))


def machine(problem: Problem) -> Any:
    """50 mapping units, learned a little: a table costs the same whatever was learned."""
    from sidelight.gated import GatedBoltzmannMachine

    model = GatedBoltzmannMachine(50, output="gaussian", max_iter=20)
    return model.fit(problem.X, problem.truth)


def table(problem: Problem, model: Any) -> Array:
    """All distances."""
    return np.asarray(model.distances(problem.X, problem.truth))


def difference_of_errors(problem: Problem, ours: Array, theirs: Array) -> float:
    """Of what is left of the error, as a share of a picture of 10 pixels."""
    return float(abs(ours[0] - theirs[0]) / 10)


GATED = (
    Row(
        name="gated-learning-1000/shifted_images",
        work=f"Gated Boltzmann machine, 1,000 steps of {_BATCH} pairs of 10 × 10 images",
        data=shifted,
        size=1000,
        small=60,
        warm=30,
        contenders={
            OURS: Contender(ours, package="torch"),
            "torch, by hand": Contender(by_hand, package="torch"),
        },
        compare=difference_of_errors,
        tolerance=0.2,
        goals=(Goal(1 / 1.3),),
    ),
    Row(
        name="gated-shifts-2000/shifted_images",
        work=f"Gated Boltzmann machine, nine shifts transferred after {_BATCHES:,} batches",
        data=shifted,
        size=_BATCHES,
        small=60,
        warm=30,
        contenders={OURS: Contender(transferred, package="torch")},
        compare=no_answer,
        tolerance=0.0,
        limit=Limit(seconds=15.0),
        certificate=not_transferred,
        certified=0.01,
    ),
    Row(
        name="gated-distances-1000/digits",
        work="Learned distance, 1,000 × 1,000 digits of 8 × 8",
        data=digit_pairs,
        size=1000,
        small=60,
        warm=60,
        contenders={OURS: Contender(table, package="torch", prepare=machine)},
        compare=no_answer,
        tolerance=0.0,
        limit=Limit(seconds=10.0),
    ),
)
