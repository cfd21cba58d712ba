"""Multiple relational embedding: with one relation, with several, with parts of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from sidelight import MultipleRelationalEmbedding, StochasticNeighborEmbedding, embed
from sidelight.core.errors import InterruptedFitWarning
from sidelight.core.progress import listening
from sidelight.latent.neighbors.mismatch import NeighborMismatch
from sidelight.latent.relational.bandwidth import relational_bandwidth
from sidelight.latent.relational.objective import Related, RelationalObjective
from sidelight.side import Pairs, Relation
from sidelight.similarity.neighbor_choice import normalise_rows


@pytest.fixture(scope="module")
def X():
    """A cloud of three dimensions and a little noise; the first columns are the truth."""
    return np.random.default_rng(0).standard_normal((90, 6)) * [1.6, 1.3, 1.1, 0.2, 0.2, 0.1]


@pytest.fixture(scope="module")
def told(X):
    """Of thirty rows, how alike they are in the third and in the second dimension."""
    rows = np.arange(0, 90, 3)
    return [Relation.from_values(X[rows, axis], index=rows) for axis in (2, 1)]


@pytest.fixture(scope="module")
def model(X, told):
    return MultipleRelationalEmbedding(3).fit(X, side=told)


def test_the_data_alone_are_stochastic_neighbor_embedding(X):
    one = MultipleRelationalEmbedding(2, tol=1e-12).fit(X)
    other = StochasticNeighborEmbedding(2).fit(X)
    assert one.objective_ == other.objective_
    np.testing.assert_array_equal(one.embedding_, other.embedding_)
    np.testing.assert_array_equal(one.metric_for("X"), np.eye(2))


def test_one_relation_without_data_is_stochastic_neighbor_embedding(X):
    plane = X[:40, :2]
    relation = Relation.from_items(plane, bandwidth=2.0)
    one = MultipleRelationalEmbedding(2, random_state=3, tol=1e-14).fit(side=relation)
    other = StochasticNeighborEmbedding(2, bandwidth=2.0).fit(plane)
    assert one.objective_ == pytest.approx(other.objective_, abs=1e-10)
    np.testing.assert_allclose(one.embedding_, other.embedding_, atol=1e-4)
    np.testing.assert_array_equal(one.scales_, np.ones((1, 2)))


def test_each_relation_gets_a_dimension_that_also_orders_the_untold_rows(X, told, model):
    untold = np.setdiff1d(np.arange(90), told[0].index)
    assert model.relevance_[1:].argmax(axis=1).tolist() == [0, 1]
    for column, axis in enumerate((2, 1)):
        found = abs(spearmanr(model.embedding_[untold, column], X[untold, axis]).statistic)
        assert found > 0.9
        # and makes nothing of the others
        assert np.delete(model.relevance_[1 + column], column).max() < 0.2


def test_the_parts_of_the_objective_and_what_is_identified(X, told, model):
    Z, R = model.embedding_, model.scales_
    penalty = 1e-3 * np.sum(R**2 @ (Z**2).mean(axis=0))
    np.testing.assert_allclose(model.objectives_.sum() + penalty, model.objective_)
    np.testing.assert_allclose(model.relevance_[0], R[0] * Z.std(axis=0), rtol=1e-12)
    np.testing.assert_allclose(model.relevance_[2], R[2] * Z[told[1].index].std(axis=0))
    np.testing.assert_array_equal(model.scales_.max(axis=0), 1.0)
    np.testing.assert_array_equal(model.metric_for(1), np.diag(model.scales_[2] ** 2))
    view = model.view(0)
    np.testing.assert_allclose(view, model.embedding_ * model.scales_[1])
    without = model.view("X", without=1)
    assert not without[:, 1].any()  # the dimension of relation 1 is gone
    assert without[:, 0].std() > 0.9 * (model.embedding_[:, 0] * model.scales_[0, 0]).std()


def test_the_map_is_stationary(X, told, model):
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    P = np.exp(-(D**2) / model.bandwidth_)
    P /= P.sum(axis=1, keepdims=True)
    relations = [Related(np.arange(90), NeighborMismatch(P))] + [
        Related(r.index, NeighborMismatch(normalise_rows(r.similarity))) for r in told
    ]
    objective = RelationalObjective(relations, 90, 3, penalty=1e-3)
    value, gradient = objective(objective.pack(model.embedding_, model.scales_))
    assert value / 90 == pytest.approx(model.objective_, rel=1e-9)
    start = MultipleRelationalEmbedding(3, n_restarts=0, max_iter=1, tol=1e-9)
    with pytest.warns(UserWarning, match="max_iter"):
        start.fit(X, side=told)
    at_start = objective(objective.pack(start.embedding_, start.scales_))[1]
    assert np.linalg.norm(gradient) < 1e-3 * np.linalg.norm(at_start)


def test_the_best_of_several_starts_is_kept(X, told):
    many = MultipleRelationalEmbedding(2, n_restarts=3, random_state=1).fit(X, side=told)
    assert len(many.starts_) == 4
    assert many.objective_ <= many.starts_.min() + 1e-12


def test_weights(X, told):
    heavy = MultipleRelationalEmbedding(2, weights=[30.0, 1.0]).fit(X, side=told)
    even = MultipleRelationalEmbedding(2, weights=[1.0, 1.0]).fit(X, side=told)
    plain = MultipleRelationalEmbedding(2).fit(X, side=told)
    np.testing.assert_array_equal(even.embedding_, plain.embedding_)
    assert heavy.objectives_[1] < plain.objectives_[1]
    assert heavy.objectives_[0] > plain.objectives_[0]


def test_new_rows_fall_in_with_the_relations(X, told):
    rows = np.arange(0, 70, 2)
    side = Relation.from_values(X[rows, 0], index=rows)
    model = MultipleRelationalEmbedding(2).fit(X[:70], side=side)
    placed = model.transform(X[70:])
    assert abs(spearmanr(placed[:, 0], X[70:, 0]).statistic) > 0.8


def test_two_sets_of_different_kinds_are_aligned_by_their_ends():
    """A curve in four dimensions and one in seven: both ends are known, and nothing else."""
    rng = np.random.default_rng(2)
    s, t = np.linspace(0, 1, 20), np.linspace(0, 1, 28)
    first = np.column_stack([np.cos(2 * s), np.sin(2 * s), s, s**2])
    second = np.column_stack([np.cos(c * t + c) for c in np.linspace(0.5, 2, 7)])
    second += 0.005 * rng.standard_normal(second.shape)
    a, b = np.arange(20), 20 + np.arange(28)
    side = [
        Relation.from_items(first, a),
        Relation.from_items(second, b),
        Relation.from_values(["a"] * 20 + ["b"] * 28),
        Relation.from_values([0.0, 0.0, 1.0, 1.0], index=[0, 20, 19, 47]),
    ]
    model = MultipleRelationalEmbedding(2, n_restarts=4).fit(side=side)
    A, B = model.view(0, without=2)[a], model.view(0, without=2)[b]
    partner = np.linalg.norm(A[:, None] - B, axis=-1).argmin(axis=1)
    assert spearmanr(partner, s).statistic > 0.95
    with pytest.raises(ValueError, match="fitted to relations alone"):
        model.transform(first)
    with pytest.raises(ValueError, match="items"):
        model.inverse_transform(model.embedding_)


def test_items_given_beside_relations_are_gone_back_to(X):
    model = MultipleRelationalEmbedding(2).fit(side=Relation.from_items(X[:50]), items=X[:50])
    back = model.inverse_transform(model.embedding_)
    assert np.mean((back - X[:50]) ** 2) < 0.7 * X[:50].var(axis=0).mean()


def test_pairs_act_through_a_learned_metric_beside_relations(X, told):
    pairs = Pairs(similar=[(0, 1), (4, 9)])
    both = MultipleRelationalEmbedding(2, n_restarts=0).fit(X, side=[pairs, *told])
    assert len(both.side_metrics_) == 1
    assert both.scales_.shape == (3, 2)


def test_the_one_door_chooses_it(X, told):
    result = embed(X, side=told)
    assert result.reason == "MultipleRelationalEmbedding: it maps several relations at once."
    both = embed(X, side=[*told, Pairs(similar=[(0, 1)])])
    assert both.reason.endswith("at once; it listens to Pairs through a learned metric.")
    alone = embed(None, side=Relation.from_items(X[:30]), n_components=1)
    assert alone.points.shape == (30, 1)


class TestBadInput:
    """Relations that do not fit, do not hang together, or say nothing."""

    def fit(self, *side, X=None, **parameters):
        return MultipleRelationalEmbedding(1, **parameters).fit(X, side=list(side))

    def test_nothing_in_common(self):
        apart = [Relation.from_values([0.0, 1.0, 2.0], index=i) for i in ([0, 1, 2], [3, 4, 5])]
        with pytest.raises(
            ValueError, match="2 groups that share no row .relations 0; relations 1"
        ):
            self.fit(*apart)
        joined = self.fit(*apart, Relation.from_values([0.0, 1.0], index=[2, 3]))
        assert joined.embedding_.shape == (6, 1)

    def test_rows_without_a_relation(self):
        with pytest.raises(ValueError, match="Got nothing about 1, 2"):
            self.fit(Relation.from_values([0.0, 1.0, 5.0], index=[0, 3, 4]))

    def test_neither_data_nor_relations(self):
        with pytest.raises(ValueError, match="Got neither"):
            self.fit()

    def test_sizes(self, X):
        with pytest.raises(ValueError, match="one row per row of X, 90. Got 89"):
            self.fit(Relation.from_values(X[:89, 0]), X=X)
        with pytest.raises(ValueError, match=r"range \[0, 90\). Got 95"):
            self.fit(Relation.from_values(X[:2, 0], index=[0, 95]), X=X)
        with pytest.raises(ValueError, match="one weight for each Relation, 1. Got 2"):
            self.fit(Relation.from_values(X[:, 0]), X=X, weights=[1.0, 1.0])
        with pytest.raises(ValueError, match="'weights' parameter"):
            self.fit(Relation.from_values(X[:, 0]), X=X, weights=[-1.0])

    def test_a_relation_that_says_nothing(self, X):
        with pytest.warns(UserWarning, match="Relation 0 .* says nothing: its 90 rows"):
            self.fit(Relation.from_values(np.zeros(90)), X=X, n_restarts=0)
        with pytest.raises(ValueError, match="two rows, and its diagonal is zero"):
            self.fit(Relation([[0.0, 1.0], [1.0, 0.0]], index=[0, 1]), X=X)

    def test_holes(self, X):
        with pytest.raises(ValueError, match="finite"):
            self.fit(Relation(np.full((90, 90), np.nan)), X=X)
        with pytest.raises(ValueError, match="must be finite"):
            Relation.from_items([[0.0], [np.nan]])

    def test_a_relation_that_is_not_there(self, model):
        stranger = Relation.from_values([1.0, 2.0, 5.0], index=[0, 1, 2])
        with pytest.raises(ValueError, match="a Relation that it was fitted with"):
            model.metric_for(stranger)
        for unknown in (2, -1, "Y"):
            with pytest.raises(ValueError, match=r"'X' or an int in the range \[0, 2\)"):
                model.metric_for(unknown)


def test_an_interruption_keeps_the_best_so_far_and_tries_no_other_start(X, told):
    def stop(progress):
        if progress.stage == "multiple relational embedding" and progress.done == 4:
            raise KeyboardInterrupt

    with pytest.warns(InterruptedFitWarning, match="after 4 iterations"), listening(stop):
        model = MultipleRelationalEmbedding(2, n_restarts=3).fit(X, side=told)
    assert len(model.starts_) == 1
    assert model.n_iter_ == 4
    assert model.objective_ == model.history_[-1] < model.history_[0]


def test_no_random_start_is_given_up_in_the_flat_middle_where_it_lies():
    X = np.random.default_rng(0).standard_normal((60, 4)) * [2, 2, 1, 0.2]
    told = Relation.from_values(X[:20, 2], index=np.arange(20))
    model = MultipleRelationalEmbedding(2, n_restarts=8).fit(X, side=told)
    assert len(model.starts_) == 9
    assert model.starts_.max() < 2 * model.objective_


def test_a_relation_names_itself(model, told):
    told = told if isinstance(told, list) else [told]
    for number, relation in enumerate(told):
        same = Relation(relation.similarity.copy(), relation.index)
        np.testing.assert_array_equal(model.metric_for(same), model.metric_for(number))


def test_a_relation_stands_beside_distances_that_somebody_computed(X, told):
    D = np.linalg.norm(X[:, None] - X, axis=2)
    by_rows = MultipleRelationalEmbedding(2, n_restarts=0).fit(X, side=told)
    by_table = MultipleRelationalEmbedding(2, n_restarts=0, metric="precomputed").fit(D, side=told)
    assert by_table.objective_ == pytest.approx(by_rows.objective_, rel=1e-4)


def test_a_new_row_that_picks_nobody_has_a_place(X, told):
    model = MultipleRelationalEmbedding(2, n_restarts=0).fit(X, side=told)
    direction = X[0] - X.mean(axis=0)
    places = model.transform(np.array([1e3, -1e3])[:, None] * direction)
    assert np.isfinite(places).all()
    assert np.linalg.norm(places[0] - places[1]) > 1.0  # opposite rows, different places


@pytest.mark.parametrize(("times", "wide"), [(0.9, False), (1.8, False), (2.2, True)])
def test_the_bandwidth_widens_only_where_withheld_rows_are_placed_twice_as_well(
    times, wide, monkeypatch
):
    """With withheld rows of a few draws a factor of 1.2 says nothing."""
    X = np.random.default_rng(4).standard_normal((40, 4))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    narrow = 0.15 * 2 * X.var(axis=0, ddof=1).sum()

    def missed(D, told, withheld, d, *, bandwidth, penalty, who):
        return times if bandwidth == pytest.approx(narrow) else 1.0

    monkeypatch.setattr("sidelight.latent.relational.bandwidth._missed", missed)
    told = Relation.from_values(X[:20, 2], index=np.arange(20))
    found = relational_bandwidth(D, [told], 2, penalty=1e-3, who="test")
    assert found == pytest.approx(narrow * (2.0 / 0.15 if wide else 1.0))


def test_the_bandwidth_widens_for_a_relation_with_little_of_the_variance():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((160, 6)) * [2, 2, 2, 2, 2, 0.7]
    index = np.arange(60)
    narrow = 0.15 * 2 * X.var(axis=0, ddof=1).sum()
    widths = []
    for column in (0, 5):
        told = Relation.from_values(X[index, column], index=index)
        D = np.linalg.norm(X[:, None] - X, axis=2)
        widths.append(relational_bandwidth(D, [told], 3, penalty=1e-3, who="test") / narrow)
    everything = Relation.from_values(X[:, 5])
    assert relational_bandwidth(D, [everything], 3, penalty=1e-3, who="test") == pytest.approx(
        narrow
    )
    assert widths == pytest.approx([1.0, 2.0 / 0.15])


@pytest.mark.parametrize(
    ("options", "given", "words"),
    [
        ({"penalty": 0.1}, "data", "'penalty' .* no effect without a Relation"),
        ({"n_restarts": 4}, "data", "'n_restarts' .* no effect without a Relation"),
        ({"penalty": 0.1}, "relation", "'penalty' .* no effect with one Relation alone"),
        ({"data_weight": 2.0}, "relation", "'data_weight' .* no effect without X"),
        ({"perplexity": 5.0}, "relation", "'perplexity' .* no effect without X"),
        ({"metric": "manhattan"}, "relation", "'metric' .* no effect without X"),
    ],
)
def test_parameters_that_would_do_nothing_are_refused(options, given, words):
    rows = np.random.default_rng(0).standard_normal((30, 3))
    told = {"data": {"X": rows}, "relation": {"side": Relation.from_items(rows)}}[given]
    with pytest.raises(ValueError, match=words):
        MultipleRelationalEmbedding(2, **options).fit(**told)


def test_without_x_the_documented_attributes_are_there():
    rows = np.random.default_rng(0).standard_normal((20, 2))
    model = MultipleRelationalEmbedding(2).fit(side=Relation.from_items(rows))
    assert model.bandwidth_ is None
    assert len(model.relations_) == len(model.scales_) == 1
