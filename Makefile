# Every target sets the environment up first, and again when the pinned requirements change.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo run test check bench bench-corpus docs format lock clean

demo: .venv ## the whole job on real files:  make demo [FILES="a.pdf b.docx"] [ASK="..."]
	$(BIN)/duwen demo $(if $(ASK),--ask "$(ASK)") $(FILES)

run: .venv ## the service, with config.yaml
	$(BIN)/duwen run --config config.yaml

test: .venv ## a file's tests stay together: those of one folder share servers
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: .venv ## what CI runs before the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/duwen prompts lint prompts

bench: .venv ## each figure beside its anchor, about six minutes
	$(BIN)/python benchmarks/extract_overhead.py
	$(BIN)/python benchmarks/ack.py
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/sandbox.py
	$(BIN)/python benchmarks/sandbox_load.py

bench-corpus: .venv ## on a corpus of real files; installs the other readers beside it
	$(BIN)/python benchmarks/corpus_memory.py
	$(BIN)/python benchmarks/peers.py

docs: .venv ## the page that is generated from the registry
	$(BIN)/python -m extractors.formats_page > docs/formats.new && mv docs/formats.new docs/formats.md

format: .venv
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: ## pins the requirements again; needs uv
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml -o requirements.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --extra dev -c requirements.txt pyproject.toml -o requirements-dev.txt
	echo 'setuptools>=80' | uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -c requirements-dev.txt - -o requirements-build.txt

.venv: requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed (PYTHON=python3.12 make ...)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch .venv

clean:
	rm -rf .venv build dist *.egg-info
