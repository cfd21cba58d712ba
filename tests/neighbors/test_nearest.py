"""Nearest neighbours: one answer, whatever the way to it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from sidelight import NeighborEmbedding
from sidelight.core.progress import listening
from sidelight.neighbors import nearest_neighbors, radius_neighbors
from sidelight.neighbors.nearest import _choose
from sidelight.neighbors.pair_distances import group_nearest
from sidelight.neighbors.search.blocked import exact_nearest, forbid_self
from sidelight.neighbors.search.certified import certified_nearest
from sidelight.neighbors.search.products import DistanceBounds
from sidelight.neighbors.search.tree import tree_cost, tree_nearest


def naive(D, k, exclude_self):
    """Sort every row of a table of distances by distance and then by index."""
    indices, distances = [], []
    for i, row in enumerate(D):
        order = [j for j in np.lexsort((np.arange(len(row)), row)) if not (exclude_self and j == i)]
        indices.append(order[:k])
        distances.append(row[order[:k]])
    return np.array(indices), np.array(distances)


def assert_same(found, expected):
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-12)


SEARCHES = {
    "table": lambda X, Q, k: exact_nearest(
        X, X if Q is None else Q, k, forbid=forbid_self if Q is None else None
    ),
    "tree": lambda X, Q, k: tree_nearest(X, Q, k, threads=2),
    "certified": lambda X, Q, k: certified_nearest(X, Q, k, threads=2),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("seed", range(6))
def test_every_search_agrees_with_sorting_the_table(search, seed):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(2, 150)), int(rng.integers(1, 20))
    X = rng.normal(size=(n, p)) * 10.0 ** rng.integers(-6, 6) + 10.0 ** rng.integers(-3, 3)
    k = int(rng.integers(1, n))
    assert_same(search(X, None, k), naive(cdist(X, X), k, True))
    Q = np.vstack([rng.normal(size=(7, p)), X[:2]])
    assert_same(search(X, Q, k), naive(cdist(Q, X), k, False))


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize("seed", range(4))
def test_ties_are_broken_by_index(search, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, size=(120, 3)).astype(float)
    for k in (1, 5, 30):
        assert_same(search(X, None, k), naive(cdist(X, X), k, True))
    # The same ties where no product is a whole number.
    halves = (X + 0.5) / 4
    assert_same(search(halves, None, 7), naive(cdist(halves, halves), 7, True))


@pytest.mark.parametrize("seed", range(3))
def test_searches_give_the_same_bits(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 11)).astype(np.float32)
    answers = [search(X, None, 8) for search in SEARCHES.values()]
    for indices, distances in answers[1:]:
        np.testing.assert_array_equal(indices, answers[0][0])
        np.testing.assert_array_equal(distances, answers[0][1])


def wide_ways(monkeypatch):
    """Which of the bounds that a search makes are of products in float32."""
    made = []

    class Counted(DistanceBounds):
        def __init__(self, X, Q, *, single=False):
            made.append(single)
            super().__init__(X, Q, single=single)

    monkeypatch.setattr("sidelight.neighbors.search.blocked.DistanceBounds", Counted)
    return made


def test_a_table_in_float32_leaves_few_to_look_at_again(monkeypatch):
    made = wide_ways(monkeypatch)
    X = np.random.default_rng(5).normal(size=(400, 60)) + 1e3
    assert_same(exact_nearest(X, X, 9, forbid=forbid_self), naive(cdist(X, X), 9, True))
    assert made == [True]


def test_a_table_in_float32_that_tells_nothing_apart_is_made_again(monkeypatch):
    made = wide_ways(monkeypatch)
    rng = np.random.default_rng(1)
    clouds = np.repeat([[1.0] * 30, [-1.0] * 30], 100, axis=0) + 1e-6 * rng.normal(size=(200, 30))
    found = exact_nearest(clouds, clouds, 5, forbid=forbid_self)
    assert_same(found, naive(cdist(clouds, clouds), 5, True))
    assert made == [True, False]


@pytest.mark.parametrize("size", [1e-19, 1e-22, 1e-30])
def test_a_table_in_float32_finds_rows_whose_squares_are_below_its_range(size):
    X = size * np.random.default_rng(2).normal(size=(150, 6))
    X[0] = 1.0
    found = exact_nearest(X, X, 4, forbid=forbid_self)
    assert_same(found, naive(cdist(X, X), 4, True))
    np.testing.assert_allclose(found[1][1:], certified_nearest(X, None, 4, threads=1)[1][1:])


def test_whole_numbers_have_no_error_in_float32_while_their_squares_are_short():
    rng = np.random.default_rng(3)
    for most, single in ((250, True), (900, False)):
        X = rng.integers(0, most, size=(100, 60)).astype(float)
        X[0, 0] = most
        bounds = DistanceBounds(X, X, single=True)
        assert bounds.without_error is single
        assert_same(exact_nearest(X, X, 6, forbid=forbid_self), naive(cdist(X, X), 6, True))


def test_candidates_in_any_order_are_sorted_by_distance_and_index():
    left = np.array([0, 0, 0, 1, 1, 1, 1])
    lengths = np.array([2.0, 1.0, 1.0, 3.0, 3.0, 0.0, 3.0])
    rising = np.array([1, 4, 6, 0, 2, 3, 9])
    indices, distances = group_nearest(left, rising, lengths, 2, 3)
    np.testing.assert_array_equal(indices, [[4, 6, 1], [3, 0, 2]])
    np.testing.assert_array_equal(distances, [[1, 1, 2], [0, 3, 3]])
    falling = rising[[2, 1, 0, 6, 5, 4, 3]]
    indices, _ = group_nearest(left, falling, lengths[[2, 1, 0, 6, 5, 4, 3]], 2, 3)
    np.testing.assert_array_equal(indices, [[4, 6, 1], [3, 0, 2]])


def test_tiles_of_the_certified_search_meet(monkeypatch):
    monkeypatch.setattr("sidelight.neighbors.search.certified._TILE", 70)
    X = np.random.default_rng(0).normal(size=(333, 40))
    assert_same(certified_nearest(X, None, 9, threads=3), naive(cdist(X, X), 9, True))
    Q = X[:150] + 0.1
    assert_same(certified_nearest(X, Q, 9, threads=3), naive(cdist(Q, X), 9, False))


def test_float32_cannot_tell_these_rows_apart_and_the_certificate_notices(monkeypatch):
    redone = []
    import sidelight.neighbors.search.refine as refine

    def counting(X, Q, k, **told):
        redone.append(len(Q))
        return exact_nearest(X, Q, k, **told)

    monkeypatch.setattr(refine, "exact_nearest", counting)
    rng = np.random.default_rng(1)
    # Two tight clouds far from their common mean: gaps of 1e-6 beside norms of 1.
    X = np.repeat([[1.0] * 30, [-1.0] * 30], 100, axis=0) + 1e-6 * rng.normal(size=(200, 30))
    assert_same(certified_nearest(X, None, 5, threads=1), naive(cdist(X, X), 5, True))
    assert redone == [200]
    # An outlier does not spoil the certificate of the others.
    Y = np.vstack([rng.normal(size=(200, 30)), np.full((1, 30), 100.0)])
    redone.clear()
    assert_same(certified_nearest(Y, None, 5, threads=1), naive(cdist(Y, Y), 5, True))
    assert sum(redone) < 20


def test_queries_and_rows_beyond_the_range_of_float32():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 4))
    Q = np.vstack([X[:3] + 1e30, 1e42 * rng.normal(size=(3, 4)), X[:3]])
    assert_same(certified_nearest(X, Q, 5, threads=1), naive(cdist(Q, X), 5, False))
    assert_same(certified_nearest(X, Q, 60, threads=1), naive(cdist(Q, X), 60, False))
    X[0] = 1e25
    assert_same(certified_nearest(X, None, 5, threads=1), naive(cdist(X, X), 5, True))
    tiny = 1e-30 * rng.normal(size=(60, 4))
    assert_same(certified_nearest(tiny, None, 5, threads=1), naive(cdist(tiny, tiny), 5, True))


def test_grid_has_its_four_neighbours():
    side = 50
    X = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), -1).reshape(-1, 2)
    for method in ("kd_tree", "blocked"):
        found = nearest_neighbors(X, 4, method=method)
        inner = 7 * side + 9
        np.testing.assert_array_equal(
            found.indices[inner], [inner - side, inner - 1, inner + 1, inner + side]
        )
        np.testing.assert_array_equal(found.distances[inner], np.ones(4))
        # A corner: two at 1, one on the diagonal at √2, and the first of two at 2.
        np.testing.assert_array_equal(found.indices[0], [1, side, side + 1, 2])


@pytest.mark.parametrize("method", ["auto", "kd_tree", "blocked"])
def test_many_copies_of_a_row(method):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 4))[np.sort(rng.integers(0, 40, size=300)) % 17]
    X = X[rng.permutation(300)]
    for k in (1, 6, 60, 299):
        found = nearest_neighbors(X, k, method=method)
        assert_same((found.indices, found.distances), naive(cdist(X, X), k, True))
    Q = np.vstack([X[:5], rng.normal(size=(5, 4))])
    found = nearest_neighbors(X, 300, queries=Q, method=method)
    assert_same((found.indices, found.distances), naive(cdist(Q, X), 300, False))


def test_all_rows_equal():
    found = nearest_neighbors(np.ones((2500, 20)), 3)
    np.testing.assert_array_equal(found.indices[:4], [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    np.testing.assert_array_equal(found.indices[-1], [0, 1, 2])
    assert not found.distances.any()


@pytest.mark.parametrize("n_features", [3, 40])
def test_automatic_choice_for_many_rows_is_exact(n_features):
    X = np.random.default_rng(4).normal(size=(2100, n_features))
    found = nearest_neighbors(X, 10)
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    np.testing.assert_allclose(found.distances, np.sort(D, axis=1)[:, :10], rtol=1e-12)
    np.testing.assert_array_equal(found.indices, np.argsort(D, axis=1, kind="stable")[:, :10])


@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", "int64", "int32", "uint8", "bool", "object"]
)
def test_dtypes(dtype):
    values = np.random.default_rng(5).integers(0, 2, size=(60, 12))
    X = values.astype(dtype)
    found = nearest_neighbors(X, 5)
    wide = values.astype(float)
    assert_same((found.indices, found.distances), naive(cdist(wide, wide), 5, True))
    assert found.indices.dtype == np.intp
    assert found.distances.dtype == np.float64


@pytest.mark.parametrize("metric", ["euclidean", "l2", "cosine", "manhattan"])
def test_sparse_rows_have_the_neighbours_of_dense_rows(metric):
    rng = np.random.default_rng(6)
    dense = rng.normal(size=(90, 30)) * (rng.random((90, 30)) < 0.3)
    for queries in (None, dense[:9] + (dense[:9] != 0) * 0.1):
        a = nearest_neighbors(dense, 6, metric=metric, queries=queries)
        for to_sparse in (sp.csr_array, sp.csc_matrix):
            other = None if queries is None else to_sparse(queries)
            b = nearest_neighbors(to_sparse(dense), 6, metric=metric, queries=other)
            assert_same((b.indices, b.distances), (a.indices, a.distances))


@pytest.mark.parametrize(
    "metric", ["cityblock", "chebyshev", "cosine", "correlation", "braycurtis", "sqeuclidean"]
)
def test_metrics_of_scipy(metric):
    rng = np.random.default_rng(7)
    X = rng.random((80, 6))
    found = nearest_neighbors(X, 7, metric=metric)
    assert_same((found.indices, found.distances), naive(cdist(X, X, metric), 7, True))
    Q = rng.random((11, 6))
    found = nearest_neighbors(X, 7, metric=metric, queries=Q)
    assert_same((found.indices, found.distances), naive(cdist(Q, X, metric), 7, False))


def test_metrics_with_parameters_take_them_from_all_rows(monkeypatch):
    from sidelight.neighbors import metrics

    # Blocks of very few rows: a variance of a block would be another one.
    blocks = metrics.row_blocks
    monkeypatch.setattr(metrics, "row_blocks", lambda n, size: blocks(n, 1.0, budget=7.0))
    X = np.random.default_rng(8).normal(size=(60, 3)) * [1, 10, 100]
    D = cdist(X, X, "seuclidean", V=X.var(axis=0, ddof=1))
    found = nearest_neighbors(X, 5, metric="seuclidean")
    assert_same((found.indices, found.distances), naive(D, 5, True))
    D = cdist(X, X, "mahalanobis", VI=np.linalg.inv(np.cov(X.T)))
    found = nearest_neighbors(X, 5, metric="mahalanobis")
    np.testing.assert_array_equal(found.indices, naive(D, 5, True)[0])


def test_callable_metric():
    X = np.random.default_rng(9).normal(size=(30, 3))
    found = nearest_neighbors(X, 4, metric=lambda u, v: np.abs(u - v).max())
    assert_same((found.indices, found.distances), naive(cdist(X, X, "chebyshev"), 4, True))


def test_cosine_of_rows_without_direction():
    X = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0], [-3.0, 0.0], [0.0, 0.0]])
    found = nearest_neighbors(X, 4, metric="cosine")
    np.testing.assert_array_equal(found.indices[1], [4, 0, 2, 3])
    np.testing.assert_allclose(found.distances[1], [0.0, 1.0, 1.0, 1.0], atol=1e-15)
    np.testing.assert_array_equal(found.indices[0], [1, 2, 4, 3])
    np.testing.assert_allclose(found.distances[0], [1.0, 1.0, 1.0, 2.0])


def test_precomputed_is_the_table_and_is_left_as_it_is():
    rng = np.random.default_rng(10)
    X = rng.integers(0, 4, size=(70, 3)).astype(float)
    D = cdist(X, X)
    before = D.copy()
    found = nearest_neighbors(D, 8, metric="precomputed")
    assert_same((found.indices, found.distances), naive(before, 8, True))
    np.testing.assert_array_equal(D, before)
    block = cdist(X[:5] + 0.25, X)
    found = nearest_neighbors(D, 70, metric="precomputed", queries=block)
    assert_same((found.indices, found.distances), naive(block, 70, False))


@pytest.mark.parametrize("method", ["auto", "kd_tree", "blocked", "approximate"])
def test_query_equal_to_a_row_finds_it_at_distance_zero(method):
    X = np.random.default_rng(11).normal(size=(2200, 5)) + 1e5
    found = nearest_neighbors(X, 2, queries=X[::3], method=method)
    np.testing.assert_array_equal(found.indices[:, 0], np.arange(0, 2200, 3))
    assert not found.distances[:, 0].any()
    assert (found.distances[:, 1] > 0).all()


@pytest.mark.parametrize("bad", [0, -1, 6, 5, 2.0, True, "3", None, np.float64(2)])
def test_bad_number_of_neighbours(bad):
    X = np.arange(5.0)[:, None]
    expected = r"The 'n_neighbors' parameter of Isomap must be an int in \[1, n_samples\)"
    with pytest.raises(ValueError, match=expected):
        nearest_neighbors(X, bad, who="Isomap")


def test_numpy_integers_are_integers():
    assert nearest_neighbors(np.arange(5.0)[:, None], np.int32(2)).indices.shape == (5, 2)


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        ([[np.nan], [1.0], [2.0]], {}, "must be finite. Input contains NaN"),
        ([[np.inf], [1.0], [2.0]], {}, "must be finite. Input contains infinity"),
        ([1.0, 2.0, 3.0], {}, r"X.reshape\(-1, 1\)"),
        (np.empty((3, 0)), {}, "at least one row and one column"),
        ([["a"], ["b"], ["c"]], {}, "must hold real numbers"),
        ([[1j], [2.0], [3.0]], {}, "must hold real numbers"),
        (np.eye(3), {"metric": "nonsense"}, "'metric' parameter of .* must be a callable or"),
        (np.eye(3), {"method": "magic"}, "'method' parameter of .* Got 'magic'"),
        (np.eye(3), {"method": "kd_tree", "metric": "manhattan"}, "must be 'auto' or 'blocked'"),
        (sp.eye_array(3), {"method": "approximate"}, "for sparse rows"),
        (np.eye(3), {"queries": np.eye(2)}, r"must have the 3 columns of X. Got 2"),
        (np.eye(3), {"n_jobs": 0}, "'n_jobs' parameter"),
        (np.eye(3), {"metric": lambda u, v: np.nan}, "must give finite distances"),
    ],
)
def test_bad_input(X, options, message):
    with pytest.raises(ValueError, match=message):
        nearest_neighbors(X, 1, **options)


def in_columns(n, p, seed, *, thick=0.0):
    """A swiss roll turned into p columns: two dimensions, whatever p is."""
    rng = np.random.default_rng(seed)
    t = rng.uniform(5.0, 14.0, n)
    roll = np.column_stack([t * np.cos(t), rng.uniform(0, 20, n), t * np.sin(t)])
    turn = np.linalg.qr(rng.normal(size=(p, p)))[0][:, :3]
    return roll @ turn.T + thick * rng.normal(size=(n, p))


@pytest.mark.parametrize(
    ("kind", "n", "p", "expected"),
    [
        ("cloud", 30_000, 3, "tree"),
        ("cloud", 30_000, 6, "tree"),
        ("cloud", 2_500, 15, "tree"),  # half a second at most, and no compiler
        ("cloud", 10_000, 15, "certified"),
        ("cloud", 30_000, 10, "certified"),
        ("cloud", 100_000, 15, "approximate"),
        ("roll", 10_000, 15, "tree"),
        ("roll", 100_000, 10, "tree"),
        ("roll", 100_000, 15, "tree"),
        ("thick roll", 30_000, 10, "tree"),
        ("cloud", 10_000, 16, "certified"),
    ],
)
def test_a_tree_is_taken_while_it_is_cheaper_than_products(kind, n, p, expected):
    """Normal rows of 15 features meet nearly all leaves of a tree: 7 ms a row of 200,000."""
    if kind == "cloud":
        X = np.random.default_rng(0).normal(size=(n, p))
    else:
        X = in_columns(n, p, 0, thick=0.3 * (kind == "thick roll"))
    assert _choose(X, None, 15, "auto") == expected
    assert _choose(X, None, 15, "kd_tree") == "tree"
    assert _choose(X, None, 15, "blocked") == "certified"


def test_new_rows_are_searched_exactly_however_many_there_are():
    X = np.random.default_rng(0).normal(size=(100_000, 12))
    assert _choose(X, X[:5000] + 0.1, 15, "auto") == "certified"
    X = in_columns(50_000, 12, 0)
    assert _choose(X, X[:5000] + 0.1, 15, "auto") == "tree"


def test_the_leaves_that_a_tree_visits_are_foretold():
    # two leaves: few balls within a cluster touch the other one, and all wide ones do
    X = np.concatenate([np.linspace(0, 1, 16), np.linspace(9, 10, 16)])[:, None]
    both = tree_cost(X, None, 20)
    assert both == 2 * tree_cost(X, X[::2], 20) == 16 * tree_cost(X, X[:2], 20)
    assert 0.5 * both <= tree_cost(X, None, 3) < 0.6 * both


@pytest.mark.parametrize("n_features", [8, 12, 15])
def test_the_automatic_choice_in_middle_dimensions_has_the_bits_of_every_exact_way(n_features):
    X = np.random.default_rng(12).normal(size=(6000, n_features))
    answers = [nearest_neighbors(X, 6, method=method) for method in ("auto", "kd_tree", "blocked")]
    for found in answers:
        assert found.exact
        np.testing.assert_array_equal(found.indices, answers[0].indices)
        np.testing.assert_array_equal(found.distances, answers[0].distances)


def test_a_tree_says_how_far_it_has_come(monkeypatch):
    X = np.random.default_rng(13).normal(size=(3000, 3))
    expected = tree_nearest(X, None, 5, threads=1)
    monkeypatch.setattr("sidelight.neighbors.search.tree._ASKING", 700)
    told = []
    with listening(told.append):
        found = tree_nearest(X, None, 5, threads=1)
    assert [(each.stage, each.done, each.total) for each in told] == [
        ("nearest neighbours", done, 5) for done in range(1, 6)
    ]
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "precomputed"])
def test_blocks_of_a_table_say_how_far_they_have_come(metric, monkeypatch):
    """Sparse rows, other metrics and tables of distances are compared each with each."""
    from sidelight.neighbors import metrics
    from sidelight.neighbors.search import blocked

    blocks = metrics.row_blocks
    for module in (metrics, blocked):
        monkeypatch.setattr(module, "row_blocks", lambda n, *_, **__: blocks(n, 1.0, budget=30.0))
    rows = np.random.default_rng(14).normal(size=(80, 6))
    X = cdist(rows, rows) if metric == "precomputed" else sp.csr_array(rows)
    told = []
    with listening(told.append):
        nearest_neighbors(X, 4, metric=metric)
    assert [(each.stage, each.done, each.total) for each in told] == [
        ("nearest neighbours", done, 80) for done in (30, 60, 80)
    ]


def test_a_neighbour_embedding_of_sparse_rows_says_how_far_its_search_has_come():
    X = sp.random_array((2500, 40), density=0.2, random_state=0, format="csr")
    told = []
    with listening(told.append):
        NeighborEmbedding(max_iter=2).fit(X)
    searched = [each.done for each in told if each.stage == "nearest neighbours"]
    assert len(searched) > 1
    assert searched[-1] == 2500


@pytest.mark.parametrize("unit", [1e200, 1e-200])
def test_rows_whose_squares_are_lost_are_refused_by_name(unit):
    """One cell of 1e200 ended in an index that there is not."""
    X = np.random.default_rng(0).standard_normal((16, 4))
    lost = X * unit
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for search in (nearest_neighbors, radius_neighbors):
            with pytest.raises(ValueError, match=f"{search.__name__} cannot use X: its entries"):
                search(lost, 2)
        with pytest.raises(ValueError, match="nearest_neighbors cannot use queries: its entries"):
            nearest_neighbors(X, 2, queries=lost)
        # a direction has no unit
        found = nearest_neighbors(lost, 2, metric="cosine").indices
    np.testing.assert_array_equal(found, nearest_neighbors(X, 2, metric="cosine").indices)


def test_rows_of_several_lengths_are_refused_in_words():
    with pytest.raises(ValueError, match="nearest_neighbors expects the rows of X to be equally"):
        nearest_neighbors([[1.0, 2.0], [3.0]], 1)
