"""What an estimator keeps of a fit, and that nothing of an earlier one stays."""

from __future__ import annotations

import inspect
import pickle
import re
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sidelight
from sidelight.core.refitting import is_learned
from sidelight.estimator import GraphEmbedder
from sidelight.estimator.map import Map
from sidelight.io.model.state import KEYS, state_of
from sidelight.neighbors import arrows_to, nearest_neighbors
from sidelight.registry import ESTIMATORS, SAVED
from sidelight.registry.metrics import METRICS
from sidelight.side import (
    Actions,
    Anchors,
    Attributes,
    Condition,
    Distances,
    Invariance,
    Pairs,
    Relation,
    Sequence,
)
from sidelight.transforms import Baseline
from tests.fitting import cheap, fitted

pytestmark = pytest.mark.filterwarnings("ignore")

KERNELS = [
    entry
    for entry in ESTIMATORS
    if "map" in entry.gives and entry.family in ("spectral", "unfolding")
]


@pytest.fixture(scope="module")
def X():
    return sheet()


@cache
def sheet():
    rng = np.random.default_rng(5)
    t, h = 3 * rng.random(60), 2 * rng.random(60)
    rows = np.column_stack([np.cos(t), np.sin(t), h, t / 2])
    return rows + 0.05 * rng.standard_normal(rows.shape)


def what_it_does(model, X, new):
    """Everything that a fitted estimator says, by name."""
    return what_it_can(model, new) | {"back": model.inverse_transform(model.embedding_[:7])}


def what_it_can(model, new):
    """Of everything what there is: a table has no way back, and pieces have no one kernel."""
    said = {"embedding": model.embedding_, "new rows": model.transform(new)}
    with suppress(ValueError):
        said["back"] = model.inverse_transform(model.embedding_[:7])
    if callable(getattr(model, "kernel", None)):  # of others a parameter
        with suppress(ValueError):
            said["kernel"] = model.kernel()
    return said | {
        name: value
        for name, value in vars(model).items()
        if name.endswith("_") and not name.startswith("_") and isinstance(value, np.ndarray)
    }


#: Another value for parameters, of those that have one that suits everybody.
OTHER = {
    "n_components": 3,
    "n_neighbors": 7,
    "metric": "cityblock",
    "kernel": "linear",
    "weights": "heat",
    "normalized": False,
    "form": "dual",
    "reg": 0.1,
    "constraint": "equal",
    "perplexity": 5.0,
    "method": "dual",
}


#: Parameters of the same name that take other values.
NOT_THERE = {("mre", "weights"), ("kie", "kernel")}


@pytest.mark.parametrize("name", sorted(OTHER))
def test_a_refit_with_other_parameters_is_a_fresh_fit(entry, X, name):
    parameters = inspect.signature(entry.load()).parameters
    if name not in parameters or (entry.command, name) in NOT_THERE:
        return
    start = fitted(cheap(entry), X[:50])
    start.inverse_transform(start.embedding_[:3])  # whatever is made on the way
    again = start.set_params(**{name: OTHER[name]}).fit(X)
    fresh = cheap(entry).set_params(**{name: OTHER[name]}).fit(X)
    found = what_it_does(again, X, X[:9] + 0.01)
    for what, value in what_it_does(fresh, X, X[:9] + 0.01).items():
        np.testing.assert_array_equal(found[what], value, what)


def test_a_fit_forgets_blocks_and_blocks_go_on_from_a_fit(X):
    from sidelight import PCA

    mixed = PCA(2).partial_fit(X[:20]).fit(X[20:40]).partial_fit(X[40:])
    only = PCA(2).partial_fit(X[20:40]).partial_fit(X[40:])
    np.testing.assert_array_equal(mixed.mean_, only.mean_)
    np.testing.assert_array_equal(mixed.components_, only.components_)
    assert mixed.n_samples_seen_ == len(X) - 20
    assert not hasattr(mixed, "embedding_")


def test_parameters_set_without_a_refit_change_no_fitted_model(entry, X):
    model = fitted(cheap(entry), X)
    before = what_it_does(model, X, X[:5] + 0.02)
    for name in inspect.signature(entry.load()).parameters:
        if name in OTHER:
            model.set_params(**{name: OTHER[name]})
    for what, value in what_it_does(model, X, X[:5] + 0.02).items():
        np.testing.assert_array_equal(before[what], value, what)


