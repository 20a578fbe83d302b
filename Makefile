# Everything installs into .venv in this checkout. `make help` lists the targets.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
DATA ?= crawl

.DEFAULT_GOAL := help
.PHONY: help crawl serve dev test cover check dist bench bench-guard bench-features bench-frontier \
  bench-frontier-large bench-scale bench-capacity soak kills format docs lock clean dashboard screenshots

# More than the number of cores: most of the long tests wait for a delay or a process.
TEST_JOBS := $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 3 )))

# The dashboard is built if npm is available; everything else works without it.
PAGES := src/tenax/api/static/index.html
PAGES_FROM := $(shell find dashboard -path dashboard/node_modules -prune -o -type f -not -path 'dashboard/e2e/*' -print)
MODULES := dashboard/node_modules/.package-lock.json
HAS_NPM := $(shell command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' && echo yes)

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

crawl: $(STAMP) ## Install, then crawl: the demo web, or URL=https://… into DATA=crawl.
	@$(if $(URL),$(BIN)/tenax crawl '$(URL)' --data '$(DATA)',$(BIN)/tenax demo)

serve: $(STAMP) $(PAGES) ## Install, build the dashboard, and serve DATA=crawl at http://127.0.0.1:8060.
	@$(BIN)/tenax serve --data '$(DATA)'

dev: $(STAMP) $(if $(HAS_NPM),$(MODULES)) ## Serve DATA=crawl and reload server and dashboard on each change.
	@$(BIN)/python -m tools.dev --data '$(DATA)'

test: $(DEV_STAMP) $(PAGES) test-packages ## Install the test dependencies, then run all tests.
	$(BIN)/pytest -n $(TEST_JOBS) --dist worksteal
ifdef HAS_NPM
	npm --prefix dashboard run --silent test
	npm --prefix dashboard run --silent e2e
endif

.PHONY: test-packages
test-packages: # servers, certificates, a failing file system, network namespaces, and a browser if there is a dashboard
	@tools/packages.sh openssl curl postgresql redis rabbitmq e2fsprogs ip $(if $(HAS_NPM),chromium)

TESTS ?= tests/unit
cover: $(DEV_STAMP) ## Measure the coverage of the unit tests, or of TESTS=tests; the report is htmlcov/index.html.
	rm -f .coverage*
	$(BIN)/coverage run -m pytest -n $(TEST_JOBS) --dist worksteal $(TESTS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet
	$(BIN)/coverage report --format=total | sed 's/.*/&% covered; see htmlcov\/index.html./'

dist: $(DEV_STAMP) $(PAGES) ## Build the wheel and the sdist into dist/, and check them.
	rm -rf dist
	$(BIN)/hatchling build -d dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python -m tools.check_dist dist

dashboard: $(PAGES) ## Build the dashboard (needs npm).

screenshots: $(DEV_STAMP) $(PAGES) ## Take the screenshots of docs/dashboard.md again.
	@tools/packages.sh chromium
	DASHBOARD_SCREENSHOTS=1 npm --prefix dashboard run --silent e2e

ifdef HAS_NPM
$(PAGES): $(PAGES_FROM) $(MODULES)
	@tools/step.sh "Building the dashboard" npm --prefix dashboard run --silent build

$(MODULES): dashboard/package.json dashboard/package-lock.json
	@tools/step.sh "Installing the dashboard's packages" npm --prefix dashboard ci --silent
	@touch $@
else
.PHONY: $(PAGES)
$(PAGES):
	@echo "The dashboard is not built because it needs npm and Node 20 or newer. Everything else works without it."
endif

check: check-python check-dashboard ## Check format, lint, types, layers, references, and links in docs.

.PHONY: check-python
check-python: $(DEV_STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	MYPYPATH=src:stubs:. $(BIN)/mypy --explicit-package-bases --exclude 'bench/(work|peers)/' bench tests tools
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m tenax.cli.reference --check
	$(BIN)/python -m tests.rules.links

.PHONY: check-dashboard
check-dashboard: $(if $(HAS_NPM),$(MODULES))
ifdef HAS_NPM
	npm --prefix dashboard run --silent check
endif

bench: $(DEV_STAMP) ## Measure CPU per page of Tenax and other crawlers on the same local web.
	@tools/packages.sh nginx
	$(BIN)/python -m bench.run

bench-guard: $(DEV_STAMP) ## Fail if CPU per page, or the cost of an optional stage, is worse than recorded.
	@tools/packages.sh nginx redis
	$(BIN)/python -m bench.guard
	$(BIN)/python -m bench.features --guard

bench-features: $(DEV_STAMP) ## Measure what each optional stage of a crawl costs.
	@tools/packages.sh nginx redis
	$(BIN)/python -m bench.features

bench-frontier: $(DEV_STAMP) ## Measure the store with up to ten million URLs.
	$(BIN)/python -m bench.frontier

bench-frontier-large: $(DEV_STAMP) ## Measure the store with 100 million URLs; needs 25 GB of disk and most of an hour.
	$(BIN)/python -m bench.frontier.large

bench-scale: $(DEV_STAMP) ## Measure crawls on PostgreSQL, with one worker and with eight.
	@tools/packages.sh nginx postgresql
	$(BIN)/python -m bench.scale

bench-capacity: $(DEV_STAMP) ## Compute the sizes in docs/scale-out.md from the results of bench-scale.
	$(BIN)/python -m bench.capacity

soak: $(DEV_STAMP) ## Watch a service with 200 clients while it crawls; takes some minutes, best on an idle machine.
	$(BIN)/python -m tests.soak

kills: $(DEV_STAMP) ## Kill processes of crawls with parsers 200 times, on both stores; takes half an hour.
	@tools/packages.sh postgresql
	$(BIN)/python -m tests.soak.item_kills --kills 100
	$(BIN)/python -m tests.soak.item_kills --kills 100 --postgresql

format: $(DEV_STAMP) ## Format the code.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
ifdef HAS_NPM
	npm --prefix dashboard run --silent format
endif

docs: $(STAMP) ## Generate the references from the code.
	$(BIN)/python -m tenax.stores.schema.ddl > schema.new && mv schema.new src/tenax/stores/sqlite/schema/schema.sql
	$(BIN)/python -m tenax.stores.schema.hot_columns > columns.new && mv columns.new src/tenax/stores/hot/columns.py
	$(BIN)/python -m tenax.stores.schema.hot_columns items > columns.new && mv columns.new src/tenax/stores/hot/items/columns.py
	$(BIN)/python -m tenax.cli.reference
	$(BIN)/python -m tenax.api.describe > openapi.new && mv openapi.new dashboard/openapi.json
ifdef HAS_NPM
	npm --prefix dashboard run --silent types
endif

# The dependencies of Tenax, and the same plus those of its tests.
COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-emit-find-links --no-header --all-extras pyproject.toml

lock: ## Lock the newest dependencies (needs uv).
	$(COMPILE) --upgrade -o requirements.lock
	$(COMPILE) --upgrade --group dev --constraint requirements.lock -o requirements-dev.lock

clean: ## Remove everything that the targets create.
	rm -rf $(VENV) bench/work crawl-demo build dist dashboard/node_modules src/tenax/api/static

PIP := $(BIN)/pip install -q --disable-pip-version-check

$(STAMP): pyproject.toml requirements.lock
	@PYTHON='$(PYTHON)' tools/packages.sh python
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tenax needs Python 3.11 or newer, but this is %d.%d. Set another one with PYTHON=." % sys.version_info[:2])'
	@test -d $(VENV) || tools/step.sh "Creating the virtual environment $(VENV)" $(PYTHON) -m venv $(VENV)
	@tools/step.sh "Installing the dependencies of Tenax" $(PIP) --require-hashes -r requirements.lock
	@tools/step.sh "Installing Tenax" $(PIP) --no-deps -e .
	@touch $@

$(DEV_STAMP): $(STAMP) requirements-dev.lock
	@tools/step.sh "Installing the test dependencies" $(PIP) --require-hashes -r requirements-dev.lock
	@$(BIN)/python -m compileall -q -j 0 src
	@touch $@
