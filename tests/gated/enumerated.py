"""Machines small enough to write everything out, by loops over single terms of the score."""

from __future__ import annotations

import itertools
import math

import numpy as np
import torch

from sidelight.gated.units import Binary, Gaussian, Multinomial, Poisson

I, J, K = 3, 4, 3
UNITS = {
    "binary": Binary(),
    "gaussian": Gaussian(0.7),
    "multinomial": Multinomial(2),
    "poisson": Poisson(),
}


def random_weights(seed=0, *, n_factors=None, size=0.8):
    rng = np.random.default_rng(seed)
    shapes = {"xy": (I, J), "xz": (I, K), "yz": (J, K), "y": (J,), "z": (K,)}
    if n_factors is None:
        shapes["xyz"] = (I, J, K)
    else:
        shapes |= {"xf": (I, n_factors), "yf": (J, n_factors), "zf": (K, n_factors)}
    return {name: torch.tensor(size * rng.standard_normal(shape)) for name, shape in shapes.items()}


def states(n):
    return [np.array(s, dtype=float) for s in itertools.product((0, 1), repeat=n)]


def outputs(units):
    """All outputs that such units can take; of counts those that matter."""
    if units.kind == "binary":
        return states(J)
    if units.kind == "multinomial":
        halves = [np.array([1.0, 0.0]), np.array([0.0, 1.0])]
        return [np.concatenate(pair) for pair in itertools.product(halves, repeat=2)]
    if units.kind == "poisson":
        return [np.array(s, dtype=float) for s in itertools.product(range(12), repeat=J)]
    raise ValueError(units.kind)


def score(weights, units, x, y, z):
    """(5.7) with all generalised biases, term by term; (5.11) of Gaussian outputs."""
    w = {name: value.detach().numpy() for name, value in weights.items()}
    nu = units.nu if units.kind == "gaussian" else 1.0
    total = 0.0
    for i in range(I):
        for j in range(J):
            for k in range(K):
                if "xyz" in w:
                    W = w["xyz"][i, j, k]
                else:
                    W = sum(
                        w["xf"][i, f] * w["yf"][j, f] * w["zf"][k, f]
                        for f in range(w["xf"].shape[1])
                    )
                total += W * x[i] * y[j] * z[k] / nu
    total += sum(w["yz"][j, k] * y[j] * z[k] / nu for j in range(J) for k in range(K))
    total += sum(w["xz"][i, k] * x[i] * z[k] for i in range(I) for k in range(K))
    total += sum(w["z"][k] * z[k] for k in range(K))
    for j in range(J):
        b = w["y"][j] + sum(w["xy"][i, j] * x[i] for i in range(I))
        if units.kind == "gaussian":
            total -= (y[j] - b) ** 2 / (2 * nu**2)
        else:
            total += b * y[j]
        if units.kind == "poisson":
            total -= math.lgamma(y[j] + 1)
    return total


def tensor(values):
    return torch.tensor(np.asarray(values), dtype=torch.float64)
