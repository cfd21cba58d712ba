"""Models of pairs that earlier versions saved are read by this one, and do what they did.

``python -m tests.io.test_golden_gated`` writes those that are missing, in the present format; one
that is there is never written again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the gated models stand on torch")

import sidelight
from sidelight import gated
from sidelight.io import read_model
from sidelight.io.model.versions import FORMAT_VERSION
from sidelight.side import Invariance

GOLDEN = Path(__file__).parent / "golden"
FILES = sorted(GOLDEN.glob("*/gated/*.sidelight"))
FEW = {"max_iter": 20, "batch_size": 20}


def turned(n: int, seed: int) -> tuple[Any, Any]:
    """Rows of five places of which one is on, and the same turned by a place, or not."""
    rng = np.random.default_rng(seed)
    place = rng.integers(5, size=n)
    return np.eye(5)[place], np.eye(5)[(place + rng.integers(2, size=n)) % 5]


X, Y = turned(60, 0)
PICTURE = np.random.default_rng(0).random((9, 8))


def machine(n_components: int = 3, **more: Any) -> gated.GatedBoltzmannMachine:
    return gated.GatedBoltzmannMachine(n_components, **{**FEW, **more})


ROWS = np.random.default_rng(1).standard_normal((300, 5))


def both_ways() -> gated.GatedBoltzmannMachine:
    """What turns rows by a place, one way or the other."""
    return machine(4, output="gaussian", max_iter=300, batch_size=50).fit(
        np.tile(ROWS, (2, 1)), np.vstack([np.roll(ROWS, way, axis=1) for way in (-1, 1)])
    )


#: One of each estimator, of each kind of units, and of each shape of weights.
CASES: dict[str, Callable[[], Any]] = {
    "machine": lambda: machine().fit(X, Y),
    "machine factored": lambda: machine(output="gaussian", n_factors=4, nu=0.5).fit(X, Y),
    "machine premapped": lambda: machine(output="poisson", premapping=(4, 3)).fit(X, Y),
    "machine of states": lambda: machine(output="multinomial", input="binary").fit(X, Y),
    "machine alone": lambda: machine().fit(X),
    "gated": lambda: gated.GatedAutoencoder(2, layers=4, encodes="guess", **FEW).fit(X, Y),
    "biased": lambda: gated.BiasedAutoencoder(2, premapping=3, output="binary", **FEW).fit(X, Y),
    "coder alone": lambda: gated.BiasedAutoencoder(2, code="tanh", **FEW).fit(X),
    "manifield": lambda: gated.Manifield(gated.BiasedAutoencoder(2, **FEW), patch_size=(3, 2)).fit(
        PICTURE, 1 - PICTURE
    ),
    "field": lambda: gated.GatedExpertField(2, patch_size=3, max_iter=5).fit(PICTURE, 1 - PICTURE),
    "map": lambda: sidelight.ClassicalMDS(2).fit(ROWS[:20], side=Invariance(both_ways())),
}


def gives(model: Any) -> dict[str, Any]:
    """What a model makes of new items."""
    if isinstance(model, gated.Manifield | gated.GatedExpertField):
        return {"predicted": model.predict(PICTURE[:6])}
    x, y = turned(7, 1)
    if hasattr(model, "embedding_") or not hasattr(model, "n_outputs_"):
        return {"places": model.transform(x + 0.05)}
    if not model._learned.n_inputs:
        return {"codes": model.transform(x)}
    z = model.infer(x, y)
    found = {"inferred": z, "applied": model.apply(z, x)}
    if hasattr(model, "distances"):
        return {**found, "distances": model.distances(x, y), "scores": model.score_samples(x, y)}
    return {**found, "predicted": model.predict(x)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]} {file.stem}")
def test_a_model_of_an_earlier_version_does_what_it_did(file: Path) -> None:
    saved = read_model(file)
    found = gives(saved.model)
    assert found.keys() == saved.extras.keys()
    for what, values in found.items():
        expected = saved.extras[what]
        # single precision
        np.testing.assert_allclose(values, expected, atol=2e-5 * np.abs(expected).max())


def test_every_model_of_pairs_is_there_in_the_present_format() -> None:
    present = [file for file in FILES if file.parts[-3] == f"format-{FORMAT_VERSION}"]
    assert {file.stem for file in present} == {case.replace(" ", "_") for case in CASES}
    saved = {type(sidelight.load(file)).__name__ for file in present}
    assert {name for name in saved if hasattr(gated, name)} == set(gated.__all__)


def write_missing() -> None:
    """Save the cases that have no file yet."""
    folder = GOLDEN / f"format-{FORMAT_VERSION}" / "gated"
    folder.mkdir(parents=True, exist_ok=True)
    for case, fit in CASES.items():
        file = folder / f"{case.replace(' ', '_')}.sidelight"
        if not file.exists():
            model = fit()
            sidelight.save(model, file, extras=gives(model))


if __name__ == "__main__":
    write_missing()
