"""Where rows that are held out say that a path ends: where it reconstructs them best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sidelight.core import FloatArray, IntArray, random_generator, whole_or_nothing
from sidelight.latent.descending import Adjacent
from sidelight.latent.information.followed import Followed
from sidelight.latent.information.path import Path


def ended_by_held_out(
    follow: Callable[..., Followed],
    items: FloatArray,
    columns: IntArray,
    beside: Adjacent,
    model: Any,
) -> Followed:
    """Follow the path with all rows as far as reconstructs held-out ones best."""
    n = len(items)
    n_held = min(max(round(model.validation_fraction * n), 1), n - model.n_components_ - 1)
    held, rest = np.split(random_generator(model.random_state).permutation(n), [n_held])
    with whole_or_nothing():  # a map of some rows is no map of all
        kept = np.sort(rest)
        judged = follow(items[kept], columns, items[held], beside=beside.among(kept, n))
    best = slice(judged.map.facts["n_steps_"])
    chosen = Path(judged.path.bandwidths[best], judged.path.penalties[best])
    whole = follow(items, columns, None, beside=beside, path=chosen)
    errors = judged.map.facts["path_"]["error"][best]
    path = {**whole.map.facts["path_"], "error": errors}
    return replace(whole, map=whole.map.with_facts(path_=path))
