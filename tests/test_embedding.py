"""The one door: what it chooses, why, and that it is the method itself."""

from __future__ import annotations

import itertools
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

import sidelight
from sidelight import Isomap, NeighborEmbedding, ProbabilisticPCA, embed
from sidelight.core.progress import listening
from sidelight.embedding import choose_method, draw_sample
from sidelight.embedding.reach import REACH, Reach, reach_of
from sidelight.quality import procrustes
from sidelight.registry import MAPS, entry_for
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Invariance,
    Pairs,
    Relation,
    Sequence,
)
from sidelight.transforms import Shift


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((80, 5))


def test_it_is_the_method_itself(X):
    result = embed(X, method="isomap", n_neighbors=9, n_components=3)
    np.testing.assert_array_equal(result.points, Isomap(3, n_neighbors=9).fit(X).embedding_)
    assert result.model.n_neighbors == 9
    assert result.reason == "Isomap: you asked for it."


def test_what_is_known_goes_by_name_and_the_error_says_so(X):
    with pytest.raises(TypeError, match=r"Got Pairs after it.*embed\(X, side="):
        embed(X, Pairs(similar=[(0, 1)]))
    with pytest.raises(TypeError, match=r"Got Pairs and Pairs after it.*side="):
        embed(X, [Pairs(similar=[(0, 1)]), Pairs(dissimilar=[(0, 2)])])
    with pytest.raises(TypeError, match=r"Got str after it.*method="):
        embed(X, "pca")


def test_a_number_of_numpy_is_a_number_of_dimensions():
    assert choose_method(100, n_components=np.int64(2)).entry.name == "NeighborEmbedding"
    X = np.random.default_rng(0).standard_normal((30, 4))
    with pytest.raises(ValueError, match="'align_to' argument of embed must have n_components=2"):
        embed(X, method="pca", n_components=np.int64(2), align_to=np.zeros((30, 3)))
    with mock.patch("sidelight.spectral.pca._FORMED_ORDER", 3):
        assert [sidelight.PCA(k)._form(X) for k in (2, np.int64(2))] == ["operator"] * 2


def test_the_choice_and_its_reason(X):
    assert embed(X).reason == "NeighborEmbedding: near rows are near in the map."
    pairs, distances = Pairs(similar=[(0, 1), (2, 3)]), Distances([(4, 5)], [1.0])
    together = embed(X, side=[pairs, distances])
    assert together.reason.endswith("near in the map; Distances and Pairs pull and push in it.")
    known = embed(X, side=Attributes([pairs]), n_components=4)
    assert known.why.startswith("Isomap: it follows curved data; it listens to Attributes")
    assert len(known.model.side_metrics_) == 1
    assert choose_method(100, n_components="auto").entry.name == "Isomap"
    assert choose_method(100, kinds=["Actions", "Distances"]).entry.name == "SemidefiniteEmbedding"
    table = choose_method(100, kinds=["Pairs"], distances=True, n_components=5)
    assert table.entry.name == "SemidefiniteEmbedding"  # no metric is learned from a table
    holes = X.copy()
    holes[3, 2] = np.nan
    result = embed(holes)
    assert isinstance(result.model, ProbabilisticPCA)
    assert "missing" in result.why
    table = np.abs(X[:, :1] - X[:, :1].T)
    assert "table of distances" in embed(table, metric="precomputed").why
    many = np.random.default_rng(1).random((4100, 5))
    large = embed(many, n_components=4)
    assert large.model.n_landmarks == 1000
    assert "landmarks" in large.why


def test_none_known_is_the_plain_method_to_the_bit(X):
    for side in (None, []):
        np.testing.assert_array_equal(embed(X, side=side).points, embed(X).points)


def test_quality_plot_and_save(X, tmp_path):
    result = embed(X, method="pca")
    report = result.quality(n_neighbors=5)
    from sidelight.quality import quality_report

    assert report == quality_report(X, result.points, n_neighbors=5)
    assert result.plot(color=X[:, 0]).collections
    result.save(tmp_path / "map.sidelight")
    loaded = sidelight.load(tmp_path / "map.sidelight")
    np.testing.assert_array_equal(loaded.transform(X), result.model.transform(X))


def test_a_map_by_a_function_is_judged_by_it(X):
    def far(x, y):
        return float(np.abs(x - y).sum())

    result = embed(X, method="mds", metric=far)
    assert result.quality().metric == "far"
    assert result.quality().stress == pytest.approx(result.quality(metric="cityblock").stress)
    assert result.quality().stress != pytest.approx(result.quality(metric="euclidean").stress)


def test_it_is_written_in_three_lines_and_not_in_all_its_numbers(X):
    lines = repr(embed(X, method="pca")).splitlines()
    assert lines[0] == "Embedding of 80 rows in 2 dimensions"
    assert lines[1].startswith("by PCA: you asked for it. 80 rows of 5 numbers")
    assert len(lines) == 3
    assert repr(embed(X, method="pca", n_components=1)).startswith(
        "Embedding of 80 rows in 1 dimension\n"
    )


def test_a_hint_is_written_within_the_three_lines(X):
    result = embed(X * [1e3, 1, 1, 1, 1], method="pca")
    assert len(result.hints) == 1
    lines = repr(result).splitlines()
    assert len(lines) == 3
    assert lines[1].endswith(f"Hint: {result.hints[0]}")


