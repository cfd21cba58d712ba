"""Cross-validation that cuts what is known together with the rows it is about.

scikit-learn's own searches do so too, with ``side=aligned(side, X)``.  The functions here also
place the rows left out by their own Condition, and judge a map by what is known of them.
"""

from __future__ import annotations

from sidelight.model_selection.choosing import choose
from sidelight.model_selection.folds import Fold, folds
from sidelight.model_selection.scoring import (
    Held,
    labels_found,
    neighbors_kept,
    pairs_told_apart,
)
from sidelight.model_selection.validation import Search, cross_validate, search
from sidelight.side import aligned

__all__ = [
    "Fold",
    "Held",
    "Search",
    "aligned",
    "choose",
    "cross_validate",
    "folds",
    "labels_found",
    "neighbors_kept",
    "pairs_told_apart",
    "search",
]
