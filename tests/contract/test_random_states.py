"""What a ``random_state`` may be: the same for whatever draws."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from sidelight import datasets, plot, quality
from sidelight.registry import ESTIMATORS
from sidelight.side import Attributes, Distances, Pairs, Relation

RNG = np.random.default_rng(5)
X = RNG.standard_normal((36, 4)) + 2 * np.repeat([[0], [1]], 18, axis=0)
SIMILAR = [(0, 1), (2, 3), (4, 9), (19, 22), (25, 30)]
SIDE = {
    "MultipleRelationalEmbedding": Relation.from_values(X[:, 0]),
    "EquivalenceMetric": Pairs(similar=SIMILAR),
    "MultiAttributeMetric": Attributes([Pairs(similar=SIMILAR), Pairs(similar=[(0, 20), (5, 7)])]),
    "DistanceMetric": Distances(SIMILAR, [1.0, 2.0, 1.5, 3.0, 1.0]),
}
DRAWING = [entry for entry in ESTIMATORS if "random_state" in entry.load()().get_params()]
#: Those that can begin at random: what they draw shows after a few steps.
BEGINNING = [entry for entry in DRAWING if "init" in entry.load()().get_params()]
#: Every kind, made anew: a generator goes on when it is used.
KINDS = {
    "None": lambda: None,
    "int": lambda: 0,
    "numpy int": lambda: np.int64(0),
    "RandomState": lambda: np.random.RandomState(0),
    "Generator": lambda: np.random.default_rng(0),
}
kinds = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning", "ignore::UserWarning"
)


def soon_done(entry):
    """An estimator that begins at random, where it can, and takes few steps."""
    estimator = entry.load()()
    known = estimator.get_params()
    soon = {"init": "random", "max_iter": 5, "n_restarts": 2, "n_steps": 3, "n_components": 2}
    return estimator.set_params(**{name: soon[name] for name in soon if name in known})


@pytest.fixture(params=DRAWING, ids=lambda entry: entry.name)
def drawing(request):
    return soon_done(request.param)


def learned(estimator, random_state):
    model = clone(estimator).set_params(random_state=random_state)
    model.fit(X, side=SIDE.get(type(model).__name__))
    return model.embedding_ if hasattr(model, "embedding_") else model.transform(X)


def test_the_registry_has_estimators_that_draw():
    assert len(DRAWING) >= 8
    assert len(BEGINNING) >= 4


@kinds
def test_every_kind_of_random_state_is_admitted(drawing, make):
    found = learned(drawing, make())
    assert np.isfinite(found).all()


@pytest.mark.parametrize("kind", ["int", "RandomState", "Generator"])
def test_seeded_alike_gives_the_same(drawing, kind):
    once, again = (learned(drawing, KINDS[kind]()) for _ in range(2))
    np.testing.assert_array_equal(once, again)


@pytest.mark.parametrize("entry", BEGINNING, ids=lambda entry: entry.name)
def test_another_seed_gives_another_start(entry):
    once, other = (learned(soon_done(entry), seed) for seed in (0, 1))
    assert np.abs(once - other).max() > 1e-6


@pytest.mark.parametrize("refused", ["zero", -1, 0.5, [0, 1], True], ids=repr)
def test_anything_else_is_refused_by_name(drawing, refused):
    name = type(drawing).__name__
    with pytest.raises(ValueError, match=f"'random_state' parameter of {name} must be an int"):
        learned(drawing, refused)


#: What else draws, as numbers.
OTHERS = {
    "swiss_roll": lambda seed: datasets.swiss_roll(20, random_state=seed).X,
    "noisy_s": lambda seed: datasets.noisy_s(20, random_state=seed).X,
    "image_walk": lambda seed: (
        datasets.image_walk(
            "texture", ["left"] * 3, patch_shape=(8, 8), noise=0.1, random_state=seed
        ).X
    ),
    "coranking_curves": lambda seed: (
        quality.coranking_curves(X, X[:, :2] ** 2, max_samples=20, random_state=seed).q_nx
    ),
    "quality_report": lambda seed: (
        quality.quality_report(X, X[:, :2] ** 2, max_samples=20, random_state=seed).trustworthiness
    ),
    "shepard_diagram": lambda seed: (
        plot.shepard_diagram(X, X[:, :2], max_pairs=50, random_state=seed)
        .collections[0]
        .get_offsets()
    ),
    "Pairs.from_labels": lambda seed: (
        Pairs.from_labels(np.repeat([0, 1], 18), max_pairs=6, random_state=seed).similar
    ),
}
others = pytest.mark.parametrize("draw", OTHERS.values(), ids=OTHERS)


@others
@kinds
def test_whatever_else_draws_takes_the_same_kinds(draw, make):
    drawn, again = np.asarray(draw(make())), np.asarray(draw(make()))
    if make() is not None:
        np.testing.assert_array_equal(drawn, again)


@others
def test_and_refuses_the_same(draw):
    with pytest.raises(ValueError, match="'random_state'.* must be an int .* Got 'zero' instead"):
        draw("zero")


def test_a_dataset_of_an_int_is_the_one_it_always_was():
    """Experiments name their draws by an int."""
    first = datasets.noisy_s(5, random_state=0).X
    same = datasets.noisy_s(5, random_state=np.random.RandomState(0)).X
    np.testing.assert_array_equal(first, same)