def test_why_ends_with_what_these_data_are(monkeypatch):
    from sidelight.embedding import portrait

    rng = np.random.default_rng(0)
    flat = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 9))
    looks, look = [], portrait.portrait
    monkeypatch.setattr(portrait, "portrait", lambda *a, **k: looks.append(1) or look(*a, **k))
    result = embed(flat, method="pca")
    assert not looks  # what nobody asks for costs nothing
    assert result.why == (
        "PCA: you asked for it. 300 rows of 9 numbers that fill about 2 dimensions."
    )
    assert result.why in repr(result)
    assert looks == [1]
    for unit in (1e150, 1e-150):  # whose squares no measure takes
        assert embed(unit * flat, method="pca").why == result.why
    apart = np.vstack([flat, flat + 1e3])
    with pytest.warns(UserWarning, match="2 "):
        told = embed(apart, method="isomap")
    assert told.why.endswith("600 rows of 9 numbers that fill about 2 dimensions, in 2 pieces.")
    pd = pytest.importorskip("pandas")
    assert embed(pd.DataFrame(flat), method="pca").why == result.why


def test_anchors_choose_a_method_that_keeps_them(X):
    anchors = Anchors([0, 5, 9], [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    result = embed(X, side=anchors)
    assert result.why.startswith("NeighborEmbedding: near rows are near in the map; Anchors")
    np.testing.assert_array_equal(result.points[[0, 5, 9]], anchors.positions)
    both = embed(X, side=[anchors, Pairs(similar=[(0, 1), (2, 3)])])
    assert type(both.model).__name__ == "NeighborEmbedding"
    np.testing.assert_array_equal(both.points[[0, 5, 9]], anchors.positions)
    apart = choose_method(80, kinds=["Anchors"], n_components=4)
    assert apart.entry.name == "SammonMapping"


@pytest.mark.parametrize("n_components", [2, 4])
def test_distances_and_anchors_alone_are_a_map_in_the_unit_of_the_anchors(n_components):
    """Nothing but where rows are is asked of such data: distances are kept, not neighbours."""
    table = choose_method(80, kinds=["Anchors"], distances=True, n_components=n_components)
    assert str(table) == (
        "ClassicalMDS: the data are a table of distances; the finished map is moved to the Anchors."
    )
    graph = choose_method(80, kinds=["Anchors"], distances=True, graph=True, n_components=2)
    assert graph.entry.name == "Isomap"
    both = choose_method(80, kinds=["Anchors", "Pairs"], distances=True)
    assert both.entry.name == "NeighborEmbedding"


KNOWN = {
    "Pairs": Pairs(similar=[(0, 1), (2, 3)], dissimilar=[(4, 5)]),
    "Attributes": Attributes([Pairs(similar=[(0, 1)]), Pairs(similar=[(6, 7)])]),
    "Distances": Distances([(0, 9), (4, 6)], [1.0, 0.4]),
    "Actions": Actions(["a", "b"] * 11 + ["a"]),
    "Anchors": Anchors([0, 5, 9], [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]]),
    "Condition": Condition(np.arange(24) % 3),
    "Relation": Relation.from_values(np.arange(24.0)),
    "Sequence": Sequence(),
    "Invariance": Invariance(Shift(), image_shape=(3, 3)),
}


def known(kind, n_components):
    """One of each kind; anchors in a map of so many dimensions."""
    if kind != "Anchors":
        return KNOWN[kind]
    places = KNOWN[kind].positions
    return Anchors([0, 5, 9], np.pad(places, ((0, 0), (0, n_components - 2))))


FORMS = ["features", "distances", "graph", "cosine", "holes"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n_components", [2, 4])
@pytest.mark.parametrize("kinds", [(kind,) for kind in KNOWN] + [("Anchors", "Pairs")])
def test_no_method_is_chosen_that_then_refuses(form, kinds, n_components):
    rows = np.random.default_rng(3).standard_normal((24, 9))
    data, parameters = rows, {}
    if form == "cosine":
        parameters = {"metric": "cosine"}
    elif form == "holes":
        data = np.where(rows > 1.9, np.nan, rows)
        assert np.isnan(data).any()
    elif form != "features":
        data, parameters = cdist(rows, rows), {"metric": "precomputed"}
        if form == "graph":
            data = sp.csr_array(np.where(data <= np.sort(data)[:, [8]], data, 0.0))
    try:
        side = [known(kind, n_components) for kind in kinds]
        result = embed(data, side=side, n_components=n_components, **parameters)
    except ValueError as refusal:
        said = str(refusal)
        door = said.startswith(("No one method listens to", "No method listens to", "Some values"))
        assert door, said
        assert form != "features"
    else:
        assert set(kinds) <= set(entry_for(type(result.model).__name__).understands)
        assert np.isfinite(result.points).all()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kinds", itertools.combinations(KNOWN, 2), ids="+".join)
def test_of_two_kinds_what_a_method_takes_is_not_refused_at_the_door(kinds):
    """In more dimensions than a picture has: with each pair some method is content, or none is."""
    rows = np.random.default_rng(3).standard_normal((24, 9))
    side = [known(kind, 4) for kind in kinds]
    able = [entry for entry in MAPS if set(kinds) <= set(entry.understands)]
    if entered(rows, side):
        return
    for entry in able:
        with pytest.raises(ValueError, match="cannot listen"):
            entry.load()(4).fit(rows, side=side)


def entered(rows, side):
    """Whether the door takes these two, or says that no one method does."""
    try:
        embed(rows, side=side, n_components=4)
    except ValueError as refusal:
        if not str(refusal).startswith("No one method listens to"):
            raise
        return False
    return True


def test_a_known_factor_is_taken_out_in_front_in_more_dimensions_than_a_picture_has():
    """The conditional information as printed does not leave it out: known_factor_removed."""
    rng = np.random.default_rng(0)
    values = np.arange(90) % 3
    X = rng.standard_normal((90, 6)) + 4 * np.eye(3, 6)[values]
    result = embed(X, side=Condition(values.astype(str)), n_components=4)
    assert result.reason == (
        "Isomap: it follows curved data; what the Condition does is taken out in front."
    )
    assert result.model._front[0].removed_
    means = np.array([result.points[values == value].mean(axis=0) for value in range(3)])
    plain = embed(X, n_components=4).points
    before = np.array([plain[values == value].mean(axis=0) for value in range(3)])
    assert means.std(axis=0).max() < 0.2 * before.std(axis=0).max()


def test_each_kind_is_said_to_act_where_it_does():
    def why(*kinds, **more):
        return choose_method(100, kinds=kinds, n_components=5, **more).why

    assert why("Sequence").endswith("its graph listens to Sequence, where that improves the map")
    assert why("Attributes", "Sequence") == (
        "it follows curved data; its graph listens to Sequence, where that improves the map; it "
        "listens to Attributes through a learned metric"
    )
    assert why("Anchors") == "it keeps distances; the Anchors stay where they are"
    assert why("Anchors", "Relation").endswith("; the finished map is moved to the Anchors")
    assert why("Invariance", "Pairs") == (
        "it follows curved data; its graph listens to Pairs, where that improves the map; rows "
        "are compared up to what the Invariance forgives"
    )
    assert choose_method(100, kinds=["Attributes"]).why == (
        "near rows are near in the map; it listens to Attributes through a learned metric"
    )


def test_dimensions_that_rows_left_out_say_are_for_methods_that_can_ask_them(X):
    result = embed(X, n_components="cv")
    assert type(result.model).__name__ == "ProbabilisticPCA"
    assert "rows that are left out say how many dimensions" in result.why
    assert result.points.shape == (80, result.model.n_components_)
    assert choose_method(80, kinds=["Sequence"], n_components="cv").entry.name == "GPLVM"
    with pytest.raises(ValueError, match=r"'n_components' .*\(pca, ppca, gplvm\) works from"):
        embed(cdist(X, X), metric="precomputed", n_components="cv")


def test_missing_values_in_order_go_to_the_method_that_takes_both():
    choice = choose_method(80, kinds=["Sequence"], missing=True)
    assert choice.entry.name == "GPLVM"


def test_anchors_in_a_table_of_distances_are_kept(X):
    D, anchors = cdist(X, X), Anchors([0, 5, 9], [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0]])
    result = embed(D, side=anchors, metric="precomputed")
    np.testing.assert_array_equal(result.points[[0, 5, 9]], anchors.positions)


def test_many_rows_of_distances_with_pairs_go_to_the_method_that_takes_both():
    choice = choose_method(5000, kinds=["Pairs"], distances=True)
    assert choice.entry.name == "NeighborEmbedding"


def test_frames_set_aside_what_is_no_number(X):
    pandas, polars, arrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    columns = {name: X[:, i] for i, name in enumerate("abcde")}
    word, expected = ["x", "y"] * 40, NeighborEmbedding().fit_transform(X)
    for frame in (pandas.DataFrame, polars.DataFrame, arrow.table):
        plain = embed(frame(columns))
        np.testing.assert_array_equal(plain.points, expected)
        mixed = embed(frame({"word": word, **columns}))
        np.testing.assert_array_equal(mixed.points, expected)
        assert "Set aside the column 'word': not numbers." in mixed.why
        assert mixed.quality().auc == plain.quality().auc
        with pytest.raises(ValueError, match="no column of numbers.*'word'"):
            embed(frame({"word": word}))
    assert list(embed(pandas.DataFrame(columns)).model.feature_names_in_) == list("abcde")
    assert list(mixed_names(pandas, word, columns)) == list("abcde")


def mixed_names(library, word, columns):
    return embed(library.DataFrame({"word": word, **columns})).model.feature_names_in_


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.arange(9.0), "NeighborEmbedding expects X to be a table"),
        (np.ones((9, 3)) * 1j, "NeighborEmbedding expects X to hold real numbers"),
        (np.array([["a", "b"], ["c", "d"], ["e", "f"]]), "NeighborEmbedding expects X to hold num"),
        (None, "NeighborEmbedding expects X to be a table"),
    ],
)
def test_what_is_no_table_is_refused_alike_whatever_missing_says(given, words):
    """An array of one dimension was an IndexError, and imaginary parts were dropped."""
    for missing in ("keep", "mean", "drop-rows"):
        with pytest.raises(ValueError, match=words):
            embed(given, missing=missing)


