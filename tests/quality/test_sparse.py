"""Sparse data are judged as they are: the same figures, and no table with all its zeros."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from typer.testing import CliRunner

from sidelight import PCA
from sidelight.cli.application import application
from sidelight.embedding import Embedding
from sidelight.io import write_table
from sidelight.quality import quality_report, trustworthiness

RNG = np.random.default_rng(0)


def counts(n=150, d=60, offset=0):
    """Rows of counts, two of them the same, far from the origin where there is an offset."""
    X = RNG.poisson(0.3, size=(n, d)).astype(float)
    X[:, 0] += offset + 1
    X[7] = X[3]
    return X


@pytest.fixture
def written_out(monkeypatch):
    """How many numbers were written out of sparse arrays, zeros and all, at a time."""
    sizes, toarray = [0], sp.csr_array.toarray

    def noted(self, *given, **named):
        sizes.append(int(np.prod(self.shape)))
        return toarray(self, *given, **named)

    monkeypatch.setattr(sp.csr_array, "toarray", noted)
    return sizes


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "correlation"])
@pytest.mark.parametrize("offset", [0, 1000])
@pytest.mark.parametrize("drawn", [None, 40])
def test_the_figures_are_those_of_the_same_numbers_written_out(metric, offset, drawn):
    offset = offset / 100 if metric in ("cosine", "correlation") else offset
    X, Z = counts(offset=offset), RNG.normal(size=(150, 2))
    of_all, of_sparse = (
        quality_report(given, Z, metric=metric, max_samples=drawn).to_dict()
        for given in (X, sp.csr_array(X))
    )
    for name, value in of_all.items():
        if isinstance(value, float):
            assert of_sparse[name] == pytest.approx(value, rel=1e-6, abs=1e-9), name
    assert of_sparse["label_accuracy"] is None


def test_copies_are_at_no_distance_of_each_other():
    X = sp.csr_array(counts(offset=1000))
    assert trustworthiness(X, X[:, :2].toarray() + RNG.normal(size=(150, 2))) < 1
    report = quality_report(X, X.toarray())
    assert_allclose([report.trustworthiness, report.auc, report.stress], [1.0, 1.0, 0.0], atol=1e-9)


def test_a_wide_table_is_judged_without_its_zeros(written_out):
    X = sp.random_array((1200, 20_000), density=4e-4, format="csr", rng=np.random.default_rng(1))
    result = Embedding(RNG.normal(size=(1200, 2)), PCA(2), "given", X)
    assert "trustworthiness" in result._repr_html_()
    assert result.quality(max_samples=50).n_samples_used == 50
    assert len(result.point_quality().kept) == 1200
    assert max(written_out) < X.shape[0] * X.shape[1] / 10


def test_the_command_line_scores_texts_without_their_zeros(written_out, tmp_path):
    words = RNG.integers(4000, size=(600, 20))
    texts = [" ".join(f"word{w}" for w in line) for line in words]
    places = {"x": RNG.normal(size=600), "y": RNG.normal(size=600)}
    write_table(tmp_path / "texts.csv", {"body": texts, "year": np.arange(600)})
    write_table(tmp_path / "map.csv", places)
    how = ["score", str(tmp_path / "texts.csv"), str(tmp_path / "map.csv"), "--text", "body"]
    done = CliRunner().invoke(application, how)
    assert done.exit_code == 0, done.output
    assert 0 < max(written_out) < words.size * 40


def test_a_metric_that_needs_the_zeros_asks_for_memory_first(monkeypatch):
    monkeypatch.setattr("sidelight.core.memory.available_memory", lambda: 1e4)
    with pytest.raises(MemoryError, match="manhattan distances between the 150 sparse rows"):
        quality_report(sp.csr_array(counts()), RNG.normal(size=(150, 2)), metric="manhattan")


def test_what_is_wrong_with_sparse_data_is_said():
    X, Z = counts(), RNG.normal(size=(150, 2))
    X[5, 3] = np.nan
    with pytest.raises(ValueError, match="'X' argument of quality_report must be finite"):
        quality_report(sp.csr_array(X), Z)
    X[5] = 0.0
    with pytest.raises(ValueError, match=r"zero row \(row 5\)"):
        quality_report(sp.csr_array(X), Z, metric="cosine")
    with pytest.raises(ValueError, match="must be dense"):
        quality_report(sp.csr_array(X), Z, metric="precomputed")


def test_hints_look_at_fewer_rows_of_a_very_wide_table(written_out, monkeypatch):
    from sidelight.embedding import hints_for

    monkeypatch.setattr("sidelight.embedding.hints._MOST_NUMBERS", 500_000)
    X = sp.random_array((900, 20_000), density=1e-4, format="csr", rng=np.random.default_rng(3))
    assert hints_for(X) == ()
    assert 0 < max(written_out) <= 500_000
