# Two commands do everything on a machine with Python 3.11+ and make: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run demo test setup lint types contracts unit docs lock bench bench-daemon bench-shell bench-secrets bench-agents fuzz clean

run: setup ## start the daemon; Ctrl-C ends it
	@$(BIN)/guardhouse serve

demo: setup ## watch a hijacked agent, without the gate and with it
	@$(BIN)/guardhouse demo

test: setup lint types contracts unit ## everything CI checks

setup: $(VENV)/.ready

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Guardhouse needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	$(BIN)/python -m compileall -q src
	@touch $@

lint:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(BIN)/mypy

contracts:
	$(BIN)/lint-imports

# Compiled first: the tests start many processes, which may not be allowed to keep what they compile themselves.
unit:
	$(BIN)/python -m compileall -q src
	$(BIN)/pytest -n auto

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

bench-shell: setup ## the reader of shell commands: time, what is stopped, agreement with bash and shfmt
	$(BIN)/python bench/shell_commands.py --against-shfmt

# npm install @anthropic-ai/claude-agent-sdk @openai/codex typescript cc-safety-net \
#   @modelcontextprotocol/server-everything @modelcontextprotocol/server-filesystem
NODE_MODULES ?= node_modules
bench-secrets: setup ## looking for secrets: time; beside Kingfisher where it is installed
	$(BIN)/python bench/secret_scanner.py

bench-agents: setup ## under the real agents and servers, from npm: does it hold, and what does it cost
	$(BIN)/python bench/live_agents.py --node-modules $(NODE_MODULES)
	$(BIN)/python bench/agent_types.py --node-modules $(NODE_MODULES)
	$(BIN)/python bench/hook.py --node-modules $(NODE_MODULES)
	$(BIN)/python bench/gateway.py --node-modules $(NODE_MODULES)

fuzz: setup ## look for commands that make the reader of shell commands fail or take long
	$(BIN)/python bench/shell_fuzz.py --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)

lock: setup ## pin what pyproject.toml asks for (needs uv)
	uv pip compile pyproject.toml --group dev --extra server --extra telegram --extra postgres --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --output-file requirements.lock

clean:
	rm -rf $(VENV) build dist