def test_masked_entries_are_missing_values(X):
    """What stood under the mask was read as numbers."""
    holes = np.where(X > 2, np.nan, X)
    masked = np.ma.masked_greater(X, 2)
    for missing in ("keep", "mean"):
        found, wanted = (embed(rows, missing=missing) for rows in (masked, holes))
        np.testing.assert_array_equal(found.points, wanted.points)
        assert type(found.model) is type(wanted.model)


def test_a_frame_with_a_nullable_column_has_missing_values(X):
    pandas, polars = map(pytest.importorskip, ("pandas", "polars"))
    counts = [None, *range(1, 80)]
    expected = embed(np.column_stack([X, [np.nan, *range(1, 80)]]))
    assert isinstance(expected.model, ProbabilisticPCA)
    columns = {name: X[:, i] for i, name in enumerate("abcde")}
    for frame in (
        pandas.DataFrame({**columns, "n": pandas.array(counts, dtype="Int64")}),
        polars.DataFrame({**columns, "n": counts}),
    ):
        result = embed(frame)
        assert isinstance(result.model, ProbabilisticPCA)
        np.testing.assert_allclose(result.points, expected.points, atol=1e-10)


def test_frames_as_people_have_them(X):
    pandas, polars = map(pytest.importorskip, ("pandas", "polars"))
    expected = NeighborEmbedding().fit_transform(X)
    numbered = pandas.DataFrame(X)  # whose columns are called 0, 1, 2 …
    twice = pandas.DataFrame(X, columns=list("aabcd"))
    objects = pandas.DataFrame(X, columns=list("abcde")).astype(object)
    pairs = pandas.MultiIndex.from_tuples([(c, "x") for c in "abcde"])
    for frame in (numbered, numbered.assign(word="w"), objects):
        np.testing.assert_array_equal(embed(frame).points, expected)
    np.testing.assert_array_equal(embed(pandas.DataFrame(X, columns=pairs)).points, expected)
    with pytest.raises(ValueError, match=r"unique column names[\s\S]*'a'"):
        embed(twice)
    dated = numbered.set_axis(list("abcde"), axis=1).assign(
        when=pandas.date_range("2020", periods=80), kind=pandas.Categorical(["u", "v"] * 40)
    )
    assert "Set aside the columns 'when', 'kind'" in embed(dated).why
    table = embed(pandas.DataFrame(cdist(X, X)), metric="precomputed")
    assert "table of distances" in table.why
    for wrong in (polars.DataFrame(X).lazy(), pandas.DataFrame(X + 1j), pandas.DataFrame(), 3.0):
        with pytest.raises((ValueError, TypeError), match="NeighborEmbedding"):
            embed(wrong)


