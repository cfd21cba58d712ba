"""Pairs as side information on eight problems: what they gain, and whether they ever do harm.

The informed-embedding thesis (section 3.2.2): with all similar pairs, and even with four similar
pairs and a dissimilar one, a metric learned from pairs makes maps show "the target property".  It
is shown on the faces that the pairs name.  Here the question is asked of rows that no pair names.

Half of the rows is drawn; pairs and metric come from it; each row of the other half is classified
by its five nearest neighbours among that half, in the learned and in the Euclidean metric.  Breast
cancer, wine and iris are standardised; digits are grey values in [0, 1], cells 50 principal
components, faces pixels in [0, 1].  Of faces, "new photographs" draws photographs, "new people"
people; for glasses, photographs of the same person do not vote.  "Both" is half similar and half
dissimilar pairs; where there are fewer pairs than asked for, all are given.  Five draws, so that it
runs in minutes.  The controls are the Euclidean metric, from which gains are counted, and pairs of
shuffled labels.

The pairs here tell of all classes, and then the default does no harm.  Pairs of shuffled labels are
not used, few or many.  Many pairs of a few classes alone still do harm to the others, which
informed_cells measures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from experiments.record import Claim, Record, Said, Table
from sidelight import PCA
from sidelight.core import BoolArray, FloatArray, IntArray
from sidelight.datasets import digits, load
from sidelight.metric import EquivalenceMetric
from sidelight.plot import save
from sidelight.plot.style import FAINT, INK, TEXT_SIZE, new_figure
from sidelight.side import Pairs

COUNTS = (5, 50, 1000)
KINDS = ("similar", "dissimilar", "both", "both, 10 % wrong", "both, shuffled")
N_SEEDS = 5
N_NEIGHBORS = 5
WRONG = 0.1


@dataclass(frozen=True)
class Problem:
    """Rows with classes, and which of them must stay on one side of the split.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    labels : ndarray of int of shape (n,)
        The classes that pairs tell of.
    groups : ndarray of int of shape (n,)
        Rows of one group, such as photographs of one person, are seen together or not at all.
    strangers : bool
        Whether neighbours of the same group do not vote: a face's class shows in other
        photographs of the same person whatever the metric.
    """

    X: FloatArray
    labels: IntArray
    groups: IntArray
    strangers: bool = False


def problems() -> dict[str, Problem]:
    """Load the eight problems; tables of unlike measurements are standardised, others not."""
    X, labels = digits()
    found = {"digits": Problem(X, labels, np.arange(len(X)))}
    found |= {
        "breast cancer": standardised(load_breast_cancer),
        "wine": standardised(load_wine),
        "iris": standardised(load_iris),
    }
    cells = load("pbmc68k_reduced")
    X = cells.extras["pca"].astype(float)
    codes = np.unique(cells.labels, return_inverse=True)[1]  # type: ignore[call-overload]
    found["single cells"] = Problem(X, codes, np.arange(len(X)))
    return found | problems_of_faces()


def standardised(loader: Callable[..., Any]) -> Problem:
    """A table of unlike measurements."""
    X, labels = loader(return_X_y=True)
    return Problem(StandardScaler().fit_transform(X), labels, np.arange(len(X)))


def problems_of_faces() -> dict[str, Problem]:
    """Who it is, of new photographs and of new people, and who wears glasses."""
    faces = load("olivetti_faces")
    assert faces.labels is not None
    people = faces.labels
    X = PCA(len(people) - 1).fit_transform(faces.X)  # a turn: no distance changes
    glasses = faces.extras["glasses"].astype(int)
    return {
        "new photographs": Problem(X, people, np.arange(len(people))),
        "new people": Problem(X, people, people),
        "glasses, new people": Problem(X, glasses, people, strangers=True),
    }


def split_groups(groups: IntArray, rng: np.random.Generator) -> BoolArray:
    """Draw half of the groups.

    Parameters
    ----------
    groups : ndarray of int of shape (n,)
        The group of every row.
    rng : Generator
        For the draw.

    Returns
    -------
    ndarray of bool of shape (n,)
        The rows of the groups drawn.
    """
    names = np.unique(groups)
    drawn = rng.choice(names, size=len(names) // 2, replace=False)
    return np.asarray(np.isin(groups, drawn))


def draw_pairs(labels: IntArray, kind: str, count: int, rng: np.random.Generator) -> Pairs:
    """Draw pairs as a person who labels would give them.

    Parameters
    ----------
    labels : ndarray of int of shape (n,)
        The truth.
    kind : str
        One of :data:`KINDS`; "shuffled" is a control: the labels are permuted first.
    count : int
        How many in all; half of each kind for "both".  All there are, if there are fewer.
    rng : Generator
        For the draw.

    Returns
    -------
    Pairs
        With "10 % wrong" each pair is put on the wrong side with this probability.
    """
    one_kind = kind in ("similar", "dissimilar")
    if kind == "both, shuffled":
        labels = rng.permutation(labels)
    drawn = Pairs.from_labels(labels, max_pairs=count if one_kind else count // 2, random_state=rng)
    if one_kind:
        return Pairs(**{kind: getattr(drawn, kind)})
    if kind in ("both", "both, shuffled"):
        return drawn
    pairs = np.vstack([drawn.similar, drawn.dissimilar])
    similar = np.arange(len(pairs)) < len(drawn.similar)
    similar = similar != (rng.random(len(pairs)) < WRONG)
    return Pairs(similar=pairs[similar], dissimilar=pairs[~similar])


def neighbor_accuracy(
    Z: FloatArray,
    labels: IntArray,
    *,
    n_neighbors: int,
    groups: IntArray | None = None,
    asked: BoolArray | None = None,
) -> float:
    """Classify rows by their nearest neighbours among the others, and count how often it is right.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Rows, or points of a map.
    labels : ndarray of int of shape (n,)
        Classes.
    n_neighbors : int
        How many vote; of classes with equally many votes the smallest number counts.
    groups : ndarray of int of shape (n,), optional
        Rows of the same group do not vote.
    asked : ndarray of bool of shape (n,), optional
        Which rows are classified; all by default.

    Returns
    -------
    float
        The part that is classified rightly.
    """
    rows = np.arange(len(Z)) if asked is None else np.flatnonzero(asked)
    own = np.arange(len(Z)) if groups is None else groups
    distances = cdist(Z[rows], Z)
    distances[own[rows][:, None] == own[None, :]] = np.inf
    nearest = np.argpartition(distances, n_neighbors - 1, axis=1)[:, :n_neighbors]
    votes = np.zeros((len(rows), labels.max() + 1), dtype=int)
    np.add.at(votes, (np.arange(len(rows))[:, None], labels[nearest]), 1)
    return float(np.mean(votes.argmax(axis=1) == labels[rows]))


def accuracies(problem: Problem, metric: Any, kind: str, count: int, seeds: range) -> FloatArray:
    """Accuracies of the learned and the Euclidean metric on rows not seen, (n_runs, 2).

    One run for each seed: a split, and pairs among the rows of its first half.
    """
    found = []
    for seed in seeds:
        rng = np.random.default_rng([seed, count, KINDS.index(kind)])
        seen = split_groups(problem.groups, rng)
        pairs = draw_pairs(problem.labels[seen], kind, count, rng)
        unseen, labels = problem.X[~seen], problem.labels[~seen]
        groups = problem.groups[~seen] if problem.strangers else None
        metric.fit(problem.X[seen], side=pairs)
        found.append(
            [
                neighbor_accuracy(Z, labels, n_neighbors=N_NEIGHBORS, groups=groups)
                for Z in (metric.transform(unseen), unseen)
            ]
        )
    return np.array(found)


def gains(problem: Problem, metric: Any, kind: str, count: int, seeds: range) -> FloatArray:
    """What a learned metric gains over the Euclidean one on rows it has not seen, run by run."""
    learned, euclidean = accuracies(problem, metric, kind, count, seeds).T
    return np.asarray(learned - euclidean)


TEXT = [
    Said(
        "informed",
        "section 3.2.2",
        "a metric learned from pairs shows the target property",
        ours="accuracy on rows that no pair names, from the Euclidean "
        "{euclidean/new photographs/accuracy} (new photographs) by "
        "{safe/new photographs: both/1000 pairs} with 1,000 pairs",
        upheld=("1,000 pairs of new photographs: gain",),
        data="eight problems, Olivetti faces among them",
    )
]
CLAIMS = [
    Claim(
        "worst mean gain of a setting",
        lambda r: _worst(r, "safe", lambda runs: runs.mean()),
        least=-0.04,
    ),
    Claim(
        "worst single run",
        lambda r: _worst(r, "safe", lambda runs: runs.min()),
        least=-0.15,
    ),
    Claim(
        "1,000 pairs of new photographs: gain",
        lambda r: r("safe", "new photographs: both", "1000 pairs"),
        least=0.1,
    ),
    Claim(
        "1,000 pairs of shuffled labels do no harm: worst mean gain",
        lambda r: min(
            r("safe", row.name, "1000 pairs")
            for row in r.table("safe").rows
            if row.name.endswith("shuffled")
        ),
        least=-0.02,
    ),
    Claim(
        "1,000 pairs of shuffled labels: largest gain",
        lambda r: max(
            r("safe", row.name, "1000 pairs")
            for row in r.table("safe").rows
            if row.name.endswith("shuffled")
        ),
        most=0.08,
    ),
]


def _worst(r: Record, key: str, of: Callable[[FloatArray], float]) -> float:
    table = r.table(key)
    return min(
        float(of(r.draws(key, row.name, column)))
        for row in table.rows
        if not row.control
        for column in table.columns
    )


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """The gains of every setting, and a heat map."""
    seeds = range(2 if quick else N_SEEDS)
    counts = (5, 1000) if quick else COUNTS
    every = KINDS[-3::2] if quick else KINDS
    if quick:
        photographs = problems_of_faces()["new photographs"]
        known = {"wine": standardised(load_wine), "new photographs": photographs}
    else:
        known = problems()
    plain = Table(
        "euclidean", "Accuracy of the Euclidean metric", {"accuracy": "{mean:.3f}"}, seeds
    )
    losses = {"safe": every} if quick else {"safe": every, "thesis": ("similar", "both")}
    tables = [plain]
    for loss, kinds in losses.items():
        table = Table(
            loss,
            f"Gain of EquivalenceMetric({loss!r}), mean (worst run)",
            {f"{count} pairs": "{mean:+.3f} ({min:+.3f})" for count in counts},
            seeds,
        )
        means: dict[tuple[str, str, int], float] = {}
        for name, problem in known.items():
            for kind in kinds[:1] if quick and name == "new photographs" else kinds:
                runs = [
                    accuracies(problem, EquivalenceMetric(loss), kind, count, seeds)
                    for count in counts
                ]
                cells = [run[:, 0] - run[:, 1] for run in runs]
                table.add(f"{name}: {kind}", *cells, control=kind.endswith("shuffled"))
                means |= {
                    (name, kind, c): cell.mean() for c, cell in zip(counts, cells, strict=True)
                }
                if (loss, kind) == ("safe", "both"):
                    plain.add(name, runs[-1][:, 1], control=True)
        tables.append(table)
        if loss == "safe":
            draw_gains(means, counts, output / "pair_metric_safety.png")
    return tables


def draw_gains(
    found: dict[tuple[str, str, int], float], counts: tuple[int, ...], path: Path
) -> None:
    """Draw one panel per problem: kinds of pairs down, numbers of pairs across."""
    names = list(dict.fromkeys(name for name, _, _ in found))
    kinds = list(dict.fromkeys(kind for _, kind, _ in found))
    figure = new_figure(2.1 * len(names) + 1.6, 2.9)
    for i, name in enumerate(names):
        ax = figure.add_subplot(1, len(names), i + 1)
        means = np.array([[found.get((name, k, c), 0.0) for c in counts] for k in kinds])
        limit = 0.15
        ax.imshow(means, cmap="RdBu", vmin=-limit, vmax=limit, aspect="auto")
        for (row, column), value in np.ndenumerate(means):
            ax.text(
                column,
                row,
                f"{100 * value:+.1f}".replace("-0.0", "+0.0"),
                ha="center",
                va="center",
                fontsize=TEXT_SIZE - 2,
                color="white" if abs(value) > 0.6 * limit else INK,
            )
        ax.set_xticks(range(len(counts)), [f"{c:,}" for c in counts], fontsize=TEXT_SIZE - 1)
        ax.set_yticks(range(len(kinds)), kinds if i == 0 else [""] * len(kinds))
        ax.tick_params(length=0, labelsize=TEXT_SIZE - 1, labelcolor=INK)
        for spine in ax.spines.values():
            spine.set_visible(False)
        ax.set_title(name, loc="left", fontsize=TEXT_SIZE + 1, color=INK)
    figure.suptitle(
        "gain in 5-nearest-neighbour accuracy on unseen rows, in points of a hundred, "
        "by number of pairs",
        x=0.01,
        ha="left",
        fontsize=TEXT_SIZE,
        color=FAINT,
    )
    save(figure, path, dpi=150)
