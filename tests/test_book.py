"""The book is whole: a page for everything, pictures that are drawn, figures that are measured."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from experiments.texts import UNMEASURED
from sidelight import side
from sidelight.registry import SAVED
from tests.test_readme import BOOK, PAGES, ROOT

pytest.importorskip("sphinx", reason="the book is built by Sphinx")

from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.domains.python import PythonDomain

from tools.book import DIRECTIVES, waiting
from tools.book.measured import claims_not_held, figure, part_of, record, source_of
from tools.book.methods import examples, facts_of
from tools.book.reference import reference_pages
from tools.readme_tables import TABLES, with_tables

DOCS = ROOT / "docs"
RESULTS = ROOT / "experiments" / "results"
TEXTS = {name: text for name, text in PAGES.items() if name != "README.md"}
KINDS = sorted(
    name
    for name in side.__all__
    if isinstance(getattr(side, name), type)
    and issubclass(getattr(side, name), side.SideInformation)
    and name != "SideInformation"
)


def prose(text):
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("entry", SAVED, ids=lambda entry: entry.name)
def test_an_estimator_has_its_page(entry):
    text = TEXTS[f"docs/methods/{entry.family}/{entry.name}.md"]
    assert text.startswith(f"# {entry.name}\n")
    assert f"```{{facts}} {entry.name}\n```" in text
    assert re.search(rf"```python\n(?:(?!```).)*\b{entry.name}\(", text, re.DOTALL)  # how to begin
    assert "**When to take it.**" in text
    assert "**When not to take it.**" in text
    assert "**Cost.**" in text
    assert "**Parameters that matter:**" in text
    assert text.count("$$") == 2
    assert re.search(r"!\[.+\]\(/gallery/", text)
    assert entry.name in TEXTS[f"docs/methods/{entry.family}/index.md"]
    facts = facts_of(entry)
    assert "**examples**" in facts  # at least one of the gallery uses it


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_of_side_information_has_its_page(kind):
    text = TEXTS[f"docs/known/{kind.lower()}.md"]
    assert text.startswith(f"# {kind}\n")
    for words in ("What to say.", "Where it acts.", "What it did.", "When it does not help."):
        assert f"**{words}**" in text
    assert f"\n{kind.lower()}\n" in TEXTS["docs/known/index.md"]
    assert f"[{kind}]({kind.lower()}.md)" in TEXTS["docs/known/index.md"]


def test_there_are_nine_kinds():
    assert len(KINDS) == 9


def test_examples_are_in_the_order_of_the_gallery():
    sections = {path.partition("/")[0] for path in examples()}
    conf = (DOCS / "conf.py").read_text()
    for section in sections:
        assert f'"examples/{section}"' in conf
        assert (DOCS / "examples" / section / "GALLERY_HEADER.rst").exists()
    assert len(examples()) >= 25
    for path, (title, code) in examples().items():
        assert re.match(r'"""\n' + re.escape(title) + r"\n=+\n\n\S", code), path
        assert "SIDELIGHT_DATA" not in code


def test_recipes_are_listed():
    for path in examples():
        if path.startswith("recipes/"):
            assert f"(gallery/{path}.rst)" in TEXTS["docs/recipes.md"], path


@pytest.mark.parametrize("name", [n for n, t in TEXTS.items() if "/gallery/" in t])
def test_pictures_are_drawn_by_examples(name):
    pictures = re.findall(r"\(/gallery/([\w/]+)/images/sphx_glr_(\w+)_\d{3}\.png\)", TEXTS[name])
    others = len(re.findall(r"\((?:\.\./)?(?:known_factor|screenshots/)", TEXTS[name]))
    assert len(pictures) == TEXTS[name].count(".png)") - others
    for section, example in pictures:
        assert f"{section}/{example}" in examples()


def test_every_screenshot_is_shown_on_a_page():
    for path in (DOCS / "screenshots").iterdir():
        assert any(f"screenshots/{path.name})" in text for text in TEXTS.values()), path.name