def test_the_choice_is_told_before_the_work_begins(X, monkeypatch):
    told = []

    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(NeighborEmbedding, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        embed(X, perplexity=7, on_choice=lambda choice, model: told.append((str(choice), model)))
    assert told[0][0] == "NeighborEmbedding: near rows are near in the map."
    assert told[0][1].perplexity == 7


def test_a_seed_is_for_methods_that_draw(X):
    drawn = embed(X, method="isomap", random_state=5).model
    assert drawn.get_params().get("random_state") is None
    assert embed(X[:30], method="mre", random_state=5).model.random_state == 5


def test_maps_that_cannot_be_judged_say_why(X):
    K = X @ X.T
    cases = {
        "holds a kernel": embed(K, method="kpca", kernel="precomputed"),
        "missing values": embed(np.where(X > 2, np.nan, X)),
        "at least four rows": embed(X[:3], method="pca"),
        "only relations": embed(None, side=Relation.from_values(np.arange(12.0))),
    }
    for words, result in cases.items():
        with pytest.raises(ValueError, match=words):
            result.quality()


def test_a_table_of_distances_read_as_features_is_warned_of(X, recwarn):
    embed(X, method="pca")
    assert not recwarn.list
    with pytest.warns(UserWarning, match="as a table of distances is.*metric='precomputed'"):
        embed(cdist(X, X), method="pca")


def test_what_it_refuses(X):
    with pytest.raises(ValueError, match="'method' argument of embed.*PCA"):
        embed(X, method=sidelight.PCA)
    with pytest.raises(ValueError, match=r"'side' argument of embed.*Did you mean Pairs\(similar"):
        embed(X, side=[(0, 1)])
    with pytest.raises(ValueError, match=r"the class Pairs\. Did you mean Pairs\("):
        embed(X, side=Pairs)
    with pytest.raises(ValueError, match="no method 'tsne'. Did you mean 'ne'"):
        embed(X, method="tsne")
    with pytest.raises(ValueError, match="Isomap has no parameter 'perplexity'.*n_neighbors"):
        embed(X, method="isomap", perplexity=30)
    with pytest.raises(ValueError, match="DistanceMetric makes no map"):
        embed(X, method="DistanceMetric")
    side = [Attributes([Pairs(similar=[(0, 1)])]), Condition(np.arange(len(X)) % 2)]
    with pytest.raises(ValueError, match="listens to Attributes and Condition together from a ta"):
        embed(cdist(X, X), side=side, metric="precomputed")
    with pytest.raises(ValueError, match="ProbabilisticPCA .*Actions.*SemidefiniteEmbedding"):
        embed(X, method="ppca", side=Actions(["a"] * 79))


class TestBeyondItsReach:
    """More rows than a method is fitted to."""

    @pytest.fixture
    def sheet(self):
        rng = np.random.default_rng(3)
        t, h = 3 * rng.random(600), 2 * rng.random(600)
        return np.column_stack([np.cos(t), np.sin(t), h, t])

    @pytest.fixture
    def _near(self, monkeypatch):
        monkeypatch.setattr("sidelight.embedding.reach.REACH", {"Isomap": Reach(200, "a sample")})

    @pytest.mark.usefixtures("_near")
    def test_it_is_fitted_to_a_sample_and_the_rest_are_placed(self, sheet):
        result = embed(sheet, method="isomap")
        rows = draw_sample(600, 200, who="test").rows
        alone = Isomap().fit(sheet[rows])
        np.testing.assert_array_equal(result.points[rows], alone.embedding_)
        np.testing.assert_allclose(result.points, alone.transform(sheet), atol=1e-9)
        assert "fitted to 200 of the 600 rows" in result.why
        assert result.why.startswith("Isomap: you asked for it.")
        again = embed(sheet, method="isomap")
        np.testing.assert_array_equal(again.points, result.points)
        assert embed(sheet[:200], method="isomap").done == ()
        assert result.quality().n_samples == 600

    @pytest.fixture
    def _few_pairs(self, monkeypatch):
        for name in ("_ALL_PAIRS", "_BY_FUNCTION", "_EXACT_REPULSION"):
            monkeypatch.setattr(f"sidelight.embedding.reach.{name}", (120, 80))

    @pytest.mark.usefixtures("_few_pairs")
    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"metric": "manhattan"}, "metric='manhattan' compares all pairs of rows"),
            ({"metric": lambda a, b: abs(a - b).sum()}, "a function compares rows pair by pair"),
            (
                {"n_components": 4, "method": "ne", "max_iter": 20},
                "each point repels every other one",
            ),
            (
                {"method": "ne", "repulsion": "exact", "max_iter": 20},
                "each point repels every other one",
            ),
            ({"method": "lem", "metric": "l1"}, "metric='l1' compares all pairs of rows"),
        ],
    )
    def test_where_all_pairs_are_compared_fewer_rows_are_fitted(self, sheet, given, words):
        result = embed(sheet[:200], **given)
        assert len(result.model.embedding_) == 80
        assert result.points.shape == (200, given.get("n_components", 2))
        assert np.isfinite(result.points).all()
        assert "fitted to 80 of the 200 rows" in result.why
        assert f"No more were taken, for {words}" in result.why
        assert embed(sheet[:120], **given).done == ()
        assert "No more were" not in embed(sheet[:200], **given, sample=60).why

    @pytest.mark.usefixtures("_few_pairs")
    def test_sparse_rows_whose_neighbours_are_wanted(self, sheet):
        sparse = sp.csr_array(sheet)
        result = embed(sparse, method="isomap")
        assert len(result.model.embedding_) == 80
        assert "neighbours of sparse rows are found among all pairs" in result.why
        for method, rows in (("pca", sparse), ("isomap", sheet)):
            assert embed(rows, method=method).done == ()
        assert embed(sheet, method="isomap", metric="cosine").done == ()

    def test_how_far_methods_go_with_other_metrics(self):
        far = 1_000_000
        for name in ("NeighborEmbedding", "Isomap", "ClassicalMDS"):
            assert reach_of(name).of(far) == far
            assert reach_of(name, {"metric": "cosine"}).of(far) == far
            assert reach_of(name, {"metric": "l1"}).of(far) < 10_000
        assert reach_of("LaplacianEigenmaps", {"metric": "l1"}).of(far) < 10_000
        # who goes less far already is held back by nothing else
        assert reach_of("SammonMapping", {"metric": "l1"}) is reach_of("SammonMapping")
        assert reach_of("NeighborEmbedding", {"n_components": 3}).of(far) == far
        assert reach_of("NeighborEmbedding", {"n_components": 4}).of(far) < 10_000
        assert reach_of("Isomap", {"n_components": 4}).of(far) == far
        assert reach_of("PCA", sparse=True).of(far) == far

    @pytest.mark.usefixtures("_near")
    def test_the_user_says_how_many(self, sheet):
        whole = embed(sheet, method="isomap", sample=600)
        np.testing.assert_array_equal(whole.points, Isomap().fit(sheet).embedding_)
        fewer = embed(sheet, method="isomap", sample=90)
        assert len(fewer.model.embedding_) == 90
        other = embed(sheet, method="isomap", sample=90, random_state=1)
        assert not np.array_equal(other.points, fewer.points)
        for wrong in (1, 2.5, True, "many"):
            with pytest.raises(ValueError, match="'sample' argument of embed must be an int above"):
                embed(sheet, method="isomap", sample=wrong)

    @pytest.mark.usefixtures("_near")
    def test_rows_that_are_named_are_among_those_drawn(self, sheet):
        pairs = Pairs(similar=[(0, 599), (17, 18)])
        result = embed(sheet, side=pairs, method="isomap")
        rows = draw_sample(600, 200, side=pairs, who="test").rows
        assert {0, 17, 18, 599} <= set(rows.tolist())
        np.testing.assert_array_equal(result.points[rows], result.model.embedding_)
        assert len(result.model.side_metrics_) == 1

    @pytest.mark.usefixtures("_near")
    def test_frames_and_sparse_rows(self, sheet):
        pandas = pytest.importorskip("pandas")
        expected = embed(sheet, method="isomap").points
        frame = pandas.DataFrame(sheet, columns=list("abcd"), index=np.arange(600)[::-1])
        np.testing.assert_allclose(embed(frame, method="isomap").points, expected, atol=1e-9)
        found = embed(sp.csr_array(sheet), method="isomap").points
        np.testing.assert_allclose(found, expected, atol=1e-6)
        np.testing.assert_allclose(embed(sheet.tolist(), method="isomap").points, expected)

    @pytest.mark.usefixtures("_near")
    def test_what_cannot_be_sampled_is_fitted_whole_or_refused(self, sheet):
        D = cdist(sheet, sheet)
        assert len(embed(D, method="isomap", metric="precomputed").model.embedding_) == 600
        with pytest.raises(ValueError, match="cannot fit Isomap to a sample: new rows of a table"):
            embed(D, method="isomap", metric="precomputed", sample=50)
        with pytest.raises(ValueError, match="Actions speak of rows one after the other"):
            embed(sheet[:40], side=Actions(["a"] * 39), sample=10)

    @pytest.mark.usefixtures("_near")
    def test_placing_says_how_far_it_is(self, sheet, monkeypatch):
        monkeypatch.setattr("sidelight.embedding.beyond._BLOCK", 100)
        heard = []
        with listening(heard.append):
            embed(sheet, method="isomap")
        placed = [p for p in heard if p.stage == "rows placed"]
        assert [p.done for p in placed] == [100, 200, 300, 400]
        assert placed[-1].total == 400

    def test_landmarks_come_with_the_rows(self):
        many = np.random.default_rng(1).random((4100, 2))
        assert embed(many, method="isomap").model.n_landmarks == 1000
        assert embed(many, method="isomap", n_landmarks=50).model.n_landmarks == 50
        assert embed(many[:300], method="isomap").model.n_landmarks is None
        assert "n_landmarks=1000" in embed(many, method="isomap").why

    def test_many_rows_of_many_dimensions_are_unfolded_from_landmarks(self):
        X = np.random.default_rng(2).random((700, 2))
        result = embed(X, method="sde")
        assert result.model.n_landmarks == 200 == len(result.model.landmarks_)
        assert "n_landmarks=200" in result.why
        assert result.points.shape == (700, 2)
        assert embed(X[:500], method="sde").model.n_landmarks is None

    def test_actions_which_speak_of_every_row_are_unfolded_without_landmarks(self):
        reach = reach_of("SemidefiniteEmbedding", kinds=["Actions"])
        assert reach.settings(5000) == {}
        assert reach_of("SemidefiniteEmbedding").settings(5000) == {"n_landmarks": 200}

    @pytest.mark.parametrize("entry", MAPS, ids=lambda entry: entry.name)
    def test_every_method_has_a_stated_way_to_a_million_rows(self, entry):
        reach = REACH[entry.name]
        assert reach.way
        if reach.rows is not None:
            assert "new points" in entry.gives
        assert set(reach.settings(10**6)) <= set(entry.load()().get_params())


