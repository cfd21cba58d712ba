"""What pairs say about rows that they do not name: to which groups these belong.

A row belongs to the groups that a random walk from it meets first: with T the steps between
neighbours and S the rows that are named,

    H ← (1 − r) T H + r S,   U_ig = H_ig / (Σ_h H_ih + ε).

Where groups are so many that all of H would take too long, every row remembers the few that it
meets most, from step to step; Σ_h H_ih is that of all in any case.

How true that is shows when rows that are named are held out, and foretold from the others.  Walks
mix: a row that meets its own group twice as often as another is hardly ever of the other.  So the
shares are read as

    U_ig ∝ (H_ig / n_g^α)^p,

n_g rows named of group g, with the whole p and the α of 0 or 1 by which rows held out are foretold
best: with the least squared error of U.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from sidelight.core import (
    FloatArray,
    IntArray,
    Threads,
    count_threads,
    report,
    row_blocks,
    shares,
)
from sidelight.estimator.territory.groups import Groups
from sidelight.solvers import first_least

#: What is reported while rows walk.
_STAGE = "territories"
#: Rows that a thread takes at once.
_SHARE = 8_192


@dataclass(frozen=True)
class WalkSettings:
    """How territories are found.

    Set on digits 0 to 4,000 of MNIST with 200 labels, draws 100 and 101.

    Parameters
    ----------
    restart : float
        r, the chance that a walk ends at each step.
    steps : int
        Of a walk.
    kept : int
        Groups of a row that are kept.
    doubt : float
        ε, as a share of the mean of Σ_h H_ih.
    surely : float
        Knowledge is used if it foretells the groups of rows held out by so many standard errors
        better than chance.
    few : int
        Fewer rows cannot be judged.
    doubtful : float
        Memberships are read as they are met, unless another reading foretells rows held out better
        by so many standard errors; of such readings the first is taken.
    affordable : float
        Products of H, edges × groups × steps, up to which H is made of all groups: ten seconds.
    remembered : int
        Else the groups that a row remembers from step to step, of four times as many or more: of
        64 to 400 pairs of digits and of blood cells (draws 900 to 904) shares are then off by 0.018
        at most, the share that is foretold by 0.001.
    """

    restart: float = 0.1
    steps: int = 20
    kept: int = 4
    doubt: float = 0.1
    surely: float = 3.0
    few: int = 20
    doubtful: float = 1.0
    affordable: float = 1e10
    remembered: int = 16


WALKS = WalkSettings()


@dataclass(frozen=True)
class Reading:
    """How memberships are read from the groups that walks meet.

    Looked at on 400 digits, also of MNIST, cells, faces, wine and breast cancer with 50 and 200
    labels, draws 1000 to 1021.

    Parameters
    ----------
    power : int
        p.
    evenly : bool
        Whether a group counts by the share of its rows that are met (α = 1), not by their number;
        of so many groups that rows remember a few, all count by their number.
    """

    power: int = 1
    evenly: bool = False


AS_MET = Reading()
#: Powers that are tried.
POWERS = (1, 2, 3, 4, 6, 8)


@dataclass(frozen=True)
class Memberships:
    """To which groups rows belong.

    Parameters
    ----------
    groups : ndarray of shape (n, kept)
        The groups that count most, -1 for none.
    shares : ndarray of shape (n, kept)
        U of each.
    """

    groups: IntArray
    shares: FloatArray

    def at(self, rows: IntArray) -> Memberships:
        """Those of some rows, whose shares add up to one."""
        shares = self.shares[rows]
        total = np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)
        return Memberships(self.groups[rows], shares / total)

    def of(self, group: IntArray) -> FloatArray:
        """The share of one group in each row."""
        return np.asarray(np.sum(self.shares * (self.groups == group[:, None]), axis=1))

    def errors(self, group: IntArray) -> FloatArray:
        """Σ_g (U_ig − 1_g)² less one, of rows of known groups."""
        return np.asarray(np.sum(self.shares**2, axis=1) - 2.0 * self.of(group))

    def read_as(self, power: int) -> Memberships:
        """The same shares to a power, which in each row add up to as much as before."""
        if power == 1:
            return self
        part = self.shares / np.maximum(self.shares[:, :1], 1e-300)
        high = part.copy()
        for _ in range(power - 1):  # the same on every processor, as powers are not
            high *= part
        total = self.shares.sum(axis=1, keepdims=True)
        sums = np.maximum(high.sum(axis=1, keepdims=True), 1e-300)
        return replace(self, shares=high * (total / sums))


def memberships(
    graph: sp.csr_array,
    groups: Groups,
    settings: WalkSettings = WALKS,
    reading: Reading = AS_MET,
) -> Memberships:
    """Walk from every row, and tell whose rows are met: the few groups that count most."""
    T = graph.astype(np.float64)
    mass = np.asarray(T.sum(axis=1)).ravel()
    T.data *= np.repeat(1.0 / np.maximum(mass, 1e-300), np.diff(graph.indptr))
    many = groups.n >= 4 * settings.remembered
    if many and float(T.nnz) * groups.n * settings.steps > settings.affordable:
        which, best, total = _met_most(T, groups, settings)
    else:
        which, best, total = _met(T, groups, settings, evenly=reading.evenly)
    found = best / np.maximum(total + settings.doubt * total.mean(), 1e-300)[:, None]
    return Memberships(np.where(found > 0, which, -1), found).read_as(reading.power)


def _met(
    T: sp.csr_array, groups: Groups, settings: WalkSettings, *, evenly: bool = False
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The largest entries of H, and the sums of its rows: block by block of the groups."""
    n, kept = T.shape[0], min(settings.kept, groups.n)
    best = np.zeros((n, kept))
    which = np.full((n, kept), -1, dtype=np.intp)
    total = np.zeros(n)
    counts = groups.sizes if evenly else np.ones(len(groups.rows))
    blocks = row_blocks(groups.n, 24.0 * n)
    for block in blocks:
        names = np.arange(groups.n)[block]
        S = np.zeros((n, len(names)))
        inside = (groups.group >= names[0]) & (groups.group <= names[-1])
        S[groups.rows[inside], groups.group[inside] - names[0]] = 1.0 / counts[inside]
        H = _walked(T, S, settings)
        total += H.sum(axis=1)
        values = np.hstack([best, H])
        labels = np.hstack([which, np.broadcast_to(names, H.shape)])
        order = np.argsort(-values, axis=1, kind="stable")[:, :kept]
        best, which = (np.take_along_axis(a, order, axis=1) for a in (values, labels))
        if len(blocks) > 1:
            report(_STAGE, block.stop, groups.n)
    return which, best, total


