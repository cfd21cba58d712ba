"""The models of pairs keep the contract that the estimators of maps keep, where it makes sense."""

from __future__ import annotations

import inspect
import pickle
import re

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch", reason="the gated models stand on torch")

from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sidelight
from sidelight.gated import BiasedAutoencoder, GatedAutoencoder
from sidelight.registry import ESTIMATORS, SAVED
from sidelight.side import Pairs

GATED = [entry for entry in SAVED if entry not in ESTIMATORS]
pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(0)
KNOWN = Pairs(similar=[(0, 1)], dissimilar=[(1, 2)])
ROWS = RNG.random((30, 6)), RNG.random((30, 4))
IMAGES = RNG.random((9, 8)), RNG.random((9, 8))
OF_IMAGES = ("GatedExpertField", "Manifield")
SOON = {"max_iter": 3, "batch_size": 10, "n_components": 2, "patch_size": (3, 2)}
#: Of every model a parameter that changes what it learns.
OTHER = {
    "GatedBoltzmannMachine": {"n_components": 3, "output": "gaussian", "n_factors": 4},
    "GatedExpertField": {"n_components": 3, "patch_size": 2, "nu": 0.5},
    "GatedAutoencoder": {"n_components": 3, "layers": 5, "code": "linear"},
    "BiasedAutoencoder": {"n_components": 3, "premapping": 4, "noise": 0.2},
    "Manifield": {"patch_size": (2, 4), "max_patches": 7},
}
#: And what would say something else of rows, were a fitted model to ask it.
LATER = {
    "GatedBoltzmannMachine": [
        {"output": "poisson", "input": "poisson", "nu": 3.0},
        {"output": "multinomial", "input": "multinomial", "n_states": 5},
        {"premapping": (3, 2), "persistent": True, "chain_ends": "mean"},
    ],
    "GatedExpertField": [{"output": "poisson", "input": "binary", "nu": 0.1}, {"input": "poisson"}],
    "GatedAutoencoder": [
        {"output": "poisson", "input": "multinomial", "n_states": 5},
        {"encodes": "guess", "noise": 3.0, "premapping": 2},
    ],
    "BiasedAutoencoder": [{"output": "multinomial", "input": "poisson", "layers": 3}],
    "Manifield": [{"model": None}],
}


@pytest.fixture(params=GATED, ids=lambda entry: entry.name)
def entry(request):
    return request.param


def soon_done(entry):
    """A model that takes few steps."""
    if entry.name == "Manifield":
        patches = BiasedAutoencoder(2, max_iter=3, batch_size=10)
        return entry.load()(patches, patch_size=(3, 2))
    known = inspect.signature(entry.load()).parameters
    return entry.load()(**{name: value for name, value in SOON.items() if name in known})


def pairs_of(entry):
    return IMAGES if entry.name in OF_IMAGES else ROWS


def said(model, X, Y):
    """What a model says of pairs and of its fit, by name."""
    found = {"outputs": np.asarray(model.predict(X, **_guess(model, Y)))}
    facts = ("history_", "n_iter_", "n_features_in_", "n_outputs_", "n_channels_")
    found |= {name: np.asarray(getattr(model, name)) for name in facts if hasattr(model, name)}
    if hasattr(model, "flow"):
        found |= {"flow": model.flow(X, Y), "scores": model.score_samples(X, Y)}
    if hasattr(model, "infer"):
        found["codes"] = np.asarray(model.infer(X, Y))
        found["applied"] = np.asarray(model.apply(found["codes"], X))
    return found


def _guess(model, Y):
    """What a gated auto-encoder projects."""
    return {"guess": Y} if "guess" in inspect.signature(model.predict).parameters else {}