class TestNames:
    names = ("carl", "anna", "dora", "bert", "emil", "fred")

    @pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
    def test_a_column_of_a_frame_names_the_rows(self, library):
        module = pytest.importorskip(library)
        X = np.random.default_rng(0).standard_normal((6, 3))
        columns = {"who": list(self.names), **{f"x{j}": X[:, j] for j in range(3)}}
        frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
        known = Pairs(similar=[("anna", "bert")], dissimilar=[("carl", "fred")])
        result = embed(frame, side=known, names="who", method="pca")
        expected = embed(X, side=Pairs([(1, 3)], [(0, 5)]), method="pca")
        np.testing.assert_array_equal(result.points, expected.points)
        with pytest.raises(ValueError, match="'name', which X does not have.*who"):
            embed(frame, side=known, names="name", method="pca")

    def test_numbers_that_are_names_are_no_data(self):
        pandas = pytest.importorskip("pandas")
        X = np.random.default_rng(0).standard_normal((6, 3))
        frame = pandas.DataFrame(X, columns=list("abc")).assign(key=[40, 10, 30, 20, 50, 60])
        known = Pairs(similar=[(10, 20)], by="label")
        result = embed(frame, side=known, names="key", method="pca")
        expected = embed(X, side=Pairs([(1, 3)]), method="pca")
        np.testing.assert_array_equal(result.points, expected.points)

    def test_the_index_of_a_frame_names_rows_also_where_columns_are_set_aside(self):
        pandas = pytest.importorskip("pandas")
        X = np.random.default_rng(0).standard_normal((6, 3))
        frame = pandas.DataFrame(X, columns=list("abc"), index=list(self.names)).assign(d="text")
        known = Distances([("anna", "bert"), ("dora", "emil")], [1.0, 9.0])
        expected = embed(X, side=Distances([(1, 3), (2, 4)], [1.0, 9.0]), method="pca")
        np.testing.assert_array_equal(
            embed(frame, side=known, method="pca").points, expected.points
        )

    def test_one_label_per_row_of_an_array(self):
        X = np.random.default_rng(0).standard_normal((6, 3))
        known = [Pairs(similar=[("anna", "bert")])]
        expected = embed(X, side=Pairs([(1, 3)]), method="pca")
        result = embed(X, side=known, names=self.names, method="pca")
        np.testing.assert_array_equal(result.points, expected.points)
        with pytest.raises(ValueError, match="'names' argument of embed must hold one label .* 6"):
            embed(X, side=known, names=self.names[:5], method="pca")
        with pytest.raises(ValueError, match="X is no frame"):
            embed(X, side=known, names="who", method="pca")


