"""Sequences of different length: noisy copies of a few motifs, compared by all their alignments.

The latent-factor thesis (section 3.2.1) points to dynamic programming for kernels of discrete
sequences, and to their embedding; it prints no figure.  Motifs of 20 symbols out of four are copied
with symbols changed, inserted and left out.  Measured is how often the nearest copy, in the kernel
and in maps made from it, is one of the same motif.  Controls are the share of places that agree
(sequences cut to one length), how often each symbol occurs, and shuffled motifs.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

from experiments.record import Claim, Said, Table
from sidelight import KernelPCA, MultipleRelationalEmbedding
from sidelight.core import FloatArray, IntArray
from sidelight.plot import comparison, save
from sidelight.similarity import sequence_kernel

#: The weights of gaps and of symbols that differ are the defaults, which were set by no data.
SEEDS = range(5)
N_SYMBOLS, LENGTH = 4, 20


def copies(
    n_motifs: int, n_copies: int, rng: np.random.Generator
) -> tuple[list[list[int]], IntArray]:
    """Noisy copies of motifs: a tenth of the symbols changed, left out, and inserted."""
    motifs = rng.integers(N_SYMBOLS, size=(n_motifs, LENGTH))
    items: list[list[int]] = []
    for motif in np.repeat(motifs, n_copies, axis=0):
        item: list[int] = []
        for symbol in motif:
            if rng.random() < 0.1:
                item.append(int(rng.integers(N_SYMBOLS)))
            if rng.random() >= 0.1:
                changed = rng.random() < 0.1
                item.append(int(rng.integers(N_SYMBOLS)) if changed else int(symbol))
        items.append(item)
    return items, np.repeat(np.arange(n_motifs), n_copies)


def same_nearest(D: FloatArray, labels: IntArray) -> float:
    """How often the nearest other item is of the same motif."""
    D = D.copy()
    np.fill_diagonal(D, np.inf)
    return float(np.mean(labels[D.argmin(axis=1)] == labels))


TEXT = [
    Said(
        "latent",
        "section 3.2.1",
        "discrete sequences by a kernel of dynamic programming; no figure is printed",
        ours="the nearest copy is of the same motif: {nearest/all alignments/same motif}, place by "
        "place {nearest/place by place/same motif}; in two dimensions by their information "
        "{nearest/information map/same motif}",
    ),
]
CLAIMS = [
    Claim(
        "on every draw the nearest by all alignments is of the same motif more often than place by "
        "place: the least difference",
        lambda r: float(
            np.min(
                r.draws("nearest", "all alignments", "same motif")
                - r.draws("nearest", "place by place", "same motif")
            )
        ),
        least=0.0,
        form="{:.2f}",
    ),
    Claim(
        "a map of two dimensions by their information keeps motifs together",
        lambda r: r("nearest", "information map", "same motif"),
        least=0.7,
        form="{:.2f}",
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The nearest copies, in the kernel, in maps and by controls; a picture of maps."""
    seeds, n_motifs, n_copies = (range(2), 4, 10) if quick else (SEEDS, 6, 25)
    found: dict[str, list[float]] = {}
    shown: dict[str, FloatArray] = {}
    for seed in seeds:
        rng = np.random.default_rng(seed)
        items, labels = copies(n_motifs, n_copies, rng)
        K = sequence_kernel(items)
        D = np.sqrt(-np.log(np.maximum(K, 1e-300)))  # a Gaussian of these is a power of K
        length = min(len(item) for item in items)
        cut = np.array([item[:length] for item in items])
        counts = np.array([np.bincount(item, minlength=N_SYMBOLS) for item in items])
        by_kernel = KernelPCA(2, kernel="precomputed").fit_transform(K)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            told = MultipleRelationalEmbedding(
                2, base="information", metric="precomputed", penalty=0.02, max_iter=200
            ).fit(D)
        tables = {
            "all alignments": D,
            "information map": cdist(told.embedding_, told.embedding_),
            "kernel PCA map": cdist(by_kernel, by_kernel),
            "place by place": cdist(cut, cut, "hamming"),
            "counts of symbols": cdist(counts, counts),
        }
        for name, table in tables.items():
            found.setdefault(name, []).append(same_nearest(table, labels))
        found.setdefault("shuffled motifs", []).append(same_nearest(D, rng.permutation(labels)))
        shown = shown or {"information map": told.embedding_, "kernel PCA map": by_kernel}
    table = Table(
        "nearest",
        f"{n_motifs} motifs, {n_copies} noisy copies of each: the nearest is of the same motif",
        {"same motif": "{mean:.2f} ± {sd:.2f}"},
        seeds,
    )
    controls = ("place by place", "counts of symbols", "shuffled motifs")
    for name, shares in found.items():
        table.add(name, shares, control=name in controls)
    save(comparison(shown, n_columns=2), output / "motifs_of_sequences.png")
    return [table]
