"""Write the tables of the README and of the book from what they are tables of.

A table stands between two comments, ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``, on every
page that has a place for it.  Registry, experiments and benchmarks are what it is made from.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

from sidelight.registry import ESTIMATORS, MAPS, SAVED, Entry

ROOT = Path(__file__).resolve().parent.parent
SIDE_KINDS = ("Pairs", "Attributes", "Distances", "Relation", "Condition", "Anchors")
GIFTS = ("map", "new points", "way back", "density")
#: Standard deviations of maps: at first, when it unfolds, and of a thousand rows to a million.
SPREADS = (1e-4, 1.0, 5.0, 10.0, 20.0, 40.0, 80.0)
#: The rows of the benchmarks that tell most: wide leads, a narrow one, and one that is lost.
TELLING = (
    "neighbor-embedding-10000/digits_50",
    "isomap-10000/swiss_roll",
    "kernel-pca-10000/mnist_30",
    "unfolding-200/swiss_roll",
    "neighbors-1797/digits",
)


def methods_table() -> str:
    """The estimators, and what each gives back."""
    lines = [
        _row(["estimator", "what it does", *GIFTS]),
        _row(["---", "---", *[":-:"] * len(GIFTS)]),
    ]
    for entry in ESTIMATORS:
        gives = ["•" if gift in entry.gives else "" for gift in GIFTS]
        lines.append(_row([f"`{entry.name}`", entry.summary, *gives]))
    return "\n".join(lines)


def gated_table() -> str:
    """The models of change."""
    lines = [_row(["model", "what it learns"]), _row(["---", "---"])]
    models = [entry for entry in SAVED if entry not in ESTIMATORS]
    return "\n".join(lines + [_row([f"`{entry.name}`", entry.summary]) for entry in models])


def listening_table() -> str:
    """What each estimator listens to, and where in a map that acts."""
    heard = {kind for entry in ESTIMATORS for kind in entry.understands}
    kinds = [kind for kind in SIDE_KINDS if kind in heard] + sorted(heard - set(SIDE_KINDS))
    lines = [
        _row(["estimator", *(f"`{kind}`" for kind in kinds)]),
        _row(["---"] * (len(kinds) + 1)),
    ]
    for entry in ESTIMATORS:
        cells = [_place(entry, kind) if kind in entry.understands else "" for kind in kinds]
        lines.append(_row([f"`{entry.name}`", *cells]))
    return "\n".join(lines)


def _place(entry: Entry, kind: str) -> str:
    return entry.place_of(kind) if entry in MAPS else "learned"


def benchmarks_table() -> str:
    """The last full benchmark, as committed."""
    from benchmarks.table import markdown

    return markdown(_benchmarks())


def telling_table() -> str:
    """The rows of the last full benchmark that tell most."""
    from benchmarks.table import markdown

    report = _benchmarks()
    by_name = {row["name"]: row for row in report["rows"]}
    rows = [by_name[name] for name in TELLING]
    return markdown({**report, "rows": rows}).partition("\n\n")[0]


def _benchmarks() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "benchmarks" / "results.json").read_text())
    return found


def default_maps_table() -> str:
    """Maps by default beside those of others, as the experiment measured them."""
    results = json.loads((ROOT / "experiments" / "results" / "default_maps.json").read_text())
    told, area, cost = ({r["name"]: r["values"] for r in t["rows"]} for t in results["tables"][:3])
    methods = [name for name in results["tables"][1]["columns"] if name != "Isomap"]
    header = ["data", *methods]
    lines = [_row(header), _row(["---", *["---:"] * len(methods)])]
    for name, areas in area.items():
        tells = told[name][1:]  # the first is what all features tell
        cells = [
            f"{'–' if t is None else f'{t:.3f}'}, {a:.3f}, {c:.2g}"
            for t, a, c in zip(tells, areas, cost[name], strict=True)
        ]
        lines.append(_row([name, *cells[: len(methods)]]))
    return "\n".join(lines)


def mesh_errors_table() -> str:
    """How far the repulsion on a mesh is from the sums over all pairs, in maps of any size."""
    import numpy as np

    from sidelight.core import Threads
    from sidelight.latent.neighbor_embedding import exact_field, mesh_field

    cloud, pool = np.random.default_rng(0).standard_normal((2000, 2)), Threads(1)
    header = ["spread of the map", *(f"{spread:g}" for spread in SPREADS)]
    forces, sums = ["error of the forces"], ["error of $Z$"]
    for spread in SPREADS:
        Y = spread * cloud
        exact, slopes = exact_field(Y, 1.0, pool).among(Y, pool)
        values, on_mesh = mesh_field(Y, 1.0, pool).among(Y, pool)
        forces.append(f"{np.linalg.norm(on_mesh - slopes) / np.linalg.norm(slopes):.0e}")
        # rounding is another from one processor to the next
        off = abs(values.sum() / exact.sum() - 1.0)
        sums.append(f"{off:.0e}" if off > 1e-9 else "< 1e-09")
    return "\n".join(_row(c) for c in (header, ["---", *["---:"] * len(SPREADS)], forces, sums))


TABLES = {
    "methods": methods_table,
    "gated": gated_table,
    "listening": listening_table,
    "default maps": default_maps_table,
    "mesh errors": mesh_errors_table,
    "benchmarks": benchmarks_table,
    "telling benchmarks": telling_table,
}
_PLACE = re.compile(r"<!-- ([\w ]+): begin -->\n.*?<!-- \1: end -->", re.DOTALL)


def pages() -> list[Path]:
    """The README and the written pages of the book."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def with_tables(text: str) -> str:
    """The text with every table that it has a place for written anew."""

    def anew(place: re.Match[str]) -> str:
        name = place[1]
        if name not in TABLES:
            raise SystemExit(f"There is no table {name!r}: {', '.join(TABLES)}.")
        return f"<!-- {name}: begin -->\n{TABLES[name]()}\n<!-- {name}: end -->"

    return _PLACE.sub(anew, text)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Check the pages, or write them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path, nargs="*", help="all by default")
    parser.add_argument("--write", action="store_true", help="write the tables, not only check")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    for page in options.pages or pages():
        old = page.read_text(encoding="utf-8")
        new = with_tables(old)
        if new == old:
            continue
        if not options.write:
            raise SystemExit(f"The tables of {page.name} are out of date. Run: make docs")
        page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