def test_a_learned_metric_does_not_judge_its_own_map():
    from sidelight.quality import quality_report

    rng = np.random.default_rng(0)
    kind = rng.integers(3, size=150)
    X = rng.standard_normal((150, 6)) * [4.0, 4.0, 1.0, 1.0, 1.0, 1.0]
    X[:, 2] += 5.0 * kind
    told = embed(X, side=Pairs.from_labels(kind), method="pca")
    assert len(told.model.side_metrics_) == 1
    assert told.quality() == quality_report(X, told.points)
    assert told.quality().auc < embed(X, method="pca").quality().auc


@pytest.mark.parametrize("names", [["a", "b", "c"], np.arange(41), 3])
def test_names_that_are_not_those_of_the_rows_are_refused_at_the_door(X, names):
    with pytest.raises(ValueError, match=r"'names' argument of embed must hold one label per row"):
        embed(X, names=names, method="pca")


def test_an_invariance_takes_the_shape_that_images_came_in():
    from sidelight.side import Invariance
    from sidelight.transforms import Shift

    images = np.random.default_rng(0).random((30, 6, 6))
    seen = embed(images, side=Invariance(Shift()), method="mds")
    said = Invariance(Shift(), image_shape=(6, 6))
    rows = images.reshape(30, -1)
    np.testing.assert_array_equal(seen.points, embed(rows, side=said, method="mds").points)
    listed = embed(images, side=[Invariance(Shift())], method="mds")
    assert listed.side[0].image_shape == (6, 6)
    np.testing.assert_array_equal(seen.model.transform(images[:3]), seen.model.transform(rows[:3]))
    np.testing.assert_allclose(seen.model.transform(rows[:3]), seen.points[:3], atol=1e-6)


