"""Name the tests of what changed: the folders that mirror changed modules, and changed tests.

What changed is told by git: against HEAD, files that are not tracked yet included, or since a
revision that is given.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = ["tests/test_architecture.py"]


def changed(base: str) -> list[str]:
    """Paths that differ from a revision, and new ones."""
    commands = (
        ["git", "diff", "--name-only", base],
        ["git", "ls-files", "--others", "--exclude-standard"],
    )
    lines = [
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for command in commands
    ]
    return sorted({line for line in "".join(lines).splitlines() if line.endswith(".py")})


def tests_for(path: str) -> str | None:
    """The tests of a module: a file of its name, or the folder that mirrors its room."""
    if path.startswith("tests/"):
        named = Path(path).name.startswith("test_")
        return path if named and (ROOT / path).exists() else None
    if not path.startswith("src/sidelight/"):
        return None
    mirrored = Path("tests", *Path(path).parts[2:])
    own = mirrored.with_name(f"test_{mirrored.name}")
    if (ROOT / own).exists():
        return str(own)
    room = mirrored.parent
    while room != Path("tests") and not (ROOT / room).is_dir():
        room = room.parent
    return None if room == Path("tests") else str(room)


def main() -> None:
    """Print the tests, one a line."""
    base = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    found = {tests_for(path) for path in changed(base)} - {None}
    print("\n".join([*ALWAYS, *sorted(str(path) for path in found)]))


if __name__ == "__main__":
    main()