PAIRS = Pairs(similar=[(0, 1), (2, 3), (4, 5)], dissimilar=[(0, 6), (1, 8)])
#: What each metric learns from, and parameters that make it another.
METRIC_CASES = {
    "EquivalenceMetric": (PAIRS, {"loss": "thesis", "kernel": "rbf", "strength": 0.5}),
    "MultiAttributeMetric": (Attributes([PAIRS]), {"loss": "thesis", "kernel": "rbf"}),
    "DistanceMetric": (Distances([(0, 1), (2, 9)], [0.5, 2.0]), {"ridge": 0.5, "kernel": "rbf"}),
    "FactorRemoval": (Condition(np.arange(50) % 3), {"ridge": 0.5, "always": True}),
    "DistanceSelection": (Distances([(0, 1)], [0.5]), {"n_features_to_select": 2}),
}
METRIC_CHANGES = [(name, each) for name, (_, other) in METRIC_CASES.items() for each in other]


def what_a_metric_does(model, rows):
    """Everything that what acts in front says, by name; what it cannot do is nothing."""
    given = {"condition": Condition(np.arange(len(rows)) % 3)}
    given = given if type(model).__name__ == "FactorRemoval" else {}
    there = model.transform(rows, **given)
    return {
        "rows": there,
        "back": way_back(model, there),
        "distances": model.distances(rows) if hasattr(model, "distances") else None,
        "matrix": getattr(model, "metric_", None),
        "names": model.get_feature_names_out(),
        "report": getattr(model, "report_", None),
    }


def way_back(model, there):
    """Rows again; why not, where the metric is singular."""
    try:
        return model.inverse_transform(there) if hasattr(model, "inverse_transform") else None
    except ValueError as error:
        return str(error)


def test_every_metric_has_a_case():
    assert METRIC_CASES.keys() == {entry.name for entry in METRICS}


@pytest.mark.parametrize(("name", "parameter"), METRIC_CHANGES)
@pytest.mark.parametrize("first", ["default", "other"])
def test_a_metric_is_that_of_its_fit_until_the_next(name, parameter, first, X):
    side, others = METRIC_CASES[name]
    cls = getattr(sidelight, name)
    default = {parameter: cls().get_params()[parameter]}
    before, after = default, {parameter: others[parameter]}
    if first == "other":
        before, after = after, before
    model = cls(**before).fit(X[:50], side=side)
    fitted_to = what_a_metric_does(model, X[:9])
    assert_says(what_a_metric_does(model.set_params(**after), X[:9]), fitted_to)
    fresh = cls(**after).fit(X[:50], side=side)
    assert_says(
        what_a_metric_does(model.fit(X[:50], side=side), X[:9]), what_a_metric_does(fresh, X[:9])
    )


def assert_says(found, expected):
    for what, value in expected.items():
        np.testing.assert_array_equal(found[what], value, what)


def test_a_refused_first_fit_leaves_an_unfitted_estimator(entry, X):
    model = cheap(entry)
    with pytest.raises(ValueError, match=r"\S"):
        model.set_params(n_components=-1).fit(X)
    with pytest.raises(NotFittedError):
        model.transform(X)


#: What is asked before a fit, and what fits by itself.
BEFORE_A_FIT = re.compile(r"fit(_transform)?|partial_fit|alpha_path|[gs]et_.*(?<!names_out)")


@pytest.mark.parametrize("entry", SAVED, ids=lambda entry: entry.name)
def test_whatever_is_asked_of_an_unfitted_estimator_says_that_it_is_not_fitted(entry, X):
    if entry.family == "gated":
        pytest.importorskip("torch")
    cls = entry.load()
    asked = [n for n in dir(cls) if not n.startswith("_") and not BEFORE_A_FIT.fullmatch(n)]
    assert "transform" in asked or entry.family == "gated"
    assert {name: raised_by(cls(), name, X) for name in asked} == dict.fromkeys(
        asked, NotFittedError
    )


def raised_by(model, name, X):
    """The kind of error that an attribute or a method of a model ends in, or none."""
    try:
        called(getattr(model, name), X)
    except Exception as error:
        return type(error)
    return None


