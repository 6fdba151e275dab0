# SPDX-License-Identifier: MIT
# The front door.  CMake does the work; `make help` lists what there is.

PREFIX ?= /usr/local
CROSS = aarch64 s390x
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

MAKEFLAGS += --no-print-directory
CMAKE = cmake
# What the tests need: a target for which this is more says so.  `$(packages)` installs it; who is not root goes on with less.
PURPOSES = check
packages = sh tools/install-packages --or-less $(PURPOSES)
# Commands that take longer than a moment: on a terminal a line counts their seconds, and what they print is shown as it comes, or
# is in build/TARGET.log alone.
aloud = sh tools/quietly --show build/$@.log '$(1)'
quietly = sh tools/quietly build/$@.log '$(1)'
# `$(call build,PRESET)` configures and builds; `$(call test,PRESET,OPTIONS)` also tests.  Many tests wait for servers: with
# twice as many at a time as processors, these are busy.
build = sh tools/quietly build/$(1).configure.log "$(CMAKE) --preset $(1)" && $(CMAKE) --build --preset $(1) -j $(JOBS)
ctest = sh tools/test $@ '$(PURPOSES)' $(1) -j $$(( 2 * $(JOBS) )) $(2)
test = $(call build,$(1)) && $(call ctest,$(1),$(2))
# `$(call campaign,LABEL OR OPTIONS)`: tests that `make check` leaves out, whole, and with all packages.
campaign = sh tools/install-packages check && $(call build,check) && $(call ctest,check-all,$(1))

# What goes with pushes in turn, one a push (.ci/run); `make long` runs them all.
BINDINGS = node python php go rust
LONG = check-bindings check-databases check-page check-nemesis check-whole check-figures check-mutants check-packages \
	check-sanitized check-portable check-musl check-clang lint memory-model coverage

# `make release` refuses a commit that has not passed these.
BEFORE_RELEASE = check check-asan check-tsan check-own-libc long soak nemesis ids clusters mutants model fuzz check-cross check-clients \
	check-restarts check-recipes check-deb check-dist walk check-image

.DEFAULT_GOAL := all
.PHONY: all help run check check-all style check-docs one-long long $(LONG) $(BINDINGS:%=check-% packages-%) check-asan check-tsan check-own-libc check-clients check-restarts \
	check-recipes check-cross $(CROSS:%=check-%) musl soak nemesis ids clusters mutants fuzz model install format format-check lint-changes \
	bench bench-postgresql page manual update-bounds update-fleets update-instructions update-symbols update-abi update-lists api deb check-deb amalgamation packages walk dist check-dist before-release release check-release check-image clean

all: | build ## build the libraries and the command into build/release (1 min)
	@$(call build,release)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-19s %s\n", $$1, $$2 } END { \
		print "Minutes are those of two quiet processors; \"about\" is reckoned from parts, and what has none takes less than one."; \
		print "A target installs what it needs, if root calls it: CONTRIBUTING.md says what." }' Makefile

# What was built for the tests need not be built once more.
RUN = $(if $(wildcard build/check/bin/frazil),check,release)

run: | build ## build, make some ids and take one apart (1 min)
	@sh tools/install-packages run
	@echo 'building; the output is in build/run.log'
	@sh tools/quietly build/run.log '$(call build,$(RUN))'
	@sh tools/quietly build/page.log 'sh web/build.sh build/web' 2>/dev/null || true
	@sh tools/demo build/$(RUN)/bin/frazil build/web/frazil.html

check: | build ## install what the tests need, build, run the tests of each push (15 min)
	@$(packages)
	@$(call test,check)

check-all: | build ## the same, and all that is left to other targets but for servers' clients, other processors and packages (60 min)
	@$(call campaign)

one-long: ## the campaign whose turn it is, by the number of commits (10 min at most)
	@echo "== $(TURN)" && $(MAKE) $(TURN)

