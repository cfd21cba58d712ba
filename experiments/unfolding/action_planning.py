"""Long walks, and ways found in their maps (thesis section 4.4: planning with the map).

A robot wanders over a picture, left, right, up and down, and learns the map of its frames (texture,
patches of 32 × 32 pixels, two dimensions).  Then it is put anywhere on its walk and told a frame to
go to: it plans in the map, over places that it never visited where that is shorter, and the plan is
carried out in the world.  As a control the same number of random steps is taken.

Last it walks again, elsewhere in the same box, over places that it knows and others that it never
saw, and its frames are noisy: along any one direction, such as that from one place to the next, by
half a step, by one and by one and a half.  Where is it?  ``track`` follows it by its actions and
frames; the controls are each frame by itself (``locate``), and ``track`` with the actions shuffled.
At places it knows it is counted how often it is right; at others, how many steps it is off, the map
brought to the world by the affine map that fits its frames best.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import LinearRegression

from experiments.record import Claim, Record, Said, Table
from experiments.unfolding.action_paths import MOVES, STEP, draw_path, places, questions, states
from sidelight import ActionRespectingEmbedding
from sidelight.core import FloatArray
from sidelight.datasets import Dataset, image_walk
from sidelight.plot import save
from sidelight.plot.style import INK, PALETTE, TEXT_SIZE, new_figure, style_legend
from sidelight.side import Actions

PATCH = 32
#: Length of the walk and the box it stays in, steps from its start.
WALKS = ((200, 8), (200, 12), (500, 8), (500, 12))
#: Of frames along any one direction, in those of a step.
NOISES = (0.5, 1.0, 1.5)
FOLLOWED = ("followed", "frame by frame", "actions shuffled")


def wander(length: int, box: int, seed: int) -> list[str]:
    """Walk on as before in two of three cases, else in any direction; never out of the box."""
    rng = np.random.default_rng(seed)
    actions: list[str] = []
    here, last = np.zeros(2), "right"
    while len(actions) < length:
        action = last if rng.random() < 2 / 3 else str(rng.choice(list(MOVES)))
        there = here + MOVES[action]
        last = action
        if np.abs(there).max() > box:
            last = str(rng.choice(list(MOVES)))
            continue
        actions.append(action)
        here = there
    return actions


def learn(length: int, box: int, seed: int) -> tuple[ActionRespectingEmbedding, Dataset, float]:
    """The map of a walk, and the CPU seconds it took."""
    walk = image_walk("texture", wander(length, box, seed), patch_shape=(PATCH, PATCH))
    begun = time.process_time()
    model = ActionRespectingEmbedding().fit(walk.X, side=Actions(walk.extras["actions"]))
    return model, walk, time.process_time() - begun


def accuracy(model: ActionRespectingEmbedding, walk: Dataset) -> float:
    """The share of right predictions."""
    asked = questions(walk, {})
    found = model.predict(np.array([q[0] for q in asked]), np.array([q[1] for q in asked]))
    known = places(states(walk))
    return float(np.mean([known[f] == q[2] for f, q in zip(found, asked, strict=True)]))


def carry_out(state: FloatArray, plan: list[str]) -> FloatArray:
    """The positions of the robot while it does what was planned."""
    moves = np.array([MOVES[action] for action in plan]).reshape(-1, 2)
    return np.asarray(state[:2] + STEP * np.vstack([[0, 0], np.cumsum(moves, axis=0)]))


def planning(model: ActionRespectingEmbedding, walk: Dataset, n: int) -> tuple[float, float, float]:
    """Plans that reach the goal, as many random steps that do, length over the shortest way."""
    rng = np.random.default_rng(0)
    reached, by_chance, stretch = [], [], []
    for here, goal in rng.integers(0, len(walk.X), (n, 2)):
        way = model.plan(int(here), walk.X[goal])
        end = carry_out(states(walk)[here], way)[-1]
        reached.append(bool(np.allclose(end, states(walk)[goal, :2])))
        end = carry_out(states(walk)[here], rng.choice(list(MOVES), len(way)).tolist())[-1]
        by_chance.append(bool(np.allclose(end, states(walk)[goal, :2])))
        least = np.abs(states(walk)[goal, :2] - states(walk)[here, :2]).sum() / STEP
        if least > 0:
            stretch.append(len(way) / least)
    return float(np.mean(reached)), float(np.mean(by_chance)), float(np.mean(stretch))


def localisation(
    model: ActionRespectingEmbedding, walk: Dataset, box: int, noise: float, seed: int
) -> list[float]:
    """Right at known places, %, and off at others, steps: followed, frame by frame, shuffled."""
    actions = wander(60, box, seed)
    here = (float(states(walk)[0, 0]), float(states(walk)[0, 1]))
    again = image_walk(walk.extras["picture"], actions, patch_shape=(PATCH, PATCH), start=here)
    rng = np.random.default_rng(seed)
    step = float(np.sqrt(np.mean(np.diff(walk.X, axis=0) ** 2) * walk.X.shape[1]))
    seen = again.X + noise * step * rng.standard_normal(again.X.shape)
    known, truth = places(states(walk)), places(states(again))
    visited = np.array([place in set(known) for place in truth])
    world = LinearRegression().fit(model.embedding_, states(walk)[:, :2] / STEP)

    def right(rows: Any) -> float:
        hits = [known[row] == place for row, place in zip(rows, truth, strict=True)]
        return 100 * float(np.mean(np.array(hits)[visited]))

    def off(Z: FloatArray) -> float:
        apart = world.predict(Z) - states(again)[:, :2] / STEP
        return float(np.linalg.norm(apart, axis=1)[~visited].mean())

    followed = model.track(seen, actions)
    shuffled = model.track(seen, rng.permutation(actions))
    alone = model.locate(seen)
    rows = (followed.rows, alone, shuffled.rows)
    maps = (followed.places, model.embedding_[alone], shuffled.places)
    return [right(each) for each in rows] + [off(Z) for Z in maps]


TEXT = [
    Said(
        "informed",
        "section 4.4, localisation",
        "localisation with the map, said to have been done on small problems; no figure",
        ours="with noise of one step: {tracks/500 steps, box 12, noise 1/followed} % of the frames "
        "at places it knows, {tracks/500 steps, box 12, noise 1/frame by frame} % frame by frame; "
        "at places it never saw off by {tracks/500 steps, box 12, noise 1/followed, off} steps "
        "({tracks/500 steps, box 12, noise 1/frame by frame, off})",
        upheld=(
            "noise of half a step: more by the filter",
            "noise of a step: more by the filter",
            "noise of a step: more than with",
            "noise of a step, at places never seen",
        ),
    ),
    Said(
        "informed",
        "section 4.4",
        "planning with the map, said to have been done on small problems; no figure",
        ours="{plans/500 steps, box 12/goals reached} % of the goals reached after 500 steps, "
        "{plans/500 steps, box 12/at random} % by as many random steps",
        upheld=("goals reached, worst walk", "goals reached by as many random steps"),
    ),
]
CLAIMS = [
    Claim(
        "goals reached, worst walk, %",
        lambda r: min(float(row.values[6]) for row in r.table("plans").rows),
        least=100,
        form="{:.0f}",
    ),
    Claim(
        "goals reached by as many random steps, best walk, %",
        lambda r: max(float(row.values[7]) for row in r.table("plans").rows),
        most=40,
        form="{:.0f}",
    ),
    Claim(
        "length of the plans over that of the shortest ways, longest",
        lambda r: max(float(row.values[8]) for row in r.table("plans").rows),
        most=1.05,
        form="{:.3f}",
    ),
]


def _tracks(record: Record, noise: float, column: str) -> FloatArray:
    """Of every walk the mean over draws."""
    rows = [row.name for row in record.table("tracks").rows if row.name.endswith(f" {noise:g}")]
    return np.array([record("tracks", name, column) for name in rows])


CLAIMS += [
    Claim(
        "noise of half a step: more by the filter than frame by frame, least of the walks, points",
        lambda r: float((_tracks(r, 0.5, "followed") - _tracks(r, 0.5, "frame by frame")).min()),
        least=10,
        form="{:.0f}",
        quick=False,
    ),
    Claim(
        "noise of a step: more by the filter than frame by frame, least of the walks, points",
        lambda r: float((_tracks(r, 1, "followed") - _tracks(r, 1, "frame by frame")).min()),
        least=10,
        form="{:.0f}",
    ),
    Claim(
        "noise of a step: more than with the actions shuffled, least of the walks, points",
        lambda r: float((_tracks(r, 1, "followed") - _tracks(r, 1, "actions shuffled")).min()),
        least=10,
        form="{:.0f}",
    ),
    Claim(
        "noise of a step, at places never seen: off over that frame by frame, most of the walks",
        lambda r: float(
            (_tracks(r, 1, "followed, off") / _tracks(r, 1, "frame by frame, off")).max()
        ),
        most=0.9,
        form="{:.2f}",
        quick=False,
    ),
]


def main(output: Path, *, quick: bool = False) -> list[Table]:
    """A line for each walk; some plans drawn over the world."""
    table = Table(
        "plans",
        "Random walks in two dimensions, map and plans, in %",
        {
            "places": "{:.0f}",
            "constraints": "{:,.0f}",
            "CPU s": "{:.1f}",
            "gap": "{:.0e}",
            "worst violation": "{:.0e}",
            "predicted": "{:.1f}",
            "goals reached": "{:.0f}",
            "at random": "{:.0f}",
            "length over shortest": "{:.3f}",
        },
    )
    draws = range(900, 902 if quick else 905)
    tracks = Table(
        "tracks",
        "Noisy frames of other walks: put where they were seen, %, at known places, and off at "
        "others, steps",
        dict.fromkeys(FOLLOWED, "{mean:.0f} ± {sd:.0f}")
        | {f"{name}, off": "{mean:.1f} ± {sd:.1f}" for name in FOLLOWED},
        draws,
    )
    for number, (length, box) in enumerate(((60, 4), (60, 6)) if quick else WALKS):
        model, walk, seconds = learn(length, box, number)
        share, by_chance, stretch = planning(model, walk, 20 if quick else 100)
        table.add(
            f"{length} steps, box {box}",
            int(model.places_.max()) + 1,
            model.n_constraints_,
            seconds,
            model.gap_,
            model.violation_,
            100 * accuracy(model, walk),
            100 * share,
            100 * by_chance,
            stretch,
        )
        for noise in NOISES:
            found = [localisation(model, walk, box, noise, seed) for seed in draws]
            tracks.add(f"{length} steps, box {box}, noise {noise:g}", *np.array(found).T)
        if number == 0:
            _draw(model, walk, output)
    return [table, tracks]


def _draw(model: ActionRespectingEmbedding, walk: Dataset, output: Path) -> None:
    figure = new_figure(9.6, 4.6)
    world, learned = figure.subplots(1, 2)
    picture = walk.extras["picture"]
    x, y = states(walk)[:, :2].T
    world.imshow(picture, cmap="gray", alpha=0.55, interpolation="bilinear")
    world.plot(x, y, "-", color="white", linewidth=2.2)
    world.plot(x, y, "-", color=INK, linewidth=0.8, label="the walk")
    rng = np.random.default_rng(5)
    far: list[tuple[int, int]] = []
    while len(far) < 3:
        here, goal = rng.integers(0, len(x), 2)
        if abs(x[here] - x[goal]) + abs(y[here] - y[goal]) >= 6 * STEP:
            far.append((int(here), int(goal)))
    draw_path(learned, model.embedding_, walk.extras["actions"].tolist())
    for colour, (here, goal) in zip((PALETTE[2], PALETTE[0], PALETTE[1]), far, strict=True):
        way = carry_out(states(walk)[here], model.plan(here, goal))
        world.plot(*way.T, "-", color=colour, linewidth=2.6)
        world.plot(*way[0], "o", color=colour, markersize=7, markeredgecolor="white")
        world.plot(
            *states(walk)[goal, :2], "*", color=colour, markersize=14, markeredgecolor="white"
        )
    margin = 2 * STEP
    world.set(xlim=(x.min() - margin, x.max() + margin), ylim=(y.max() + margin, y.min() - margin))
    world.set(xticks=[], yticks=[])
    world.set_title(
        "three plans carried out, from ● to ★", loc="left", fontsize=TEXT_SIZE + 1, color=INK
    )
    style_legend(world.legend(loc="lower left"))
    _key(learned, walk)
    learned.set_title("the map of the frames", loc="left", fontsize=TEXT_SIZE + 1, color=INK)
    save(figure, output / "action_planning.png")


def _key(ax: Any, walk: Dataset) -> None:
    from matplotlib.lines import Line2D

    names = list(dict.fromkeys(walk.extras["actions"].tolist()))
    key = [Line2D([], [], color=PALETTE[i], label=name) for i, name in enumerate(names)]
    style_legend(ax.legend(handles=key, loc="center left", bbox_to_anchor=(1.0, 0.5)))
