"""Columns that are no numbers as numbers: against naive definitions."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pytest

from sidelight import embed
from sidelight.io.coding import MixedColumns, TextColumn, coder_of
from sidelight.io.table import said_of_texts

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

RNG = np.random.default_rng(0)
KINDS = RNG.choice(["ash", "elm", "oak"], 40)
DAYS = RNG.integers(0, 300, 40)
FRAME = pd.DataFrame(
    {
        "height": 100 * RNG.standard_normal(40),
        "kind": pd.Categorical(KINDS),
        "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(DAYS, unit="D"),
        "wet": RNG.random(40) > 0.5,
    }
)


def gower(frame):
    """The definition: per pair and column |x − y| / range, or whether the words differ."""
    rows = list(frame.itertuples(index=False))
    n, D = len(rows), np.zeros((len(rows), len(rows)))
    heights, days = [row.height for row in rows], [row.day for row in rows]
    for i in range(n):
        for j in range(n):
            s = [
                abs(heights[i] - heights[j]) / (max(heights) - min(heights)),
                float(rows[i].kind != rows[j].kind),
                abs((days[i] - days[j]) / (max(days) - min(days))),
                float(rows[i].wet != rows[j].wet),
            ]
            D[i, j] = sum(part**2 for part in s)
    return np.sqrt(D)


def distances(X):
    return np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("kind", ["pandas", "polars", "texts"])
def test_mixed_columns_are_compared_as_gower_does(kind):
    frame = FRAME
    if kind == "polars":
        frame = pl.DataFrame({name: FRAME[name].to_list() for name in FRAME})
    elif kind == "texts":  # as a csv file has them
        frame = FRAME.assign(
            kind=KINDS, day=FRAME.day.dt.strftime("%Y-%m-%d"), wet=np.where(FRAME.wet, "y", "n")
        )
    result = embed(frame, columns="mixed", method="mds")
    np.testing.assert_allclose(distances(result.data), gower(FRAME), atol=1e-7)
    assert "'kind'" in result.why
    assert "by whether words are the same" in result.why
    np.testing.assert_allclose(
        result.model.transform(result.coder.apply(frame[:5])), result.points[:5], atol=1e-8
    )


def test_dates_of_every_kind_are_days():
    naive = datetime(2026, 1, 2, 12)
    for values in ([date(2026, 1, 1), naive], ["2026-01-01", "2026-01-02 12:00"]):
        coder, _ = MixedColumns.learn({"day": np.array(values, dtype=object)}, "test")
        assert coder.kinds == ("date",)
        assert coder.range == 1.5
    aware = np.array([datetime(1970, 1, 3, tzinfo=UTC)], dtype=object)
    assert MixedColumns.learn({"day": aware}, "test")[0].low == 2.0
    impossible = np.array(["2026-02-30", "2026-01-01"], dtype=object)
    assert MixedColumns.learn({"day": impossible}, "test")[0].kinds == ("words",)


def test_a_word_that_was_never_seen_is_like_none_and_said():
    columns = {"kind": KINDS, "x": np.arange(40.0)}
    coder, _ = MixedColumns.learn(columns, "test")
    with pytest.warns(UserWarning, match=r"the value 'fir' that the model was not fitted on"):
        coded = coder.apply({"kind": np.array(["fir", "oak"]), "x": np.zeros(2)})
    np.testing.assert_array_equal(coded[0], 0.0)
    assert ((coded[0] - coded[1]) ** 2).sum() == pytest.approx(0.5)


def test_a_missing_word_is_missing_as_a_number_is():
    kinds = np.where(np.arange(40) % 10 == 3, None, KINDS)
    frame = pd.DataFrame({"kind": kinds, "x": np.arange(40.0)})
    with pytest.raises(ValueError, match=r"has 4 missing values in the column 'kind';.*row 4"):
        embed(frame, columns="mixed", method="mds", missing="error")
    kept = embed(frame, columns="mixed", method="mds", missing="drop-rows")
    assert len(kept.points) == 36
    filled = embed(frame, columns="mixed", method="mds", missing="mean").data
    # as every kind is in the others: no more like one another than like these
    shares = pd.get_dummies(kinds).to_numpy()[kinds != None].mean(axis=0)  # noqa: E711
    np.testing.assert_allclose(filled[3, :-1], np.sqrt(0.5) * shares)


def test_names_of_rows_are_set_aside_and_wrong_kinds_refused():
    names = np.array([f"row {i}" for i in range(40)])
    coder, note = MixedColumns.learn({"who": names, "x": np.arange(40.0)}, "test")
    assert coder.columns == ("x",)
    assert "Set aside the column 'who'" in note
    with pytest.raises(ValueError, match="'x' of new must hold numbers.* Got words"):
        coder.apply({"x": np.array(["a", "b"])}, "new")
    with pytest.raises(ValueError, match="new lacks the column 'x'"):
        coder.apply({"y": np.zeros(2)}, "new")
    with pytest.raises(ValueError, match="no column that rows could be compared by"):
        MixedColumns.learn({"who": names}, "test")


def test_a_model_file_keeps_how_columns_were_coded():
    columns = {"kind": KINDS, "x": RNG.standard_normal(40), "constant": np.full(40, 7.0)}
    coder, _ = MixedColumns.learn(columns, "test")
    again = coder_of(coder.to_plain())
    coded = coder.apply(columns)
    np.testing.assert_array_equal(again.apply(columns), coded)
    assert again.names == ("kind=ash", "kind=elm", "kind=oak", "x", "constant")
    shares = coder.undo(coded)
    np.testing.assert_allclose(shares[:, 3], columns["x"])
    np.testing.assert_allclose(shares[:, :3].sum(axis=1), 1.0)


def test_texts_are_what_scikit_learn_makes_of_them():
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = np.array(["the sea and the ship", "bread and salt", "a ship with bread", "sea salt"])
    coder, _ = TextColumn.learn({"text": texts}, "text", "test")
    again = coder_of(coder.to_plain())
    expected = TfidfVectorizer().fit(texts)
    new = np.array(["salt ship", "the the bread unheard"])
    found = again.apply({"text": new}).toarray()
    np.testing.assert_allclose(found, expected.transform(new).toarray())
    with pytest.raises(ValueError, match="1 of 2 texts .* the first in row 2"):
        again.apply({"text": np.array(["salt", "unheard"])})
    with pytest.raises(ValueError, match="'text' of test holds no words"):
        TextColumn.learn({"text": np.array(["", "a"])}, "text", "test")


def test_arrays_have_no_mixed_columns():
    with pytest.raises(ValueError, match="come in a frame"):
        embed(np.zeros((5, 2)), columns="mixed")
    with pytest.raises(ValueError, match="'columns' argument of embed must be one of numbers, mix"):
        embed(FRAME, columns="all")


WORDS = ["sea", "ship", "sail", "wind", "tide", "boat", "bread", "salt"]
TEXTS = [" ".join(RNG.choice(WORDS, 6)) for _ in range(30)]
LETTERS = pd.DataFrame(
    {"year": 1900.0 + np.arange(30), "who": [f"w{i}" for i in range(30)], "body": TEXTS}
)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "file"])
def test_texts_of_a_frame_are_compared_as_those_of_a_file(kind, tmp_path):
    from sklearn.feature_extraction.text import TfidfVectorizer

    LETTERS.to_csv(tmp_path / "letters.csv", index=False)
    given = {
        "pandas": LETTERS,
        "polars": pl.from_pandas(LETTERS),
        "pyarrow": pl.from_pandas(LETTERS).to_arrow(),
        "file": tmp_path / "letters.csv",
    }[kind]
    result = embed(given, text="body", names="who", method="mds")
    expected = TfidfVectorizer().fit_transform(TEXTS)
    np.testing.assert_allclose(result.data.toarray(), expected.toarray())
    assert result.model.metric == "cosine"
    assert result.names == tuple(LETTERS["who"])
    assert "The texts of the column 'body' are compared" in result.why
    assert "Set aside the column 'year'." in result.why
    assert result.hints == ()
    frame = result.to_frame()
    columns = getattr(frame, "column_names", None) or list(frame.columns)
    assert [*columns][-2:] == ["year", "body"]
    coded = result.coder.apply(LETTERS[:4])
    np.testing.assert_allclose(result.model.transform(coded), result.points[:4], atol=1e-8)
    assert embed(given, text="body", method="pca").model.get_params().get("metric") is None
    assert embed(given, text="body", method="mds", metric="euclidean").model.metric == "euclidean"


def test_texts_without_words_take_what_is_known_of_them_along():
    from sidelight.side import Anchors

    holes = LETTERS.assign(body=[None, *TEXTS[1:5], "a ?", *TEXTS[6:]])
    places = 5 * RNG.random((5, 2))
    known = Anchors(["w0", "w2", "w5", "w9", "w20"], places)
    how = {"text": "body", "names": "who", "method": "mds"}
    with pytest.raises(ValueError, match=r"2 of 30 .* row 1, named 'w0'.*missing='drop-rows'"):
        embed(holes, **how)
    told = embed(holes, side=known, missing="drop-rows", **how)
    assert "Left out 2 rows without a word" in told.why
    rest = LETTERS.drop(index=[0, 5])
    left = embed(rest, side=Anchors(["w2", "w9", "w20"], places[[1, 3, 4]]), **how)
    np.testing.assert_allclose(told.points, left.points, atol=1e-8)
    assert told.names == left.names
    assert list(told.to_frame()["year"]) == list(rest["year"])


def test_what_is_no_column_of_texts_is_refused():
    with pytest.raises(ValueError, match="X given to embed has no column 'bdy'. Did you mean 'bod"):
        embed(LETTERS, text="bdy")
    with pytest.raises(ValueError, match="'text' argument of embed must be .* columns='mixed'"):
        embed(LETTERS, text="body", columns="mixed")
    with pytest.raises(ValueError, match=r"'text' argument of embed must be .* Got \['body'\]"):
        embed(LETTERS, text=["body"])
    with pytest.raises(ValueError, match="texts, come in a frame"):
        embed(np.zeros((5, 2)), text="body")
    with pytest.raises(ValueError, match="'mean' makes no sense for the texts"):
        embed(LETTERS, text="body", missing="mean")


def test_a_frame_of_texts_says_how_they_are_compared():
    with pytest.raises(ValueError, match="'body' holds texts.*text='body'"):
        embed(LETTERS[["who", "body"]])
    for frame in (LETTERS, LETTERS.assign(size=1.0 + np.arange(30) % 7)):
        assert any(
            "text='body'" in hint for hint in embed(frame, method="pca", n_components=1).hints
        )
    named = embed(LETTERS[["year", "body"]], names="body", method="pca", n_components=1)
    assert not any("text=" in hint for hint in named.hints)
    answers = np.array(["I agree with all of it", "I do not agree at all"])[np.arange(30) % 2]
    asked = embed(LETTERS[["year"]].assign(answer=answers), method="pca", n_components=1)
    assert not any("text=" in hint for hint in asked.hints)


@pytest.mark.parametrize(("n_different", "told"), [(4, False), (7, True)])
def test_texts_differ_where_answers_to_a_question_do_not(n_different, told):
    """Of ten cells of five words four, or seven, are said once."""
    values = np.array([f"number {k % n_different} of the letters" for k in range(10)])
    assert bool(said_of_texts({"body": values})) is told