# By the number of commits.  The fifth of the mutants counts the turns: the commits themselves would always be the same, modulo 5.
COMMITS = $(shell git rev-list --count HEAD)
TURN = $(word $(shell expr $(COMMITS) % $(words $(LONG)) + 1),$(LONG))
MUTANTS_OF_TURN = $(shell grep -L '^Killed-by: postgresql' tests/mutants/*.patch | sed 's|.*/||; s|\.patch$$||' | \
	awk -v turn=$$(expr $(COMMITS) / $(words $(LONG))) 'NR % 5 == turn % 5')

long: ## each campaign that goes with pushes in turn, one after the other (2 h)
	@for target in $(LONG); do echo "== $$target" && $(MAKE) $$target || exit; done

check-bindings: | build ## the tests of the bindings, each by the tools of its language (10 min)
	@$(call campaign,-L '^$@$$')

$(BINDINGS:%=check-%): check-%: | build
	@$(call campaign,-R '^bindings/$*$$')

check-databases: | build ## the tests of the extensions for PostgreSQL and SQLite, and of the plain SQL (5 min)
	@$(call campaign,-L '^$@$$')

check-page: | build ## the page in a browser, beside the command and the daemon, and the manual (4 min)
	@sh tools/install-packages manual
	@$(call campaign,-L '^$@$$')

check-nemesis: | build ## real processes killed over real servers, and clusters cut apart, in their short forms (8 min)
	@$(call campaign,-L '^$@$$')

check-whole: | build ## all of what make check takes a sample of (8 min)
	@$(call campaign,-L '^$@$$')

check-figures: | build ## figures of the pages, counts of instructions, self-tests of the checks (3 min)
	@$(call campaign,-L '^$@$$')

check-packages: packages ## make the packages of the bindings, and type README's first lines of each language (10 min)
	@$(call aloud,sh tests/install/first-lines.sh .)

style: | build ## the house rules alone (2 min)
	@$(call test,check,-L '^style$$')

check-docs: | build ## the house rules, and the commands of the pages (4 min)
	@$(packages)
	@$(call test,check,-R '^(style/|examples/|cli/(pages|readme|recipes|advice|help|incidents))')

check-mutants: | build ## a fifth of the known bugs of make mutants, at each turn the next, but for those of PostgreSQL (6 min)
	@sh tools/install-packages check
	@$(call aloud,sh tools/mutants build/mutants $(JOBS) $(MUTANTS_OF_TURN))

check-asan: PURPOSES = check clang fuzz
check-asan: | build ## the tests of behaviour, by clang, under address and undefined behaviour sanitizers (10 min)
	@$(packages)
	@$(call test,asan)

check-tsan: | build ## the concurrency tests under the thread sanitizer (2 min)
	@$(packages)
	@$(call test,tsan)

check-own-libc: PURPOSES = check musl
check-own-libc: | build ## what speaks with the system, with nothing of it beyond POSIX, and against musl (3 min)
	@$(packages)
	@$(call aloud,sh tools/cross-cmocka build/cross musl)
	@$(call test,musl,-R '^(unit|process)/test_.*(os|store|word|fork|file|lock|dirs|state|guard|memory)')

check-clang: PURPOSES = check clang
check-clang: | build ## the tests of what a compiler makes, by clang, optimised (5 min)
	@$(packages)
	@$(call test,clang)

check-sanitized: | build ## the tests of the extensions for Node and Python, built with sanitizers (5 min)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,sh bindings/sanitized.sh . build/check)

check-clients: | build ## clients of Redis from their registries, against frazild (about 2 min)
	@sh tools/install-packages check clients
	@$(call build,check)
	@$(call aloud,sh tests/frazild/clients/run.sh build/check/bin/frazild build/clients)

check-restarts: | build ## 100 rolling restarts of frazild behind HAProxy, and 100 kills, under load (about 3 min)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,TEST_SKIP_NOTHING=1 FRAZILD_RESTARTS=100 ctest --preset check -R "^frazild/test_proxy$$" --no-tests=error --verbose)

check-recipes: | build ## the examples for Node and the lines for ORMs, with the packages of npm that they are for (not timed)
	@sh tools/install-packages check bench
	@$(call aloud,sh bindings/node/recipes.sh . build/check)
	@$(call aloud,sh databases/postgresql/recipes.sh . build/check)

check-cross: ## what does not need servers, built for aarch64 and s390x and run by qemu-user (not timed)
	@for processor in $(CROSS); do $(MAKE) check-$$processor || exit; done

$(CROSS:%=check-%): PURPOSES = cross
$(CROSS:%=check-%): check-%: | build
	@sh tools/install-packages cross
	@$(call aloud,sh tools/cross-cmocka build/cross $*)
	@$(call test,$*)
	@$(call build,check) --target frazil frazil-sim
	@$(call aloud,sh tools/cross-compare $(JOBS) $*)

SOAK_SEEDS ?= 1-20000
SOAK_MEMBERS ?= 1-2000
SOAK_USERS ?= 1-2000
SOAK_FLEETS ?= 1-100

check-portable: | build ## the tests, built with nothing of the system beyond POSIX, as other systems than Linux get it (10 min)
	@$(packages)
	@$(call test,portable)

musl: | build ## build the library and the command against musl in place of glibc (1 min)
	@sh tools/install-packages musl
	@$(call quietly,$(CMAKE) --preset musl -B build/musl-only -DFRAZIL_TESTS=OFF)
	@$(CMAKE) --build build/musl-only -j $(JOBS)

check-musl: PURPOSES = check musl
check-musl: | build ## the same against musl in place of glibc, without client libraries (8 min)
	@$(packages)
	@$(call aloud,sh tools/cross-cmocka build/cross musl)
	@$(call test,musl)

soak: | build ## 20,000 simulated worlds full of faults, 2,000 of shared leases, 2,000 of several users, a hundred fleets of 10,000 services, and what struck in them (about 40 min)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,build/check/tests/simulator/frazil-sim --seeds $(SOAK_SEEDS) --jobs $(JOBS))
	@$(call aloud,build/check/tests/simulator/frazil-sim --members --seeds $(SOAK_MEMBERS) --jobs $(JOBS))
	@$(call aloud,build/check/tests/simulator/frazil-sim --users --seeds $(SOAK_USERS) --jobs $(JOBS))
	@$(call aloud,build/check/tests/simulator/frazil-sim --fleet 10000 --seeds $(SOAK_FLEETS) --jobs $(JOBS))

memory-model: | build ## the lock-free code under the memory model of C11, in all orders, and what must fail there (2 min)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,build/check/tests/memory_model/memory-model)

install: | build ## install below PREFIX (default /usr/local), which DESTDIR goes in front of (1 min)
	@sh tools/quietly build/release.configure.log "$(CMAKE) --preset release -DCMAKE_INSTALL_PREFIX='$(PREFIX)'"
	@$(CMAKE) --build --preset release -j $(JOBS)
	@sh tools/quietly build/page.log 'sh web/build.sh build/web' 2>/dev/null || echo "without the page, which make page builds: $$(cat build/page.log)"
	$(CMAKE) --install build/release
	@sh tools/give-back build
	@if [ -z "$$DESTDIR" ] && [ "$$(id -u)" -eq 0 ]; then ldconfig || true; fi # so that programs find it below /usr/local

format: ## lay out all sources with clang-format
	@sh tools/install-packages format
	@$(call quietly,sh tools/sources c | xargs clang-format -i)

format-check: ## say which sources clang-format would change
	@sh tools/install-packages format
	@$(call aloud,sh tests/style/format.sh .)

lint: | build ## clang-tidy, cppcheck, shellcheck, mandoc, doxygen over everything (10 min)
	@sh tools/install-packages check clang lint
	@$(call quietly,$(CMAKE) --preset lint)
	@$(call aloud,sh tools/lint build/lint "$(JOBS)")

lint-changes: | build ## the same, with clang-tidy and cppcheck over what changed within a day, and what includes it (4 min)
	@sh tools/install-packages check clang lint
	@$(call quietly,$(CMAKE) --preset lint)
	@$(call build,check)
	@$(call aloud,sh tools/lint build/lint "$(JOBS)" "$$(sh tools/changed units build/check)")

nemesis: | build ## kill, stop and fork real processes over real servers, ten times as much as in a check (about 2 h)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,TEST_SKIP_NOTHING=1 TEST_NEMESIS=10 ctest --preset check-all -L nemesis --timeout 14400 --verbose)

IDS ?= 1.6e10

ids: | build ## 1e11 ids of processes that are killed, stopped and whose clock is set back, over files and each coordinator side by side, none twice (about 40 min)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,TEST_SKIP_NOTHING=1 TEST_IDS=$(IDS) ctest --preset check-all -R "^nemesis/test_ids-" -j 12 --timeout 36000 --verbose)

CLUSTERS_MINUTES ?= 60
CLUSTERS_SEED ?= $(shell date +%Y%m%d)

clusters: | build ## real clusters of hosts that are cut apart, by root: the figures for docs/TRUST.md (60 min)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,env $$(cat build/check/tests/clusters/environment) python3 -B tests/clusters/campaign.py --seed "$(CLUSTERS_SEED)" --minutes "$(CLUSTERS_MINUTES)")

mutants: | build ## put known bugs of other systems into a copy of the tree, and see which test finds each (about 60 min)
	@sh tools/install-packages check
	@$(call aloud,sh tools/mutants build/mutants $(JOBS))

model: | build ## look at all states of the model of the lease protocol, and of its variants that must fail (3 min)
	@sh tools/install-packages model
	@$(call aloud,sh tests/model/check.sh all)

FUZZ_SECONDS ?= 60

fuzz: | build ## look for inputs that a parser does not take as it should, 60 s each, and give frazild 100,000 requests and 10,000 configurations (about 45 min)
	@sh tools/install-packages check clang fuzz
	@$(call build,fuzz)
	@$(call aloud,sh tools/fuzz build/fuzz "$(JOBS)" "$(FUZZ_SECONDS)")
	@FRAZILD_FUZZ=100000 FRAZILD_FUZZ_CONFIG=10000 && export FRAZILD_FUZZ FRAZILD_FUZZ_CONFIG && \
		$(call test,asan,-R '^frazild/test_(http|config)_fuzz$$')

bench: | build ## measure what an id costs, and write docs/performance.md: when nothing else runs (not timed)
	@sh tools/install-packages bench || echo 'bench: going on without them'
	@$(call aloud,sh tools/bench "$(JOBS)")

page: | build ## the page that draws ids and plans layouts: build/web/frazil.html
	@sh tools/install-packages page
	@$(call aloud,sh web/build.sh build/web)
	@echo 'file://$(CURDIR)/build/web/frazil.html'

manual: | build ## the manual as pages for a browser, with a search: build/manual/index.html
	@sh tools/install-packages manual page
	@$(call quietly,sh tools/manual build/manual)
	@mkdir -p build/web && ln -sfn ../manual build/web/manual # where the page looks for it
	@echo build/manual/index.html

coverage: PURPOSES = check coverage
coverage: | build ## run the unit tests: which share of the lines they reach; all of the core and the lease (5 min)
	@$(packages)
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(call test,coverage)
	@$(call aloud,sh tools/coverage build/coverage)

bench-postgresql: | build ## measure what an id costs in PostgreSQL beside other keys, as the tables of its page: when nothing else runs (not timed)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,sh databases/postgresql/test.sh "$(CURDIR)" "$(CURDIR)/build/check" bench.pl | sed -n "s/^# //p")

update-instructions: | build ## write bench/instructions/counts.txt and the listings of docs/fast-path.md anew (about 3 min)
	@sh tools/install-packages check clang
	@$(call build,check)
	@$(call aloud,sh bench/instructions/count.sh --update build/check/tests/bench_instructions bench/instructions/counts.txt)
	@$(call aloud,sh bench/instructions/listings.sh --page build/check/tests/bench_instructions | sh tools/put-figures update-instructions docs/fast-path.md)
	@$(call build,clang)
	@$(call aloud,sh bench/instructions/count.sh --update build/clang/tests/bench_instructions bench/instructions/counts.txt)

update-fleets: | build ## write the tables of simulated fleets in docs/TRUST.md and docs/operations.md anew (about 3 min)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,for page in docs/TRUST.md docs/operations.md; do \
		sh tests/simulator/figures.sh build/check/tests/simulator/frazil-sim $$page | sh tools/put-figures update-fleets $$page || exit; done)