@pytest.mark.parametrize("name", [n for n, t in TEXTS.items() if "$" in prose(t)])
def test_formulas_can_be_drawn(name):
    text = prose(TEXTS[name])
    for formula in re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL):
        assert "<math" in tex2mathml(formula, as_block=True)
    for formula in re.findall(r"\$([^$\n]+)\$", re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)):
        assert "<math" in tex2mathml(formula)


def test_figures_are_measured():
    found = [said for text in TEXTS.values() for said in re.findall(r"\{measured\}`(.+?)`", text)]
    for said in found:
        assert re.search(r"\d", figure(said)), said
    assert len(found) >= 15
    tables = [
        (said, options)
        for text in TEXTS.values()
        for said, options in re.findall(r"```\{measured-table\} (.+)\n((?::.+\n)*)```", text)
    ]
    assert len(tables) >= 8
    for said, options in tables:
        name, _, key = said.partition(": ")
        asked = dict(re.findall(r":(\w+): (.+)", options))
        rows, columns = (
            asked.get(w, "").split(" | ") if w in asked else [] for w in ("rows", "columns")
        )
        written = part_of(record(name).table(key), rows, columns).splitlines()
        assert len(written) == 2 + (len(rows) or len(record(name).table(key).rows))


def test_a_table_says_of_which_version_it_is():
    found = record("informed_faces")
    said = source_of(found, found.table("told"), "informed_faces")
    assert f"Measured with version {found.version} on {found.date}" in said
    older = replace(found, version="0.0.9")
    assert "figures of an older version" in source_of(older, older.table("told"), "informed_faces")


@pytest.mark.parametrize("page", ["distances", "attributes"])
def test_a_kind_of_knowledge_shows_what_it_did_to_real_data(page):
    text = (ROOT / f"docs/known/{page}.md").read_text("utf-8")
    assert "{measured-table} informed_faces" in text
    if page == "distances":
        assert "does not hold" in text  # as the record has it
        claims = [c for c in record("informed_faces").claims if c["says"].startswith("30 dist")]
        assert not claims[0]["holds"]


def test_a_figure_that_is_not_there_is_refused():
    for said in ("action_paths: walks/ARE/(z)", "action_paths: walks/nobody/(a)", "nothing: a/b/c"):
        with pytest.raises((KeyError, ValueError)):
            figure(said)
    with pytest.raises(ValueError, match="has no"):
        part_of(record("action_paths").table("walks"), ["nobody"], [])


def test_what_did_not_hold_is_said():
    kept = [json.loads(path.read_text()) for path in RESULTS.glob("*.json")]
    refuted = [claim["says"] for found in kept for claim in found["claims"] if not claim["holds"]]
    assert refuted  # of more than a hundred claims some do not
    lines = claims_not_held()
    assert len(lines) == len(refuted)
    for says in refuted:
        assert any(says in line and "DOES NOT HOLD" in line for line in lines), says


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose(PAGES[name])):
        if target.startswith(("http", "/gallery", "/api", "gallery/")) or "/gallery/" in target:
            continue
        folder = DOCS if target.startswith("/") else (ROOT / name).parent
        assert (folder / target.lstrip("/")).exists(), f"{name} leads to {target}"


def well_formed(link):
    """Whether a link to elsewhere names a host by https, and ends where it should."""
    parts = urlsplit(link)
    return parts.scheme == "https" and "." in parts.netloc and not re.search(r"[\s.,;:]$", link)


def test_links_to_elsewhere_are_well_formed():
    for name, text in PAGES.items():
        for link in re.findall(r"\]\((\w+://[^)]*)\)", text):
            assert well_formed(link), f"{name} leads to {link}"
    assert well_formed("https://example.org/a?b=c")
    for link in ("http://example.org", "https://nowhere", "https://example.org/a.", "ftp://a.b"):
        assert not well_formed(link)


