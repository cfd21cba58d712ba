"""Write the README's tables from what they are tables of: registry, experiments, benchmarks.

A table stands between two comments, ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from sidelight.registry import ESTIMATORS, MAPS, SAVED, Entry

ROOT = Path(__file__).resolve().parent.parent
SIDE_KINDS = ("Pairs", "Attributes", "Distances", "Relation", "Condition", "Anchors")
GIFTS = ("map", "new points", "way back", "density")


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

    results = ROOT / "benchmarks" / "results.json"
    return markdown(json.loads(results.read_text())) if results.exists() else ""


def default_maps_table() -> str:
    """Maps by default beside those of others, as the experiment measured them."""
    results = json.loads((ROOT / "experiments" / "results" / "default_maps.json").read_text())
    told, area, cost = ({r["name"]: r["values"] for r in t["rows"]} for t in results["tables"][:3])
    methods = [name for name in results["tables"][1]["columns"] if name != "Isomap"]
    header = ["data", *(f"{name}: five nearest, area, CPU s" for name in methods)]
    lines = [_row(header), _row(["---", *["---:"] * len(methods)])]
    for name, areas in area.items():
        tells = told[name][1:]  # the first is what all features tell
        cells = [
            f"{'–' if t is None else f'{t:.3f}'}, {a:.3f}, {c:.2g}"
            for t, a, c in zip(tells, areas, cost[name], strict=True)
        ]
        lines.append(_row([name, *cells[: len(methods)]]))
    return "\n".join(lines)


TABLES = {
    "methods": methods_table,
    "gated": gated_table,
    "listening": listening_table,
    "default maps": default_maps_table,
    "benchmarks": benchmarks_table,
}


def with_tables(text: str) -> str:
    """The text with every table written anew."""
    for name, table in TABLES.items():
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        if not pattern.search(text):
            raise SystemExit(f"README has no place for the table {name!r}: {begin} … {end}")
        block = f"{begin}\n{table()}\n{end}"
        text = pattern.sub(lambda _, block=block: block, text)
    return text


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Check the README, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readme", type=Path)
    parser.add_argument("--write", action="store_true", help="write the tables, not only check")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    old = options.readme.read_text()
    new = with_tables(old)
    if new == old:
        return
    if not options.write:
        raise SystemExit("The README's tables are out of date. Run: make docs")
    options.readme.write_text(new)


if __name__ == "__main__":
    main()
