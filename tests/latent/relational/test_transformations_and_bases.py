"""Full matrices R, and relations in the terms of other methods: facts, gradients, known answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import spearmanr

from sidelight import PCA, KernelInformationEmbedding, KernelPCA, MultipleRelationalEmbedding
from sidelight.latent.neighbors.mismatch import NeighborMismatch
from sidelight.latent.relational.axes import settled_full
from sidelight.latent.relational.bases import BASES, InformationMismatch, Strain
from sidelight.latent.relational.objective import Related, RelationalObjective
from sidelight.quality import procrustes
from sidelight.side import Relation
from sidelight.similarity.neighbor_choice import normalise_rows

RNG = np.random.default_rng(0)


def alike(m, *, own=True):
    S = np.exp(-RNG.random((m, m)))
    S = (S + S.T) / 2
    np.fill_diagonal(S, float(own))
    return S


@pytest.fixture(scope="module")
def relations():
    """Over all of nine items, and over five of them."""
    of_some = NeighborMismatch(normalise_rows(alike(5, own=False)))
    return [
        Related(np.arange(9), NeighborMismatch(normalise_rows(alike(9)))),
        Related(np.array([1, 3, 4, 6, 8]), of_some, 2.0),
    ]


def test_the_gradient_of_full_matrices_by_finite_differences(relations):
    objective = RelationalObjective(relations, 9, 2, penalty=0.1, full=True)
    x = RNG.standard_normal(objective.count_variables(9, 2, 2, full=True))
    np.testing.assert_allclose(
        objective(x)[1], approx_fprime(x, lambda x: objective(x)[0], 1e-7), atol=2e-4
    )


def test_diagonal_matrices_are_a_special_case(relations):
    by_scales = RelationalObjective(relations, 9, 2, penalty=0.1)
    by_matrices = RelationalObjective(relations, 9, 2, penalty=0.1, full=True)
    Z, R = RNG.standard_normal((9, 2)), RNG.standard_normal((2, 2))
    value, slopes = by_scales(by_scales.pack(Z, R))
    same, more = by_matrices(by_matrices.pack(Z, np.array([np.diag(r) for r in R])))
    assert same == pytest.approx(value, rel=1e-13)
    (by_Z, by_r), (by_Z_too, by_R) = by_scales.unpack(slopes), by_matrices.unpack(more)
    np.testing.assert_allclose(by_Z_too, by_Z, atol=1e-12)
    np.testing.assert_allclose(np.einsum("cii->ci", by_R), by_r, atol=1e-12)


def test_what_full_matrices_leave_open(relations):
    """Any linear change of the map that R undoes, and a turn of what a relation sees."""
    objective = RelationalObjective(relations, 9, 2, penalty=0.1, full=True)
    Z, R, B = (RNG.standard_normal(shape) for shape in ((9, 2), (2, 2, 2), (2, 2)))
    Z -= Z.mean(axis=0)
    turn = np.linalg.qr(RNG.standard_normal((2, 2)))[0]
    value = objective(objective.pack(Z, R))[0]
    changed = objective(objective.pack(Z @ B.T, turn @ R @ np.linalg.inv(B)))[0]
    assert changed == pytest.approx(value, rel=1e-12)
    one, other = (
        settled_full(Z, R, data_first=True),
        settled_full(Z @ B.T, turn @ R @ np.linalg.inv(B), data_first=True),
    )
    for found, expected in zip(other, one, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9)
    assert objective(objective.pack(*one))[0] == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("seed", [20, 21, 22])
def test_three_directions_of_a_plane_need_full_matrices(seed):
    """Values along 0°, 60° and 120°: two scales per relation cannot say them all, a matrix can."""
    P = np.random.default_rng(seed).standard_normal((45, 2))
    angles = np.deg2rad([0, 60, 120])
    side = [Relation.from_values(P @ [np.cos(a), np.sin(a)]) for a in angles]
    by = {
        kind: MultipleRelationalEmbedding(2, transformations=kind, n_restarts=0).fit(P, side=side)
        for kind in ("diagonal", "full")
    }
    full = by["full"]
    assert full.objective_ < 0.1 * by["diagonal"].objective_
    assert procrustes(full.view("X"), P).residual < 0.01
    for relation in range(3):  # each sees one direction
        values = np.linalg.eigvalsh(full.metric_for(relation))
        assert values[0] < 1e-3 * values[1]
    # the first relation has the first dimension to itself, and the data see both alike
    np.testing.assert_allclose(full.scales_, np.linalg.norm(full.transformations_, axis=1))
    assert full.relevance_[1, 1] < 0.02 * full.relevance_[1, 0]
    np.testing.assert_allclose(full.relevance_[0], 1.28, atol=0.15)
    np.testing.assert_allclose(np.corrcoef(full.embedding_.T), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(full.transform(P[:4]), full.embedding_[:4], atol=1e-12)
    beside = full.transform(P[:4] + 1e-3)
    assert np.abs(beside - full.embedding_[:4]).max() < 0.1


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("mismatch", [InformationMismatch, Strain])
def test_the_gradients_of_other_bases_by_finite_differences(mismatch, own):
    E, Y = mismatch(alike(8, own=own)), RNG.standard_normal(16)
    gradient = E(Y.reshape(8, 2))[1]
    slopes = approx_fprime(Y, lambda y: E(y.reshape(8, 2))[0], 1e-7)
    np.testing.assert_allclose(gradient.ravel(), slopes, atol=1e-5)


def test_the_information_is_that_of_its_formula():
    S, Y = alike(7), RNG.standard_normal((7, 2))
    k = np.exp(-((Y[:, None] - Y) ** 2).sum(axis=2))
    told = np.log(7) + np.mean(np.log((k * S).sum(1) / (k.sum(1) * S.sum(1))))
    assert InformationMismatch(S)(Y)[0] == pytest.approx(-told, rel=1e-6)


def test_the_strain_is_that_of_its_formula():
    K, Y = RNG.standard_normal((7, 7)), RNG.standard_normal((7, 2))
    K, J = K @ K.T, np.eye(7) - 1 / 7
    E, centred = Strain(K), J @ K @ J
    missed = centred / E.unit - J @ Y @ Y.T @ J
    assert E(Y)[0] == pytest.approx(np.sum(missed**2) * E.unit**2 / np.sum(centred**2))


def test_by_inner_products_the_data_alone_are_principal_components():
    X = RNG.standard_normal((40, 5)) * [2, 1.5, 1, 0.3, 0.2]
    new = RNG.standard_normal((6, 5))
    model, plain = MultipleRelationalEmbedding(2, base="spectral").fit(X), PCA(2).fit(X)
    turned = procrustes(model.embedding_, plain.embedding_)
    assert turned.residual < 1e-6
    placed = turned.scale * model.transform(new) @ turned.rotation + turned.translation
    np.testing.assert_allclose(placed, plain.transform(new), atol=1e-3)
    of_all = np.linalg.eigvalsh(np.cov(X.T))
    scale = (np.sum(of_all**2) - np.sum(np.sort(of_all)[-2:] ** 2)) / np.sum(of_all**2)
    assert model.objective_ == pytest.approx(scale, rel=1e-6)


def test_by_inner_products_one_relation_alone_is_kernel_pca():
    S = np.exp(-((RNG.random((20, 1)) - RNG.random(20)) ** 2))
    S = S @ S.T
    one = MultipleRelationalEmbedding(2, base="spectral").fit(side=Relation(S))
    other = KernelPCA(2, kernel="precomputed").fit(S)
    assert procrustes(one.embedding_, other.embedding_).residual < 1e-4


def test_the_optimum_of_kernel_information_embedding_is_one_here():
    X = RNG.standard_normal((40, 3)) * [2, 1, 0.3]
    plain = KernelInformationEmbedding(1, bandwidth=1.0, alpha=0.05).fit(X)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    relation = Related(np.arange(40), InformationMismatch(np.exp(-(D**2))))
    objective = RelationalObjective([relation], 40, 1, penalty=0.05, always_penalised=True)
    value, gradient = objective(plain.embedding_.ravel())
    assert -value / 40 == pytest.approx(plain.objective_, rel=1e-5)
    assert np.abs(gradient).max() < 1e-3
    model = MultipleRelationalEmbedding(1, base="information", bandwidth=1.0, penalty=0.05).fit(X)
    # one descent stops somewhat before the end of a path, and never beyond it
    assert 0.95 * plain.objective_ < -model.objective_ < plain.objective_ + 1e-6


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_by_inner_products_planted_axes_are_found(seed):
    """Kernels Z W_c Zᵀ with weights of their own have one set of axes, and no turned one."""
    rng = np.random.default_rng(seed)
    Z, W = rng.standard_normal((40, 3)), 0.1 + rng.random((4, 3))
    kernels = [(Z * w) @ Z.T for w in W]
    side = [Relation(K - K.min()) for K in kernels]  # what all share is gone when centred
    model = MultipleRelationalEmbedding(3, base="spectral", n_restarts=0, penalty=0.0)
    model.fit(side=side)
    assert model.objective_ < 1e-9
    found = np.abs(np.corrcoef(model.embedding_.T, Z.T)[:3, 3:])
    np.testing.assert_allclose(np.sort(found, axis=0)[-1], 1.0, atol=1e-4)
    order = found.argmax(axis=1)
    shares = model.relevance_**2 / np.sum(model.relevance_**2, axis=1, keepdims=True)
    planted = (W * Z.var(axis=0))[:, order]
    np.testing.assert_allclose(shares, planted / planted.sum(axis=1, keepdims=True), atol=1e-3)


@pytest.mark.parametrize(
    ("base", "width", "least"), [("information", 1, 0.6), ("spectral", 16, 0.9)]
)
def test_a_relation_reaches_rows_that_it_does_not_name_on_any_base(base, width, least):
    """Of twenty of sixty rows, how alike they are in the third dimension: told and shuffled."""
    found = {"told": [], "shuffled": []}
    for seed in (30, 31):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((60, 6)) * [1.6, 1.3, 1.1, 0.2, 0.2, 0.1]
        rows, untold = np.arange(0, 60, 3), np.setdiff1d(np.arange(60), np.arange(0, 60, 3))
        for what, values in (("told", X[rows, 2]), ("shuffled", rng.permutation(X[rows, 2]))):
            side = Relation.from_values(values, index=rows, bandwidth=width)
            model = MultipleRelationalEmbedding(3, base=base, n_restarts=0, max_iter=150)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of steps that were too few
                model.fit(X, side=side)
            order = spearmanr(model.embedding_[untold, 0], X[untold, 2]).statistic
            found[what].append(abs(order))
    assert np.mean(found["told"]) > least
    assert np.mean(found["shuffled"]) < np.mean(found["told"]) - 0.2


@pytest.mark.parametrize(
    ("options", "told", "words"),
    [
        ({"transformations": "full"}, False, "'transformations' .* no effect without a Relation"),
        ({"base": "spectral", "bandwidth": 2.0}, True, "'bandwidth' .* with base='spectral'"),
        ({"base": "information", "perplexity": 5.0}, True, "'perplexity' .* base='information'"),
        ({"base": "spectral", "penalty": 0.1}, False, "'penalty' .* no effect without a Relation"),
    ],
)
def test_what_does_nothing_on_a_base_is_refused(options, told, words):
    X = RNG.standard_normal((20, 3))
    side = Relation.from_values(X[:, 0]) if told else None
    with pytest.raises(ValueError, match=words):
        MultipleRelationalEmbedding(2, **options).fit(X, side=side)


def test_every_base_is_documented():
    documented = MultipleRelationalEmbedding.__doc__
    assert all(f'"{base}"' in documented for base in BASES)