def test_an_example_that_takes_too_long_is_a_warning(monkeypatch):
    from sphinx_gallery.scrapers import clean_modules

    assert '"tools.book.stopwatch"' in (DOCS / "conf.py").read_text()
    clock = iter([1.0, 3.0, 5.0, 26.0])
    monkeypatch.setattr(waiting.time, "process_time", lambda: next(clock))
    monkeypatch.setattr(waiting, "TAKEN", {})
    conf = {"reset_modules": ("tools.book.stopwatch",), "src_dir": str(DOCS)}
    for name in ("plot_quick.py", "plot_slow.py"):
        for when in ("before", "after"):
            clean_modules(conf, name, when)
    warned = []
    monkeypatch.setattr(
        waiting.logging, "getLogger", lambda name: SimpleNamespace(warning=warned.append)
    )
    waiting.warn_of_slow_examples(None, None)
    assert len(warned) == 1
    assert warned[0].startswith("The example plot_slow.py takes 21 s")


def test_every_page_can_be_reached():
    """Every page is in the tree of contents of another, but the first."""
    named = set()
    for path in (*BOOK, *(DOCS / "experiments").glob("*.md")):
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text(), re.DOTALL):
            entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
            named |= {(path.parent / entry).resolve() for entry in entries}
    for path in (*BOOK, DOCS / "texts.md", *(DOCS / "experiments").glob("*.md")):
        assert path == DOCS / "index.md" or path.with_suffix("") in named, path


def test_directives_have_names_of_their_own():
    """Sphinx takes a directive of Python's domain first: ``method``, say."""
    assert not set(DIRECTIVES) & set(PythonDomain.directives)


def test_fractions_have_braces():
    """``frac12`` is one half to LaTeX, but not to what draws the formulas here."""
    for name, text in TEXTS.items():
        assert not re.search(r"\\t?frac[^{]", prose(text)), name


def test_the_reference_has_every_public_name():
    pages = reference_pages()
    assert {entry.name for entry in SAVED} < set(pages)
    assert ".. autoclass:: sidelight.side.Pairs\n" in pages["side"]
    assert ".. autofunction:: sidelight.embed\n" in pages["sidelight"]
    members = re.search(":members: (.*)", pages["Isomap"])[1].split(", ")
    assert {"fit", "transform", "inverse_transform", "kernel"} <= set(members)
    assert "set_output" not in members  # scikit-learn's own


def test_what_the_texts_are_told_is_here_stands_in_the_reference():
    """Kernels of bases and of sequences were named beside the texts, and described nowhere."""
    shown = "\n".join(reference_pages().values())
    named = {name for each in UNMEASURED.values() for none in each for name in none.here}
    for name in sorted(named | {"similarity.sequence_kernel"}):
        last = name.rpartition(".")[2]
        assert re.search(rf"auto(class|function):: sidelight[\w.]*\.{last}\n", shown), name


def test_every_table_has_a_place_and_is_up_to_date():
    for name in TABLES:
        assert any(f"<!-- {name}: begin -->" in text for text in PAGES.values()), name
    for page in ("README.md", "docs/methods/latent/NeighborEmbedding.md"):
        assert with_tables(PAGES[page]) == PAGES[page]
    with pytest.raises(SystemExit, match="no table 'nobody'"):
        with_tables("<!-- nobody: begin -->\n<!-- nobody: end -->")


def test_the_first_picture_takes_what_the_readme_says():
    seconds, peer = re.search(
        r"takes ([\d.]+) s for the first 3,000 .* where t-SNE takes ([\d.]+) s", PAGES["README.md"]
    ).groups()
    kept = json.loads((RESULTS / "default_maps.json").read_text())["tables"]
    _, area, cost = ({row["name"]: row["values"] for row in table["rows"]} for table in kept[:3])
    columns = list(kept[1]["columns"])
    ours, theirs = columns.index("NeighborEmbedding"), columns.index("t-SNE")
    name = "MNIST, the first 3,000"
    assert (f"{cost[name][ours]:.2g}", f"{cost[name][theirs]:.2g}") == (seconds, peer)
    assert area[name][ours] == pytest.approx(area[name][theirs], abs=0.005)


def test_the_readme_is_short():
    """Without the table of methods it is one screen: what it is, a picture, how to begin, speed."""
    shown = re.sub(
        r"<!-- listening: begin -->.*?<!-- listening: end -->", "", PAGES["README.md"], flags=re.S
    )
    assert len(shown.splitlines()) <= 70
    assert shown.count("\n## ") <= 4
