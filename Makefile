# drivelab: every command that the house needs. `make help` lists them.
# What is printed on standard output is the result; progress goes to standard error.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

CARGO ?= cargo
OUT ?= out
TARGET_DIR ?= $(or $(CARGO_TARGET_DIR),target)
REVIEWS ?= solidigm-d5-p5430 intel-710 optane-memory raid-10gbs p5520-showdown
# What is reproduced besides at full precision: each drive against its own data sheet, and quiet
# drives against what fio shows of them elsewhere.
SHEETS ?= data-sheets quiet-drives
EXAMPLE ?= examples/four-corners.fio
EXAMPLE_DRIVE ?= d5-p5430
# Work of one measurement in the demonstration, each of which is made with three seeds; see
# docs/ARCHITECTURE.md, "Budget". A review of another name can have its own: DEMO_BUDGET_name.
DEMO_BUDGET ?= 1s
DEMO_BUDGET_intel-710 ?= 300ms
DEMO_BUDGET_optane-memory ?= 50ms
DEMO_BUDGET_raid-10gbs ?= 200ms
DEMO_BUDGET_p5520-showdown ?= 200ms
DEMO_BUDGET_data-sheets ?= 200ms
DEMO_BUDGET_quiet-drives ?= 200ms
# Units simulated of each drive, likewise, where the usual ones are not meant; a quarter of them is
# enough for drives with small buffers.
DEMO_SCALE ?=
DEMO_SCALE_intel-710 ?= 4Mi units
# An SLC cache must be large beside a test file.
DEMO_SCALE_raid-10gbs ?= 64Mi units
# How `make reproduce` measures: some five times the work, and seeds until each number is known so well.
FULL ?= --precision 1%
FULL_BUDGET ?= 5s
FULL_BUDGET_intel-710 ?= 1500ms
FULL_BUDGET_optane-memory ?= 250ms
FULL_BUDGET_raid-10gbs ?= 1s
FULL_BUDGET_p5520-showdown ?= 500ms
FULL_BUDGET_data-sheets ?= 200ms
FULL_BUDGET_quiet-drives ?= 1s
FUZZ_SECONDS ?= 60
# Property tests draw from this seed in `make test`, so that the same source always passes or always
# fails; `make soak` is where new seeds are searched (docs/decisions/0022).
TEST_SEED ?= 20261121
SOAK_CASES ?= 20000

# Tables of a drive are hundreds of megabytes: in pages of 2 MiB, where the system has them, a long
# run takes 3 to 10 % less.
drivelab = GLIBC_TUNABLES="$${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}" \
    $(CARGO) run --release --locked --quiet --package cli --bin drivelab --

# The scale of a review, if it is not the usual one.
scale_of = $(if $(DEMO_SCALE_$(1))$(DEMO_SCALE),--scale "$(or $(DEMO_SCALE_$(1)),$(DEMO_SCALE))")

# Reproduces one review for the demonstration.
define demo_review
	printf '[2/4] reproducing $(1)\n' >&2
	$(drivelab) reproduce $(1) --budget $(or $(DEMO_BUDGET_$(1)),$(DEMO_BUDGET)) \
	    $(scale_of) --overwrite \
	    --json-file "$(OUT)/$(1).json" --record "$(OUT)/$(1).record.json" > "$(OUT)/$(1).txt"

endef

# Reproduces one review at full precision; kept only when it is complete. What has been measured is
# saved, so that the next `make reproduce` of the same program goes on where this one ended.
define full_review
	if [ "$$(cat "$$full/$(1).done" 2>/dev/null)" = "$$program" ]; then
	    printf '$(1) is complete\n' >&2
	else
	    $(drivelab) reproduce $(1) $(FULL) --budget $(or $(FULL_BUDGET_$(1)),$(FULL_BUDGET)) \
	        $(scale_of) --overwrite \
	        --record "$$full/$(1).record.json" --json-file "$$full/$(1).json" \
	        --output "$$full/$(1).txt"
	    echo "$$program" > "$$full/$(1).done"
	fi
	cp "$$full/$(1).txt" "$$full/$(1).json" docs/validation/
	printf 'kept in docs/validation/$(1).txt and .json\n' >&2

