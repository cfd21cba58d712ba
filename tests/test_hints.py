"""Hints: given where the data ask for one, silent where they do not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, load_wine

from sidelight import embed
from sidelight.embedding import hints_for

_RNG = np.random.default_rng(0)


def _words(X, **options):
    return " ".join(hints_for(X, **options))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_counts_are_told_of_the_cosine(kind):
    X = kind(_RNG.poisson(0.3, size=(80, 40)))
    assert "--metric cosine" in _words(X)
    assert _words(X, metric="cosine") == ""


def test_pixels_marks_and_measurements_are_no_counts():
    assert hints_for(load_digits().data) == ()
    assert hints_for((_RNG.random((80, 40)) < 0.2).astype(float)) == ()
    assert hints_for(_RNG.normal(size=(80, 40))) == ()
    assert hints_for(load_iris().data) == ()


def test_a_column_that_outweighs_all_others_is_named():
    wine = load_wine()
    assert "'proline' has 100% of the variance" in _words(wine.data, names=wine.feature_names)
    assert hints_for((wine.data - wine.data.mean(0)) / wine.data.std(0)) == ()


@pytest.mark.parametrize("n", [50, 5_001])
def test_a_column_that_counts_the_rows_is_named(n):
    X = np.column_stack([_RNG.normal(size=(n, 3)), 1000 + np.arange(n)])
    assert "'number' counts the rows" in _words(X, names=["a", "b", "c", "number"])
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    assert "'number' counts the rows" in _words(scaled, names=["a", "b", "c", "number"])
    X[:, 3] = _RNG.permutation(X[:, 3])
    assert "counts the rows" not in _words(X, names=["a", "b", "c", "number"])


def test_what_cannot_be_looked_at_is_left_to_the_estimator():
    assert hints_for(None) == ()
    assert hints_for(np.array([["a", "b"], ["c", "d"]])) == ()
    assert hints_for(np.eye(30), metric="precomputed") == ()


def test_a_result_has_them():
    counts = _RNG.poisson(0.3, size=(60, 30))
    assert "--metric cosine" in embed(counts, method="pca").hints[0]
    assert "--metric cosine" in embed(counts, method="pca")._repr_html_()
    assert embed(_RNG.normal(size=(60, 5)), method="pca").hints == ()


def test_columns_keep_their_names_where_missing_values_are_filled():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"small": rng.normal(size=60), "large": 1e4 * rng.normal(size=60)})
    frame.loc[3, "small"] = np.nan
    (hint,) = embed(frame, missing="mean").hints
    assert hint.startswith("The column 'large' has 100% of the variance")


def test_a_column_of_one_value_is_named():
    X = np.column_stack([_RNG.normal(size=(80, 3)), np.full(80, 7.0)])
    assert "'unit' has one value in all rows" in _words(X, names=["a", "b", "c", "unit"])
    assert _words(X) == ""  # pixels that are always dark have no names
    digits = load_digits()
    assert hints_for(digits.data, names=digits.feature_names) == ()
    late = np.column_stack([_RNG.normal(size=(5_000, 3)), np.zeros(5_000)])
    late[1, 3] = 1.0
    assert "one value" not in _words(late, names=["a", "b", "c", "unit"])


@pytest.mark.parametrize(
    ("start", "period", "written"),
    [(0, 360, "360"), (-180, 360, "360"), (0, 2 * np.pi, "6.2832"), (-np.pi, 2 * np.pi, "6.2832")],
)
def test_an_angle_that_comes_round_is_told_of_its_period(start, period, written):
    rng = np.random.default_rng(1)
    turn = rng.random(300)
    seen = np.column_stack([np.cos(2 * np.pi * turn), np.sin(2 * np.pi * turn)])
    X = np.column_stack([start + period * turn, seen + 0.1 * rng.normal(size=(300, 2))])
    names = ["heading", "a", "b"]
    said = _words(X, names=names)
    assert "as with an angle, which comes round" in said
    assert f"--condition-column heading --condition-period {written}" in said
    assert "angle" not in _words(X, names=names, known={"Condition"})
    X[:, 1:] = rng.normal(size=(300, 2))  # the ends are no neighbours
    assert "angle" not in _words(X, names=names)
    X[:, 1:] = turn[:, None] + 0.1 * rng.normal(size=(300, 2))  # a height, say
    assert "angle" not in _words(X, names=names)


def test_a_batch_that_rows_keep_to_is_told_of_the_condition():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(2)
    batch = rng.integers(3, size=200)
    X = rng.normal(size=(200, 4)) + 6.0 * batch[:, None] * [1.0, 0.5, 0.0, 0.0]
    frame = pd.DataFrame(X, columns=list("abcd")).assign(batch=[f"b{i}" for i in batch])
    (said,) = embed(frame, method="pca").hints
    assert "side=Condition(batch), --condition-column batch" in said
    arrow = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    assert embed(arrow, method="pca").hints == (said,)
    numbered = np.column_stack([X, batch])
    assert "is used as data" in _words(numbered, names=[*"abcd", "batch"])
    shuffled = frame.assign(batch=rng.permutation(frame.batch))
    assert embed(shuffled, method="pca").hints == ()
    species = frame.rename(columns={"batch": "species"})  # the answer, it may be
    assert embed(species, method="pca").hints == ()


def test_rows_that_follow_one_another_are_told_of_the_sequence():
    time = np.linspace(0, 20, 300)
    rng = np.random.default_rng(3)
    X = np.column_stack([np.sin(time), np.cos(0.7 * time), np.sin(1.3 * time + 1.0)])
    X += 0.02 * rng.normal(size=X.shape)
    assert "side=Sequence()" in _words(X)
    assert _words(X, known={"Sequence"}) == ""
    assert _words(rng.permutation(X)) == ""
    iris = load_iris().data  # sorted by kind, which is no order
    assert _words(iris) == ""
    assert _words(iris[np.argsort(iris[:, 2])]) == ""
    line = np.sort(rng.normal(size=300))[:, None] * [1.0, 2.0, -1.0]  # sorted along a line
    assert "Sequence" not in _words(line + 0.001 * rng.normal(size=line.shape))


def test_a_script_sees_the_first_hint_within_three_lines():
    counts = np.column_stack([_RNG.poisson(0.3, size=(60, 30)), np.arange(60)])
    pd = pytest.importorskip("pandas")
    result = embed(pd.DataFrame(counts).add_prefix("word "), method="pca")
    assert len(result.hints) > 1
    shown = repr(result).splitlines()
    assert len(shown) == 3
    assert f"Hint: {result.hints[0]}" in shown[1]
    assert shown[1].endswith(f"({len(result.hints) - 1} more: .hints)")


def test_few_columns_of_small_numbers_are_answers_and_no_counts():
    assert _words(_RNG.poisson(0.3, size=(80, 12)).astype(float)) == ""
    assert "--metric cosine" in _words(_RNG.poisson(0.3, size=(80, 24)).astype(float))


def test_two_ends_that_come_near_and_do_not_meet_are_no_angle():
    """A horseshoe of 0.95 of a circle: its ends are farther apart than tenths side by side."""
    rng = np.random.default_rng(4)
    turn = np.linspace(0, 1, 400)
    for part, is_angle in ((1.0, True), (0.95, False)):
        seen = np.column_stack([np.cos(2 * np.pi * part * turn), np.sin(2 * np.pi * part * turn)])
        X = np.column_stack([360 * turn, seen + 0.02 * rng.normal(size=seen.shape)])
        X = X[rng.permutation(400)]
        assert ("as with an angle" in _words(X, names=["heading", "a", "b"])) is is_angle


def test_a_unit_that_all_columns_have_is_no_circle():
    """Ten columns from 0 to 360, each of them seen in the others."""
    rng = np.random.default_rng(5)
    turn = rng.random(300)
    for n_columns, is_angle in ((4, True), (10, False)):
        phases = np.linspace(0, 2 * np.pi, n_columns - 1)
        X = np.column_stack([360 * turn, 180 + 179 * np.cos(2 * np.pi * turn[:, None] + phases)])
        names = [f"c{k}" for k in range(n_columns)]
        assert ("as with an angle" in _words(X, names=names)) is is_angle


def test_a_batch_that_shows_a_little_is_left_alone():
    """Of ten neighbours six are of the own batch, where five would be by chance."""
    for seed in range(3):
        rng = np.random.default_rng([6, seed])
        batch = np.arange(400) % 2
        for far, is_told in ((0.9, False), (4.0, True)):
            X = rng.normal(size=(400, 4)) + far * batch[:, None] * [1.0, 0, 0, 0]
            said = _words(X, names=list("abcd"), beside={"batch": batch})
            assert ("of their own 'batch'" in said) is is_told


def test_a_nuisance_has_at_most_twenty_values():
    """Of more every value is a place of its own, which neighbours cannot but keep to."""
    for n_values, is_told in ((18, True), (25, False)):
        rng = np.random.default_rng(n_values)
        batch = np.arange(600) % n_values
        X = rng.normal(size=(600, 4)) + 20.0 * rng.normal(size=(n_values, 4))[batch]
        said = _words(X, names=list("abcd"), beside={"batch": batch})
        assert ("of their own 'batch'" in said) is is_told


def test_a_table_sorted_by_a_column_is_no_recording_though_one_response_turns_back():
    """Four columns go up or down with a dose, one goes up and down again."""
    rng = np.random.default_rng(11)
    dose = np.sort(rng.random(200))
    X = np.column_stack([dose, dose**2, -dose, np.exp(dose), (dose - 0.5) ** 2])
    assert "Sequence" not in _words(X + 0.002 * rng.normal(size=X.shape))


def test_rows_that_a_slow_drift_carries_in_noise_are_no_recording():
    """The next row is hardly nearer than the fourth after it."""
    rng = np.random.default_rng(7)
    drift = np.column_stack([np.sin(np.linspace(0, 9, 300) + k) for k in range(3)])
    assert "Sequence" in _words(drift + 0.01 * rng.normal(size=drift.shape))
    assert "Sequence" not in _words(drift + 0.3 * rng.normal(size=drift.shape))


def test_counts_that_are_seldom_zero_or_large_are_not_told_of_the_cosine():
    rng = np.random.default_rng(8)
    assert "cosine" not in _words(rng.poisson(1.5, size=(80, 40)).astype(float))  # a fifth is zero
    assert "cosine" not in _words(rng.poisson(0.75, size=(80, 40)).astype(float))  # nearly half
    amounts = rng.poisson(60, size=(80, 40)) * (rng.random((80, 40)) < 0.2)
    assert "cosine" not in _words(amounts.astype(float))


@pytest.mark.parametrize(("period", "is_told"), [(40, True), (8, False)])
def test_rows_that_swing_within_a_few_are_no_recording(period, is_told):
    """The next row is nearer than the fourth, and hardly nearer than any."""
    time = np.arange(200)[:, None]
    X = np.cos(2 * np.pi * time / (period + np.array([0.0, 0.3, 0.7])))
    assert ("Sequence" in _words(X)) is is_told


@pytest.mark.parametrize(
    ("sizes", "is_told"),
    [
        ([100, 1, 1, 1], True),
        ([10, 1, 1, 1], False),
        ([40, 30, 30, 1], False),
        ([60, 30, 30, 1], False),  # two thirds
        ([60, 12, 12, 1], True),  # more than nine tenths
    ],
)
def test_a_column_outweighs_all_others_if_it_is_alone_and_far_larger(sizes, is_told):
    X = np.random.default_rng(9).normal(size=(300, 4)) * sizes
    assert ("of the variance of all" in _words(X)) is is_told


@pytest.mark.parametrize("end", [3.0, 5.0])
def test_columns_that_fill_a_part_of_a_circle_are_none(end):
    """Ten from 0 to 3, as radians might be, do not make a unit of what one of them is alone."""
    rng = np.random.default_rng(10)
    turn = rng.random(300)
    near = end / 2 + end / 2 * np.cos(2 * np.pi * turn[:, None] + np.linspace(0, 6, 10))
    names = ["heading", *(f"c{k}" for k in range(10))]
    assert "'heading' goes from 0 to 360" in _words(
        np.column_stack([360 * turn, near]), names=names
    )
