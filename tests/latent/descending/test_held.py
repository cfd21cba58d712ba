"""Anchored rows that are held: optimality, coordinates, and what stays behind."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

import sidelight
from sidelight import GPLVM, KernelInformationEmbedding
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.estimator.behind import best_similarity, bring
from sidelight.gaussian_process import COVARIANCES, ObservedTable
from sidelight.latent.descending import Held, pins_of
from sidelight.latent.gplvm.objective import GPLVMObjective
from sidelight.neighbors import each_row
from sidelight.side import Anchors, Condition
from sidelight.solvers.descent import minimise
from tests.fitting import fitted

RNG = np.random.default_rng(0)
PLANE = RNG.uniform(-1, 1, (30, 2))
X = np.column_stack(
    [PLANE, np.sin(2 * PLANE[:, 0]), np.cos(2 * PLANE[:, 1]), PLANE[:, 0] * PLANE[:, 1]]
) + 0.05 * RNG.standard_normal((30, 5))
INDEX = np.array([0, 5, 11, 17, 23, 28])
OTHERS = np.setdiff1d(np.arange(30), INDEX)
TURN = np.array([[0.6, 0.8], [0.8, -0.6]])  # and mirrored


def bent(Z):
    """A map elsewhere that is no similarity of another."""
    return 30.0 * (Z + 0.15 * Z.std() * np.sin(1.5 * Z[:, ::-1] / Z.std())) @ TURN + [5.0, -7.0]


POSITIONS = bent(PLANE)[INDEX]
SIDE = Anchors(INDEX, POSITIONS)
MODELS = [
    GPLVM(2, tol=1e-7, max_iter=3000),
    GPLVM(2, n_inducing=10, tol=1e-5, max_iter=3000),
    KernelInformationEmbedding(2, alpha=0.01),
]
every_method = pytest.mark.parametrize("model", MODELS, ids=["gplvm", "inducing", "kie"])


def held_with(model):
    """The map with the rows held."""
    return fitted(model, X, SIDE)


def objective_of(model):
    """What a fitted model maximises for every row, as a function of points about their mean."""
    if isinstance(model, GPLVM):
        process = model._process
        table, state = process.table, process.state
        objective = GPLVMObjective(
            ObservedTable.of(table.Y), COVARIANCES["rbf"], 2, prior=model.prior
        )
        shift = np.isfinite(table.Y).sum() * np.log(table.scale)

        def posterior(Z):
            there = type(state)(Z[table.order], None, state.parameters, state.noise)
            return objective.log_posterior(there) - shift

        return posterior
    K = np.exp(-cdist(X, X, "sqeuclidean") / model.bandwidth_)

    def told(Z):
        k = np.exp(-cdist(Z, Z, "sqeuclidean"))
        gained = np.log((k * K).sum(axis=1) / (k.sum(axis=1) * K.sum(axis=1))) + np.log(30)
        return np.mean(gained) - model.alpha_ * np.mean(np.sum((Z - Z.mean(axis=0)) ** 2, axis=1))

    return told


@pytest.mark.parametrize("seed", range(5))
def test_the_coordinates_of_anchors_do_not_show_in_places_that_are_held(seed):
    """To the last bit: a long descent would make more of it."""
    rng = np.random.default_rng(seed)
    plain = rng.standard_normal((30, 2))
    told = bent(plain)[INDEX]
    held = []
    for unit, turn in ((1.0, np.eye(2)), (1e-3, TURN), (1 / 3, TURN @ TURN.T), (7e5, -TURN)):
        side = Anchors(INDEX, unit * told @ turn + unit * rng.standard_normal(2))
        held.append(Held.of(pins_of(side, each_row(30), 2, copies=True, who="test"), plain).places)
    for other in held[1:]:
        np.testing.assert_array_equal(other, held[0])


@every_method
def test_anchors_are_exact_and_the_report_says_where(model):
    found = held_with(model)
    np.testing.assert_array_equal(found.embedding_[INDEX], POSITIONS)
    np.testing.assert_array_equal(found.transform(X[INDEX]), POSITIONS)
    np.testing.assert_allclose(found.transform(X), found.embedding_, atol=1e-9 * 30)
    (report,) = found.side_report_
    assert (report.kind, report.place) == ("Anchors", "inside")
    assert "6 rows were held" in report.change


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2]], ids=["gplvm", "kie"])
def test_nothing_pulls_at_the_others_and_what_is_said_is_of_this_map(model):
    found = held_with(model)
    objective, Z = objective_of(found), found._map.points
    assert objective(Z) == pytest.approx(found.objective_, rel=1e-9)
    h, slopes = 1e-5, np.zeros_like(Z)
    for i in range(30):
        for j in range(2):
            step = np.zeros_like(Z)
            step[i, j] = h
            up, down = (objective(there - there.mean(axis=0)) for there in (Z + step, Z - step))
            slopes[i, j] = (up - down) / (2 * h)
    assert np.abs(slopes[OTHERS]).max() < 2e-2 * np.abs(slopes[INDEX]).max()
    # the figure of the anchors, as large as the rows are without them
    plain = fitted(model, X).embedding_[INDEX]
    own = Z[INDEX] - Z[INDEX].mean(axis=0)
    turned = best_similarity(POSITIONS, Z[INDEX])(POSITIONS)
    np.testing.assert_allclose(turned, Z[INDEX], atol=1e-9)
    if isinstance(model, KernelInformationEmbedding):  # the other is shown with unit variance
        assert np.sum(own**2) == pytest.approx(np.sum((plain - plain.mean(axis=0)) ** 2))


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2]], ids=["gplvm", "kie"])
def test_the_map_is_likelier_than_one_that_is_bent_behind(model):
    """Anchors from a map that is bent a little: several draws of the rows that are named."""
    plain = fitted(model, X)
    wanted, better = bent(plain.embedding_), []
    for seed in range(3):
        rows = np.random.default_rng(seed).choice(30, 9, replace=False)
        side = Anchors(rows, wanted[rows])
        found = clone(model).fit(X, side=side)
        brought, _ = bring(plain.embedding_, side, who="test")
        Z = best_similarity(wanted[rows], plain.embedding_[rows], as_large=True)(
            brought(plain.embedding_)
        )
        Z -= Z.mean(axis=0)
        better.append(found.objective_ - highest_at(plain, Z))
    assert min(better) > 0


def highest_at(plain, Z):
    """The objective of given points, the hyper-parameters of a process the best for them."""
    if not isinstance(plain, GPLVM):
        return objective_of(plain)(Z)
    table = plain._process.table
    objective = GPLVMObjective(ObservedTable.of(table.Y), COVARIANCES["rbf"], 2, prior=plain.prior)
    rows = np.arange(30)
    still = Held(rows, Z, Z[table.order])
    found = minimise(
        still.hold(objective),
        still.put(objective.vector_of(Z)),
        max_iter=500,
        tol=1e-9,
        stage="hyper-parameters",
        who="test",
    )
    return -found.value - table.Y.size * np.log(table.scale)


@every_method
def test_places_of_the_plain_map_elsewhere_give_that_map(model):
    plain = fitted(model, X)
    there = 12.0 * plain.embedding_ @ TURN + [100.0, -3.0]
    found = clone(model).fit(X, side=Anchors(INDEX, there[INDEX]))
    np.testing.assert_allclose(found.embedding_, there, atol=1e-9 * 100)
    assert found.objective_ == plain.objective_
    new = X[:5] + 0.01
    np.testing.assert_allclose(
        found.transform(new), 12.0 * plain.transform(new) @ TURN + [100.0, -3.0], atol=1e-7
    )


@pytest.mark.parametrize("model", MODELS[:2], ids=["exact", "inducing"])
def test_a_process_is_told_in_the_coordinates_of_the_anchors(model):
    """Its predictions are the dense formula with the places and parameters that are shown."""
    found = held_with(model)
    Z, Y = found.embedding_, X - found.mean_

    def K(A, B):
        squares = cdist(A, B, "sqeuclidean") / (2 * found.length_scale_**2)
        return found.signal_variance_ * np.exp(-squares) + found.bias_variance_

    new = Z[:6] + 0.3
    if model.n_inducing == "auto":
        expected = K(new, Z) @ np.linalg.solve(K(Z, Z) + found.noise_variance_ * np.eye(30), Y)
    else:
        U = found.inducing_
        B = K(U, U) + K(U, Z) @ K(Z, U) / found.noise_variance_
        expected = K(new, U) @ np.linalg.solve(B, K(U, Z) @ Y) / found.noise_variance_
    np.testing.assert_allclose(
        found.inverse_transform(new) - found.mean_, expected, atol=1e-3 * X.std()
    )
    _, std = found.transform(X[:5] + 0.05, return_std=True)
    wide = clone(model).fit(X, side=Anchors(INDEX, 10 * POSITIONS))
    _, wider = wide.transform(X[:5] + 0.05, return_std=True)
    np.testing.assert_allclose(wider, 10 * std, rtol=0.05)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[2]], ids=["gplvm", "kie"])
def test_the_density_is_of_the_coordinates_of_the_anchors(model):
    found = held_with(model)
    low, high = found.embedding_.min(axis=0), found.embedding_.max(axis=0)
    margin = high - low
    sides = [np.linspace(a - m, b + m, 161) for a, b, m in zip(low, high, margin, strict=True)]
    grid = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 2)
    cell = np.prod([side[1] - side[0] for side in sides])
    assert found.density(grid).sum() * cell == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("model", "side"),
    [
        (GPLVM(2, back_constraint="rbf", max_iter=40), SIDE),
        (GPLVM(2, kernel="linear", prior=None, max_iter=40), SIDE),
        (KernelInformationEmbedding(2, penalty="l4", max_iter=40), SIDE),
        (KernelInformationEmbedding(2, power=1.0, max_iter=40), SIDE),
        (KernelInformationEmbedding(2, max_iter=40), [SIDE, Condition(np.arange(30) % 2)]),
    ],
    ids=["back constraint", "linear", "l4", "power", "condition"],
)
@pytest.mark.filterwarnings("ignore")
def test_a_map_that_is_not_free_is_brought_there_when_it_is_finished(model, side):
    found = model.fit(X, side=side)
    assert found.side_report_[-1].place == "behind"
    np.testing.assert_allclose(found.embedding_[INDEX], POSITIONS, atol=1e-9)


STAGES = {
    GPLVM: ("moving latent points without anchors", "moving latent points"),
    KernelInformationEmbedding: (
        "the unfolding of latent points",
        "the unfolding of latent points beside anchors",
    ),
}


@every_method
@pytest.mark.parametrize("which", [0, 1], ids=["before anything is held", "while rows are held"])
def test_an_interrupted_fit_keeps_the_anchors_and_is_gone_on_with(model, which, tmp_path):
    whole = held_with(model)

    def stop(progress):
        if progress.stage == STAGES[type(model)][which] and progress.done == 8:
            raise KeyboardInterrupt

    again = clone(model).set_params(warm_start=True)
    with listening(stop), pytest.warns(InterruptedFitWarning):
        again.fit(X, side=SIDE)
    np.testing.assert_allclose(again.embedding_[INDEX], POSITIONS, atol=1e-9)
    assert {heard.place for heard in again.side_report_} == {("behind", "inside")[which]}
    loaded = sidelight.load(sidelight.save(again, tmp_path / "left.sidelight"))
    for left in (again, loaded):
        left.fit(X, side=SIDE)
    np.testing.assert_array_equal(loaded.embedding_, again.embedding_)
    np.testing.assert_array_equal(again.embedding_[INDEX], POSITIONS)
    assert again.side_report_[0].place == "inside"
    # there are several optima, and on another way another one may be reached
    assert again.objective_ == pytest.approx(whole.objective_, rel=0.01)


def test_copies_with_missing_entries_are_held_together():
    holes = np.where(np.arange(X.size).reshape(X.shape) % 17 == 0, np.nan, X)
    rows = np.vstack([holes, holes[INDEX[:2]]])
    found = GPLVM(2).fit(rows, side=SIDE)
    np.testing.assert_array_equal(found.embedding_[30:], POSITIONS[:2])
    torn = Anchors([0, 5, 30], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match="rows 0, 30 to different places"):
        GPLVM(2).fit(rows, side=torn)


def test_the_path_tells_of_the_step_with_rows_held():
    found = held_with(MODELS[2])
    plain = fitted(MODELS[2], X)
    assert found.n_steps_ == plain.n_steps_ + 1 == len(found.history_)
    for name in ("bandwidth", "alpha"):
        assert len(found.path_[name]) == found.n_steps_
        assert found.path_[name][-1] == found.path_[name][-2]
    judged = KernelInformationEmbedding(2, validation_fraction=0.2, max_iter=60).fit(X, side=SIDE)
    assert len(judged.path_["error"]) == judged.n_steps_
    assert np.isnan(judged.path_["error"][-1])
    np.testing.assert_array_equal(judged.embedding_[INDEX], POSITIONS)


def test_rows_are_held_where_the_plain_map_is_largest_and_turned_as_it_is():
    rng = np.random.default_rng(3)
    plain = rng.standard_normal((9, 2))
    goal = 7.0 * plain[[1, 4, 6]] @ TURN + 20.0
    goal[0] += 3.0
    pins = pins_of(Anchors([1, 4, 6], goal), each_row(9), 2, copies=True, who="test")
    held = Held.of(pins, plain)
    np.testing.assert_array_equal(held.rows, [1, 4, 6])
    sizes = [np.sum((Z - Z.mean(axis=0)) ** 2) for Z in (held.places, plain[[1, 4, 6]])]
    assert sizes[0] == pytest.approx(sizes[1])
    assert np.abs(held.places - plain[[1, 4, 6]]).max() < 0.5
    moved = held.put(held.bent(plain).ravel()).reshape(9, 2)
    np.testing.assert_array_equal(moved[held.rows], held.places)
    # two rows are brought to anywhere by a similarity, and one is only moved
    for m in (1, 2):
        few = pins_of(Anchors([1, 4, 6][:m], goal[:m]), each_row(9), 2, copies=True, who="test")
        assert Held.of(few, plain) is None
