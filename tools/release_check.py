"""Build wheel and sdist, install each in environments of their own, and see that they work.

Every interpreter given gets an environment with the newest dependencies; those up to Python 3.12
one with the oldest that are promised, too (``requirements/oldest.txt``).  The library is tried
alone first, then with the extra that ``docs/start.md`` installs, by following that page.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = ROOT / "requirements" / "oldest.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
#: The extra that is tried, and the page that says to install it.
EXTRA, START = "cli", ROOT / "docs" / "start.md"


def brought_by(extra: str) -> dict[str, str]:
    """The packages that an extra installs, also through others, and the least version of each."""
    found: dict[str, str] = {}
    for line in EXTRAS[extra]:
        name, others, least = parts_of(line)
        if name == PROJECT["name"]:
            for other in others:
                found |= brought_by(other)
        else:
            found[name] = least
    return found


def parts_of(requirement: str) -> tuple[str, list[str], str]:
    """A requirement taken apart: the package, its extras, the least version."""
    name, extras, least = re.fullmatch(
        r"([\w.-]+)(?:\[(.*)\])?(?:>=([\w.]+).*)?", requirement
    ).groups()
    return name, (extras or "").split(","), least or ""


def lower_bounds() -> dict[str, str]:
    """What pyproject.toml promises of all that is tried: each package, the least version of it."""
    needed = [parts_of(line) for line in PROJECT["dependencies"]]
    return {name: least for name, _, least in needed} | brought_by(EXTRA)


def pinned() -> dict[str, str]:
    """What the file of oldest versions installs."""
    lines = [line for line in OLDEST.read_text().splitlines() if line and line[0] != "#"]
    return dict(line.split("==") for line in lines)


def not_pinned() -> list[str]:
    """The packages whose oldest version is not the one that is promised, or that has none."""
    wanted, installed = lower_bounds(), pinned()
    return [
        f"{name} {least or 'without a bound'}"
        for name, least in wanted.items()
        if not least or _plain(installed.get(name, "")) != _plain(least)
    ] + [f"{name}, which nothing brings" for name in installed.keys() - wanted.keys()]


def _plain(version: str) -> str:
    """A version without the zeros at its end, which say nothing."""
    return re.sub(r"(\.0)+$", "", version)


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command where no path of the working copy helps it."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}")
    return done.stdout.strip()


def new_environment(folder: Path, interpreter: str) -> Path:
    """Make an environment, and give its interpreter."""
    run(interpreter, "-m", "venv", folder)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def build(folder: Path) -> tuple[Path, Path]:
    """Build the sdist, and the wheel from the sdist."""
    python = new_environment(folder / "building", sys.executable)
    run(python, "-m", "pip", "install", "--quiet", "build")
    run(python, "-m", "build", "--outdir", folder / "dist", ROOT)
    (wheel,), (sdist,) = (tuple((folder / "dist").glob(end)) for end in ("*.whl", "*.tar.gz"))
    return wheel, sdist


def try_out(folder: Path, interpreter: str, package: Path, *constraints: str | Path) -> str:
    """Install a package, and nothing else by name, and run the smoke test away from the sources.

    Then with the extra of the page that newcomers follow, and follow it.
    """
    python = new_environment(folder, interpreter)
    run(python, "-m", "pip", "install", "--quiet", package, *constraints)
    script = shutil.copy(ROOT / "tools" / "smoke_test.py", folder)
    alone = run(python, script, cwd=folder)
    run(python, "-m", "pip", "install", "--quiet", f"{package}[{EXTRA}]", *constraints)
    return f"{alone}\n  {run(python, script, shutil.copy(START, folder), cwd=folder)}"


def main() -> None:
    """Build, install, try; the first that fails ends it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs="*", default=[sys.executable])
    parser.add_argument("--dist", type=Path, help="keep what is built here")
    options = parser.parse_args()
    if wrong := not_pinned():
        raise SystemExit(f"{OLDEST.name} must hold what pyproject.toml says: {', '.join(wrong)}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel, sdist = build(folder)
        print(f"{wheel.name} {wheel.stat().st_size / 1e6:.1f} MB, {sdist.name}")
        for number, interpreter in enumerate(options.interpreters):
            print("newest:", try_out(folder / f"newest{number}", interpreter, wheel), flush=True)
            minor = run(interpreter, "-c", "import sys; print(sys.version_info[1])")
            if int(minor) <= 12:
                old = try_out(folder / f"oldest{number}", interpreter, wheel, "-c", OLDEST)
                print("oldest:", old, flush=True)
        print("sdist: ", try_out(folder / "sdist", options.interpreters[0], sdist), flush=True)
        if options.dist:
            options.dist.mkdir(parents=True, exist_ok=True)
            for package in (wheel, sdist):
                shutil.copy(package, options.dist)


if __name__ == "__main__":
    main()