def assert_same(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_a_clone_has_the_parameters_and_nothing_else(entry):
    model = soon_done(entry).fit(*pairs_of(entry))
    copy = clone(model)
    assert repr(copy.get_params()) == repr(model.get_params())
    assert set(vars(copy)) == set(copy.get_params(deep=False))
    with pytest.raises(NotFittedError):
        copy.predict(pairs_of(entry)[0])
    changed = clone(model).set_params(**OTHER[entry.name]).get_params()
    assert {name: changed[name] for name in OTHER[entry.name]} == OTHER[entry.name]


def test_every_parameter_is_refused_by_name_when_it_is_nonsense(entry):
    for name in inspect.signature(entry.load()).parameters:
        model = soon_done(entry).set_params(**{name: object()})
        with pytest.raises(ValueError, match=f"'{name}' parameter of {entry.name} must be"):
            model.fit(*pairs_of(entry))


@pytest.mark.parametrize("given", [KNOWN, [KNOWN, KNOWN]], ids=["one", "a list"])
def test_what_is_known_is_not_swallowed_as_outputs_or_labels(entry, given):
    """A list passed for labels, and `fit_transform` looked at none of it."""
    model, X = soon_done(entry), pairs_of(entry)[0]
    methods = [name for name in ("fit", "partial_fit", "fit_transform") if hasattr(model, name)]
    assert "fit" in methods
    for name in methods:
        message = rf"{entry.name}\.{name} got Pairs.* takes no side information.*Isomap"
        with pytest.raises(ValueError, match=message):
            getattr(model, name)(X, given)
        with pytest.raises(ValueError, match=message):
            getattr(model, name)(X, **{"y" if name == "fit_transform" else "Y": given})
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_a_refit_with_other_parameters_is_a_fresh_fit(entry):
    pairs, other = pairs_of(entry), OTHER[entry.name]
    model = soon_done(entry).fit(*pairs)
    before = said(model, *pairs)
    again = said(model.set_params(**other).fit(*pairs), *pairs)
    assert_same(again, said(soon_done(entry).set_params(**other).fit(*pairs), *pairs))
    assert any(
        again[name].shape != value.shape or (again[name] != value).any()
        for name, value in before.items()
    )


def test_parameters_set_without_a_refit_change_no_fitted_model(entry):
    pairs = pairs_of(entry)
    model = soon_done(entry).fit(*pairs)
    before = said(model, *pairs)
    for later in (OTHER[entry.name], *LATER[entry.name]):
        assert_same(said(model.set_params(**later), *pairs), before)


def test_a_model_that_learned_to_guess_does_so_whatever_is_set_later():
    X, Y = ROWS
    model = GatedAutoencoder(2, encodes="guess", max_iter=3).fit(X, Y)
    before = model.predict(X)
    np.testing.assert_array_equal(model.set_params(encodes="output").predict(X), before)
    plain = GatedAutoencoder(2, max_iter=3).fit(X, Y).set_params(encodes="guess")
    with pytest.raises(ValueError, match="projects a guess of 4 columns, and inputs have 6"):
        plain.predict(X)


@pytest.mark.parametrize("name", ["GatedBoltzmannMachine", "GatedAutoencoder"])
def test_what_a_fitted_model_refuses_it_refuses_whatever_is_set_later(name):
    """Counts are no shares: a machine of shares does not take them because a parameter was set."""
    entry = next(e for e in GATED if e.name == name)
    X, Y = ROWS
    model = soon_done(entry).set_params(output="binary").fit(X, Y)
    model.set_params(output="gaussian", input="gaussian")
    for given in ((3 * X, Y), (X, 3 * Y)):
        with pytest.raises(ValueError, match=f"{name} expects . to hold values between 0 and 1"):
            model.infer(*given)


def test_a_refused_refit_leaves_the_old_model(entry):
    X, Y = pairs_of(entry)
    model = soon_done(entry).fit(X, Y)
    before = said(model, X, Y)
    with pytest.raises(ValueError, match=entry.name):
        model.fit(X[:, :-1], np.where(Y > 0.5, np.nan, Y)[:, :-1])
    assert_same(said(model, X, Y), before)


def test_a_model_file_and_a_pickle_say_the_same(entry, tmp_path):
    pairs = pairs_of(entry)
    model = soon_done(entry).fit(*pairs)
    read = sidelight.load(sidelight.save(model, tmp_path / "model.sidelight"))
    for same in (read, pickle.loads(pickle.dumps(model))):
        assert type(same) is type(model)
        assert repr(same.get_params()) == repr(model.get_params())
        assert_same(said(same, *pairs), said(model, *pairs))


KINDS = {
    "None": lambda: None,
    "int": lambda: 7,
    "numpy int": lambda: np.int64(7),
    "RandomState": lambda: np.random.RandomState(7),
    "Generator": lambda: np.random.default_rng(7),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_random_state_is_admitted_and_seeds_alike_say_the_same(entry, kind):
    pairs = pairs_of(entry)

    def found():
        model = soon_done(entry).set_params(random_state=KINDS[kind]())
        if entry.name == "Manifield":
            model.set_params(max_patches=5)
        return said(model.fit(*pairs), *pairs)

    once, again = found(), found()
    if kind != "None":
        assert_same(once, again)
    other = soon_done(entry).set_params(random_state=8)
    if entry.name != "Manifield":  # all its patches learn
        assert (said(other.fit(*pairs), *pairs)["outputs"] != once["outputs"]).any()


@pytest.mark.parametrize("refused", ["zero", -1, 0.5, [0, 1], True], ids=repr)
def test_any_other_random_state_is_refused_by_name(entry, refused):
    model = soon_done(entry).set_params(random_state=refused)
    with pytest.raises(ValueError, match=f"'random_state' parameter of {entry.name} must be"):
        model.fit(*pairs_of(entry))


def _with_nan(values):
    return np.where(values > 0.9, np.nan, values)


BAD = {
    "NaN": _with_nan,
    "infinity": lambda values: np.where(values > 0.9, np.inf, values),
    "words": lambda values: np.full(values.shape, "a"),
    "None": lambda values: np.full(values.shape, None),
    "nothing": lambda values: values[:0],
    "too many dimensions": lambda values: np.stack([[values] * 2] * 2),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("side", [0, 1], ids=["X", "Y"])
def test_bad_input_names_the_model_and_the_argument(entry, bad, side):
    given = list(pairs_of(entry))
    learned = soon_done(entry).fit(*given)
    given[side] = BAD[bad](given[side])
    asked = [soon_done(entry).fit]
    asked += [learned.infer] if hasattr(learned, "infer") else []
    for ask in asked:
        with pytest.raises((ValueError, TypeError)) as refusal:
            ask(*given)
        assert entry.name in str(refusal.value)
        assert re.search(rf"\b{'XY'[side]}\b", str(refusal.value)), str(refusal.value)


def test_neither_data_nor_parameters_are_changed(entry):
    given = [side.copy() for side in pairs_of(entry)]
    for side in given:
        side.flags.writeable = False
    model = soon_done(entry)
    before = repr(model.get_params())
    said(model.fit(*given), *given)
    assert repr(model.get_params()) == before
    np.testing.assert_array_equal(given[0], pairs_of(entry)[0])


def test_documented_attributes_are_there(entry):
    model = soon_done(entry).fit(*pairs_of(entry))
    part = inspect.getdoc(type(model)).split("Attributes\n----------\n")[1].split("\n\n")[0]
    named = re.findall(r"^(\w+_) :", part, flags=re.MULTILINE)
    assert named
    assert [name for name in named if not hasattr(model, name)] == []
    if entry.name not in OF_IMAGES:
        assert model.n_features_in_ == 6


@pytest.mark.parametrize("name", [e.name for e in GATED if e.name not in OF_IMAGES])
def test_names_of_columns_are_kept_and_compared(name):
    entry = next(e for e in GATED if e.name == name)
    X = pd.DataFrame(ROWS[0], columns=list("abcdef"))
    model = soon_done(entry).fit(X, ROWS[1])
    assert list(model.feature_names_in_) == list("abcdef")
    assert_same(said(model, X, ROWS[1]), said(soon_done(entry).fit(*ROWS), *ROWS))
    with pytest.raises(ValueError, match="feature names should match"):
        model.infer(X[list("fedcba")], ROWS[1])
    with pytest.raises(ValueError, match=f"{name}.*6"):
        model.infer(ROWS[0][:, :5], ROWS[1])
    out = model.get_feature_names_out()
    assert list(out) == [f"{name.lower()}{number}" for number in range(2)]