update-bounds: | build ## measure each call over five broken coordinators, for docs/TRUST.md; on a quiet machine (about 10 min)
	@sh tools/install-packages check
	@$(call build,check)
	@$(call aloud,TEST_SKIP_NOTHING=1 ctest --preset check-all -R "^nemesis/test_bounds$$" --verbose >build/bounds.txt && \
		{ echo; sed -n "s/^[0-9]*: |/|/p" build/bounds.txt; echo; } | sh tools/put-figures update-bounds docs/TRUST.md)

update-symbols: all ## write tests/api/exported-symbols*.txt from the libraries as they are built now, and tests/conformance/shapes.txt from the headers (1 min)
	@$(call aloud,sh tests/api/symbols.sh --update build/release/src build/release/parts)
	@$(call aloud,sh tests/conformance/shapes.sh --update .)

update-abi: ## write tests/api/frazil.abi from the headers: the types that programs are compiled with
	@$(call aloud,sh tests/api/abi.sh --update .)

update-lists: ## write the errors, text forms, statistics, events, words for states and of keys, and keys for times that bindings list, from the tables of the source
	@$(call aloud,python3 tools/binding-lists .)

api: | build ## generate the API reference, build/api/html/index.html, from the comments of the headers
	@sh tools/install-packages api
	@$(call aloud,doxygen docs/Doxyfile)

