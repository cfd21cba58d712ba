"""The report says what the single measures say, whole or sampled."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from sidelight.core.progress import listening
from sidelight.errors import NotEnoughMemoryError
from sidelight.quality import (
    continuity,
    coranking_curves,
    intrinsic_dimension,
    neighbor_label_accuracy,
    quality_report,
    residual_variance,
    shepard_correlation,
    stress,
    trustworthiness,
)
from sidelight.quality.report import rows_to_draw


@pytest.fixture(scope="module")
def roll():
    rng = np.random.default_rng(0)
    t, height = 1.5 * np.pi * (1 + 2 * rng.random(900)), 21 * rng.random(900)
    X = np.column_stack([t * np.cos(t), height, t * np.sin(t)])
    labels = np.where(X[:, 0] > 0, "east", "west")
    return X, X[:, :2] + 0.3 * rng.normal(size=(900, 2)), labels


def test_every_value_is_that_of_its_function(roll):
    X, Z, labels = roll
    # some duplicates, which the dimension must leave out
    X, Z, labels = (np.concatenate([part, part[:30]]) for part in (X, Z, labels))
    report = quality_report(X, Z, n_neighbors=7, labels=labels)
    curves = coranking_curves(X, Z)
    classified = neighbor_label_accuracy(Z, labels)
    expected = {
        "trustworthiness": trustworthiness(X, Z, n_neighbors=7),
        "continuity": continuity(X, Z, n_neighbors=7),
        "q_nx": curves.q_nx[6],
        "r_nx": curves.r_nx[6],
        "auc": curves.auc,
        "shepard_correlation": shepard_correlation(X, Z),
        "stress": stress(X, Z),
        "sammon_stress": stress(X, Z, kind="sammon"),
        "residual_variance": residual_variance(X, Z),
        "intrinsic_dimension": float(intrinsic_dimension(X)),
        "label_accuracy": float(classified),
        "label_errors": classified.n_errors,
    }
    values = report.to_dict()
    for name, value in expected.items():
        assert values[name] == pytest.approx(value, rel=1e-9), name
    assert (report.n_samples_used, report.note, report.standard_errors) == (930, "", {})


def test_a_sampled_report_is_within_its_errors_of_the_whole(roll):
    X, Z, labels = roll
    whole = quality_report(X, Z, labels=labels).to_dict()
    distances = []
    for seed in range(20):
        sample = quality_report(X, Z, labels=labels, max_samples=150, random_state=seed)
        assert sample.n_samples_used == 150
        values = sample.to_dict()
        means = ["trustworthiness", "continuity", "q_nx", "r_nx", "auc", "label_accuracy"]
        distances.append(
            [(values[name] - whole[name]) / sample.standard_errors[name] for name in means]
        )
        for name in ("shepard_correlation", "stress", "residual_variance"):
            assert values[name] == pytest.approx(whole[name], abs=0.06), name
    # in units of their standard error the deviations scatter around 0 with a spread of 1
    scatter = np.sqrt(np.mean(np.square(distances), axis=0))
    assert np.all((scatter > 0.5) & (scatter < 1.6))


def test_standard_errors_are_those_of_rows_drawn_without_putting_back(roll):
    X, Z, _ = roll
    rows, _ = rows_to_draw(900, 150, 3, who="here")
    near = [np.argsort(cdist(P[rows], P), axis=1)[:, 1:11] for P in (X, Z)]
    kept = [len(set(a) & set(b)) / 10 for a, b in zip(*map(list, near), strict=True)]
    expected = np.sqrt((1 - 150 / 900) * np.var(kept, ddof=1) / 150)
    errors = quality_report(X, Z, max_samples=150, random_state=3).standard_errors
    assert errors["q_nx"] == pytest.approx(expected, rel=1e-9)
    assert errors["r_nx"] == pytest.approx(expected * 899 / (899 - 10), rel=1e-9)


def test_sampling_is_said_and_repeatable(roll):
    X, Z, _ = roll
    first = quality_report(X, Z, max_samples=100)
    assert "100 of 900 points, each compared with all 900" in str(first)
    assert "± is one standard error" in first._repr_html_()
    assert first == quality_report(X, Z, max_samples=100)
    assert first != quality_report(X, Z, max_samples=100, random_state=1)


def test_large_maps_are_sampled_by_default(monkeypatch, roll):
    X, Z, _ = roll
    monkeypatch.setattr("sidelight.quality.report._PAIR_BUDGET", 900 * 300)
    assert quality_report(X, Z).n_samples_used == 300
    monkeypatch.setattr("sidelight.quality.report._PAIR_BUDGET", 900 * 10)
    assert quality_report(X, Z).n_samples_used == 100


def test_perfect_map(roll):
    X, _, _ = roll
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    report = quality_report(X, 4 * X @ turn + 1)
    assert (report.trustworthiness, report.continuity) == (1.0, 1.0)
    assert report.auc == pytest.approx(1.0)
    assert report.stress < 1e-12
    assert report.residual_variance < 1e-12


def test_precomputed_distances_say_the_same(roll):
    X, Z, _ = roll
    X, Z = X[:200], Z[:200]
    expected = quality_report(X, Z).to_dict()
    found = quality_report(cdist(X, X), Z, metric="precomputed").to_dict()
    for name in ("auc", "continuity", "stress", "intrinsic_dimension"):
        assert found[name] == pytest.approx(expected[name], rel=1e-9)


def test_prints_as_a_table_with_labels_only_when_given(roll):
    X, Z, labels = roll
    plain, labelled = quality_report(X, Z), quality_report(X, Z, labels=labels)
    assert f"{plain.trustworthiness:.4f}" in str(plain)
    assert "label accuracy" not in str(plain)
    assert f"{labelled.label_accuracy:.4f}" in str(labelled)
    assert f"<td>{plain.stress:.4f}</td>" in plain._repr_html_()
    assert json.loads(json.dumps(labelled.to_dict())) == labelled.to_dict()


def test_few_points_have_few_neighbours_and_a_lattice_no_dimension():
    line = np.arange(7.0)[:, None]
    report = quality_report(line, line)
    assert (report.n_neighbors, report.intrinsic_dimension) == (3, None)
    assert report.auc == pytest.approx(1.0)


def test_progress_reaches_the_end(roll):
    X, Z, _ = roll
    seen = []
    with listening(seen.append):
        quality_report(X, Z, max_samples=600)
    assert (seen[-1].done, seen[-1].total) == (600, 600)


def test_bad_input_is_named(roll):
    X, Z, labels = roll
    with pytest.raises(ValueError, match="'n_neighbors' parameter of quality_report"):
        quality_report(X, Z, n_neighbors=450)
    with pytest.raises(ValueError, match="'Z' argument of quality_report must be finite"):
        quality_report(X, np.where(Z > 5, np.nan, Z))
    with pytest.raises(ValueError, match="'labels'"):
        quality_report(X, Z, labels=labels[:-1])


def test_importing_loads_neither_compiler_nor_plots():
    code = "import sys, sidelight.quality; print({'numba', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_distances_of_a_large_sample_are_thinned_without_bias(monkeypatch, roll):
    X, Z, _ = roll
    whole = quality_report(X, Z)
    monkeypatch.setattr("sidelight.quality.report._DISTANCE_BUDGET", 20_000)
    sample = quality_report(X, Z, max_samples=400)
    # 400 rows and 50 columns, less the pairs that would count twice and a point with itself
    assert "distances of 1" in sample.note
    assert sample.shepard_correlation == pytest.approx(whole.shepard_correlation, abs=0.05)
    assert sample.stress == pytest.approx(whole.stress, abs=0.03)


def test_yes_and_no_are_judged_as_one_and_zero(roll):
    X, Z = roll[0][:40] > roll[0][:40].mean(axis=0), roll[1][:40]
    assert quality_report(X, Z).gplvm_score == quality_report(X.astype(float), Z).gplvm_score


def test_complex_numbers_are_refused_by_name(roll):
    with pytest.raises(ValueError, match="'X' argument of quality_report .* real numbers.*complex"):
        quality_report(roll[0][:40] * 1j, roll[1][:40])


def test_units_whose_squares_are_lost_are_refused_by_name(roll):
    with pytest.raises(ValueError, match="quality_report cannot use X.*other units"):
        quality_report(roll[0][:40] * 1e-150, roll[1][:40])


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("l1", "cityblock"),
        ("l2", "euclidean"),
        ("minkowski", "euclidean"),
        ("sqeuclidean", "sqeuclidean"),
        ("seuclidean", None),
        (lambda x, y: float(np.abs(x - y).sum()), "cityblock"),
    ],
    ids=lambda case: getattr(case, "__name__", str(case)),
)
def test_every_metric_that_estimators_take_is_judged_by(roll, alias, name):
    X, Z = roll[0][:60] * [1.0, 5.0, 0.3], roll[1][:60]
    found = quality_report(X, Z, metric=alias)
    table = cdist(X, X, name or alias)
    expected = quality_report(table, Z, metric="precomputed")
    for measure in ("trustworthiness", "continuity", "stress", "shepard_correlation"):
        assert getattr(found, measure) == pytest.approx(getattr(expected, measure), rel=1e-9)


def test_a_table_of_distances_by_a_function_is_predicted(roll, monkeypatch):
    monkeypatch.setattr("sidelight.core.memory.available_memory", lambda: 1000.0)
    with pytest.raises(NotEnoughMemoryError, match="900 × 900 table of given distances"):
        quality_report(*roll[:2], metric=lambda x, y: 0.0)
