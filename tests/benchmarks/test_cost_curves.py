"""What every method costs: the arithmetic of the curves, and that they run."""

from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks import cost_curves
from benchmarks.cost_curves import curves, draw, exponent, run_once
from sidelight.registry import MAPS
from tools.book.methods import costs_of


def runs(power, n=(1000, 2000, 4000, 8000)):
    return [{"n": size, "seconds": 1e-6 * size**power, "megabytes": 2.0 * size} for size in n]


def test_the_exponent_is_that_of_the_last_runs_that_count():
    assert exponent(runs(2.0)) == pytest.approx(2.0)
    assert exponent(runs(3.0), "megabytes") == pytest.approx(1.0)
    slow_start = [{"n": 10, "seconds": 50.0, "megabytes": 1.0}, *runs(2.0)]
    assert exponent(slow_start) == pytest.approx(2.0)
    assert exponent(runs(0.0)) is None  # a millionth of a second says nothing


@pytest.mark.parametrize("entry", MAPS, ids=lambda entry: entry.name)
def test_every_method_of_the_registry_runs(entry):
    found = run_once(entry.name, 60, "fit", small=True)
    assert found["n"] == found["fitted to"] == 60
    assert found["seconds"] >= 0


def test_beyond_the_limit_a_sample_is_fitted(monkeypatch):
    def apart(name, n, way, limit, *, among, small):
        if way == "fit" and n > 2000:
            return "more than 20 s of processor time"
        return {**runs(2.0, [n])[0], "fitted to": min(n, 2000)}

    monkeypatch.setattr(cost_curves, "_apart", apart)
    ((name, curve),) = curves(["PCA"], [1000, 2000, 4000, 8000], 20.0, small=False)
    assert name == "PCA"
    assert [run["n"] for run in curve["fit"]] == [1000, 2000]
    assert [run["n"] for run in curve["embed"]] == [4000, 8000]
    assert curve["fit ends"].startswith("4,000 rows: more than 20 s")
    assert curve["exponent of seconds"] == pytest.approx(2.0)


def test_what_is_awaited_to_take_far_too_long_is_not_tried(monkeypatch):
    tried = []

    def apart(name, n, way, limit, *, among, small):
        tried.append((way, n, limit))
        return {"n": n, "seconds": n * 1e-3, "megabytes": 1.0, "fitted to": min(n, 2900)}

    monkeypatch.setattr(cost_curves, "_apart", apart)
    ((_, curve),) = curves(["PCA"], [1000, 2000, 4000, 8000], 2.0)
    assert [run["n"] for run in curve["fit"]] == [1000, 2000]
    assert curve["fit ends"] == (
        "4,000 rows: about 4 s of processor time, as its last two runs go on"
    )
    assert tried[2:] == [("embed", 4000, 10.0), ("embed", 8000, 10.0)]
    assert [run["n"] for run in curve["embed"]] == [4000, 8000]
    ((_, curve),) = curves(["PCA"], [1000, 2000, 2900], 2.0)  # not so far beyond it is tried
    assert [run["n"] for run in curve["fit"]] == [1000, 2000, 2900]


def test_a_method_that_is_fitted_to_all_rows_beyond_the_limit_is_fitted(monkeypatch):
    def apart(name, n, way, limit, *, among, small):
        return "too long" if way == "fit" and n > 1000 else {**runs(1.0, [n])[0], "fitted to": n}

    monkeypatch.setattr(cost_curves, "_apart", apart)
    ((_, curve),) = curves(["PCA"], [1000, 2000], 2.0)
    assert [run["n"] for run in curve["fit"]] == [1000, 2000]
    assert curve["fit ends"] == "2,000 rows: too long"
    assert curve["embed"] == []


def test_the_page_on_big_data_says_what_was_measured():
    assert costs_of({}) == ["", "", ""]
    curve = {"fit": runs(2.0), "embed": [{"n": 10**6, "seconds": 1234.5, "megabytes": 80.0}]}
    curve |= {"exponent of seconds": 2.0, "exponent of megabytes": 1.0}
    assert costs_of(curve) == ["n^2.0", "n^1.0", "1,000,000 in 1,234.5 s, 80 MB"]


def test_a_run_apart_is_measured_and_a_failure_says_why():
    found = cost_curves._apart("PCA", 400, "fit", 60.0)
    assert found["fitted to"] == 400
    assert "There is no method" in cost_curves._apart("nothing", 400, "fit", 60.0)


def test_every_run_takes_the_first_of_the_rows_that_were_made_once(tmp_path):
    X = cost_curves.rows(500, small=True)
    np.save(tmp_path / "rows.npy", X)
    taken = cost_curves._first_rows(400, tmp_path / "rows.npy", small=False)
    np.testing.assert_array_equal(taken, X[:400])
    found = cost_curves._apart("PCA", 400, "fit", 60.0, among=tmp_path / "rows.npy")
    assert found["fitted to"] == 400
    nowhere = cost_curves._apart("PCA", 400, "fit", 60.0, among=tmp_path / "nothing.npy")
    assert "nothing.npy" in nowhere


def test_curves_are_drawn(tmp_path):
    curve = {"family": "spectral", "fit": runs(2.0), "embed": runs(1.0, [16_000])}
    curve |= {"exponent of seconds": 2.0, "exponent of megabytes": None}
    draw({"PCA": curve, "GPLVM": {**curve, "family": "latent"}}, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000
    json.dumps(curve)
