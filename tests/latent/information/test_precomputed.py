"""Kernel information embedding of a table of similarities."""

from __future__ import annotations

import numpy as np
import pytest

import sidelight
from sidelight import KernelInformationEmbedding
from sidelight.side import Anchors, Condition, Pairs
from sidelight.similarity import gaussian_similarity, sequence_kernel
from tests.comparison import align_signs, gap_between

RNG = np.random.default_rng(4)
Y = np.column_stack([2.0 * RNG.standard_normal(40), *RNG.standard_normal((2, 40))])
NEW = RNG.standard_normal((5, 3))


def table(A, B, h=3.0):
    return gaussian_similarity(((A[:, None] - B[None]) ** 2).sum(axis=2), h)


@pytest.mark.parametrize(("of_table", "of_features"), [(1.0, 3.0), (2.0, 6.0), ("auto", "auto")])
def test_the_table_of_its_own_gaussian_gives_the_map_of_the_features(of_table, of_features):
    given = KernelInformationEmbedding(2, kernel="precomputed", bandwidth=of_table).fit(table(Y, Y))
    plain = KernelInformationEmbedding(2, bandwidth=of_features).fit(Y)
    assert given.mutual_information_ == pytest.approx(plain.mutual_information_, abs=1e-6)
    assert given.bandwidth_ == pytest.approx(plain.bandwidth_ / 3.0)
    turned = align_signs(given.embedding_, plain.embedding_)
    np.testing.assert_allclose(turned, plain.embedding_, atol=1e-3)
    new = given.transform(table(NEW, Y)), plain.transform(NEW)
    np.testing.assert_allclose(align_signs(*new), new[1], atol=1e-3)
    mean = given.posterior(table(NEW, Y))[0]
    np.testing.assert_allclose(mean, new[0], atol=1e-12)


def test_rows_that_were_fitted_are_where_they_are_and_files_hold_the_model(tmp_path):
    model = KernelInformationEmbedding(1, kernel="precomputed").fit(table(Y, Y))
    np.testing.assert_array_equal(model.transform(table(Y, Y)), model.embedding_)
    sidelight.save(model, tmp_path / "table.sidelight")
    again = sidelight.load(tmp_path / "table.sidelight")
    new = table(NEW, Y)
    np.testing.assert_array_equal(again.transform(new), model.transform(new))


def test_sequences_of_different_length_are_laid_out_by_what_they_share():
    rng = np.random.default_rng(0)
    words = [
        "".join(rng.permutation(list(letters * 2))[: rng.integers(4, 8)])
        for letters in ("abcd",) * 12 + ("wxyz",) * 12
    ]
    model = KernelInformationEmbedding(1, kernel="precomputed").fit(sequence_kernel(words))
    kind = np.repeat([0, 1], 12)
    assert gap_between(*(model.embedding_[kind == k] for k in (0, 1))) > 0
    there = model.transform(sequence_kernel(["abcda", "zyxwz"], words))[:, 0]
    middles = [model.embedding_[kind == k, 0].mean() for k in (0, 1)]
    assert np.abs(there[:, None] - middles).argmin(axis=1).tolist() == [0, 1]


def test_anchors_are_heard_behind_a_table():
    K, wanted = table(Y, Y), [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
    at = Anchors([0, 1, 2], wanted)
    model = KernelInformationEmbedding(2, kernel="precomputed").fit(K, side=at)
    np.testing.assert_allclose(model.embedding_[:3], wanted, atol=1e-6)


class TestBadInput:
    K = table(Y, Y)

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            (K[:, :5], "expects X to be square"),
            (2 * K, "similarities between 0 and 1"),
            (0.5 * K, "ones on its diagonal"),
            (np.triu(K), "symmetric table"),
        ],
    )
    def test_tables_that_are_none(self, given, match):
        with pytest.raises(ValueError, match=match):
            KernelInformationEmbedding(2, kernel="precomputed").fit(given)

    @pytest.mark.parametrize(
        "more",
        [
            {"bandwidth": "learned"},
            {"bandwidth": "leave_one_out"},
            {"init": "pca"},
            {"validation_fraction": 0.2},
            {"n_components": "auto"},
        ],
    )
    def test_what_needs_features(self, more):
        with pytest.raises(ValueError, match="needs the features of items"):
            KernelInformationEmbedding(kernel="precomputed").set_params(**more).fit(self.K)

    @pytest.mark.parametrize("side", [Condition(["a", "b"] * 20), Pairs(similar=[(0, 1)])])
    def test_what_is_known_of_features(self, side):
        with pytest.raises(ValueError, match="has no place for"):
            KernelInformationEmbedding(2, kernel="precomputed").fit(self.K, side=side)

    @pytest.mark.parametrize("method", ["inverse_transform", "denoise", "impute", "score_samples"])
    def test_ways_back_to_features(self, method):
        model = KernelInformationEmbedding(2, kernel="precomputed").fit(self.K)
        given = model.embedding_ if method == "inverse_transform" else self.K
        with pytest.raises(ValueError, match=f"{method} needs the features of items"):
            getattr(model, method)(given)
        with pytest.raises(ValueError, match="sample needs the features of items"):
            model.sample(3)