endef

# One review with the intervals of its predictions, with the work of the demonstration.
define interval_review
	$(drivelab) reproduce $(1) --interval --overwrite \
	    --budget $(or $(DEMO_BUDGET_$(1)),$(DEMO_BUDGET)) \
	    $(scale_of) \
	    --record "$(OUT)/intervals/$(1).record.json" --json-file "$$kept/$(1).json" \
	    --output "$(OUT)/intervals/$(1).txt"

endef

# The claims of one review on models that contradict them, of which none may hold; with as many
# seeds as it takes to know each number to 10 %, since three leave some percentiles open.
define counter_review
	$(drivelab) reproduce $(1) --counter --budget $(or $(DEMO_BUDGET_$(1)),$(DEMO_BUDGET)) \
	    --precision 10% $(scale_of)

endef

comma := ,
# Installs the packages $(1) on Debian for root, who is told $(2), and ends the recipe if all went
# well. What stands behind it says what is missing otherwise.
define install_packages
if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	    printf 'installing $(2)\n' >&2
	    export DEBIAN_FRONTEND=noninteractive
	    { apt-get -qq update && apt-get -qq install -y --no-install-recommends \
	        $(1); } >/dev/null 2>&1 && exit 0
	fi
endef

NBD_PACKAGES := libnbd-bin nbdfuse fuse3 qemu-utils sqlite3 e2fsprogs xfsprogs

DATABASE_PACKAGES := mariadb-server-core mariadb-client-core sysbench postgresql

LIVE_PACKAGES := fio mariadb-server-core mariadb-client-core sysbench libnbd-bin nbdfuse fuse3 e2fsprogs

.PHONY: help demo live-demo live-packages test test-packages test-guest guest-packages soak bench lint deny reproduce intervals reference pictures test-corpus fuzz rust fio-for-tests databases-for-tests nbd-for-tests chromium-for-tests python-for-tests wheel test-python test-ray test-slurm slurm-packages test-wheel

help: ## This list
	@printf 'drivelab: make targets\n\n'
	sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 24

demo: rust ## Build, reproduce five published reviews, run an example job; out/report.html shows it
	@mkdir -p "$(OUT)"
	printf '[1/4] building (release; some minutes the first time)\n' >&2
	$(CARGO) build --release --locked --package cli
	$(foreach review,$(REVIEWS),$(call demo_review,$(review)))
	printf '[3/4] running $(EXAMPLE) on $(EXAMPLE_DRIVE)\n' >&2
	name=$$(basename "$(EXAMPLE)" .fio)
	$(drivelab) run "$(EXAMPLE)" --on $(EXAMPLE_DRIVE) --state steady --budget $(DEMO_BUDGET) \
	    --overwrite --record "$(OUT)/$$name.record.json" > "$(OUT)/$$name.txt"
	for review in $(REVIEWS); do
	    sed -n "s/^Summary$$/Summary of $$review/; /^Summary of/,\$$p" "$(OUT)/$$review.txt"
	    echo
	done
	printf '[4/4] writing the report\n' >&2
	$(drivelab) report $(foreach review,$(REVIEWS),"$(OUT)/$(review).record.json") \
	    "$(OUT)/$$name.record.json" --title 'Five reviews, published against simulated' \
	    --output "$(OUT)/report.html"
	printf 'Written:\n'
	for name in $(REVIEWS) $$name; do ls -1 "$(OUT)/$$name".*; done
	printf '\nOpen %s/report.html in a browser: figures, claims, charts, and where they come from.\n' \
	    "$$(cd "$(OUT)" && pwd)"

live-demo: rust live-packages ## A minute of MariaDB on two served drives, and power cuts; root for all of it
	@printf 'building (release; some minutes the first time)\n' >&2
	$(CARGO) build --release --locked --quiet --package cli
	DRIVELAB="$(abspath $(TARGET_DIR))/release/drivelab" examples/live/demo.sh

