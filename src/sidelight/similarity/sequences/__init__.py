"""Sequences of symbols, compared by all ways to align them."""

from __future__ import annotations

from sidelight.similarity.sequences.alignments import sequence_kernel

__all__ = ["sequence_kernel"]