def called(method, X):
    """What a method gives of rows, places and numbers as its signature asks for them."""
    given = {"X": X, "Y": X, "Z": X[:, :2]}
    needed = [p for p in inspect.signature(method).parameters.values() if p.default is p.empty]
    named = {p.name: given.get(p.name, 0) for p in needed if p.kind is p.KEYWORD_ONLY}
    placed = [given.get(p.name, 0) for p in needed if p.kind is p.POSITIONAL_OR_KEYWORD]
    return method(*placed, **named)


def test_a_refused_refit_leaves_the_old_model(entry, X):
    model = fitted(cheap(entry), X)
    before = model.transform(X[:5] + 0.01)
    with pytest.raises(ValueError, match=r"\S"):
        model.fit(np.full((6, 2), np.inf))
    np.testing.assert_array_equal(model.transform(X[:5] + 0.01), before)


def test_what_the_caller_does_with_his_array_changes_no_model(entry, X):
    given = X.copy()
    model = cheap(entry).fit(given)
    before = {k: v.copy() for k, v in what_it_does(model, X, X[:5] + 0.01).items()}
    given[:] = 7.0
    for what, value in what_it_does(model, X, X[:5] + 0.01).items():
        np.testing.assert_array_equal(before[what], value, what)


def test_what_fit_transform_gives_is_the_callers_own(entry, X):
    model = cheap(entry)
    Z = model.fit_transform(X)
    kept = model.embedding_.copy()
    Z[:] = 0.0
    np.testing.assert_array_equal(model.embedding_, kept)


def test_what_is_written_into_the_embedding_moves_no_new_rows(entry, X):
    model = fitted(cheap(entry), X)
    before = {"new rows": model.transform(X[:9] + 0.01), "training rows": model.transform(X[:9])}
    before["back"] = model.inverse_transform(before["new rows"])
    model.embedding_[:] = 7.0
    after = {"new rows": model.transform(X[:9] + 0.01), "training rows": model.transform(X[:9])}
    after["back"] = model.inverse_transform(before["new rows"])
    for what, places in before.items():
        np.testing.assert_array_equal(after[what], places, err_msg=what)


def test_a_parameter_that_is_nonsense_is_no_trouble_before_a_fit(entry, X):
    model = fitted(cheap(entry), X)
    expected = dir(model)
    for name, value in model.get_params(deep=False).items():
        assert dir(model.set_params(**{name: "zzz"})) == expected, name
        assert name in repr(model)
        model.set_params(**{name: value})


def test_an_estimator_keeps_what_it_was_given_and_its_map(entry, X):
    model = fitted(cheap(entry), X)
    assert isinstance(model._map, Map)
    private = {name for name in vars(model) if name.startswith("_") and is_learned(name)}
    assert private <= set(KEYS), f"{sorted(private - set(KEYS))} belong into the Map"


@pytest.mark.parametrize("entry", SAVED, ids=lambda entry: entry.name)
def test_an_estimator_has_at_most_two_bases_of_its_own(entry):
    if entry.family == "gated":
        pytest.importorskip("torch")
    cls = entry.load()
    own = [base for base in cls.__mro__[1:] if base.__module__.startswith("sidelight.")]
    assert len(own) <= 2, own


def test_who_makes_maps_of_neighborhoods_inherits_no_hook_that_nobody_calls(entry):
    """Two methods of graphs had a fit of their own, and a listening base in which nothing ran."""
    cls = entry.load()
    if not issubclass(cls, GraphEmbedder):
        return
    assert cls._map_of is not GraphEmbedder._map_of
    own_fit = cls.fit is not GraphEmbedder.fit
    assert not own_fit or cls is sidelight.MaximumEntropyUnfolding, "it also takes edges"


@pytest.mark.parametrize("name", ["EquivalenceMetric", "MultiAttributeMetric", "DistanceMetric"])
@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_a_learned_metric_keeps_one_value(name, kernel, X):
    model = getattr(sidelight, name)(kernel=kernel).fit(X[:20])
    private = {attribute for attribute in vars(model) if is_learned(attribute)}
    assert {attribute for attribute in private if attribute.startswith("_")} == {"_row_metric"}
    assert {"space", "learned", "root"} <= state_of(model).keys()


def test_a_fitted_model_is_pickled(entry, X):
    model = fitted(cheap(entry), X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.transform(X[:5]), model.transform(X[:5]))


