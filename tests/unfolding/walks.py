"""Walks over a picture, and maps of them."""

from __future__ import annotations

import numpy as np

from sidelight.datasets import image_walk
from sidelight.side import Actions
from sidelight.unfolding.actions.action_respecting_embedding import ActionRespectingEmbedding

SIDES = {"right": (1, 0), "left": (-1, 0), "up": (0, 1), "down": (0, -1)}


def runs(*parts):
    return [action for action, times in parts for _ in range(times)]


def fitted(actions, *, picture="texture", noise=0.0, seed=0, **parameters):
    walk = image_walk(
        picture, actions, patch_shape=(16, 16), noise=noise, random_state=seed, start="centre"
    )
    model = ActionRespectingEmbedding(**parameters).fit(walk.X, side=Actions(actions))
    return model, walk


def grid_positions(actions):
    return np.vstack([[0, 0], np.cumsum([SIDES[a] for a in actions], axis=0)])


def wandering(length, box, seed):
    rng = np.random.default_rng(seed)
    actions, here, last = [], np.zeros(2), "up"
    while len(actions) < length:
        action = last if rng.random() < 0.7 else str(rng.choice(list(SIDES)))
        there = here + SIDES[action]
        last = action
        if np.abs(there).max() > box:
            last = str(rng.choice(list(SIDES)))
            continue
        actions.append(action)
        here = there
    return actions
