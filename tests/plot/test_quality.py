"""Pictures of quality show the numbers they are given."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import pearsonr, spearmanr

pytest.importorskip("matplotlib")

from sidelight.plot import coranking_curves, shepard_diagram

_RANDOM = np.random.default_rng(0)
_X = _RANDOM.normal(size=(60, 5))


def _curve(level):
    k = np.arange(1, 40)
    return SimpleNamespace(k=k, r_nx=level * k / 40, q_nx=None, auc=level)


def test_curves_are_drawn_as_given_with_the_best_first_in_the_legend():
    ax = coranking_curves({"poor": _curve(0.2), "good": _curve(0.8)})
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["good  0.80", "poor  0.20"]
    drawn = {line.get_label(): line for line in ax.lines}
    np.testing.assert_array_equal(drawn["poor  0.20"].get_ydata(), _curve(0.2).r_nx)
    np.testing.assert_array_equal(drawn["good  0.80"].get_xdata(), np.arange(1, 40))
    assert ax.get_xscale() == "log"


def test_a_single_result_needs_no_name():
    texts = [text.get_text() for text in coranking_curves(_curve(0.5)).get_legend().get_texts()]
    assert texts == ["0.50"]


def test_curves_worse_than_chance_are_seen():
    ax = coranking_curves({"bad": _curve(-0.3)})
    assert ax.get_ylim()[0] < -0.29


def test_no_curves_are_refused():
    with pytest.raises(ValueError, match="at least one result"):
        coranking_curves({})


@pytest.mark.parametrize("precomputed", [False, True])
def test_the_diagram_counts_every_pair_and_says_the_correlations(precomputed):
    Z = _X[:, :2]
    X = squareform(pdist(_X)) if precomputed else _X
    ax = shepard_diagram(X, Z, metric="precomputed" if precomputed else "euclidean")
    assert ax.collections[0].get_array().sum() == 60 * 59 / 2
    r, rho = pearsonr(pdist(_X), pdist(Z))[0], spearmanr(pdist(_X), pdist(Z))[0]
    assert ax.texts[0].get_text() == f"r = {r:.2f}   ρ = {rho:.2f}"


def test_other_metrics_are_those_of_scipy():
    ax = shepard_diagram(_X, _X[:, :2], metric="cityblock")
    r = pearsonr(pdist(_X, "cityblock"), pdist(_X[:, :2]))[0]
    assert ax.texts[0].get_text().startswith(f"r = {r:.2f}")


def test_a_subset_of_the_pairs_is_taken_where_there_are_too_many():
    ax = shepard_diagram(_X, _X, max_pairs=300)
    assert ax.collections[0].get_array().sum() == 25 * 24 / 2


def test_a_map_of_another_scale_gets_the_line_of_the_best_scale():
    ax = shepard_diagram(_X, _X / 1000)
    (line,) = ax.lines
    assert line.get_label() == "best scale × 0.001"
    end_x, end_y = line.get_xdata()[1], line.get_ydata()[1]
    assert end_y / end_x == pytest.approx(0.001)
    assert shepard_diagram(_X, _X).lines[0].get_label() == "identity"


def test_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match=r"'Z' parameter .* Got 59 rows for 60"):
        shepard_diagram(_X, _X[1:])
    with pytest.raises(ValueError, match=r"square table .* Got shape \(60, 5\)"):
        shepard_diagram(_X, _X, metric="precomputed")
    with pytest.raises(ValueError, match=r"'max_pairs' parameter .* Got 0"):
        shepard_diagram(_X, _X, max_pairs=0)


def test_long_distances_name_their_power_of_ten_beside_the_axis():
    ax = shepard_diagram(3e6 * _X, 3e6 * _X)
    ax.figure.draw_without_rendering()
    assert ax.get_xlabel().startswith("distance in the data  (× $10^{")
    assert ax.xaxis.get_offset_text().get_text() == ax.yaxis.get_offset_text().get_text() == ""