# Without them the demonstration shows less, and says so.
live-packages:
	@missing=""
	for program in fio mariadbd mariadb sysbench nbdfuse fusermount3 mkfs.ext4; do
	    PATH="$$PATH:/usr/sbin:/sbin" command -v $$program >/dev/null || missing=yes
	done
	if [ -z "$$missing" ]; then exit 0; fi
	$(call install_packages,$(LIVE_PACKAGES),$(LIVE_PACKAGES))
	printf 'not installed, and not all is shown without them: $(LIVE_PACKAGES)\n' >&2

# What tests need besides Rust.
test-packages: fio-for-tests databases-for-tests nbd-for-tests python-for-tests chromium-for-tests

test: rust test-packages ## All tests of the workspace
	@export PROPTEST_RNG_SEED=$(TEST_SEED) CARGO_INCREMENTAL=$${CARGO_INCREMENTAL:-0}
	export SKIPPED_TESTS=$$(mktemp)
	trap 'rm -f "$$SKIPPED_TESTS"' EXIT
	$(CARGO) test --workspace --lib --bins --tests --locked --no-fail-fast \
	    | awk -v skips="$$SKIPPED_TESTS" -f tests/tally.awk

GUEST_PACKAGES := qemu-system-x86 busybox-static kmod cpio nvme-cli smartmontools fio e2fsprogs

# What `make test-guest` needs, and the kernel of the guest. Fails where they cannot be had.
guest-packages:
	@missing=""
	for program in qemu-system-x86_64 busybox depmod cpio nvme smartctl fio mkfs.ext4; do
	    PATH="$$PATH:/usr/sbin:/sbin" command -v $$program >/dev/null || missing="$$missing $$program"
	done
	if [ -n "$$missing" ]; then
	    printf 'installing $(GUEST_PACKAGES)\n' >&2
	    export DEBIAN_FRONTEND=noninteractive
	    apt-get -qq update
	    apt-get -qq install -y --no-install-recommends $(GUEST_PACKAGES) >/dev/null
	fi
	tests/guest/kernel "$(TARGET_DIR)/guest" >/dev/null

test-guest: rust guest-packages ## A Linux guest on served drives by NVMe over TCP and vhost-user (Debian, root for the packages)
	@export CARGO_INCREMENTAL=$${CARGO_INCREMENTAL:-0}
	$(CARGO) test --workspace --lib --bins --tests --locked --quiet --no-run
	tests/guest/run "$(TARGET_DIR)/debug/drivelab" "$(TARGET_DIR)/guest"

soak: rust ## Property tests and mutated inputs with new seeds, SOAK_CASES each, the law of scale, claims on models that contradict them; TEST=promises for one file
	@$(if $(TEST),,$(CARGO) run --release --locked --quiet --package lab --example scale_law
	$(foreach review,$(REVIEWS),$(call counter_review,$(review))))
	@export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true
	export PROPTEST_CASES=$(SOAK_CASES)
	unset PROPTEST_RNG_SEED
	$(CARGO) test --release --locked --no-fail-fast --target-dir target/soak \
	    --package iopath $(if $(TEST),,--package parsers) --tests $(if $(TEST),$(TEST)::)

bench: rust ## Speed and memory; JSON=1 prints JSON only, AGAINST=FILE compares with another build, INSTRUCTIONS=1 counts them (needs valgrind)
	@printf 'building the bench (release)\n' >&2
	$(CARGO) build --release --locked --quiet --package bench
	$(CARGO) run --release --locked --quiet --package bench -- $(if $(JSON),--json) \
	    $(if $(AGAINST),--against="$(abspath $(AGAINST))") $(if $(ROUNDS),--rounds=$(ROUNDS)) \
	    $(if $(INSTRUCTIONS),--instructions) $(WORKS)

