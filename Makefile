# Needs Go, make and a POSIX shell; everything else comes with go.mod.

.POSIX:
.PHONY: build check check-static race fuzz-short test sim campaigns campaign-shared bench profile bench-peers fuzz demo demo-companies demo-shared serve-demo release clean

# All targets compile with the flags of a release. So a package is compiled once for the program, its tests and the
# release. "go build ./cmd/batch" finds the profile for profile-guided optimization (PGO) without a flag, but the tests
# of other packages do not. With arrow_json_stdlib arrow-go uses encoding/json in place of a library. -l turns inlining
# off for arrow-go's compute kernels: they are linked but never called, and compiling them takes a third of the time.
COMPUTE = github.com/apache/arrow-go/v18/arrow/compute/...
GOFLAGS += -trimpath -buildvcs=false -tags=arrow_json_stdlib -gcflags=$(COMPUTE)=-l '-pgo=$(CURDIR)/cmd/batch/default.pgo'
CGO_ENABLED = 0
export GOFLAGS CGO_ENABLED

build:
	go build -ldflags "-s -w" -o bin/batch ./cmd/batch

# What has to hold before a change is handed in.
check: check-static race test fuzz-short

check-static:
	@unformatted=$$(go tool gofumpt -l .) || exit 1; \
	if [ -n "$$unformatted" ]; then \
		echo "run 'go tool gofumpt -w' on:"; echo "$$unformatted"; exit 1; \
	fi
	go vet ./...
	go tool staticcheck ./...
	go -C release vet ./...
	go -C acceptance vet ./...

# The race detector. With -short it leaves out tests that start many processes, simulate for long, or
# work on much data in one goroutine: those run once, in "test". arrow-go reads values of fixed width
# at unaligned addresses and behind the last one. The check of such pointers, which -race turns on, is
# off for it alone. "check-static" runs "go vet", so neither this nor "test" does.
race:
	CGO_ENABLED=1 go test -vet=off -pgo=off -race -short -timeout 30m -gcflags=github.com/apache/arrow-go/...=-d=checkptr=0 \
		-gcflags='$(COMPUTE)=-l -d=checkptr=0' ./...

# Every test once, without the race detector. The release kit and the acceptance tests are modules with
# dependencies of their own; they build the program. What is left out because something is not installed stands
# in the first lines. Many tests wait for processes, so more of them run at a time than there are processors.
test:
	@ls -d /usr/lib/postgresql/*/bin >/dev/null 2>&1 || \
		echo "Without PostgreSQL the tests of lists from queries are left out; install Debian's package postgresql."
	@command -v chromium >/dev/null || \
		echo "Without Chromium the tests of pages are left out; install Debian's package chromium."
	go -C release test -vet=off -count=1 -timeout 30m ./...
	go -C acceptance test -vet=off -count=1 -timeout 30m ./...
	go test -vet=off -count=1 -timeout 30m -parallel 4 ./...

# Simulates whole runs with faults and crashes: make sim SEEDS=10000 [FIRST=1].
# A seed that breaks a promise is printed with the command that repeats it.
SEEDS = 1000
FIRST = 1
sim:
	go test -count=1 -timeout 0 -v -run '^(TestPromises|TestSharedPromises|TestStepsKeepThePromises|TestV2KeepsThePromises)$$' ./pipeline/simulation \
		-sim.seeds=$(SEEDS) -sim.v2seeds=$(SEEDS) -sim.shared=$(SEEDS) -sim.first=$(FIRST)

# Long campaigns over real processes that are killed, lose power, are read from or share their account:
# make campaigns KILLS=1000 [CAMPAIGN=TestFire]. "make test" does a slice of each.
KILLS = 200
CAMPAIGN = Test(Kill.*|Fire|PowerCuts|ReadersDoNotDisturbARun|OthersUseTheAccount|ServeIsKilledInANight)
campaigns: build
	go test -count=1 -timeout 0 -v -run '^$(CAMPAIGN)$$' ./cmd/batch -program "$$PWD/bin/batch" \
		-kills $(KILLS) -kill-seeds $(KILLS) -unit-kills $(KILLS) -night-kills $(KILLS) \
		-cuts $(KILLS) -reader-kills $(KILLS) -others-rounds $(KILLS)

# Workers on a journal in PostgreSQL. Workers are killed or stopped for up to 90 s, the database is killed, a standby that
# lacks commits is promoted, and connections break inside COMMIT: make campaign-shared ROUNDS=5. "make test" does one
# round with short times.
ROUNDS = 15
campaign-shared:
	go test -count=1 -timeout 0 -v -run '^TestSharedCampaign$$' ./cmd/batch -campaign.rounds $(ROUNDS) -campaign.rows 150 \
		-campaign.kills 14 -campaign.stops 7 -campaign.crashes 2 -campaign.failovers 1 -campaign.lease 30s -campaign.stop 90s

# Runs every Go benchmark COUNT times and shows medians with their spread. To compare
# two states, keep dist/bench.txt of the first one: make bench BEFORE=old.txt
COUNT = 6
BEFORE =
bench:
	mkdir -p dist
	go test -run '^$$' -bench . -benchmem -count $(COUNT) ./... >dist/bench.txt || { cat dist/bench.txt; exit 1; }
	go test -run '^$$' -bench '^BenchmarkRows$$' -benchtime 1x -timeout 0 ./cmd/batch -bench-rows 1000,20000 >>dist/bench.txt || \
		{ cat dist/bench.txt; exit 1; }
	go tool benchstat $(BEFORE) dist/bench.txt

# Renews the profile for profile-guided optimization. It stays useful when code changes.
profile:
	rm -rf dist/profiles
	mkdir -p dist/profiles
	go test -vet=off -pgo=off -run '^$$' -bench '^BenchmarkRows$$' -benchtime 1x -timeout 0 ./cmd/batch -bench-rows 20000 \
		-bench-profiles "$$PWD/dist/profiles"
	go tool pprof -proto -output cmd/batch/default.pgo dist/profiles/*.profile

# Compares the whole program with DuckDB, Miller and plain loops. Needs npm, 10 GB in
# CACHE, where the lists and the journal stay for the next time, and for Miller, which is
# left out where it is not installed, as much memory. A trial takes a minute:
# make bench-peers ROWS=100000 PAIRS=1
ROWS = 10000000
PAIRS = 5
CACHE = dist/bench
bench-peers:
	go run ./cmd/bench -rows $(ROWS) -pairs $(PAIRS) -cache $(CACHE)

# Prints the folder and the name of every fuzz target.
list_fuzz = find . -name '*_test.go' -exec awk ' \
	$$1 == "func" && match($$2, /^Fuzz[A-Za-z0-9_]*/) { \
		name = substr($$2, 1, RLENGTH); folder = FILENAME; \
		sub("/[^/]*$$", "", folder); print folder, name \
	}' {} + | sort

