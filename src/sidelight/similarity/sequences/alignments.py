"""Sequences of symbols, of any length: a kernel that sums over all ways to align two of them.

An alignment of s and t is a set of pairs (i, j), ascending in both; it weighs κ(s_i, t_j) for every
pair and γ for every symbol of either that is in none, with κ = 1 for equal symbols and ε for
others.  The sum over all alignments is M(|s|, |t|) of

    M(i, j) = γ M(i−1, j) + γ M(i, j−1) + (κ(s_i, t_j) − γ²) M(i−1, j−1),   M(i, 0) = M(0, i) = γ^i.

It is an inner product (the features of s are its subsequences, weighed by γ for what they leave
out), hence a kernel.  With γ = 0 it is the discrete kernel of codes, ε^(symbols that differ), for
sequences of one length (latent-factor thesis section 3.2.1, "computing a discrete kernel for
vectors is possible using dynamic programming").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, Real, require_memory

_SHARE = Real(0)


def sequence_kernel(
    S: Sequence[Any], T: Sequence[Any] | None = None, *, gap: float = 0.5, mismatch: float = 0.1
) -> FloatArray:
    """Compare sequences of symbols by all their alignments: a kernel, one for equal sequences.

    K(s, t) = M(s, t) / √(M(s, s) M(t, t)), where M sums over all ways to align two sequences, each
    weighed by ``gap`` for every symbol that is left out and by ``mismatch`` for every two that are
    aligned and differ.  It goes wherever a kernel does: ``KernelPCA(kernel="precomputed")``, whose
    ``transform`` takes the block ``sequence_kernel(new, S)``; and √(−log K) wherever distances do,
    ``metric="precomputed"``: a Gaussian of those is a power of K.

    Parameters
    ----------
    S : sequence of str or of sequences
        The items: texts, or lists of symbols (anything that can be a key of a dict).
    T : sequence of str or of sequences, optional
        Other items; S itself by default.
    gap : float
        γ in [0, 1): what a symbol costs that is left out.  Zero compares place by place.
    mismatch : float
        ε in [0, 1]: what two symbols weigh that differ.

    Returns
    -------
    ndarray of shape (n_S, n_T)
        K, with values in [0, 1].

    Notes
    -----
    The map of sequences by the information that it has about them is
    ``KernelInformationEmbedding(kernel="precomputed")`` of K, and with several relations
    ``MultipleRelationalEmbedding(base="information", metric="precomputed")`` of √(−log K).

    Examples
    --------
    >>> from sidelight.similarity import sequence_kernel
    >>> sequence_kernel(["banana", "bananas", "ananas", "cherry"]).round(2)[0]
    array([1.  , 0.5 , 0.25, 0.  ])
    """
    for name, value in (("gap", gap), ("mismatch", mismatch)):
        if not _SHARE.admits(value) or value > 1 or (name == "gap" and value == 1):
            words = "[0, 1)" if name == "gap" else "[0, 1]"
            raise ValueError(
                f"The '{name}' argument of sequence_kernel must be a number in {words}. Got "
                f"{value!r} instead."
            )
    left = _listed(S, "S")
    right = left if T is None else _listed(T, "T")
    n, m = len(left), len(right)
    require_memory(
        32.0 * n * m,
        what=f"the {n} × {m} kernel of sequences",
        who="sequence_kernel",
        instead="Give fewer sequences at a time.",
    )
    symbols, starts = _encoded(left if T is None else left + right)
    if T is None:
        first, second = (np.asarray(side, np.int64) for side in np.triu_indices(n))
        logs: FloatArray = np.empty((n, n))
        logs[first, second] = _logs(symbols, starts, first, second, gap, mismatch)
        logs[second, first] = logs[first, second]
        own: list[FloatArray] = [np.diagonal(logs)] * 2
    else:
        first, second = (np.asarray(side, np.int64).ravel() for side in np.indices((n, m)))
        logs = _logs(symbols, starts, first, n + second, gap, mismatch).reshape(n, m)
        every = np.arange(n + m)
        each = _logs(symbols, starts, every, every, gap, mismatch)
        own = [each[:n], each[n:]]
    return np.asarray(np.exp(np.minimum(logs - 0.5 * (own[0][:, None] + own[1]), 0.0)))


def _logs(
    symbols: IntArray,
    starts: IntArray,
    first: IntArray,
    second: IntArray,
    gap: float,
    mismatch: float,
) -> FloatArray:
    from sidelight.similarity.sequences._alignments_compiled import log_alignments

    found = np.empty(len(first))
    log_alignments(symbols, starts, first, second, float(gap), float(mismatch), found)
    return found


def _listed(items: Any, name: str) -> list[list[Any]]:
    """Each item as a list of symbols."""
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise ValueError(
            f"The '{name}' argument of sequence_kernel must be a list of texts or of sequences. "
            f"Got {type(items).__name__}."
        )
    listed = []
    for number, item in enumerate(items):
        if not isinstance(item, Iterable):
            raise ValueError(
                f"The '{name}' argument of sequence_kernel must be a list of texts or of "
                f"sequences. Got {type(item).__name__} as item {number}."
            )
        listed.append(list(item))
    if not listed:
        raise ValueError(f"The '{name}' argument of sequence_kernel must not be empty.")
    return listed


def _encoded(items: list[list[Any]]) -> tuple[IntArray, IntArray]:
    """All symbols one after another, as numbers, and where each item begins."""
    codes: dict[Any, int] = {}
    symbols = [codes.setdefault(symbol, len(codes)) for item in items for symbol in item]
    starts = np.concatenate([[0], np.cumsum([len(item) for item in items])])
    return np.asarray(symbols, np.int64), np.asarray(starts, np.int64)
