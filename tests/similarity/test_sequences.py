"""The kernel of sequences: all alignments by hand, codes of one length, a kernel, new items."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from sidelight import KernelPCA, MultipleRelationalEmbedding
from sidelight.latent.density.kernels import DiscreteKernel
from sidelight.similarity import sequence_kernel


def all_alignments(s, t, gap, mismatch):
    """The sum, alignment by alignment: which symbols of s go with which of t."""
    total = 0.0
    for size in range(min(len(s), len(t)) + 1):
        for left in combinations(range(len(s)), size):
            for right in combinations(range(len(t)), size):
                weight = gap ** (len(s) + len(t) - 2 * size)
                for i, j in zip(left, right, strict=True):
                    weight *= 1.0 if s[i] == t[j] else mismatch
                total += weight
    return total


@pytest.mark.parametrize(("gap", "mismatch"), [(0.5, 0.1), (0.9, 0.0), (0.3, 1.0), (0.0, 0.2)])
def test_it_is_the_sum_over_all_alignments(gap, mismatch):
    words = ["abca", "acb", "b", "", "ccba", "abc"]
    naive = np.array([[all_alignments(s, t, gap, mismatch) for t in words] for s in words])
    own = np.sqrt(np.diagonal(naive))
    K = sequence_kernel(words, gap=gap, mismatch=mismatch)
    np.testing.assert_allclose(K, naive / np.outer(own, own), atol=1e-13)
    np.testing.assert_allclose(
        sequence_kernel(words[:2], words, gap=gap, mismatch=mismatch), K[:2], atol=1e-13
    )


def test_without_gaps_it_is_the_discrete_kernel_of_codes():
    codes = np.random.default_rng(0).integers(3, size=(12, 7))
    h = 0.8
    kernel = DiscreteKernel((3,) * 7)
    expected = kernel.values(kernel.dissimilarities(codes, codes), h)
    K = sequence_kernel(codes, gap=0.0, mismatch=float(np.exp(-1 / h)))
    np.testing.assert_allclose(K, expected, atol=1e-13)


@pytest.mark.parametrize(("gap", "mismatch"), [(0.5, 0.1), (0.9, 0.5), (0.2, 0.0)])
def test_it_is_a_kernel(gap, mismatch):
    rng = np.random.default_rng(1)
    items = [rng.integers(4, size=rng.integers(1, 15)).tolist() for _ in range(40)]
    K = sequence_kernel(items, gap=gap, mismatch=mismatch)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(np.diagonal(K), 1.0)
    assert np.linalg.eigvalsh(K).min() > -1e-10


def test_long_sequences_neither_overflow_nor_vanish():
    rng = np.random.default_rng(2)
    long = rng.integers(4, size=3000)
    changed = np.delete(long, 5)
    K = sequence_kernel([long, changed, rng.integers(4, size=3000)])
    assert np.isfinite(K).all()
    assert 0.1 < K[0, 1] < 1
    assert K[0, 2] < 1e-6


def test_new_sequences_go_where_the_old_ones_that_they_are():
    rng = np.random.default_rng(3)
    items = ["".join(rng.choice(list("abcd"), rng.integers(4, 9))) for _ in range(25)]
    K = sequence_kernel(items)
    model = KernelPCA(2, kernel="precomputed").fit(K)
    placed = model.transform(sequence_kernel(items[:6], items))
    np.testing.assert_allclose(placed, model.embedding_[:6], atol=1e-9)
    told = MultipleRelationalEmbedding(2, base="information", metric="precomputed", max_iter=30)
    with pytest.warns(UserWarning, match="max_iter"):
        told.fit(np.sqrt(np.maximum(2 - 2 * K, 0)))
    block = np.sqrt(np.maximum(2 - 2 * sequence_kernel(items[:6], items), 0))
    np.testing.assert_allclose(told.transform(block), told.embedding_[:6], atol=1e-6)


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        ("abc", {}, "'S' argument .* list of texts or of sequences. Got str"),
        ([1, 2], {}, "Got int as item 0"),
        ([], {}, "must not be empty"),
        (["a"], {"gap": 1.0}, r"'gap' argument .* in \[0, 1\). Got 1.0"),
        (["a"], {"mismatch": 1.5}, r"'mismatch' argument .* in \[0, 1\]. Got 1.5"),
    ],
)
def test_what_cannot_be_compared_is_refused(given, options, words):
    with pytest.raises(ValueError, match=words):
        sequence_kernel(given, **options)
