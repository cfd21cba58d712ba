# Two promises: `make demo` does the main job on data that ships with a dependency,
# `make test` sets everything up and passes the tests.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
INTERPRETERS ?= $(PYTHON)
PIP_FLAGS ?= --quiet --disable-pip-version-check

.PHONY: demo quick docs generated book test check lint types docs-check unit thorough ci coverage portable portable-small fuzz bench bench-small bench-metrics cost-curves pictures release-check clean

$(READY): pyproject.toml requirements/constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(PIP_FLAGS) --constraint requirements/constraints.txt --editable ".[dev]"
	touch $(READY)

## the main job: handwritten digits, embedded, drawn and scored; then with a few labels known
demo: $(READY)
	mkdir -p output
	$(BIN)/sidelight datasets digits -o output/digits.csv --known 200
	$(BIN)/sidelight embed output/digits.csv --ignore known --color-by label \
		--thumbnails 8x8 --output output/digits_map.csv --picture output/digits_map.png \
		--model output/digits.sidelight
	$(BIN)/sidelight embed output/digits.csv --label-column known --color-by label \
		--thumbnails 8x8 --output output/digits_told.csv --picture output/digits_told.png

## under a minute, while you work: lint, types, the tests of what changed since the last commit
quick: export OMP_NUM_THREADS = 1
quick: lint types
	$(BIN)/python -m pytest -q -x -n auto --dist loadfile -p no:cacheprovider \
		$$($(BIN)/python tools/changed_tests.py)

## the README's promise: lint, types, generated pages, the tests
test: check unit

## everything that CI runs, half an hour and more: also what takes minutes, and other processors
ci: test thorough bench-small book portable-small

check: lint types docs-check

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(READY)
	$(BIN)/mypy

docs-check: $(READY)
	$(BIN)/python tools/check_docstrings.py
	$(BIN)/python tools/readme_tables.py
	$(BIN)/python tools/experiment_pages.py
	$(BIN)/python tools/architecture.py

unit: export OMP_NUM_THREADS = 1
unit: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=20 -m "not thorough"

## experiments in their quick form, every map on every processor, shuffled knowledge and every
## parameter in every mode
thorough: export OMP_NUM_THREADS = 1
thorough: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal --durations=20 -m thorough tests

## the lines that no test reaches; tracing them makes the tests a third slower
coverage: export OMP_NUM_THREADS = 1
coverage: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile --cov --cov-report=term:skip-covered

## the tests with the arithmetic of other processors, with one and two threads
portable: $(READY)
	$(BIN)/python tools/portable.py

## the contract, latent and unfolding tests under two kernels that are not this machine's own
portable-small: $(READY)
	$(BIN)/python tools/portable.py tests/contract tests/latent tests/unfolding --others 2 --threads 1

## hostile use by the thousand: inputs, parameters, side information and new rows at random
fuzz: export OMP_NUM_THREADS = 1
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --cases 10000 --seed 0

## speed as a ratio to the best peer, in one run
bench: $(READY)
	$(BIN)/python -m benchmarks --repeats 3 --json output/benchmarks.json

bench-small: $(READY)
	$(BIN)/python -m benchmarks --small --json output/benchmarks-small.json
	$(BIN)/python -m benchmarks.cost_curves --small --picture output/cost_curves-small.png

## what every method costs as rows grow to a million: an hour or two
cost-curves: $(READY)
	$(BIN)/python -m benchmarks.cost_curves --json benchmarks/cost_curves.json --picture docs/cost_curves.png

## the learned metrics beside metric-learn's, which gets an environment of its own
bench-metrics: $(READY)
	$(BIN)/python -m benchmarks.peers.metric_learning --json output/metric_learning.json

## forty maps that are hard to draw, on sheets to be looked at
pictures: $(READY)
	$(BIN)/python tools/picture_cases.py --out output/cases

## wheel and sdist in clean environments, without extras, with the newest and oldest dependencies
release-check: $(READY)
	$(BIN)/python tools/release_check.py $(INTERPRETERS) --dist dist

## the book, in output/book: its examples are run and drawn, its links followed, warnings are errors
book: export OMP_NUM_THREADS = 1
book: $(READY)
	$(BIN)/python -m sphinx -q -W --keep-going -j auto -d output/book-cache docs output/book

## write what is generated anew: tables, the experiments' pages, ARCHITECTURE.md; then the book
docs: generated book

generated: $(READY)
	$(BIN)/python tools/readme_tables.py --write
	$(BIN)/python tools/experiment_pages.py --write
	$(BIN)/python tools/architecture.py --write

clean:
	rm -rf $(VENV) output docs/api docs/gallery .coverage .mypy_cache .ruff_cache .pytest_cache