deb: | build ## build Debian packages into build/deb, and let lintian look at them (not timed)
	@sh tools/install-packages deb
	@sh tools/deb build/deb '$(JOBS)'
	@sh tools/give-back build

check-deb: deb ## install the packages in a copy of this machine, try them, purge them (deb and 1 min)
	@$(call aloud,sh tests/install/packages.sh build/deb)

amalgamation: | build ## the library as two files, build/amalgamation/frazil.c and frazil.h, and SQLite's extension as two more
	@$(call aloud,sh tools/amalgamate build/amalgamation)
	@$(call aloud,sh databases/sqlite/amalgamate build/amalgamation)

packages: $(BINDINGS:%=packages-%) ## build the packages of the bindings, and the extension for PGXN, into build/packages (5 min)
	@$(call aloud,sh databases/postgresql/package.sh . build/packages)

$(BINDINGS:%=packages-%): packages-%: amalgamation ## the packages of one language alone: packages-go, -node, -php, -python, -rust
	@sh tools/install-packages --or-less $@
	@$(call aloud,sh bindings/$*/package.sh . build/packages)

dist: | build ## put the source tarball of the last commit, and frazil.c with frazil.h, into build/
	@$(call aloud,sh tools/dist build)

check-dist: ## unpack it elsewhere, build and test it there (about 6 min)
	@sh tools/install-packages check
	@$(call aloud,sh tests/install/dist.sh . "$(JOBS)")