lint: rust ## Formatting, clippy, documentation and dependencies, warnings denied
	@$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked --quiet -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --locked --quiet
	$(MAKE) deny

# Built without optimisation: that is fast enough for some hundred dependencies.
CARGO_DENY ?= 0.20.2

deny: rust ## Licences, duplicates, sources and advisories of dependencies, by cargo-deny
	@deny="$(TARGET_DIR)/tools/bin/cargo-deny"
	if [ "$$("$$deny" --version 2>/dev/null)" != "cargo-deny $(CARGO_DENY)" ]; then
	    printf 'building cargo-deny $(CARGO_DENY) (a minute or two, once)\n' >&2
	    $(CARGO) install cargo-deny --version $(CARGO_DENY) --locked --quiet --debug \
	        --config profile.dev.debug=false --root "$(TARGET_DIR)/tools"
	fi
	"$$deny" --locked check --hide-inclusion-graph licenses bans sources
	if timeout 120 "$$deny" --locked fetch db >/dev/null 2>&1; then
	    "$$deny" --locked check --hide-inclusion-graph --disable-fetch advisories
	else
	    printf 'advisories NOT CHECKED, nor versions taken back: the database of RustSec could not be\n'
	    printf 'fetched from github.com; of the known ones, deny.toml refuses those in its list\n'
	fi

reproduce: rust ## The reviews at full precision, resumable; the result is kept in docs/validation/
	@full="$(OUT)/full"
	mkdir -p docs/validation "$$full"
	printf 'building (release)\n' >&2
	$(CARGO) build --release --locked --quiet --package cli
	program=$$(sha256sum < "$(TARGET_DIR)/release/drivelab")
	$(foreach review,$(REVIEWS) $(SHEETS),$(call full_review,$(review)))
	$(drivelab) reference --dir docs/reference --validation docs/validation

intervals: rust ## How well intervals hold: the reviews with drawn models, and what models lack
	@kept=docs/validation/intervals
	mkdir -p "$(OUT)/intervals" "$$kept"
	printf 'building (release)\n' >&2
	$(CARGO) build --release --locked --quiet --package cli
	$(foreach review,$(REVIEWS) $(SHEETS),$(call interval_review,$(review)))
	$(drivelab) calibrate "$$kept"/*.json --model-error reviews/basis/model-error.toml --overwrite

reference: rust ## The reference of the documentation, written anew from the code
	@$(drivelab) reference --dir docs/reference

pictures: rust ## The pictures of the guide, drawn anew (needs Chromium)
	@$(CARGO) build --release --locked --quiet --package cli
	docs/guide/pictures/draw "$(TARGET_DIR)/release/drivelab"

test-corpus: rust ## DIR=folder: run or refuse, with a reason, every job file below the folder
	@if [ -z "$(DIR)" ]; then
	    printf 'make test-corpus: name the folder, as in `make test-corpus DIR=examples`\n' >&2
	    exit 2
	fi
	$(CARGO) build --release --locked --quiet --package cli
	$(drivelab) corpus "$(DIR)"

fuzz: rust ## Fuzz every parser for FUZZ_SECONDS each (needs cargo-fuzz and a nightly toolchain)
	@if ! $(CARGO) fuzz --version >/dev/null 2>&1; then
	    printf 'make fuzz: cargo-fuzz is missing; install it with `cargo install cargo-fuzz`.\n' >&2
	    printf 'The same checks run without it, on random texts, in `make test`.\n' >&2
	    exit 2
	fi
	if ! $(CARGO) +nightly --version >/dev/null 2>&1; then
	    printf 'make fuzz: no nightly toolchain; `rustup toolchain install nightly`.\n' >&2
	    exit 2
	fi
	fuzz/run $(FUZZ_SECONDS)

# Cargo must be there and not older than `rust-version` in Cargo.toml.
rust:
	@wanted=$$(sed -nE 's/^rust-version = "(.*)"/\1/p' Cargo.toml)
	if ! command -v $(CARGO) >/dev/null; then
	    printf 'drivelab is built with Rust %s or later, and `$(CARGO)` was not found.\n' "$$wanted" >&2
	    printf 'Install it from https://rustup.rs, open a new shell and try again.\n' >&2
	    exit 2
	fi
	found=$$($(CARGO) --version | awk '{ print $$2 }')
	if [ "$$(printf '%s\n' "$$wanted" "$$found" | sort -V | head -n 1)" != "$$wanted" ]; then
	    printf 'drivelab needs Rust %s or later; this is %s. Try `rustup update stable`.\n' \
	        "$$wanted" "$$found" >&2
	    exit 2
	fi

# Some tests compare with the installed fio; without it they are skipped, and with CI set they fail.
fio-for-tests:
	@if command -v fio >/dev/null; then exit 0; fi
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	    printf 'installing fio, which some tests compare with\n' >&2
	    export DEBIAN_FRONTEND=noninteractive
	    { apt-get -qq update && apt-get -qq install -y fio; } >/dev/null 2>&1 && exit 0
	fi
	printf 'fio is not installed: tests that compare with it are skipped\n' >&2

# A method is tested on real servers, and databases lose power. Only the programs are installed, no
# service: Debian makes a cluster of PostgreSQL and starts it unless it is told not to.
databases-for-tests:
	@if [ -x /usr/sbin/mariadbd ] && command -v sysbench >/dev/null && command -v mariadb >/dev/null \
	        && ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then exit 0; fi
	settings=/etc/postgresql-common/createcluster.conf
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && [ ! -e $$settings ]; then
	    export DEBIAN_FRONTEND=noninteractive
	    { apt-get -qq update && apt-get -qq install -y --no-install-recommends postgresql-common \
	        && sed -i 's/^#\? *create_main_cluster.*/create_main_cluster = false/' $$settings; } \
	        >/dev/null 2>&1 || true
	fi
	$(call install_packages,$(DATABASE_PACKAGES),$(DATABASE_PACKAGES)$(comma) on which methods and power cuts are tested)
	printf 'MariaDB, sysbench and PostgreSQL are not installed: tests on real servers are skipped\n' >&2

