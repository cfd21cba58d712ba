"""Every data set by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sidelight.datasets.dataset import Dataset
from sidelight.datasets.descriptions import DESCRIPTIONS
from sidelight.datasets.files import read_arrays, why_missing
from sidelight.datasets.handwritten import digits, rotated_digits, shifted_digits
from sidelight.datasets.manifolds import noisy_s, s_curve, swiss_roll
from sidelight.datasets.real import ARRANGEMENTS
from sidelight.datasets.walks import image_walk

# name: (kind, what makes it)
_MADE: dict[str, tuple[str, Callable[..., Dataset]]] = {
    "swiss_roll": ("generated", swiss_roll),
    "s_curve": ("generated", s_curve),
    "noisy_s": ("generated", noisy_s),
    "image_walk": ("generated", image_walk),
    "digits": ("bundled", digits),
    "shifted_digits": ("bundled", shifted_digits),
    "rotated_digits": ("bundled", rotated_digits),
}


@dataclass(frozen=True)
class Availability:
    """Whether a data set can be loaded here, and what it is.

    Parameters
    ----------
    name : str
        The name that :func:`load` takes.
    kind : str
        ``"generated"``, ``"bundled"`` (comes with scikit-learn) or ``"real"`` (a file in the
        folder named by ``SIDELIGHT_DATA``).
    present : bool
        Whether it can be loaded now.
    description : str
        One line on what it is.
    """

    name: str
    kind: str
    present: bool
    description: str


def available(*, folder: str | Path | None = None) -> dict[str, Availability]:
    """List every data set by name.

    Parameters
    ----------
    folder : str or Path, optional
        Where to look for the real ones instead of the folder named by ``SIDELIGHT_DATA``.

    Returns
    -------
    dict of str to Availability
        First the generated and bundled sets, then the real ones.

    Examples
    --------
    >>> from sidelight.datasets import available
    >>> available()["digits"].kind
    'bundled'
    """
    where = None if folder is None else Path(folder).expanduser()
    listed = {
        name: Availability(name, kind, True, DESCRIPTIONS[name])
        for name, (kind, _) in _MADE.items()
    }
    for name in ARRANGEMENTS:
        present = why_missing(name, where) is None
        listed[name] = Availability(name, "real", present, DESCRIPTIONS[name])
    return listed


def load(name: str, *, folder: str | Path | None = None, **options: Any) -> Dataset:
    """Load or generate a data set by name.

    Parameters
    ----------
    name : str
        A name out of :func:`available`.
    folder : str or Path, optional
        Where to look for a real set instead of the folder named by ``SIDELIGHT_DATA``.
    **options
        Passed to the generator: ``load("swiss_roll", n_samples=500, random_state=0)``.

    Returns
    -------
    Dataset
        The data.  Sets of distances (``europe_roads``, ``eurodist``) have
        ``metric="precomputed"`` and the table both as ``X`` and as ``extras["distances"]``.

    Raises
    ------
    ValueError
        If there is no such set.
    FileNotFoundError
        If it is a real one and its folder or file is missing.
    TypeError
        If it takes no such options.

    Examples
    --------
    >>> from sidelight.datasets import load
    >>> load("s_curve", n_samples=100, random_state=0)
    Dataset 's_curve': X 100 × 3, truth (arc length, width)
    """
    if name in _MADE:
        return _MADE[name][1](**options)
    if name not in ARRANGEMENTS:
        known = ", ".join([*_MADE, *ARRANGEMENTS])
        raise ValueError(f"There is no data set {name!r}. The data sets are: {known}.")
    if options:
        raise TypeError(
            f"The real data set {name!r} takes no options. Got {', '.join(sorted(options))}."
        )
    arranged = ARRANGEMENTS[name](read_arrays(name, folder))
    return Dataset(name=name, description=DESCRIPTIONS[name], **arranged)
