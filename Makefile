# Everything installs into .venv in this checkout. `make help` lists the targets.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEV_STAMP := $(VENV)/.installed-dev
DATA ?= crawl

.DEFAULT_GOAL := help
.PHONY: help crawl test check bench bench-guard bench-frontier bench-scale bench-capacity soak format docs lock clean \
  dashboard screenshots

# More than cores: most of the long tests wait for a delay or a process.
TEST_JOBS := $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 3 )))

# The dashboard is built where npm is; without it, everything else works.
PAGES := src/tenax/api/static/index.html
PAGES_FROM := $(shell find dashboard -path dashboard/node_modules -prune -o -type f -not -path 'dashboard/e2e/*' -print)
MODULES := dashboard/node_modules/.package-lock.json
HAS_NPM := $(shell command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' && echo yes)

help: ## List the targets.
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

crawl: $(STAMP) pages ## Install, then crawl: the demo web, or URL=https://… into DATA=crawl.
	@$(if $(URL),$(BIN)/tenax crawl '$(URL)' --data '$(DATA)',$(BIN)/tenax demo)

test: $(DEV_STAMP) $(PAGES) openssl curl postgresql redis rabbitmq e2fsprogs chromium ## Install what the tests need, then run them all.
	$(BIN)/pytest -n $(TEST_JOBS) --dist worksteal
ifdef HAS_NPM
	npm --prefix dashboard run --silent test
	npm --prefix dashboard run --silent e2e
endif

.PHONY: pages
pages: # a crawl does not need them
	@$(MAKE) --no-print-directory $(PAGES) || echo "The dashboard could not be built; the crawl works without it."

dashboard: $(PAGES) ## Build the dashboard (needs npm).

screenshots: $(DEV_STAMP) $(PAGES) chromium ## Make the pictures of docs/dashboard.md anew.
	DASHBOARD_SCREENSHOTS=1 npm --prefix dashboard run --silent e2e

ifdef HAS_NPM
$(PAGES): $(PAGES_FROM) $(MODULES)
	npm --prefix dashboard run --silent build

$(MODULES): dashboard/package.json dashboard/package-lock.json
	npm --prefix dashboard ci --silent
	touch $@
else
.PHONY: $(PAGES)
$(PAGES):
	@echo "npm is not here: the dashboard is not built, and the API has no pages."
endif

.PHONY: chromium
chromium: # the browser of the dashboard's tests
	@test -z "$(HAS_NPM)" || test -x /usr/bin/chromium || apt-get install -y -q chromium

.PHONY: openssl
openssl: # the tests make certificates with it
	@command -v openssl >/dev/null || apt-get install -y -q openssl

.PHONY: curl
curl: # the examples of docs/api.md are run with it
	@command -v curl >/dev/null || apt-get install -y -q curl

.PHONY: postgresql
postgresql: # the tests start a server of their own, or use the one that TENAX_TEST_POSTGRES names
	@test -n "$$TENAX_TEST_POSTGRES" || command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 \
	  || apt-get install -y -q postgresql

.PHONY: e2fsprogs
e2fsprogs: # the tests make a file system that fails
	@test -x /usr/sbin/mkfs.ext4 || command -v mkfs.ext4 >/dev/null || apt-get install -y -q e2fsprogs

.PHONY: redis
redis: # the tests start one of their own
	@command -v redis-server >/dev/null || apt-get install -y -q redis-server

.PHONY: rabbitmq
rabbitmq: # the tests start one of their own, or use the one that TENAX_TEST_RABBITMQ names
	@test -n "$$TENAX_TEST_RABBITMQ" || command -v rabbitmq-server >/dev/null || test -x /usr/sbin/rabbitmq-server \
	  || apt-get install -y -q rabbitmq-server

check: check-python check-dashboard ## Format, lint, types, floors, references, links in docs.

.PHONY: check-python
check-python: $(DEV_STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	MYPYPATH=src:stubs:. $(BIN)/mypy --explicit-package-bases --exclude 'bench/(work|peers)/' bench
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m tenax.cli.reference --check
	$(BIN)/python -m tests.rules.links

.PHONY: check-dashboard
check-dashboard: $(if $(HAS_NPM),$(MODULES))
ifdef HAS_NPM
	npm --prefix dashboard run --silent check
endif

bench: $(DEV_STAMP) nginx ## Measure CPU per page beside other crawlers on the same local web.
	$(BIN)/python -m bench.run

bench-guard: $(DEV_STAMP) nginx ## Fail when CPU per page beside Scrapy's got worse than recorded.
	$(BIN)/python -m bench.guard

bench-frontier: $(DEV_STAMP) ## Measure the store with up to ten million URLs.
	$(BIN)/python -m bench.frontier

bench-scale: $(DEV_STAMP) nginx postgresql ## Measure crawls on PostgreSQL, with one worker and with eight.
	$(BIN)/python -m bench.scale

bench-capacity: $(DEV_STAMP) ## Compute the sizes in docs/scale-out.md anew from what bench-scale measured.
	$(BIN)/python -m bench.capacity

soak: $(DEV_STAMP) ## Watch a service with 200 clients while it crawls; some minutes, best on an idle machine.
	$(BIN)/python -m tests.soak

.PHONY: nginx
nginx:
	@test -x /usr/sbin/nginx || command -v nginx >/dev/null || apt-get install -y -q nginx-light

format: $(DEV_STAMP) ## Format the code.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
ifdef HAS_NPM
	npm --prefix dashboard run --silent format
endif

docs: $(STAMP) ## Generate the references from the code.
	$(BIN)/python -m tenax.stores.schema > schema.new && mv schema.new src/tenax/stores/sqlite/schema.sql
	$(BIN)/python -m tenax.cli.reference
	$(BIN)/python -m tenax.api.describe > openapi.new && mv openapi.new dashboard/openapi.json
ifdef HAS_NPM
	npm --prefix dashboard run --silent types
endif

# What Tenax runs with, and the same with what it is tested with.
COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --no-emit-find-links --no-header --all-extras pyproject.toml

lock: ## Lock the newest dependencies (needs uv).
	$(COMPILE) --upgrade -o requirements.lock
	$(COMPILE) --upgrade --group dev --constraint requirements.lock -o requirements-dev.lock

clean: ## Remove what the targets made.
	rm -rf $(VENV) bench/work crawl-demo build dist dashboard/node_modules src/tenax/api/static

$(STAMP): pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tenax needs Python 3.11 or newer.")'
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install -q --disable-pip-version-check --no-deps -e .
	$(BIN)/python -m compileall -q src
	touch $@

$(DEV_STAMP): $(STAMP) requirements-dev.lock
	$(BIN)/pip install -q --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@
