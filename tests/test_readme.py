"""README and book say what is so: their Python gives what it states, their commands parse."""

from __future__ import annotations

import ast
import io
import re
import shlex
import tokenize
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from tools.smoke_test import steps_of

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
#: Pages that are made from results state what those hold; folders that a build fills are no pages.
MADE = ("experiments", "texts.md", "gallery", "api")
BOOK = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if path.parts[len(ROOT.parts) + 1] not in MADE
]
PAGES = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *BOOK)
}
BLOCKS = {
    name: blocks
    for name, text in PAGES.items()
    if (blocks := re.findall(r"```python\n(.*?)```", text, re.DOTALL))
}
#: The page that a newcomer follows line by line.
START = "docs/start.md"
EXAMPLES = [path.read_text(encoding="utf-8") for path in (ROOT / "docs/examples").rglob("*.py")]
COMMANDS = [
    line.strip()
    for text in (*PAGES.values(), *EXAMPLES)
    for line in text.splitlines()
    if re.match(r"( {4})?(zcat .* \| )?sidelight [a-z]+ ", line)
]


def comments_of(code):
    """The comment of each line that has one."""
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return {
        token.start[0]: token.string.removeprefix("#").strip()
        for token in tokens
        if token.type == tokenize.COMMENT
    }


def stated(comment):
    """The value that a comment begins with, as ``# 8: the frame …``; None if it is only words."""
    ends = [i for i in range(len(comment), 0, -1) if i == len(comment) or comment[i] == ":"]
    for end in ends:
        try:
            return comment[:end], ast.literal_eval(comment[:end])
        except (ValueError, SyntaxError):
            continue
    return None


def agrees(found, text, value):
    """Whether a result is as stated: numbers to the digits written, texts up to an ellipsis."""
    if isinstance(value, str):
        found = str(found).strip()
        return found.startswith(value[:-1].strip()) if value.endswith("…") else found == value
    if isinstance(value, float):
        digits = len(text.partition(".")[2])
        return f"{float(found):.{digits}f}" == text
    if isinstance(value, list) and value and isinstance(value[0], float):
        return np.array_equal(np.asarray(found), value)
    return found == value


def run(code, names):
    """Run a block statement by statement, and give what lines with a stated value gave."""
    comments = comments_of(code)
    results = []
    for statement in ast.parse(code).body:
        said = stated(comments.get(statement.end_lineno, ""))
        if said is None or not isinstance(statement, ast.Expr):
            exec(compile(ast.Module([statement], []), "README.md", "exec"), names)
            continue
        printed = io.StringIO()
        with redirect_stdout(printed):
            found = eval(compile(ast.Expression(statement.value), "README.md", "eval"), names)
        results.append((said, printed.getvalue() if found is None else found))
    return results


def given():
    rng = np.random.default_rng(0)
    return {"X": rng.standard_normal((60, 5)), "y": rng.integers(0, 3, 60)}


def row_by_row(names):
    """Each new row depends on that row alone."""
    model, data = names["isomap"], names["data"]
    new = data.X[:5] + 0.1
    together = model.transform(new)
    np.testing.assert_allclose(np.vstack([model.transform(row[None]) for row in new]), together)


def ring_and_points(names):
    """The digit known, what is left is a ring of angles; the angle known, one point a digit."""
    angle, digit = names["angle"], names["digit"]
    Z = names["ring"].embedding_ - names["ring"].embedding_.mean(axis=0)
    radius = np.linalg.norm(Z, axis=1)
    assert radius.std() < 0.1 * radius.mean()
    turned = np.exp(1j * np.arctan2(Z[:, 1], Z[:, 0]))
    true = np.exp(1j * np.radians(angle))
    assert max(abs(np.mean(turned * true)), abs(np.mean(turned / true))) > 0.9
    Z = names["model"].embedding_
    within = sum(np.sum((Z[digit == d] - Z[digit == d].mean(axis=0)) ** 2) for d in set(digit))
    assert within < 1e-3 * np.sum((Z - Z.mean(axis=0)) ** 2)
    X = names["digits"].X
    shown = names["model"].render(X[:1], condition=90.0)
    target = X[(digit == digit[0]) & (angle == 90.0)]
    assert np.mean((shown - target) ** 2) < 0.05 * X.var()