# Go fuzzes one target at a time, so the tests of a package are linked once for all its targets. Inputs that reach
# new code are kept for the next time in Go's cache, as "go test -fuzz" does.
run_fuzz = mkdir -p dist; built=; cache=$$(go env GOCACHE)/fuzz; \
	$(list_fuzz) | while read -r folder name; do \
		echo "$$folder $$name"; \
		if [ "$$folder" != "$$built" ]; then \
			go test -c -fuzz . -o dist/fuzz.test "$$folder" || exit 1; \
			built=$$folder; program=$$PWD/dist/fuzz.test; package=$$(go list "$$folder"); \
		fi; \
		(cd "$$folder" && "$$program" -test.run '^$$' -test.fuzz "^$$name\$$" -test.fuzztime "$$duration" \
			-test.fuzzcachedir "$$cache/$$package") </dev/null || exit 1; \
	done

# How long each target is fuzzed.
FUZZTIME = 3s
fuzz-short:
	@duration=$(FUZZTIME); $(run_fuzz)

fuzz:
	@duration=2m; $(run_fuzz)

# Enriches a list with the embedded service; nothing leaves this machine.
demo: build
	rm -rf dist/state dist/demo.enriched.csv
	mkdir -p dist
	bin/batch run testdata/demo.csv -o dist/demo.enriched.csv --fields email,phone \
		--sandbox --rate 60/1s --state dist/state --max-spend 40.00 --yes
	head -n 5 dist/demo.enriched.csv

# Serves the page with the demo lists and the embedded service: choose a list, plan it, approve the plan.
serve-demo: build
	mkdir -p dist/lists
	cp testdata/demo.csv testdata/companies.csv dist/lists
	bin/batch serve --sandbox --lists dist/lists --state dist/serve-state --rate 20/1s --rate-v2 20/1s

# Builds archives and packages in dist/release: make release VERSION=1.2.3 [TARGETS=linux/amd64]
VERSION = 0.1.0
TARGETS = linux/amd64,linux/arm64,darwin/amd64,darwin/arm64
release:
	go -C release run . -version $(VERSION) -targets $(TARGETS)

# Enriches a list of companies in the same way, and writes their figures, owners and websites to tables.
demo-companies: build
	rm -rf dist/companies-state dist/companies.csv dist/tables
	mkdir -p dist
	bin/batch run testdata/companies.csv -o dist/companies.csv --tables dist/tables \
		--fields company,financials,insights,ownership --sandbox --rate-v2 1000/1s --state dist/companies-state \
		--max-units companies=300 --max-units financials=300 \
		--max-units digital_insights=300 --max-units ownership=300 --yes
	head -n 5 dist/companies.csv

# Two people on two state directories share a journal in a PostgreSQL that the target starts, and one ceiling.
demo-shared: build
	@BATCH=bin/batch sh testdata/demo-shared.sh

clean:
	rm -rf bin dist
