"""A robot that sees a patch of a picture and moves over it: frames related by actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.ndimage import map_coordinates

from sidelight.core import ArrayLike, FloatArray, RandomSource, random_numbers
from sidelight.datasets.dataset import Dataset
from sidelight.datasets.descriptions import DESCRIPTIONS
from sidelight.datasets.pictures import picture as named_picture
from sidelight.datasets.validation import require_count, require_scale

# directions in the patch's own frame: x to the right, y downwards
_MOVES = {"right": (1.0, 0.0), "left": (-1.0, 0.0), "down": (0.0, 1.0), "up": (0.0, -1.0)}
_TURNS = {"rotate cw": 1.0, "rotate ccw": -1.0}
_ZOOMS = {"zoom in": 1.0, "zoom out": -1.0}
ACTIONS = (*_MOVES, *_TURNS, *_ZOOMS)

_TURN_DEGREES = 22.5
_ZOOM_FACTOR = 2.0 ** (1 / 8)
# A walk that returns to a place must see the same frame to the last bit, whatever way it came;
# sums of steps differ by rounding, hence positions are kept to a millionth of a pixel.
_DECIMALS = 6


def _runs(*runs: tuple[str, int]) -> tuple[str, ...]:
    return tuple(action for action, times in runs for _ in range(times))


def _spiral() -> tuple[str, ...]:
    directions = ("right", "up", "left", "down")
    return _runs(*[(directions[i % 4], 1 + i // 2) for i in range(12)])


TRAJECTORIES: dict[str, tuple[str, ...]] = {
    "line": _runs(("right", 40), ("left", 20)),
    "rotate": _runs(("rotate cw", 16), ("rotate ccw", 8)),
    "A": _runs(("up", 12), ("right", 7), ("down", 6), ("left", 7), ("right", 7), ("down", 6)),
    "zoom": _runs(
        ("up", 12), ("zoom out", 7), ("down", 6), ("zoom in", 7), ("zoom out", 7), ("down", 6)
    ),
    "spiral": _spiral(),
    "loop": _runs(("right", 10), ("down", 10), ("left", 10), ("up", 10)),
}


def image_walk(
    picture: str | ArrayLike = "texture",
    actions: str | Sequence[str] = "A",
    *,
    patch_shape: tuple[int, int] = (32, 32),
    amounts: Mapping[str, float] | None = None,
    start: str | tuple[float, float] = "centre",
    noise: float = 0.0,
    random_state: RandomSource = None,
) -> Dataset:
    """Look at a patch of a picture while moving, turning and zooming.

    The state is (x, y, a, ℓ): the patch's centre in the picture, its angle and the logarithm of
    its magnification.  The patch's pixel at the offset (u, v) from its centre shows the picture,
    bilinearly interpolated, at

        (x, y) + e^−ℓ · Rot(a) · (u, v).

    Moves are counted in the patch's own pixels and directions: when zoomed in, a step is shorter
    in the picture; when turned, "right" is the patch's right.

    Parameters
    ----------
    picture : str or array-like of shape (rows, columns)
        A grey picture, or the name of one (see :func:`sidelight.datasets.picture`).
    actions : str or sequence of str
        Out of ``"right"``, ``"left"``, ``"up"``, ``"down"``, ``"rotate cw"``, ``"rotate ccw"``,
        ``"zoom in"``, ``"zoom out"``; or the name of a trajectory: ``"line"``, ``"rotate"``,
        ``"A"``, ``"zoom"``, ``"spiral"``, ``"loop"``.
    patch_shape : tuple of int
        The (rows, columns) of what is seen.
    amounts : mapping of str to float, optional
        How much an action does, where it differs from the default: pixels for the moves (a quarter
        of the patch's smaller side), degrees for the rotations (22.5), the factor of magnification
        for the zooms (the eighth root of 2).  ``{"left": 16}`` makes "left" a longer step.
    start : {"centre", "random"} or tuple of float
        ``"centre"`` puts the middle of the path into the middle of the picture, ``"random"`` puts
        the path anywhere within it, both with the first patch's pixels on the picture's pixels;
        (x, y) is the patch's first centre.
    noise : float
        Standard deviation of Gaussian noise added to every pixel of every frame.
    random_state : int, Generator, RandomState or None
        For the random start and the noise.

    Returns
    -------
    Dataset
        ``X`` with one frame per row, ``truth`` the states (x, y, angle in degrees, log zoom),
        ``extras["actions"]`` the action that leads from each frame to the next (one fewer than
        the frames).  A place that is visited again gives the same frame exactly (without noise).

    Raises
    ------
    ValueError
        If an action or a picture is unknown or the walk leaves the picture.

    References
    ----------
    The "image robot" of A. Ghodsi, "Nonlinear dimensionality reduction with side information", PhD
    thesis, University of Waterloo, 2005, §4.3.1; and M. Bowling, A. Ghodsi, D. Wilkinson, "Action
    respecting embedding", ICML 2005.

    Examples
    --------
    >>> from sidelight.datasets import image_walk
    >>> walk = image_walk("texture", ["right", "right", "left"])
    >>> walk.truth[:, 0].tolist()
    [311.5, 319.5, 327.5, 319.5]
    >>> bool((walk.X[1] == walk.X[3]).all())
    True
    """
    world = _as_picture(picture)
    rows = require_count("image_walk", "patch_shape", patch_shape[0])
    columns = require_count("image_walk", "patch_shape", patch_shape[1])
    require_scale("image_walk", "noise", noise, positive=False)
    random = random_numbers(random_state)
    taken = trajectory(actions) if isinstance(actions, str) else tuple(actions)
    sizes = _action_sizes(min(rows, columns) / 4, amounts)
    states = _follow(taken, sizes)
    v, u = np.indices((rows, columns), dtype=float)
    offsets = np.stack([u - (columns - 1) / 2, v - (rows - 1) / 2])
    states[:, :2] += _first_centre(start, states, offsets, world.shape, random)
    states = np.round(states, _DECIMALS) + 0.0
    _require_inside(states, offsets, world.shape)
    frames = np.stack([_look(world, state, offsets) for state in states]).reshape(len(states), -1)
    if noise > 0:
        frames += noise * random.standard_normal(frames.shape)
    labels: npt.NDArray[Any] = np.array(taken, dtype=np.str_)
    return Dataset(
        X=frames,
        truth=states,
        name="image_walk",
        description=DESCRIPTIONS["image_walk"],
        image_shape=(rows, columns),
        truth_names=("x", "y", "angle", "log zoom"),
        extras={"actions": labels, "picture": world},
    )


def trajectory(name: str) -> tuple[str, ...]:
    """Give the actions of a ready-made trajectory.

    Parameters
    ----------
    name : str
        ``"line"`` (40 steps there, 20 back), ``"rotate"`` (16 clockwise, 8 back), ``"A"`` (the
        letter, 45 steps), ``"zoom"`` (the same letter with its bars made by zooming),
        ``"spiral"``, ``"loop"``.

    Returns
    -------
    tuple of str
        The actions, in order.

    Raises
    ------
    ValueError
        If there is no such trajectory.

    Examples
    --------
    >>> from sidelight.datasets import trajectory
    >>> len(trajectory("A"))
    45
    """
    if name not in TRAJECTORIES:
        raise ValueError(
            f"There is no trajectory {name!r}. The trajectories are: {', '.join(TRAJECTORIES)}; "
            "or give a list of actions."
        )
    return TRAJECTORIES[name]


def _as_picture(picture: str | ArrayLike) -> FloatArray:
    if isinstance(picture, str):
        return named_picture(picture)
    world = np.asarray(picture, dtype=float)
    if world.ndim != 2 or world.size == 0 or not np.isfinite(world).all():
        raise ValueError(
            "The 'picture' parameter of image_walk must be a finite matrix of shape "
            f"(rows, columns) or a name. Got an array of shape {world.shape} instead. Convert a "
            "colour picture to grey first."
        )
    return world


def _action_sizes(step: float, amounts: Mapping[str, float] | None) -> dict[str, float]:
    sizes = dict.fromkeys(_MOVES, step)
    sizes |= dict.fromkeys(_TURNS, _TURN_DEGREES) | dict.fromkeys(_ZOOMS, _ZOOM_FACTOR)
    for action, amount in (amounts or {}).items():
        _require_action(action, "amounts")
        sizes[action] = require_scale("image_walk", f"amounts[{action!r}]", amount)
    return sizes


def _require_action(action: str, parameter: str) -> None:
    if action not in ACTIONS:
        raise ValueError(
            f"The {parameter!r} parameter of image_walk must hold actions out of "
            f"{', '.join(ACTIONS)}. Got {action!r} instead."
        )


def _follow(actions: Sequence[str], sizes: Mapping[str, float]) -> FloatArray:
    """Give the state before and after every action, from (0, 0, 0, 0)."""
    states = np.zeros((len(actions) + 1, 4))
    for i, action in enumerate(actions):
        _require_action(action, "actions")
        state = states[i].copy()
        if action in _MOVES:
            along = _rotation(state[2]) @ np.array(_MOVES[action])
            state[:2] += sizes[action] * np.exp(-state[3]) * along
        elif action in _TURNS:
            state[2] += _TURNS[action] * sizes[action]
        else:
            state[3] += _ZOOMS[action] * np.log(sizes[action])
        states[i + 1] = state
    return states


def _rotation(degrees: float) -> FloatArray:
    """Rotate clockwise, as it is seen with y downwards; exactly periodic in the angle."""
    radians = np.radians(np.mod(degrees, 360.0))
    cosine, sine = np.cos(radians), np.sin(radians)
    return np.array([[cosine, -sine], [sine, cosine]])


def _places(state: FloatArray, offsets: FloatArray) -> FloatArray:
    """Where in the picture, as (x, y), the patch's pixels look."""
    rotated = np.tensordot(_rotation(state[2]), offsets, axes=1)
    places: FloatArray = state[:2, None, None] + np.exp(-state[3]) * rotated
    return places


def _look(world: FloatArray, state: FloatArray, offsets: FloatArray) -> FloatArray:
    x, y = _places(state, offsets)
    frame: FloatArray = map_coordinates(world, np.stack([y, x]), order=1, mode="nearest")
    return frame


def _extent(states: FloatArray, offsets: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The least and the greatest (x, y) that each frame sees: its corners decide."""
    corners = offsets[:, [0, 0, -1, -1], [0, -1, 0, -1]][:, :, None]
    seen = np.stack([_places(state, corners)[:, :, 0] for state in states])
    return seen.min(axis=2), seen.max(axis=2)


def _first_centre(
    start: str | tuple[float, float],
    states: FloatArray,
    offsets: FloatArray,
    shape: tuple[int, ...],
    random: np.random.RandomState,
) -> FloatArray:
    if not isinstance(start, str):
        centre = np.asarray(start, dtype=float)
        if centre.shape != (2,):
            raise ValueError(
                "The 'start' parameter of image_walk must be 'centre', 'random' or the (x, y) of "
                f"the first patch's centre. Got {start!r} instead."
            )
        return centre
    least, greatest = _extent(states, offsets)
    lowest, highest = -least.min(axis=0), np.array(shape[::-1]) - 1 - greatest.max(axis=0)
    if (lowest > highest + 1e-9).any():
        needed = np.ceil(greatest.max(axis=0) - least.min(axis=0)).astype(int) + 1
        raise ValueError(
            f"image_walk needs a picture of at least {needed[1]} × {needed[0]} pixels for this "
            f"walk, and the picture has {shape[0]} × {shape[1]}. Give a larger picture, a smaller "
            "'patch_shape', smaller 'amounts' or a shorter walk."
        )
    if start == "centre":
        centre = (lowest + highest) / 2
    elif start == "random":
        centre = random.uniform(lowest, np.maximum(lowest, highest))
    else:
        raise ValueError(
            "The 'start' parameter of image_walk must be 'centre', 'random' or the (x, y) of the "
            f"first patch's centre. Got {start!r} instead."
        )
    # pixel on pixel, where there is room for it: interpolation would blur the frames
    half = -offsets[:, 0, 0]
    aligned = np.floor(centre - half) + half
    return np.array(np.where(aligned >= lowest, aligned, centre))


def _require_inside(states: FloatArray, offsets: FloatArray, shape: tuple[int, ...]) -> None:
    least, greatest = _extent(states, offsets)
    last = np.array(shape[::-1]) - 1
    slack = 10.0 ** (1 - _DECIMALS)
    outside = ((least < -slack) | (greatest > last + slack)).any(axis=1)
    if outside.any():
        frame = int(np.argmax(outside))
        x, y = states[frame, :2]
        raise ValueError(
            f"image_walk leaves the picture of {shape[0]} × {shape[1]} pixels at frame {frame}, "
            f"whose centre is (x, y) = ({x:.1f}, {y:.1f}). Choose another 'start', for example "
            "'centre', or smaller 'amounts'."
        )
