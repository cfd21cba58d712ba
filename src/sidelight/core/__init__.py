"""What everything stands on: arrays, errors, parameters, memory, threads, progress."""

from __future__ import annotations

from sidelight.core.arrays import (
    ArrayLike,
    BoolArray,
    ComplexArray,
    FloatArray,
    IntArray,
    as_dense,
    comparable,
    for_walks,
    is_sparse,
    owned,
    row_blocks,
    shares,
)
from sidelight.core.errors import (
    ContradictionError,
    DisconnectedGraphError,
    DisconnectedGraphWarning,
    InterruptedFitWarning,
    MissingExtraError,
    NotEnoughMemoryError,
    NotEuclideanWarning,
)
from sidelight.core.fingerprints import fingerprint
from sidelight.core.interruption import Interruption, whole_or_nothing
from sidelight.core.magnitude import LARGEST, of_moderate_size
from sidelight.core.memory import format_bytes, require_memory
from sidelight.core.messages import explain_table, warn
from sidelight.core.parameters import (
    COMPONENTS,
    COMPONENTS_JUDGED,
    FUNCTION,
    RANDOM_STATE,
    SHARE,
    Expected,
    Matching,
    OneOf,
    RandomSource,
    Real,
    Whole,
    check_parameters,
    random_generator,
    random_numbers,
    refuse_without_effect,
)
from sidelight.core.progress import Progress, listening, report
from sidelight.core.refitting import fitting_afresh, is_learned, unchanged_if_refused
from sidelight.core.sampling import evenly_spaced, farthest_first, first_farthest
from sidelight.core.threads import Call, Threads, count_threads, one_blas_thread, over_bands

__all__ = [
    "COMPONENTS",
    "COMPONENTS_JUDGED",
    "FUNCTION",
    "LARGEST",
    "RANDOM_STATE",
    "SHARE",
    "ArrayLike",
    "BoolArray",
    "Call",
    "ComplexArray",
    "ContradictionError",
    "DisconnectedGraphError",
    "DisconnectedGraphWarning",
    "Expected",
    "FloatArray",
    "IntArray",
    "InterruptedFitWarning",
    "Interruption",
    "Matching",
    "MissingExtraError",
    "NotEnoughMemoryError",
    "NotEuclideanWarning",
    "OneOf",
    "Progress",
    "RandomSource",
    "Real",
    "Threads",
    "Whole",
    "as_dense",
    "check_parameters",
    "comparable",
    "count_threads",
    "evenly_spaced",
    "explain_table",
    "farthest_first",
    "fingerprint",
    "first_farthest",
    "fitting_afresh",
    "for_walks",
    "format_bytes",
    "is_learned",
    "is_sparse",
    "listening",
    "of_moderate_size",
    "one_blas_thread",
    "over_bands",
    "owned",
    "random_generator",
    "random_numbers",
    "refuse_without_effect",
    "report",
    "require_memory",
    "row_blocks",
    "shares",
    "unchanged_if_refused",
    "warn",
    "whole_or_nothing",
]