# Clients that served drives are tested with, and a database whose drive loses power.
nbd-for-tests:
	@if command -v nbdcopy >/dev/null && command -v nbdfuse >/dev/null \
	        && command -v fusermount3 >/dev/null && command -v qemu-img >/dev/null \
	        && command -v sqlite3 >/dev/null && [ -x /usr/sbin/mkfs.xfs ]; then exit 0; fi
	$(call install_packages,$(NBD_PACKAGES),$(NBD_PACKAGES)$(comma) with which served drives are tested)
	printf 'clients of served drives are not installed: tests with them are skipped\n' >&2

# A table of values is opened with DuckDB as a reader would, in a Python environment of its own below
# target/.
# What the Python package and tables of values are tested with: in a folder of its own, so that nothing of the machine's
# Python is changed.
PYTHON_FOR_TESTS := pytest==9.2.0 mypy==2.4.1 polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1 \
    duckdb==2.0.1 numpy==2.4.6 tqdm==4.70.1 pandas-stubs==3.1.0.261029 \
    pyarrow-stubs==20.0.0.20260819 types-tqdm==4.70.0.20261106 scipy==1.17.1 pymoo==0.6.2

PYTHON_FOR_RAY := ray==2.60.0 distributed==2026.8.0 pytest==9.2.0

# Makes the folder $(1) with the packages $(2), and says $(3) meanwhile; fails where it cannot.
define python_folder
place="$(1)"
	if [ "$$(cat "$$place/packages" 2>/dev/null)" = "$(2)" ]; then exit 0; fi
	printf '%s\n' 'installing $(3)' >&2
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && ! python3 -m ensurepip --version \
	        >/dev/null 2>&1; then
	    export DEBIAN_FRONTEND=noninteractive
	    { apt-get -qq update && apt-get -qq install -y python3-venv; } >/dev/null 2>&1 || true
	fi
	mkdir -p "$(TARGET_DIR)"
	rm -rf "$$place"
	if python3 -m venv "$$place" >/dev/null 2>&1 \
	        && "$$place/bin/pip" install --quiet --disable-pip-version-check $(2) >/dev/null 2>&1; then
	    echo "$(2)" > "$$place/packages"
	    exit 0
	fi
	rm -rf "$$place"
