# Everything here runs on a fresh clone. `make` prints this list.
.DEFAULT_GOAL := help

BIN := .bin
WITH_NEO4J := $(BIN)/neo4j-for-tests --
FUZZ := references:FuzzParse references:FuzzResolve conditions:FuzzCondition formats/cypherfile:FuzzParse \
	formats/native:FuzzRead models/script:FuzzParse functions/code:FuzzValues functions/code:FuzzScripts
GO_FILES := $(shell git ls-files --cached --others --exclude-standard -- '*.go')

.PHONY: help build test test-stores scenarios lint fmt bench verify check
.PHONY: $(BIN)/neo4j-for-tests

help: ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | awk -F '\t' '{printf "  make %-12s %s\n", $$1, $$2}'

build: ## build .bin/stepgraph
	go build -o $(BIN)/stepgraph ./cmd/stepgraph

$(BIN)/neo4j-for-tests:
	go build -o $@ ./cypher/neo4jserver/cmd/neo4j-for-tests

test: $(BIN)/neo4j-for-tests lint ## what CI runs: lint and every test, with a real Neo4j (Docker, or Java and Maven)
	$(WITH_NEO4J) go test -timeout 9m ./...

test-stores: $(BIN)/neo4j-for-tests ## the contract of stores, on memory, SQLite and Neo4j
	$(WITH_NEO4J) go test -timeout 9m ./memory/... ./sqlite/... ./cypher/...

scenarios: ## the processor's scenarios, and those recorded from LUNA
	go test -count=1 -run Scenario ./engine/... ./cmd/stepgraph/...

lint: ## go vet, and gofmt changes nothing
	go vet ./...
	@unformatted=$$(gofmt -l $(GO_FILES)); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change (make fmt):"; echo "$$unformatted"; exit 1; fi

fmt: ## format the Go files
	gofmt -w $(GO_FILES)

bench: ## all workloads on an embedded store, a line of JSON each
	go run ./cmd/stepgraph bench

verify: $(BIN)/neo4j-for-tests lint ## the long lane: race detector, fuzzing
	$(WITH_NEO4J) go test -race -count=1 -timeout 60m ./...
	@for target in $(FUZZ); do \
		echo "go test -fuzz $${target#*:} ./$${target%:*}"; \
		go test -run '^$$' -fuzz "^$${target#*:}$$" -fuzztime 1m "./$${target%:*}" || exit 1; \
	done

check: build test ## build, lint and test
