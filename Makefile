# Everything here runs on a fresh clone. `make` prints this list.
.DEFAULT_GOAL := help

BIN := .bin
WITH_NEO4J := $(BIN)/neo4j-for-tests --
FUZZ := references:FuzzParse references:FuzzResolve conditions:FuzzCondition formats/cypherfile:FuzzParse \
	formats/native:FuzzRead compat/flowise:FuzzParse compat/nebulaflow:FuzzParse models/script:FuzzParse \
	functions/code:FuzzValues functions/code:FuzzScripts functions/compare:FuzzHolds expressions:FuzzTrue \
	internal/lenient:FuzzParse functions/internal/arithmetic:FuzzEvaluate internal/readonly:FuzzReplace
GO_FILES := $(shell git ls-files --cached --others --exclude-standard -- '*.go')

.PHONY: help build dist test test-on-neo4j test-elsewhere test-studio studio studio-e2e test-stores scenarios lint fmt bench bench-peers bench-engines verify check
.PHONY: $(BIN)/neo4j-for-tests

help: ## print this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | awk -F '\t' '{printf "  make %-14s %s\n", $$1, $$2}'

build: ## build .bin/stepgraph
	go build -o $(BIN)/stepgraph ./cmd/stepgraph

dist: ## build .bin/stepgraph without debug information
	go build -trimpath -ldflags '-s -w' -o $(BIN)/stepgraph ./cmd/stepgraph

$(BIN)/neo4j-for-tests:
	go build -o $@ ./cypher/neo4jserver/cmd/neo4j-for-tests

# One Neo4j serves all packages that share it, one package at a time: an engine takes any
# session that is due. The other packages run after them: tests that bound processor time fail on a busy machine.
SHARING := $(sort $(dir $(shell git grep -l --untracked 'neo4jtest[.]URI' -- '*_test.go')))
test: $(BIN)/neo4j-for-tests lint ## run lint and every test, as CI does; needs Docker, or Java and Maven, for Neo4j
	$(MAKE) --no-print-directory -k test-on-neo4j test-elsewhere
	$(MAKE) --no-print-directory test-studio

test-on-neo4j: $(BIN)/neo4j-for-tests
	$(WITH_NEO4J) go test -p 1 -timeout 30m $(addprefix ./,$(SHARING))

test-elsewhere:
	go test -p 1 -timeout 30m $$(go list ./... | grep -vxF "$$(go list $(addprefix ./,$(SHARING)))")

# npm ci only where the lock file has changed since the last one.
NODE_MODULES := studio/node_modules/.package-lock.json
$(NODE_MODULES): studio/package-lock.json
	cd studio && npm ci --ignore-scripts --no-audit --no-fund
	@touch $@

studio: $(NODE_MODULES) ## rebuild Studio's files, which are committed
	cd studio && npm run --silent types && npm run --silent reference && npm run --silent check && npm run --silent build

# The committed files are what the sources give: types of the API's document, dist of Studio, the library of /docs.
BUILT := studio/dist studio/src/api/schema.d.ts api/internal/reference/files
test-studio: studio ## test Studio: unit tests, browser tests, committed files up to date
	@if [ -n "$$(git status --porcelain -- $(BUILT))" ]; then \
		git status --short -- $(BUILT); echo "Studio's committed files are old: run make studio and commit them"; exit 1; fi
	cd studio && npm run --silent test
	$(MAKE) --no-print-directory studio-e2e

# Chromium against the real binary. The machine's Chromium is $$CHROMIUM, /usr/bin/chromium by default.
studio-e2e: build $(NODE_MODULES) $(BIN)/neo4j-for-tests ## test Studio in Chromium, on SQLite and Neo4j
	cd studio && npm run --silent e2e
	$(WITH_NEO4J) env STUDIO_STORE=neo4j npm --prefix studio run --silent e2e jobs neo4j states robust routes

test-stores: $(BIN)/neo4j-for-tests ## test memory, SQLite and Neo4j against the contract of stores
	$(WITH_NEO4J) go test -p 1 -timeout 30m ./memory/... ./sqlite/... ./cypher/...

scenarios: ## run the engine's scenarios and those recorded from LUNA
	go test -count=1 -run Scenario ./engine/... ./cmd/stepgraph/...

# Tools of lint have a module file of their own, so that users of this module do not download
# them. A newer one: go get -modfile=tools.mod -tool honnef.co/go/tools/cmd/staticcheck@latest
TOOL := go tool -modfile=tools.mod

lint: ## run go vet, staticcheck, deadcode, go mod tidy and gofmt; change nothing
	go vet ./...
	$(TOOL) staticcheck ./...
	$(TOOL) deadcode -f '{{$$p := .Path}}{{range .Funcs}}{{println (print $$p "." .Name)}}{{end}}' ./cmd/... ./examples/... ./bench/peers ./bench/engines ./cypher/neo4jserver/cmd/... | internal/lint/unused.sh
	go mod tidy -diff
	@unformatted=$$(gofmt -l $(GO_FILES)); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change (make fmt):"; echo "$$unformatted"; exit 1; fi

fmt: ## format the Go files
	gofmt -w $(GO_FILES)

bench: ## run all workloads on SQLite; a line of JSON each
	go run ./cmd/stepgraph bench

# Needs the peers' scripts, npm and Python. Neo4j is the one of $$NEO4J_URI, else a server started for it. PEERS_FLAGS: -rounds, -seconds, -sessions, -full FILE.
PEERS ?= ../shared/peers
bench-peers: build $(BIN)/neo4j-for-tests ## compare stepgraph with Restate and LangGraph in a table; not in CI
	$(WITH_NEO4J) go run ./bench/peers -stepgraph $(BIN)/stepgraph -peers $(PEERS) -work $(BIN)/peers $(PEERS_FLAGS)

# Rows to choose from and sizes: go run ./bench/engines -h, given as ENGINES_FLAGS.
bench-engines: build $(BIN)/neo4j-for-tests ## compare one and two engines on one Neo4j in a table; not in CI
	$(WITH_NEO4J) go run ./bench/engines -stepgraph $(BIN)/stepgraph $(ENGINES_FLAGS)

verify: $(BIN)/neo4j-for-tests lint ## run the long tests: race detector, fuzzing, fault injection, large hostile files
	$(WITH_NEO4J) go test -race -count=1 -p 1 -timeout 60m ./...
	$(WITH_NEO4J) env STEPGRAPH_INJECT_EVERY=1 go test -count=1 -timeout 0 -v -run 'TestInject|TestBatch.*KilledAnywhere|TestBatchesNeo4j/killed|TestScenariosNeo4j/injected' ./engine
	STEPGRAPH_REFUSALS_NEO4J=1 go test -count=1 -timeout 60m -v -run 'TestParents|TestParentIs|TestAnswer|TestCancelDuring|TestHeldAnswers|TestDelete|TestPauseReaches|TestChildrenAre' ./engine
	go test -count=1 -timeout 30m -tags mutants -run 'TestMutant' ./engine
	STEPGRAPH_FAULTS=2000 go test -count=1 -timeout 0 -v ./faultlane
	STEPGRAPH_HOSTILE_LARGE=1 go test -count=1 -timeout 60m ./formats/hostile
	@for target in $(FUZZ); do \
		echo "go test -fuzz $${target#*:} ./$${target%:*}"; \
		go test -run '^$$' -fuzz "^$${target#*:}$$" -fuzztime 1m -fuzzminimizetime 100x "./$${target%:*}" || exit 1; \
	done

check: build test ## build, lint and test