endef

python-for-tests:
	@$(call python_folder,$(TARGET_DIR)/python-for-tests,$(PYTHON_FOR_TESTS),what the Python package is tested with)
	printf 'Python packages are missing: tests of the Python package and of tables are skipped\n' >&2

test-ray: rust ## Sweeps on Ray and on Dask, of which workers and a node are killed (installs both, 300 MB, in target/)
	@( $(call python_folder,$(TARGET_DIR)/python-for-ray,$(PYTHON_FOR_RAY),Ray$(comma) Dask and pytest)
	  printf 'Ray and Dask could not be installed\n' >&2
	  exit 1 )
	$(CARGO) build --profile test --package python --locked
	package=$$(mktemp -d)
	trap 'rm -rf "$$package"' EXIT
	cp -r python "$$package"
	cp "$(TARGET_DIR)/debug/lib_native.so" "$$package/python/drivelab/_native.abi3.so"
	PYTHONPATH="$$package/python" "$(TARGET_DIR)/python-for-ray/bin/python" -m pytest -q \
	    -p no:cacheprovider -c /dev/null python/cluster_tests

slurm-packages:
	@if command -v sbatch >/dev/null && [ -x /usr/sbin/slurmctld ] && [ -x /usr/sbin/munged ]; then exit 0; fi
	$(call install_packages,slurm-wlm munge,slurm-wlm and munge$(comma) with which jobs are tested)
	printf 'Slurm is not installed: apt-get install slurm-wlm munge\n' >&2
	exit 1

test-slurm: rust slurm-packages ## A sweep as an array of jobs of Slurm, of which one is requeued (root for the packages)
	@$(CARGO) build --release --locked --quiet --package cli
	tests/slurm/run "$(TARGET_DIR)/release/drivelab"

MATURIN ?= 1.16.0

wheel: rust ## The Python package as a wheel in out/wheels, for Python 3.10 and later
	@( $(call python_folder,$(TARGET_DIR)/maturin,maturin==$(MATURIN),maturin$(comma) which builds wheels)
	  printf 'maturin %s could not be installed: python3 with venv and pip is needed\n' "$(MATURIN)" >&2
	  exit 1 )
	"$(TARGET_DIR)/maturin/bin/maturin" build --release --locked --strip --quiet --out "$(OUT)/wheels"
	ls "$(OUT)"/wheels/*.whl

PYTHON_FOR_WHEELS := auditwheel==6.8.2
# Pythons that the wheel is tried in; without a name all that are on the PATH.
PYTHONS ?=

test-wheel: rust wheel ## The wheel is what it says it is, and installs into each Python here
	@( $(call python_folder,$(TARGET_DIR)/python-for-wheels,$(PYTHON_FOR_WHEELS),auditwheel)
	  printf 'auditwheel could not be installed\n' >&2
	  exit 1 )
	$(CARGO) build --release --locked --quiet --package cli
	tests/wheel/run "$$(ls -t "$(OUT)"/wheels/*.whl | head -1)" "$(TARGET_DIR)/release/drivelab" \
	    "$(TARGET_DIR)/python-for-wheels/bin/auditwheel" $(PYTHONS)

test-python: rust python-for-tests ## The tests of the Python package alone
	@$(CARGO) test --workspace --bins --test all --locked -- package::

# Reports are opened in a real browser.
chromium-for-tests:
	@if command -v chromium >/dev/null || command -v google-chrome >/dev/null; then exit 0; fi
	$(call install_packages,chromium fonts-dejavu-core,chromium$(comma) in which reports are tested)
	printf 'Chromium is not installed: tests of pages in a browser are skipped\n' >&2