def _walked(T: sp.csr_array, S: FloatArray, settings: WalkSettings) -> FloatArray:
    """H of some columns of S."""
    H = settings.restart * S
    for _ in range(settings.steps):
        H = (1.0 - settings.restart) * (T @ H) + settings.restart * S
    return H


def _met_most(
    T: sp.csr_array, groups: Groups, settings: WalkSettings
) -> tuple[IntArray, FloatArray, FloatArray]:
    """The same of very many groups: a row remembers those that it meets most."""
    from sidelight.estimator.territory._walks_compiled import step_on

    n, kept = T.shape[0], settings.remembered
    own = np.full(n, -1, dtype=np.int64)
    own[groups.rows] = groups.group
    which = np.full((n, kept), -1, dtype=np.int32)
    H = np.zeros((n, kept), dtype=np.float32)
    which[:, 0], H[:, 0] = own, np.where(own >= 0, settings.restart, 0.0)
    after = np.empty_like(which), np.empty_like(H)
    walk, cuts = (T.indptr, T.indices, T.data), shares(n, max(1, -(-n // _SHARE)))
    with Threads(count_threads(None, who="Pairs")) as pool:
        for step in range(settings.steps):
            told = (walk, (own, groups.n), (which, H), settings.restart)
            pool.run([(step_on, (*told, s.start, s.stop, after)) for s in cuts])
            (which, H), after = after, (which, H)
            report(_STAGE, step + 1, settings.steps)
    some = slice(min(settings.kept, groups.n))
    total = _walked(T, (own >= 0).astype(np.float64), settings)
    return which[:, some].astype(np.intp), H[:, some].astype(np.float64), total


def held_out(
    graph: sp.csr_array,
    groups: Groups,
    settings: WalkSettings = WALKS,
    *,
    evenly: bool = False,
) -> Memberships:
    """The groups of every row that is named, foretold by the other half of these rows."""
    m, kept = len(groups.rows), min(settings.kept, groups.n)
    told = Memberships(np.full((m, kept), -1, dtype=np.intp), np.zeros((m, kept)))
    for held in groups.halves():
        if held.all() or not held.any():
            continue
        found = memberships(graph, groups.take(~held), settings, Reading(evenly=evenly))
        found = found.at(groups.rows[held])
        told.groups[held], told.shares[held] = found.groups, found.shares
    return told


def foretold(
    graph: sp.csr_array, groups: Groups, settings: WalkSettings = WALKS
) -> tuple[float, float]:
    """How well groups of rows are foretold by the others: 0 as by chance, 1 surely; and how sure.

    Half of the rows is held out at a time.
    """
    return _how_well(held_out(graph, groups, settings), groups)


def read_and_foretold(
    graph: sp.csr_array, groups: Groups, settings: WalkSettings = WALKS
) -> tuple[Reading, float, float]:
    """The best reading, and how well groups are foretold by it; how sure, as they are met.

    What is not foretold surely is read as it is met, and so are groups of two, which cannot be cut.
    """
    told = held_out(graph, groups, settings)
    share, sure = _how_well(told, groups)
    if sure <= settings.surely or not groups.are_large:
        return AS_MET, share, sure
    others = held_out(graph, groups, settings, evenly=True)
    read = [
        (Reading(power, evenly), met.read_as(power))
        for evenly, met in ((False, told), (True, others))
        for power in POWERS
    ]
    errors = np.array([found.errors(groups.group) for _, found in read])
    worse = errors - errors[int(first_least(errors.mean(axis=1)))]
    allowed = settings.doubtful * worse.std(axis=1) / np.sqrt(len(groups.rows))
    reading, found = read[int(np.flatnonzero(worse.mean(axis=1) <= allowed + 1e-9)[0])]
    return reading, _how_well(found, groups)[0], sure


def _how_well(told: Memberships, groups: Groups) -> tuple[float, float]:
    """The gain of shares over those by chance, of all that there is to gain, and by its error."""
    m = len(groups.rows)
    frequency = np.bincount(groups.group, minlength=groups.n) / m
    known = np.where(told.groups >= 0, frequency[told.groups], 0.0)
    chance = np.sum(told.shares * known, axis=1)
    gain = told.of(groups.group) - chance
    room = max(1.0 - float(chance.mean()), 1e-12)
    error = float(gain.std()) / np.sqrt(m)
    mean = float(gain.mean())
    return float(np.clip(mean / room, 0.0, 1.0)), mean / max(error, 1e-12)
