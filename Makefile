# Everything works in a folder with a space in its name: recipes use relative paths only.
# PREFIX, ONLY, BASE, ROUNDS, KILLS, MINUTES, REQUESTS, SEGMENTS, LIMIT, SEEDS, SEED, JOBS, TRACE, DIGEST, SECONDS_EACH
# LINES, PAUSE, PARTS, SDKS, REQUIRE, SCOPE, SAMPLE, IN_PLACE and DAYS reach the scripts through the environment.
PREFIX ?= ~/.local
export PREFIX
.DEFAULT_GOAL := help
.PHONY: help demo sift lectern test apps-test browser-test sift-kill-test integration install lint docs bench bench-check tsan crash-test work-test kill-test stream-test memory-test simulate mutants stale-prices clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

demo: ## Read the Gospel of Mark aloud into demo/mark.wav (installs what is missing; goes on where it was)
	@scripts/setup --demo
	swift build -c release --product hablare
	@scripts/demo

sift: ## Show the photos of PHOTOS=folder, or of a sample library, in the browser; prints the link to open
	@scripts/setup --apps $(if $(PHOTOS),,--sample)
	swift build -c release --package-path Apps --scratch-path .build-apps --product sift
	@scripts/sift

lectern: ## Read the Bible and your own books in the browser, with DATA=folder and PORT=8650; prints the link to open
	@scripts/setup --texts
	swift build -c release --package-path Apps --scratch-path .build-apps --product lectern
	@scripts/lectern

test: ## Build and run all tests (installs what is missing)
	@scripts/setup
	@scripts/test

apps-test: ## Build and run the tests of the applications in Apps/
	@scripts/setup --apps
	@scripts/apps-test

browser-test: ## Build Sift, and run its pages in Chromium; ALL=1 also works through 500 photos
	@scripts/setup --browser
	@scripts/browser-test $(if $(ALL),--all)

sift-kill-test: ## Kill Sift at random moments, KILLS=200 times; no photo and no decision may be lost
	@scripts/setup --apps
	swift build -c release --package-path Apps --scratch-path .build-apps --product sift
	@scripts/sift-kill-test

integration: ## Run our providers against a real language model, a real voice and the vendors' libraries, which it installs outside the tree
	@scripts/setup
	@scripts/integration
	@scripts/sdk-test

install: ## Install hablare and its shell completions under PREFIX (default ~/.local)
	@scripts/setup
	HABLARE_COMMIT=$$(git describe --always --exclude='*' --abbrev=12 --dirty 2>/dev/null) swift build -c release --product hablare
	@scripts/install

lint: ## Check format, module walls, house rules, decision records and scripts
	@scripts/lint

docs: ## Build the documentation into .build/documentation; broken links are errors
	@scripts/setup
	@scripts/docs

bench: ## Run the benchmarks, or ONLY=name of them; figures go to .bench/latest.json
	@scripts/setup
	@scripts/bench

bench-check: ## Compare this tree with BASE=revision, in turn, ROUNDS=3 times
	@scripts/setup
	@scripts/bench-check

tsan: ## Run all tests under the thread sanitizer, or SCOPE=engine without providers and command
	@scripts/setup
	@scripts/tsan

crash-test: ## Kill a narration at random moments, KILLS=20 times, and compare what comes out
	@scripts/setup
	swift build -c release --product hablare
	@scripts/crash-test

work-test: ## Three processes share REQUESTS=300, one of them is killed; nothing may be done twice
	@scripts/setup
	swift build -c release --product hablare
	@scripts/work-test

kill-test: ## Kill two processes in turn for MINUTES=10; no request may be lost, none recorded twice
	@scripts/setup
	swift build -c release --product hablare
	@scripts/kill-test

stream-test: ## Kill a process that streams a program's output, ROUNDS=2 times each way; readers re-attach and lose nothing
	@scripts/setup
	swift build -c release --product hablare
	@scripts/stream-test

memory-test: ## Narrate SEGMENTS=20000 within a data limit of 256 MiB
	@scripts/setup
	swift build -c release --product hablare
	@scripts/memory-test

simulate: ## Run SEEDS=1000 simulated histories of the engine from SEED=0 on and judge them (TRACE=1 shows them)
	@scripts/setup
	swift build -c release --product hablare-simulate
	@scripts/simulate

mutants: ## Plant one fault after another, or ONLY=pattern of them, and see each noticed by the check it names
	@scripts/setup
	@scripts/mutants

stale-prices: ## List the shipped prices and models that were last checked more than DAYS=90 days ago
	@scripts/stale-prices $${DAYS:-90}

clean: ## Remove what was built and measured (the demo's audio in demo/ stays)
	rm -rf .build .build-* .bench