def test_the_first_row_with_a_gap_is_named(X):
    X[4, 1] = np.nan
    with pytest.raises(ValueError, match=r"the first is in row 5, named 'row 4'\."):
        embed(X, names=[f"row {row}" for row in range(len(X))], missing="error")
    with pytest.raises(ValueError, match=r"the first is in row 5\."):
        embed(X, missing="error")


@pytest.mark.parametrize("dates", [["day"], ["day", "zone"]])
def test_dates_given_to_an_estimator_are_set_aside_and_named(X, dates):
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2026-01-01", periods=len(X))
    given = {"day": days, "zone": days.tz_localize("UTC")}
    frame = pandas.DataFrame(X, columns=list("abcde")).assign(
        **{name: given[name] for name in dates}
    )
    with pytest.warns(UserWarning, match=r"PCA: Set aside the column.* 'day'.*: not numbers"):
        Z = sidelight.PCA(1).fit_transform(frame)
    np.testing.assert_allclose(Z, sidelight.PCA(1).fit_transform(X), atol=1e-12)


def test_names_of_all_rows_are_written_when_asked_for(X):
    names = [f"row {row}" for row in range(len(X))]
    result = embed(np.vstack([X, X + 9.0]), names=names * 2, method="pca")
    assert not [text for text in result.plot().texts if text.get_text().startswith("row")]
    assert [text for text in result.plot(names=True).texts if text.get_text().startswith("row")]
    assert not result.plot(names=False).texts
    with pytest.raises(ValueError, match="The rows have no names to write. Give them to embed"):
        embed(X, method="pca").plot(names=True)


@pytest.fixture(scope="module")
def batches():
    rng = np.random.default_rng(0)
    batch = rng.integers(2, size=240)
    X = rng.standard_normal((240, 4)) * [3.0, 2.0, 0.2, 0.2]
    return X + 8.0 * batch[:, None], np.where(batch, "b", "a")


class TestConditions:
    def test_a_map_is_measured_against_what_it_shows(self, batches):
        from sidelight import FactorRemoval
        from sidelight.quality import quality_report

        X, batch = batches
        result = embed(X, side=Condition(batch), method="pca")
        removal = FactorRemoval().fit(X, side=Condition(batch))
        assert removal.removed_
        clean = removal.transform(X, condition=Condition(batch))
        shown, raw = quality_report(clean, result.points), quality_report(X, result.points)
        found = result.quality()
        assert (found.auc, found.trustworthiness) == (shown.auc, shown.trustworthiness)
        assert found.auc > raw.auc + 0.1
        assert "without what the Condition does" in found.note
        assert f"area under R_NX {raw.auc:.3f}" in found.note

    def test_maps_that_are_compared_are_measured_against_the_data_as_given(self, batches):
        from sidelight.quality import quality_report

        X, batch = batches
        result = embed(X, side=Condition(batch), method="pca")
        found = result.quality(as_given=True)
        assert found.auc == quality_report(X, result.points).auc
        assert "keeps fewer of their neighbours" in found.note

    def test_nothing_is_said_where_nothing_is_taken_out(self, batches):
        X, batch = batches
        shuffled = np.random.default_rng(2).permutation(batch)
        result = embed(X, side=Condition(shuffled), method="pca")
        assert result.quality() == embed(X, method="pca").quality()

    def test_a_factor_left_out_inside_the_method_is_said(self, batches):
        X, batch = batches
        result = embed(X[::4], side=Condition(batch[::4]), method="kie", n_components=1)
        assert "Measured against the data as they came" in result.quality().note

    def test_rows_beyond_a_sample_are_placed_by_their_own_values(self, batches):
        X, batch = batches
        result = embed(X, side=Condition(batch), method="pca", sample=120)
        assert "fitted to 120 of the 240 rows" in result.why
        assert [heard.change[:9] for heard in result.model.side_report_] == ["taken out"]
        expected = result.model.transform(X, condition=Condition(batch))
        np.testing.assert_allclose(result.points, expected, atol=1e-10)


