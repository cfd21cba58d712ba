"""Programs that tests solve, and small answers to hold against them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import kneighbors_graph

from sidelight.solvers.semidefinite.constraints import PairConstraints
from sidelight.solvers.semidefinite.door import solve
from sidelight.solvers.semidefinite.program import KernelProgram, Variance


def roll(n, seed=0, k=6):
    X, _ = make_swiss_roll(n, random_state=seed)
    graph = kneighbors_graph(X, k, mode="distance")
    upper = sp.triu(graph.maximum(graph.T), 1).tocoo()
    return np.column_stack([upper.row, upper.col]), upper.data


def squared(R, edges):
    return np.sum((R[edges[:, 0]] - R[edges[:, 1]]) ** 2, axis=1)


def laplacian(edges, y, n):
    E = np.zeros((len(edges), n))
    E[np.arange(len(edges)), edges[:, 0]] = 1
    E[np.arange(len(edges)), edges[:, 1]] = -1
    return E.T @ (y[:, None] * E)


def unfold(edges, lengths, n, *, tol=1e-4, max_iter=500, **stated):
    """State an unfolding and solve it."""
    program = KernelProgram.unfolding(edges, lengths, n, who="unfold", **stated)
    return solve(program, tol=tol, max_iter=max_iter, who="unfold")


def mixed(along, more, mass):
    """The program of two sets of constraints."""
    joined = PairConstraints.join([along, more]) if len(more) else along
    return KernelProgram(len(mass), Variance(mass), joined)