@pytest.mark.parametrize("entry", KERNELS, ids=lambda entry: entry.name)
def test_a_kernel_is_that_of_all_rows_centred(entry, X):
    copies = np.vstack([X, X[:9]])
    for rows in (X, copies):
        K = cheap(entry).fit(rows).kernel()
        size = np.abs(K).max()
        assert K.shape == (len(rows), len(rows))
        np.testing.assert_allclose(K, K.T, atol=1e-9 * size)
        np.testing.assert_allclose(K.sum(axis=0), 0, atol=1e-7 * size * len(K))


def documented_attributes(cls):
    """The names in the section Attributes of a class's docstring."""
    text = inspect.getdoc(cls)
    section = re.search(r"Attributes\n-+\n(.*?)(?:\n\n[A-Z]\w+\n-+\n|\Z)", text, re.DOTALL)
    return re.findall(r"^(\w+_) : ", section.group(1), re.MULTILINE)


#: Methods that ask of a graph the distances among neighbours, too: of how many.
OF_WIDER_GRAPHS = {"lle": 45, "hybrid": 45}


def kinds_of_fit(entry, X):
    """Every kind of fit that an estimator understands: its name, parameters, X and side."""
    yield "features", {}, X, None
    if entry.takes_distances:
        yield "a table", {"metric": "precomputed"}, cdist(X, X), None
    if entry.takes_graph:
        wider = OF_WIDER_GRAPHS.get(entry.command)
        parameters = {"metric": "precomputed"} | ({"n_neighbors": 7} if wider else {})
        yield "a graph", parameters, arrows_to(nearest_neighbors(X, wider or 12)), None
    if entry.needs_graph:
        apart = np.vstack([X, X[:25] + 40.0])
        yield "pieces", {"on_disconnected": "separate"}, apart, None
        yield "the largest piece", {"on_disconnected": "largest"}, apart, None
    known = {
        "Pairs": Pairs(similar=[(0, 1), (2, 3), (4, 5)], dissimilar=[(0, 9)]),
        "Distances": Distances(
            [(0, 1), (2, 9), (5, 30)], 0.9 * np.linalg.norm(X[[0, 2, 5]] - X[[1, 9, 30]], axis=1)
        ),
        "Attributes": Attributes(
            [Pairs.from_labels(X[:, j] > np.median(X[:, j]), max_pairs=60) for j in (0, 2)]
        ),
        "Anchors": Anchors([0, 7, 30], X[[0, 7, 30], :2]),
        "Invariance": Invariance(Baseline(degree=0)),
        "Sequence": Sequence(),
        "Condition": Condition(np.arange(len(X)) % 3),
        "Relation": Relation.from_values(X[:, 0]),
        "Actions": Actions(["go"] * (len(X) - 1)),
    }
    for kind, value in known.items():
        if kind in entry.understands and not (kind == "Actions" and entry.command == "are"):
            yield kind, {}, X, value


@cache
def fresh_fits(entry):
    """Each kind of fit, and a fresh estimator fitted so."""
    return [
        (kind, parameters, data, side, cheap(entry).set_params(**parameters).fit(data, side=side))
        for kind, parameters, data, side in kinds_of_fit(entry, sheet())
    ]


def test_documented_attributes_exist_after_every_kind_of_fit(entry):
    names = documented_attributes(entry.load())
    assert "embedding_" in names
    for kind, _, _, _, model in fresh_fits(entry):
        missing = [name for name in names if not hasattr(model, name)]
        assert not missing, f"{entry.name} fitted to {kind} has no {missing}"


def test_a_refit_in_another_mode_is_a_fresh_fit(entry):
    """One estimator through features, a table, a graph, each kind of knowledge, and back."""
    model, begun = cheap(entry), cheap(entry).get_params(deep=False)
    for kind, parameters, data, side, fresh in (*fresh_fits(entry), fresh_fits(entry)[0]):
        model.set_params(**{**begun, **parameters}).fit(data, side=side)
        new = 1.01 * data[:7]
        found, expected = what_it_can(model, new), what_it_can(fresh, new)
        assert set(found) == set(expected), kind
        for what, value in found.items():
            np.testing.assert_array_equal(value, expected[what], f"{what} of {kind}")
        assert {name for name in vars(model) if is_learned(name)} == {
            name for name in vars(fresh) if is_learned(name)
        }, kind


def test_clones_and_fits_do_not_share(entry, X):
    model = fitted(cheap(entry), X)
    copy = clone(model)
    assert not [name for name in vars(copy) if is_learned(name)]
