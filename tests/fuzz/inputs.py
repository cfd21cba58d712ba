"""What is given as X: tables of every container, precision and unit, and tables that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from tests.fuzz.containers import CONTAINERS
from tests.fuzz.dues import ANY, BAD, GOOD


@dataclass(frozen=True)
class Given:
    """X, new rows like it, and whether a map is due, an error is due, or either will do."""

    kind: str
    X: Any
    new: Any
    due: str = GOOD
    parameters: dict[str, Any] = field(default_factory=dict)
    fit: dict[str, Any] = field(default_factory=dict)
    #: How exactly a training row can be found again, relative to the size of the map.
    exactness: float = 1e-6

    @property
    def n(self) -> int:
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)


def rows(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """A noisy bent sheet, turned into p columns."""
    t, h = 3 * rng.random(n), 2 * rng.random(n)
    sheet = np.column_stack([np.cos(t), np.sin(t), h, t / 2, h * t / 4])
    turned = sheet @ rng.standard_normal((5, p))
    return turned + 0.05 * rng.standard_normal((n, p))


def _two(rng: np.random.Generator, entry: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    p = int(rng.integers(2, 7))
    table = rows(rng, n + 4, p)
    return table[:n], table[n:]


def _size(rng: np.random.Generator) -> int:
    return int(rng.choice([9, 12, 14, 16, 20, 24, 32], p=[0.1, 0.25, 0.2, 0.2, 0.15, 0.07, 0.03]))


Maker = Callable[[np.random.Generator, Any], Given]
FEATURES: dict[str, Maker] = {}
TABLES: dict[str, Maker] = {}


def _features(change: Callable[..., Any], due: str = GOOD, exactness: float = 1e-6) -> Maker:
    """An input made of the plain rows by one change, that new rows go through, too."""

    def make(rng: np.random.Generator, entry: Any) -> Given:
        X, new = _two(rng, entry, _size(rng))
        return Given("", change(X), change(new), due, exactness=exactness)

    return make


def _broken(change: Callable[..., Any]) -> Maker:
    """An input that nothing can be made of; new rows are as they should be."""

    def make(rng: np.random.Generator, entry: Any) -> Given:
        X, new = _two(rng, entry, _size(rng))
        return Given("", change(X), new, BAD)

    return make


def _read_only(X: Any) -> Any:
    X = X.copy()
    for array in [X.data, X.indices, X.indptr] if sp.issparse(X) else [X]:
        array.setflags(write=False)
    return X


def _frame(library: str, names: str = "f{}") -> Callable[..., Any]:
    def change(X: np.ndarray) -> Any:
        frames = __import__(library)
        return frames.DataFrame({names.format(i): X[:, i] for i in range(X.shape[1])})

    return change


def _replaced(value: Any, dtype: Any = float) -> Callable[..., Any]:
    def change(X: np.ndarray) -> Any:
        X = X.astype(dtype)
        X[len(X) // 2, -1] = value
        return X

    return change


def _unsorted(X: np.ndarray) -> Any:
    sparse = sp.csr_array(X)
    for start, stop in zip(sparse.indptr[:-1], sparse.indptr[1:], strict=True):
        sparse.indices[start:stop] = sparse.indices[start:stop][::-1].copy()
        sparse.data[start:stop] = sparse.data[start:stop][::-1].copy()
    return sp.csr_array((sparse.data, sparse.indices, sparse.indptr), shape=sparse.shape)


def _copies(X: np.ndarray) -> np.ndarray:
    return np.vstack([X, X[: len(X) // 3], X[:2], X[:2]])


def _constant(X: np.ndarray) -> np.ndarray:
    return np.column_stack([np.full(len(X), 7.0), X, np.zeros(len(X))])


def _masked(X: np.ndarray) -> Any:
    return np.ma.masked_array(X, mask=np.zeros(X.shape, dtype=bool))


def _nullable(X: np.ndarray) -> Any:
    return _frame("pandas")(X).convert_dtypes()


def _times(factor: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda X: X * factor


def _plus(offset: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda X: X + offset


FEATURES |= {
    "dense": _features(np.array),
    "float32": _features(lambda X: X.astype(np.float32), exactness=2e-3),
    "float16": _features(lambda X: X.astype(np.float16), ANY),
    "whole numbers": _features(lambda X: np.rint(20 * X).astype(np.int64)),
    "small ints": _features(lambda X: np.rint(5 * X).astype(np.int8), ANY),
    "booleans": _features(lambda X: X.mean(axis=0) < X, ANY),
    "nested lists": _features(np.ndarray.tolist),
    "pandas": _features(_frame("pandas")),
    "polars": _features(_frame("polars")),
    "pandas, nullable": _features(_nullable, ANY),
    "column-major": _features(np.asfortranarray),
    "a view with steps": _features(lambda X: np.repeat(X, 2, axis=1)[:, ::2]),
    "backwards": _features(lambda X: X[::-1, ::-1]),
    "read-only": _features(_read_only),
    "objects": _features(lambda X: X.astype(object), ANY),
    "masked": _features(_masked, ANY),
    "matrix": _features(np.asmatrix, ANY),
    "big-endian": _features(lambda X: X.astype(">f8"), ANY),
    "long double": _features(lambda X: X.astype(np.longdouble), ANY),
    "far away, 1e6": _features(_plus(1e6)),
    "far away, 1e8": _features(_plus(1e8), ANY, 1e-4),
    "one column far away": _features(lambda X: X + 1e5 * (np.arange(X.shape[1]) == 0)),
    "in units of 1e-4": _features(_times(1e-4)),
    "in units of 1e5": _features(_times(1e5)),
    "columns of different units": _features(
        lambda X: X * 10.0 ** np.linspace(-3, 4, X.shape[1]), ANY
    ),
    "copies of rows": _features(_copies),
    "constant columns": _features(_constant),
    "sparse": _features(sp.csr_array),
    "sparse matrix": _features(sp.csr_matrix, ANY),
    "sparse, float32": _features(lambda X: sp.csr_array(X.astype(np.float32)), ANY, 2e-3),
    "sparse counts": _features(lambda X: sp.csr_array(np.rint(3 * np.abs(X)).astype(int)), ANY),
    "sparse, by columns": _features(sp.csc_array, ANY),
    "sparse, coordinates": _features(sp.coo_array, ANY),
    "sparse, lists": _features(sp.lil_array, ANY),
    "sparse, read-only": _features(lambda X: _read_only(sp.csr_array(X)), ANY),
    "sparse, unsorted": _features(_unsorted, ANY),
    "sparse, half empty": _features(lambda X: sp.csr_array(np.where(X > 0, X, 0)), ANY),
    "one value in all": _features(lambda X: np.full(X.shape, 3.0), ANY),
    "NaN": _broken(_replaced(np.nan)),
    "infinite": _broken(_replaced(np.inf)),
    "minus infinite": _broken(_replaced(-np.inf)),
    "sparse with NaN": _broken(lambda X: sp.csr_array(_replaced(np.nan)(X))),
    "text": _broken(lambda X: np.full(X.shape, "word")),
    "one cell of text": _broken(_replaced("word", object)),
    "None in a cell": _broken(_replaced(None, object)),
    "complex": _broken(lambda X: X * (1 + 1j)),
    "dates": _features(lambda X: (1e6 * X).astype("datetime64[s]"), ANY),
    "pandas with text": _features(lambda X: _frame("pandas")(X).assign(name="word"), ANY),
    "one-dimensional": _broken(lambda X: X[:, 0]),
    "ragged": _broken(lambda X: [*X.tolist()[:-1], [1.0]]),
    "no rows": _broken(lambda X: X[:0]),
    "no columns": _broken(lambda X: X[:, :0]),
    "None": _broken(lambda X: None),
    "a number": _broken(lambda X: 3.0),
    "a word": _broken(lambda X: "X"),
    "a dictionary": _broken(lambda X: {"a": 1}),
    "a set": _broken(lambda X: {1.0, 2.0}),
    "images": _features(lambda X: X[:, :2].repeat(6, 1).reshape(len(X), 3, 4), ANY),
}


def _sized(n: int) -> Maker:
    def make(rng: np.random.Generator, entry: Any) -> Given:
        X, new = _two(rng, entry, n)
        return Given("", X, new, ANY)

    return make


def _narrow(rng: np.random.Generator, entry: Any) -> Given:
    X, new = _two(rng, entry, _size(rng))
    return Given("", X[:, :1], new[:, :1], ANY)


def _wide(rng: np.random.Generator, entry: Any) -> Given:
    table = rows(rng, 14, 60)
    return Given("", table[:10], table[10:])


def _few_distinct(rng: np.random.Generator, entry: Any) -> Given:
    X, new = _two(rng, entry, 3)
    return Given("", X[rng.integers(0, 3, 15)], new, ANY)


def _clusters(rng: np.random.Generator, entry: Any) -> Given:
    X, new = _two(rng, entry, 15)
    X[:7] += 40
    return Given("", X, new, ANY)


def _line(rng: np.random.Generator, entry: Any) -> Given:
    X = np.outer(np.arange(14.0), rng.standard_normal(4))
    return Given("", X[:11], X[11:] + 0.01, ANY)


def _grid(rng: np.random.Generator, entry: Any) -> Given:
    X = np.array([(i, j) for i in range(4) for j in range(4)], dtype=float)
    return Given("", X, X[:4] + 0.3, ANY)


def _unit(rng: np.random.Generator, entry: Any) -> Given:
    """Units at and beyond what squares of numbers can hold."""
    X, new = _two(rng, entry, _size(rng))
    power = float(rng.choice([-320, -300, -160, -150, -100, -60, -20, 20, 60, 100, 150, 160, 300]))
    with np.errstate(over="ignore", under="ignore"):
        return Given(f"units of 1e{power:g}", X * 10.0**power, new * 10.0**power, ANY)


def _unit_single(rng: np.random.Generator, entry: Any) -> Given:
    X, new = _two(rng, entry, _size(rng))
    power = float(rng.choice([-40, -25, -19, -10, 10, 18, 19, 25, 36]))
    scale = np.float32(10.0**power)
    with np.errstate(over="ignore", under="ignore"):
        both = [(table.astype(np.float32) * scale) for table in (X, new)]
    return Given(f"float32, units of 1e{power:g}", both[0], both[1], ANY, exactness=2e-3)


def _holes(rng: np.random.Generator, entry: Any) -> Given:
    X, new = _two(rng, entry, _size(rng))
    X[rng.random(X.shape) < 0.1] = np.nan
    return Given("", X, new, ANY)


FEATURES |= {
    kind: _broken(change) if due == BAD else _features(change, due, exactness)
    for kind, (change, due, exactness) in CONTAINERS.items()
}
FEATURES |= {
    "one row": _sized(1),
    "two rows": _sized(2),
    "three rows": _sized(3),
    "four rows": _sized(4),
    "one column": _narrow,
    "more columns than rows": _wide,
    "three distinct rows": _few_distinct,
    "two clusters": _clusters,
    "a straight line": _line,
    "a grid": _grid,
    "extreme units": _unit,
    "extreme units, float32": _unit_single,
    "holes": _holes,
}

#: Rows of which some numbers are not known.
GAPS = ("holes", "NaN", "None in a cell", "masked cells", "polars with a gap")

_NOTHING = np.random.default_rng(0)
BROKEN = {kind: make for kind, make in FEATURES.items() if make(_NOTHING, None).due == BAD}
SOUND = {kind: make for kind, make in FEATURES.items() if kind not in BROKEN}


def _table(change: Callable[..., Any], due: str = GOOD, exactness: float = 1e-6) -> Maker:
    """A table of distances (or of a kernel, for what takes that), with the block of new rows."""

    def make(rng: np.random.Generator, entry: Any) -> Given:
        X, new = _two(rng, entry, _size(rng))
        items = {} if not entry.takes_distances or rng.random() < 0.5 else {"items": X}
        if entry.takes_distances:
            D, block, name = cdist(X, X), cdist(new, X), "metric"
        else:
            D, block, name = X @ X.T, new @ X.T, "kernel"
        D = (D + D.T) / 2
        known = {name: "precomputed"}
        return Given("", change(D), change(block), due, known, items, exactness)

    return make


def _wrong_table(change: Callable[..., Any]) -> Maker:
    make_good = _table(np.array)

    def make(rng: np.random.Generator, entry: Any) -> Given:
        good = make_good(rng, entry)
        return replace(good, X=change(good.X), due=BAD)

    return make


TABLES |= {
    "a table": _table(np.array),
    "a table, float32": _table(lambda D: D.astype(np.float32), exactness=2e-3),
    "a table, read-only": _table(_read_only),
    "a table, column-major": _table(np.asfortranarray),
    "a table, whole numbers": _table(lambda D: np.rint(50 * D).astype(int), ANY),
    "a table in tiny units": _table(lambda D: D * 1e-120, ANY),
    "a table in huge units": _table(lambda D: D * 1e120, ANY),
    "a table, rounded": _table(lambda D: np.floor(D), ANY),
    "a table of lists": _table(np.ndarray.tolist),
    "a table as a frame": _table(_frame("pandas")),
    "a table, not square": _wrong_table(lambda D: D[:, :-1]),
    "a table, not symmetric": _wrong_table(lambda D: D + np.triu(np.ones_like(D), 1)),
    "a table with NaN": _wrong_table(_replaced(np.nan)),
    "a table with infinity": _wrong_table(_replaced(np.inf)),
    "a table of zeros": _table(lambda D: D * 0, ANY),
}


def _negative(rng: np.random.Generator, entry: Any) -> Given:
    good = _table(np.array)(rng, entry)
    return replace(good, X=good.X - 1.0, due=BAD if entry.takes_distances else ANY)


def _diagonal(rng: np.random.Generator, entry: Any) -> Given:
    good = _table(np.array)(rng, entry)
    wrong = good.X + 2 * np.eye(len(good.X))
    return replace(good, X=wrong, due=BAD if entry.takes_distances else ANY)


TABLES |= {"a table, negative": _negative, "a table, not zero to itself": _diagonal}


def _graph(change: Callable[..., Any] | None = None, due: str = ANY, k: int = 8) -> Maker:
    """A sparse graph of neighbours, and the sparse block of new rows."""

    def make(rng: np.random.Generator, entry: Any) -> Given:
        X, new = _two(rng, entry, 20)
        D, block = cdist(X, X), cdist(new, X)
        near = np.argsort(D, axis=1)[:, 1 : k + 1]
        keep = np.zeros(D.shape, dtype=bool)
        np.put_along_axis(keep, near, True, axis=1)
        graph = sp.csr_array(np.where(keep, D, 0))
        nearest = np.argsort(block, axis=1)[:, :k]
        reach = np.zeros(block.shape, dtype=bool)
        np.put_along_axis(reach, nearest, True, axis=1)
        known = {"metric": "precomputed"}
        given = graph if change is None else change(graph)
        return Given("", given, sp.csr_array(np.where(reach, block, 0)), due, known)

    return make


def _stored_zeros(graph: sp.csr_array) -> sp.csr_array:
    n = graph.shape[0]
    entries = graph.tocoo()
    row, column = np.append(entries.row, np.arange(n)), np.append(entries.col, np.arange(n))
    return sp.csr_array((np.append(entries.data, np.zeros(n)), (row, column)), shape=(n, n))


def _copies_in_graph(graph: sp.csr_array) -> sp.csr_array:
    graph = graph.tolil()
    graph[0, 1] = graph[1, 0] = 1.0
    graph = graph.tocsr()
    graph.data[(graph.data == 1.0)] = 0.0
    return sp.csr_array(graph)


def _in_pieces(graph: sp.csr_array) -> sp.csr_array:
    half = graph.shape[0] // 2
    table = graph.toarray()
    table[:half, half:] = table[half:, :half] = 0
    return sp.csr_array(table)


def _lonely(graph: sp.csr_array) -> sp.csr_array:
    table = graph.toarray()
    table[0], table[:, 0] = 0, 0
    return sp.csr_array(table)


GRAPHS: dict[str, Maker] = {
    "a graph": _graph(),
    "a wide graph": _graph(k=16),
    "a graph, float32": _graph(lambda g: g.astype(np.float32)),
    "a graph, read-only": _graph(_read_only),
    "a graph, unsorted": _graph(lambda g: _unsorted(g.toarray())),
    "a graph of one direction": _graph(lambda g: sp.csr_array(sp.triu(g.maximum(g.T)))),
    "a graph of two lengths": _graph(lambda g: sp.csr_array(g + 0.5 * sp.triu(g))),
    "a graph with stored zeros": _graph(_stored_zeros),
    "a graph with copies": _graph(_copies_in_graph),
    "a graph in two pieces": _graph(_in_pieces),
    "a graph with a lonely row": _graph(_lonely),
    "a graph without edges": _graph(lambda g: sp.csr_array(g.shape)),
    "a graph, by columns": _graph(lambda g: g.tocsc()),
    "a graph, coordinates": _graph(lambda g: g.tocoo()),
    "a graph, negative": _graph(lambda g: -g, BAD),
    "a graph, not square": _graph(lambda g: g[:, :-1], BAD),
    "a graph with NaN": _graph(lambda g: g * np.nan, BAD),
}


def draw_input(rng: np.random.Generator, entry: Any, takes_kernel: bool) -> Given:
    """Draw an X for an estimator: plain tables most often, and each strange one now and then."""
    luck = rng.random()
    if entry.takes_distances and luck < 0.12:
        makers = GRAPHS
    elif (entry.takes_distances or takes_kernel) and luck < 0.22:
        makers = TABLES
    elif luck < 0.5:
        makers = {"dense": FEATURES["dense"]}
    elif luck < 0.57:
        makers = BROKEN
    else:
        makers = SOUND
    kind = str(rng.choice(list(makers)))
    given = makers[kind](rng, entry)
    return replace(given, kind=given.kind or kind)
