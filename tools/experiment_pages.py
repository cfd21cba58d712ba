"""Write ``docs/experiments`` and ``docs/texts.md`` from ``experiments/results``, or check them."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Check the pages, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the pages, not only check")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from experiments.pages import judge_anew, pages

    if options.write:
        judge_anew()
    for name, text in pages().items():
        path = ROOT / "docs" / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if not options.write:
            raise SystemExit(f"docs/{name} is out of date. Run: make docs")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
