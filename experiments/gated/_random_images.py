"""Random images, and what motions make of them."""

from __future__ import annotations

import numpy as np

from sidelight.core import FloatArray, IntArray

SIDE, ON = 10, 0.1


def images(rng: np.random.Generator, n: int) -> FloatArray:
    """Random pixels."""
    return (rng.random((n, SIDE, SIDE)) < ON) * 1.0


def flat(X: FloatArray) -> FloatArray:
    """Images as rows."""
    return X.reshape(len(X), -1)


def square(X: FloatArray) -> FloatArray:
    """Rows as images."""
    return X.reshape(-1, SIDE, SIDE)


class Shifts:
    """Bands of an image, each shifted by one of several directions."""

    def __init__(self, directions: list[tuple[int, int]], n_bands: int) -> None:
        self.directions, self.n_bands = directions, n_bands

    def draw(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, IntArray]:
        """Images, what became of them, and the directions, a column a band."""
        X = images(rng, n)
        chosen = rng.integers(len(self.directions), size=(n, self.n_bands))
        # what comes in at an edge is new
        candidates = self.candidates(X, (rng.random((n, SIDE + 2, SIDE + 2)) < ON) * 1.0)
        rows = np.arange(n)
        bands = [candidates[b][chosen[:, b], rows] for b in range(self.n_bands)]
        return flat(X), flat(np.concatenate(bands, axis=1)), chosen

    def candidates(self, X: FloatArray, edges: FloatArray | float) -> list[FloatArray]:
        """Every band by every direction: (directions, images, height, width)."""
        height, found = SIDE // self.n_bands, []
        for band in range(self.n_bands):
            around = np.broadcast_to(edges, (len(X), SIDE + 2, SIDE + 2))[:, : height + 2].copy()
            around[:, 1:-1, 1:-1] = X[:, band * height : (band + 1) * height]
            moved = [
                around[:, 1 - down : 1 - down + height, 1 - right : 1 - right + SIDE]
                for down, right in self.directions
            ]
            found.append(np.stack(moved))
        return found

    def read(self, X: FloatArray, outputs: FloatArray) -> IntArray:
        """The directions that explain outputs best, pixels from outside being on by chance."""
        seen = np.where(square(X) > 0, 0.98, 0.02)
        parts = np.split(square(outputs), self.n_bands, axis=1)
        scores = [
            (part * np.log(q) + (1 - part) * np.log(1 - q)).sum(axis=(2, 3))
            for part, q in zip(parts, self.candidates(seen, ON), strict=True)
        ]
        return np.stack([score.argmax(axis=0) for score in scores], axis=1)

    def flow(self, chosen: IntArray) -> IntArray:
        """Where every input pixel goes, −1 where it leaves its band."""
        down, right = np.asarray(self.directions)[chosen].transpose(2, 0, 1)
        height = SIDE // self.n_bands
        row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
        band = row // height
        to_row, to_column = row + down[:, band], column + right[:, band]
        inside = (to_row // height == band) & (to_column >= 0) & (to_column < SIDE)
        return np.where(inside & (to_row >= 0), to_row * SIDE + to_column, -1)

    def sent(self, flow: IntArray, chosen: IntArray) -> float:
        """How many of the pixels that stay in their band a flow sends where they go."""
        goal = self.flow(chosen)
        return float((flow == goal)[goal >= 0].mean())


class Warps:
    """Rotations and scalings about the middle: every output pixel takes the nearest input pixel.

    What comes from outside is new.
    """

    def __init__(self, motions: list[tuple[float, float]]) -> None:
        """Each turns by so many degrees and scales by so much."""
        grid = np.stack(np.divmod(np.arange(SIDE * SIDE), SIDE), axis=1) - (SIDE - 1) / 2
        found = []
        for degrees, scale in motions:
            c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
            back = np.rint(grid @ np.array([[c, -s], [s, c]]) / scale + (SIDE - 1) / 2)
            inside = ((back >= 0) & (back < SIDE)).all(axis=1)
            found.append(np.where(inside, back @ [SIDE, 1], -1).astype(int))
        self.source = np.stack(found)

    def draw(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray, IntArray]:
        """Images, what became of them, and the motion, in a column."""
        X, new = flat(images(rng, n)), flat(images(rng, n))
        chosen = rng.integers(len(self.source), size=(n, 1))
        from_where = self.source[chosen[:, 0]]
        taken = np.take_along_axis(X, np.maximum(from_where, 0), axis=1)
        return X, np.where(from_where >= 0, taken, new), chosen

    def read(self, X: FloatArray, outputs: FloatArray) -> IntArray:
        """The motion that explains outputs best, pixels from outside being on by chance."""
        seen = np.where(X > 0, 0.98, 0.02)
        scores = []
        for from_where in self.source:
            q = np.where(from_where >= 0, seen[:, from_where], ON)
            scores.append((outputs * np.log(q) + (1 - outputs) * np.log(1 - q)).sum(axis=1))
        return np.argmax(scores, axis=0)[:, None]

    def sent(self, flow: IntArray, chosen: IntArray) -> float:
        """How many of the pixels that are taken somewhere a flow sends to where they are taken."""
        from_where = self.source[chosen[:, 0]]
        pixel = np.arange(SIDE * SIDE)
        right = np.take_along_axis(from_where, flow, axis=1) == pixel
        taken = (from_where[:, :, None] == pixel).any(axis=1)
        return float(right[taken].mean())
