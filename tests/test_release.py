"""What is released: bounds that are tried, extras that bring what they say, files in the sdist."""

from __future__ import annotations

import ast
import fnmatch
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path

import pytest

import sidelight
from tools import release_check, smoke_test

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(sidelight.__file__).parent


def missing_extras():
    """Every error for a missing package, as (file, package, extra)."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtraError":
                package, extra = (ast.literal_eval(argument) for argument in node.args[:2])
                yield path.relative_to(PACKAGE).as_posix(), package, extra


def test_every_missing_package_is_brought_by_the_extra_that_its_error_names():
    found = list(missing_extras())
    assert len(found) >= 9
    wrong = [
        (file, package, extra)
        for file, package, extra in found
        if package not in release_check.brought_by(extra)
    ]
    assert not wrong


def test_an_extra_brings_what_the_extras_in_it_bring():
    brought = release_check.brought_by("cli")
    assert {"typer", "rich", "matplotlib", "pandas", "narwhals", "pyarrow"} == brought.keys()
    assert release_check.brought_by("scale").keys() == {"dask", "distributed"}
    assert release_check.parts_of("dask[array]>=2025.1") == ("dask", ["array"], "2025.1")
    assert release_check.parts_of("harmonypy>=0.0.10,<0.1")[2] == "0.0.10"


def test_the_oldest_versions_that_are_tried_are_those_that_are_promised(tmp_path, monkeypatch):
    assert release_check.not_pinned() == []
    written = release_check.OLDEST.read_text()
    monkeypatch.setattr(release_check, "OLDEST", tmp_path / "oldest.txt")
    for old, new, said in (
        ("numpy==2.0.0", "numpy==2.0.1", "numpy 2.0"),
        ("narwhals==", "narwhal==", "narwhals"),
        ("numba==", "llvmlite==1\nnumba==", "llvmlite, which nothing brings"),
    ):
        release_check.OLDEST.write_text(written.replace(old, new))
        assert any(line.startswith(said) for line in release_check.not_pinned())


@pytest.mark.parametrize("tool", [release_check, smoke_test])
def test_the_tools_of_a_release_say_what_they_do(tool, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [tool.__name__, "--help"])
    with pytest.raises(SystemExit) as ended:
        tool.main()
    assert ended.value.code == 0
    assert tool.__doc__.split()[0] in capsys.readouterr().out


def test_what_is_tried_where_the_package_is_installed_works_here(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    smoke_test.check_frames()
    done = []
    monkeypatch.setattr(smoke_test, "command_line", lambda *words: done.append(words))
    monkeypatch.setattr(smoke_test, "done", done, raising=False)
    smoke_test.follow(
        "```\npip install it\nsidelight datasets digits -o 'a b.csv'\n```\n"
        "```python\nfrom tools import smoke_test\n```\n"
        "```python\nsmoke_test.done.append(7)\n```\n"
    )
    assert done == [("datasets", "digits", "-o", "a b.csv"), 7]
    with pytest.raises(NameError):
        smoke_test.follow("```python\nnot_there\n```\n")


def test_the_sdist_holds_all_that_the_makefile_and_the_pages_name():
    """Everything at the top of the working copy that is kept, but for what hides behind a dot."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("no working copy of git")
    kept = {line.split("/")[0] for line in listed.stdout.splitlines() if line[0] != "."}
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    patterns = [*settings["targets"]["sdist"]["include"], "/pyproject.toml"]
    out = {name for name in kept if not any(fnmatch.fnmatch(f"/{name}", each) for each in patterns)}
    assert not out
    assert {"Makefile", "conftest.py", "requirements", "SECURITY.md"} <= kept


def test_the_citation_is_of_this_version_and_has_a_date():
    fields = dict(
        line.split(": ", 1)
        for line in (ROOT / "CITATION.cff").read_text().splitlines()
        if ": " in line
    )
    assert fields["version"] == sidelight.__version__
    assert date.fromisoformat(fields["date-released"]) > date(2026, 1, 1)