def unit(names):
    assert names["model"].unit_ > 0


#: What comments state in words, by what the block that states it holds.
WORDS = {"save(isomap": row_by_row, "ring = ": ring_and_points, "unit_": unit}


def holds_what_it_states(code, names):
    """Run a block, and compare what it gives with what its comments say."""
    for (text, value), found in run(code, names):
        assert agrees(found, text, value), f"stated {text}, found {found}"
    for words, check in WORDS.items():
        if words in code:
            check(names)


@pytest.mark.parametrize("page", sorted(BLOCKS.keys() - {START}))
def test_blocks_give_what_they_state(page, tmp_path, monkeypatch):
    """The blocks of a page follow one another; X and y are there from the beginning."""
    if any("sidelight.gated" in code for code in BLOCKS[page]):
        pytest.importorskip("torch", reason="the gated models stand on torch")
    monkeypatch.chdir(tmp_path)
    names = given()
    for code in BLOCKS[page]:
        holds_what_it_states(code, names)


def test_start_can_be_followed_from_its_first_line_to_its_last(tmp_path, monkeypatch):
    """Nothing is there from the beginning: its commands work on files that its Python wrote."""
    from typer.testing import CliRunner

    from sidelight.cli.application import application

    monkeypatch.chdir(tmp_path)
    names, steps = {}, steps_of(PAGES[START])
    assert [code for what, code in steps if what == "python"] == BLOCKS[START]
    assert sum(what == "sidelight" for what, _ in steps) >= 3
    for what, step in steps:
        if what == "python":
            holds_what_it_states(step, names)
            continue
        done = CliRunner().invoke(application, shlex.split(step))
        assert done.exit_code == 0, (step, done.output, done.exception)
    assert len((tmp_path / "map.csv").read_text().splitlines()) == 1 + len(names["frame"])
    assert len((tmp_path / "placed.csv").read_text().splitlines()) > 1
    assert (tmp_path / "map.png").stat().st_size > 10_000


def test_the_labels_said_to_be_unknown_are_unknown():
    from sidelight.side import Pairs

    assert any('labels, some of them unknown (-1, None, "")' in text for text in PAGES.values())
    for labels in ([0, 0, -1, -1], ["a", "a", None, None], ["a", "a", "", ""]):
        assert Pairs.from_labels(labels).similar.tolist() == [[0, 1]]


def test_every_number_in_a_comment_is_asserted():
    """A number in a comment is a statement: one that no test reads could be wrong."""
    known = {'labels, some of them unknown (-1, None, "")'}
    n_stated = 0
    for code in (code for blocks in BLOCKS.values() for code in blocks):
        for comment in comments_of(code).values():
            said = stated(comment)
            n_stated += said is not None
            rest = comment.removeprefix(said[0]) if said else comment
            assert comment in known or not re.search(r"\d", rest), comment
    assert n_stated >= 12


def test_a_wrong_statement_is_noticed():
    for code in ("1 + 1  # 3: two", "print('a b')  # 'a c …'", "0.0188  # 0.018", "[1.5]  # [1.6]"):
        (((text, value), found),) = run(code, {})
        assert not agrees(found, text, value)
    for code in ("1 + 1  # 2: two", "print('a b')  # 'a …'", "0.0188  # 0.019", "[1.5]  # [1.5]"):
        (((text, value), found),) = run(code, {})
        assert agrees(found, text, value)


def test_the_number_of_digits():
    from sidelight.datasets import digits

    assert f"embeds {len(digits().X):,} handwritten digits" in README


@pytest.mark.parametrize("line", sorted(set(COMMANDS)))
def test_commands_are_ones_that_there_are(line, tmp_path, monkeypatch):
    import typer

    from sidelight.cli.application import application

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n")))
    name, *arguments = shlex.split(line.partition("| ")[2] or line)[1:]
    command = typer.main.get_command(application).commands[name]
    with command.make_context(name, arguments) as context:  # which refuses unknown options
        assert context.params


def test_there_are_blocks_and_commands():
    assert len(BLOCKS) >= 12
    assert len(COMMANDS) >= 25