class TestAlignment:
    """A map beside another one: turned and scaled onto it, not bent."""

    TURN = np.array([[0.0, 1.0], [1.0, 0.0]])

    def test_a_map_is_brought_to_another_one_of_the_same_rows(self, X):
        before = embed(X, method="isomap")
        elsewhere = 4.0 * before.points @ self.TURN - 3.0
        for previous in (elsewhere, Isomap().fit(X, side=Anchors([0], [[9.0, 9.0]])), before):
            again = embed(X, method="isomap", align_to=previous)
            goal = previous if isinstance(previous, np.ndarray) else None
            goal = getattr(previous, "points", getattr(previous, "embedding_", goal))
            np.testing.assert_allclose(again.points, goal, atol=1e-9)
            np.testing.assert_allclose(again.model.transform(X), goal, atol=1e-9)
            assert again.why == before.why  # it says where the map lies, and not which one it is
        assert again.model.side_report_[0].place == "behind"

    def test_rows_that_were_not_there_are_placed_beside(self, X):
        whole = embed(X, method="isomap").points
        previous = 2.0 * whole @ self.TURN + 1.0
        previous[5:20] = np.nan
        again = embed(X, method="isomap", align_to=previous).points
        np.testing.assert_allclose(again, 2.0 * whole @ self.TURN + 1.0, atol=1e-9)

    def test_the_shape_is_that_of_the_new_map_also_where_rows_can_be_pinned(self, X):
        plain, other = embed(X), embed(X + 0.3 * np.random.default_rng(1).standard_normal(X.shape))
        again = embed(X, align_to=other)
        found = procrustes(plain.points, other.points)
        np.testing.assert_allclose(again.points, found.aligned, atol=1e-6 * found.aligned.std())
        told = embed(X, side=Pairs(similar=[(0, 1)]), align_to=other)
        assert [heard.kind for heard in told.model.side_report_] == ["Pairs", "Anchors"]

    def test_rows_of_a_frame_may_have_other_numbers_for_labels(self, X):
        """Its places were taken for labels, and refused: the user had named no row at all."""
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X, index=range(100, 180), columns=list("abcde"))
        before = embed(frame, method="isomap")
        again = embed(frame, method="isomap", align_to=4.0 * before.points @ self.TURN)
        np.testing.assert_allclose(again.points, 4.0 * before.points @ self.TURN, atol=1e-9)

    def test_rows_of_two_maps_are_the_same_by_name_in_any_order(self, X):
        """They were the same by their numbers, so that a sorted table was aligned with others."""
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(X).add_prefix("x").set_axis([f"row {i}" for i in range(len(X))])
        before = embed(frame, method="isomap")
        before = replace(before, points=4.0 * before.points @ self.TURN - 3.0)
        order = np.random.default_rng(3).permutation(len(X))
        for previous in (before, pd.DataFrame(before.points, index=frame.index)):
            again = embed(frame.iloc[order], method="isomap", align_to=previous)
            np.testing.assert_allclose(again.points, before.points[order], atol=1e-8)

    def test_a_map_of_an_earlier_revision_has_other_rows_too(self, X):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(X).add_prefix("x").set_axis([f"row {i}" for i in range(len(X))])
        plain = embed(frame.iloc[:70], method="pca").points
        before = pd.DataFrame(2.0 * plain @ self.TURN + 1.0, index=frame.index[:70])
        before.index = [*frame.index[:60], *[f"gone {i}" for i in range(10)]]
        again = embed(frame.iloc[:70], method="pca", align_to=before).points
        np.testing.assert_allclose(again, 2.0 * plain @ self.TURN + 1.0, atol=1e-9)

    def test_rows_that_are_counted_are_the_same_in_their_order(self, X):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame(X).add_prefix("x")
        named = frame.set_axis([f"row {i}" for i in range(len(X))])
        before = embed(frame, method="pca")
        other = replace(before, points=before.points @ self.TURN)
        np.testing.assert_allclose(
            embed(named, method="pca", align_to=other).points, other.points, atol=1e-9
        )
        turned = embed(frame.iloc[::-1], method="pca", align_to=other).points
        np.testing.assert_allclose(turned, other.points[::-1], atol=1e-9)
        with pytest.raises(ValueError, match="each of the 79 rows of X.*Got 80"):
            embed(frame.iloc[1:].reset_index(drop=True), method="pca", align_to=other)
        strangers = frame.set_axis([f"item {i}" for i in range(len(X))])
        with pytest.raises(ValueError, match="none of the rows of X by name: it has 'row 0'"):
            embed(strangers, method="pca", align_to=embed(named, method="pca"))

    def test_beyond_reach_the_sample_is_aligned(self, X):
        plain = embed(X, method="isomap", sample=40)
        again = embed(X, method="isomap", sample=40, align_to=5.0 * plain.points - 1.0)
        np.testing.assert_allclose(again.points, 5.0 * plain.points - 1.0, atol=1e-8)

    @pytest.mark.parametrize(
        ("previous", "match"),
        [
            (np.zeros((79, 2)), "each of the 80 rows of X.*Got 79"),
            (np.zeros((80, 3)), "n_components=2 columns. Got 3"),
            (np.full((80, 2), np.nan), "no row with a place"),
            (Isomap(), "must be fitted"),
            ("map.csv", "must be an Embedding.*Got str"),
        ],
    )
    def test_what_is_no_map_of_these_rows_is_refused(self, X, previous, match):
        with pytest.raises(ValueError, match=match):
            embed(X, align_to=previous)

    def test_one_place_to_go_is_enough(self, X):
        with pytest.raises(ValueError, match="Anchors and 'align_to'"):
            embed(X, side=Anchors([0], [[0.0, 0.0]]), align_to=np.zeros((80, 2)))


def test_rows_of_several_lengths_are_refused_in_words():
    with pytest.raises(ValueError, match="embed expects the rows of X to be equally long"):
        sidelight.embed([[1.0, 2.0], [3.0]], method="pca")
    images = [np.ones((3, 3)), np.ones((4, 4))]
    with pytest.raises(ValueError, match="of one size"):
        sidelight.embed(images, method="pca")