before-release: | build ## what a release must have passed, each once with the last commit (many hours)
	@[ -z "$$(git status --porcelain)" ] || { echo 'before-release: commit what has changed first' >&2 && exit 1; }
	@for target in $(BEFORE_RELEASE); do \
		line="$$(git rev-parse HEAD) $$target"; \
		grep -qxsF "$$line" build/tried || { echo "== $$target" && $(MAKE) $$target && echo "$$line" >>build/tried; } || exit; \
	done

build/release-tools/made: tools/release-requirements.txt | build
	@sh tools/install-packages packages-python
	@sh tools/quietly build/release-tools.log 'python3 -m venv --clear $(@D) && $(@D)/bin/pip install --quiet --requirement $<'
	@touch $@

release: build/release-tools/made ## make all files of a release, VERSION=1.0.0, into build/release-1.0.0: docs/releasing.md (30 min)
	@sh tools/install-packages deb manual page $(BINDINGS:%=packages-%)
	@sh tools/release '$(VERSION)' '$(JOBS)' $(BEFORE_RELEASE)

check-release: build/release-tools/made ## install each of these files on an empty Debian machine, without a network, by root (about 25 min)
	@sh tools/install-packages walk release
	@[ -n '$(VERSION)' ] || { echo 'say which: make check-release VERSION=1.0.0' >&2 && exit 1; }
	@$(call aloud,bash tests/install/check-release.sh build/walk build/release-$(VERSION))

check-image: build/release-tools/made ## build the container image of frazild without a registry, by root, and ask it for ids (10 min)
	@sh tools/install-packages walk image
	@$(call aloud,bash tests/install/image.sh build/walk)

walk: | build ## README.md and docs/start.md typed on empty Debian machines, by root: build/walk/transcript.txt (not timed)
	@sh tools/install-packages walk
	@$(call aloud,bash tests/install/walk.sh build/walk)

clean: ## remove build/
	rm -rf build

build:
	@mkdir -p build
