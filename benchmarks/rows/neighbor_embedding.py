"""Neighbour embedding: single steps, whole maps, new rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.agreement import (
    fewer_kept,
    near_in_map,
    value_difference,
    worse_area,
    worse_classes,
    worse_map,
)
from benchmarks.data import cells, digits_50, digits_784, labelled_digits
from benchmarks.row import OURS, Array, Contender, Goal, Limit, Problem, Row

#: Rows that are new in the row about new rows, of those that there are.
_NEW = 1 / 6
#: A peer compiles other code for more rows than 4,096.
_WARM = 5_000


@dataclass(frozen=True)
class Midway:
    """A map that is being laid out: who is near whom, and where the points are."""

    P: sp.csr_array
    Y: Array


def midway(problem: Problem) -> Midway:
    """Lay a map out for a while."""
    from sidelight import NeighborEmbedding
    from sidelight.core import Threads
    from sidelight.latent.neighbor_embedding.affinities import affinities
    from sidelight.neighbors import nearest_neighbors

    n = len(problem.X)
    k = min(30, n - 1)
    with Threads(1) as pool:
        P = affinities(nearest_neighbors(problem.X, k), np.array([k / 2]), pool).graph
    Y = NeighborEmbedding(max_iter=200).fit_transform(problem.X)
    return Midway(P, np.asarray(Y))


def in_order(problem: Problem) -> Any:
    """Lay a map out for a while, and sort its points, as a fit does twice in all its steps."""
    from sidelight.core import Threads
    from sidelight.latent.neighbor_embedding.affinities import Affinities
    from sidelight.latent.neighbor_embedding.descent import Moving, Swarm
    from sidelight.latent.neighbor_embedding.divergence import Divergence
    from sidelight.latent.neighbor_embedding.repulsion import mesh_field

    given = midway(problem)
    divergence = Divergence(Affinities(given.P), 1.0, mesh_field, Threads(1))
    swarm = Swarm(divergence, Moving.at_rest(given.Y), np.empty(0, dtype=np.intp), None)
    swarm.sort()
    return swarm


def our_steps(problem: Problem, swarm: Any, n_steps: int) -> Array:
    """sidelight, the points in their order."""
    from sidelight.latent.neighbor_embedding.descent import Pace

    pace = Pace.of(len(problem.X))
    for step in range(n_steps):
        forces = swarm.forces()
        if step == 0:
            objective = swarm.value(forces)
        swarm.advance(forces, *pace.at(pace.early + step), pace)
    return np.array([objective])


def opentsne_steps(problem: Problem, given: Midway, n_steps: int) -> Array:
    """openTSNE by Fourier transforms, with the same affinities from the same places."""
    from openTSNE import TSNEEmbedding
    from openTSNE.affinity import PrecomputedAffinities

    P = PrecomputedAffinities(sp.csr_matrix(given.P).astype(np.float64))
    points = TSNEEmbedding(given.Y.copy(), P, negative_gradient_method="fft", n_jobs=1)
    points.optimize(1, inplace=True, momentum=0.8)
    objective = points.kl_divergence  # before the last step, which is the first
    points.optimize(n_steps - 1, inplace=True, momentum=0.8)
    return np.array([objective])


def our_map(problem: Problem) -> Array:
    """sidelight."""
    from sidelight import NeighborEmbedding

    return np.asarray(NeighborEmbedding().fit_transform(problem.X))


def opentsne_map(problem: Problem, n_jobs: int = 1) -> Array:
    """openTSNE."""
    from openTSNE import TSNE

    return np.asarray(TSNE(n_jobs=n_jobs, random_state=0).fit(problem.X))


def umap_map(problem: Problem) -> Array:
    """umap, which is faster when it need not give the same map twice."""
    from umap import UMAP

    return np.asarray(UMAP().fit_transform(problem.X))


def pacmap_map(problem: Problem) -> Array:
    """pacmap."""
    from pacmap import PaCMAP

    return np.asarray(PaCMAP().fit_transform(problem.X))


def _split(problem: Problem) -> tuple[Array, Array]:
    n_new = round(_NEW * len(problem.X))
    return problem.X[:-n_new], problem.X[-n_new:]


def our_model(problem: Problem) -> Any:
    """sidelight, of the old rows."""
    from sidelight import NeighborEmbedding

    return NeighborEmbedding().fit(_split(problem)[0])


def our_places(problem: Problem, model: Any) -> Array:
    """sidelight."""
    return np.vstack([model.embedding_, model.transform(_split(problem)[1])])


def opentsne_model(problem: Problem) -> Any:
    """openTSNE, of the old rows."""
    from openTSNE import TSNE

    return TSNE(n_jobs=1, random_state=0).fit(_split(problem)[0])


def opentsne_places(problem: Problem, model: Any) -> Array:
    """openTSNE."""
    return np.vstack([np.asarray(model), np.asarray(model.transform(_split(problem)[1]))])


def kept_by_new_rows(problem: Problem, ours: Array, theirs: Array) -> float:
    """By how many more neighbours of the new rows their map keeps."""
    return fewer_kept(problem, ours, theirs, n_new=len(_split(problem)[1]))


def shortfall(problem: Problem, answer: Array) -> float:
    """How far a map is below 0.25 of 15 neighbours kept, or 0.97 of the nearest of its class."""
    assert problem.labels is not None
    kept, rows, nearest = near_in_map(problem, answer)
    same = np.mean(problem.labels[nearest] == problem.labels[rows])
    return float(max(0.25 - kept, 0.97 - same))


def _steps(n_steps: int) -> dict[str, Contender]:
    return {
        OURS: Contender(partial(our_steps, n_steps=n_steps), prepare=in_order),
        "openTSNE": Contender(
            partial(opentsne_steps, n_steps=n_steps),
            package="openTSNE",
            slow=True,
            prepare=midway,
        ),
    }


_OPENTSNE = Contender(opentsne_map, package="openTSNE", slow=True)
_BESIDE_TSNE = {OURS: Contender(our_map), "openTSNE": _OPENTSNE}
_BESIDE_FASTER = {
    OURS: Contender(our_map),
    "umap": Contender(umap_map, package="umap"),
    "pacmap": Contender(pacmap_map, package="pacmap"),
}
_FASTER = (Goal(2.5, over="umap"), Goal(2.5, over="pacmap"))

NEIGHBOR_EMBEDDING = (
    *(
        Row(
            name=f"neighbor-embedding-steps-{n}/digits_50",
            work=f"Neighbour embedding, {n_steps} steps, points sorted before, n = {n:,}",
            data=digits_50,
            size=n,
            small=1_200,
            contenders=_steps(n_steps),
            compare=value_difference,
            tolerance=0.02,  # what its Fourier sums lose of the objective with few rows is 0.014
            goals=(Goal(goal, over="openTSNE"),),
            real_data="mnist_t10k",
        )
        for n, n_steps, goal in ((10_000, 100, 12), (70_000, 50, 6), (1_000_000, 25, 8))
    ),
    *(
        Row(
            name=f"neighbor-embedding-{size}/{name}",
            work=f"Neighbour embedding, as good as t-SNE, n = {size:,}",
            data=data,
            size=size,
            small=small,
            contenders=_BESIDE_TSNE,
            compare=worse_map,
            tolerance=0.005,
            small_tolerance=0.02,
            goals=(Goal(10, over="openTSNE"),),
            real_data=needs,
        )
        for name, data, size, small, needs in (
            ("digits_50", digits_50, 10_000, 1_000, "mnist_t10k"),
            ("digits", labelled_digits, 1_797, 1_000, None),
            ("cells", cells, 700, 700, "pbmc68k_reduced"),
        )
    ),
    *(
        Row(
            name=f"neighbor-embedding-beside-faster-{size}/{name}",
            work=f"Neighbour embedding, better than UMAP and PaCMAP, n = {size:,}",
            data=data,
            size=size,
            small=small,
            warm=_WARM,
            contenders=_BESIDE_FASTER,
            compare=worse_area,
            tolerance=0.0,
            goals=_FASTER,
            real_data=needs,
        )
        for name, data, size, small, needs in (
            ("digits_50", digits_50, 10_000, 1_000, "mnist_t10k"),
            ("digits", labelled_digits, 1_797, 1_000, None),
            ("cells", cells, 700, 700, "pbmc68k_reduced"),
        )
    ),
    Row(
        name="neighbor-embedding-wall-10000/digits_50",
        work="Neighbour embedding on all cores, on the wall, n = 10,000",
        data=digits_50,
        size=10_000,
        small=700,
        warm=_WARM,
        contenders={
            OURS: Contender(our_map),
            "openTSNE": Contender(partial(opentsne_map, n_jobs=-1), package="openTSNE", slow=True),
            "umap": Contender(umap_map, package="umap"),
        },
        compare=worse_area,
        tolerance=0.005,
        small_tolerance=0.02,
        goals=(Goal(8, over="openTSNE"), Goal(2, over="umap")),
        real_data="mnist_t10k",
        clock="wall",
        all_threads=True,
    ),
    Row(
        name="neighbor-embedding-70000/digits_784",
        work="Neighbour embedding, 70,000 × 784",
        data=digits_784,
        size=70_000,
        small=1_000,
        contenders=_BESIDE_TSNE,
        compare=worse_classes,
        tolerance=0.005,
        small_tolerance=0.02,
        limit=Limit(seconds=30),
        real_data="mnist_t10k",
    ),
    Row(
        name="neighbor-embedding-1000000/digits_50",
        work="Neighbour embedding, 1,000,000 × 50",
        data=digits_50,
        size=1_000_000,
        small=12_000,
        contenders={OURS: Contender(our_map, slow=True)},
        compare=worse_area,
        tolerance=0.0,
        limit=Limit(seconds=240, megabytes=5_000),
        certificate=shortfall,
        real_data="mnist_t10k",
    ),
    Row(
        name="neighbor-embedding-wall-1000000/digits_50",
        work="Neighbour embedding on all cores, on the wall, 1,000,000 × 50",
        data=digits_50,
        size=1_000_000,
        small=700,
        contenders={OURS: Contender(our_map, slow=True)},
        compare=worse_area,
        tolerance=0.0,
        limit=Limit(seconds=180, megabytes=5_000),
        real_data="mnist_t10k",
        clock="wall",
        all_threads=True,
    ),
    Row(
        name="neighbor-embedding-new-rows-2000/digits_50",
        work="Neighbour embedding, 2,000 new rows among 10,000",
        data=digits_50,
        size=12_000,
        small=1_200,
        contenders={
            OURS: Contender(our_places, prepare=our_model),
            "openTSNE": Contender(
                opentsne_places, package="openTSNE", slow=True, prepare=opentsne_model
            ),
        },
        compare=kept_by_new_rows,
        tolerance=0.0,
        small_tolerance=0.02,
        goals=(Goal(10, over="openTSNE"),),
        real_data="mnist_t10k",
    ),
)
