"""Numbers that were tuned, and the experiments that set them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Chains:
    """How items at values that never come again are matched (``known_factor_removed``).

    Parameters
    ----------
    go_on : float
        The probability with which a chain of matches goes on.
    close_enough : float
        Items are compared while the best match at their gap is closer than this share of any pair.
        Without: of 3 digits at random angles the nearest far away is the same in 0.85, not 0.99.
    very_close, few_candidates : float, int
        A second, stricter guess at the first matches.  Without: of things that turn 0.34, not 0.99.
    candidates : int
        The best match at a gap is sought among this many items, so that some of them are alike …
    most_gaps : int
        … at no more gaps than this, half of which overlap.
    clearly_closer : float
        A rotation is believed if it brings best matches closer by this factor.  With 0.3: of 5
        noisy digits at random angles 0.69, not 1.00.
    """

    go_on: float = 0.8
    close_enough: float = 0.65
    very_close: float = 0.4
    few_candidates: int = 5
    candidates: int = 8
    most_gaps: int = 48
    clearly_closer: float = 0.8


@dataclass(frozen=True)
class Parts:
    """When and how classes are matched in part (``different_supports``).

    Parameters
    ----------
    enough : float
        All items are matched with all values where at least this share of them finds a partner.
        With 0.5: blobs in parts of the plane are off by 1.9 pixels, not 0.8.
    temperatures : tuple of float
        Of partial matches, in squared units of an item's r.m.s. size.
    local_temperature : float
        Of matches without local effects.
    strictness : float
        ρ of the relaxed transport.
    """

    enough: float = 0.8
    temperatures: tuple[float, ...] = (0.1, 0.05)
    local_temperature: float = 0.05
    strictness: float = 0.1


@dataclass(frozen=True)
class Refinement:
    """When the objective of matching may move a spectral map of classes.

    Parameters
    ----------
    clearly_better : float
        It must predict items better by this factor, in few dimensions: a map that chases noise
        predicts better, too.  With 0.95 six of a hundred noisy draws (2 to 4 digits, sd 0.05 to
        0.2) are moved: three whose angle was off by 4° to 11° are then off by 32° to 78°, and of
        three that were off by more than 50° none is mended.
    """

    clearly_better: float = 0.7


CHAINS, PARTS, REFINEMENT = Chains(), Parts(), Refinement()
