#!/usr/bin/env bash
# Everything that tests. Installs what is missing where it may, else says what to install.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build
target=${CARGO_TARGET_DIR:-target}
passed=0
failed=()

# What a fresh Debian machine with Rust and gcc may lack: command, then package.
missing=()
while read -r command package; do
    command -v "$command" > /dev/null || missing+=("$package")
done << 'LIST'
gcc gcc
g++ g++
gfortran gfortran
valgrind valgrind
pkg-config pkg-config
python3 python3
abidiff abigail-tools
groff groff-base
dpkg-shlibdeps dpkg-dev
LIST
if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        echo "check: installing ${missing[*]}"
        export DEBIAN_FRONTEND=noninteractive
        timeout 200 apt-get update -qq
        timeout 600 apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
    else
        echo "check: please install first: apt-get install ${missing[*]}" >&2
        exit 1
    fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs one step; goes on after a failure, so that one run shows all of them.
step() {
    local name=$1
    shift
    printf '\n=== %s\n' "$name"
    local begun=$SECONDS
    if "$@" 2>&1 | tee -a "$log"; then
        passed=$((passed + 1))
        printf '=== %s: passed in %d s\n' "$name" $((SECONDS - begun))
    else
        failed+=("$name")
        printf '=== %s: FAILED\n' "$name"
    fi
}

# The digests of decisions and of generated workloads where the compiler may use wider vector instructions: a build of its
# own.
wide_vectors() {
    if ! grep -q avx2 /proc/cpuinfo 2> /dev/null; then
        echo "SKIPPED: this processor has no AVX2"
        return 0
    fi
    # What others wrote need not be fast here.
    RUSTFLAGS='-C target-cpu=x86-64-v3' CARGO_TARGET_DIR=$target/wide CARGO_PROFILE_RELEASE_DEBUG=0 \
        cargo test --release --config 'profile.release.package."*".opt-level=1' \
        -p surefill-simulator --test probabilistic --test generate bit_for_bit
}

step "formatting" cargo fmt --all --check
step "lints" cargo clippy --workspace --all-targets -- -D warnings
step "lints of the C ABI" cargo clippy -p surefill --features capi --all-targets -- -D warnings
step "documentation" env RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps
step "tests" cargo test --workspace
step "tests of the C ABI from Rust" cargo test -p surefill --features capi --lib --test capi --test capi_answers
step "bit for bit: release build" \
    cargo test --release -p surefill-simulator --test probabilistic --test generate bit_for_bit
step "bit for bit: wider vectors" wide_vectors
step "the libraries" make --no-print-directory lib
step "the simulator" cargo build --release -p surefill-simulator
step "C" env SUREFILL_BIN="$(realpath -m "$target/release/surefill")" tests/c/run.sh $build
step "Fortran" tests/fortran/run.sh $build
step "binary interface" scripts/check-abi.sh
step "binary interface: changes are found" scripts/check-abi.sh --test
step "installation" scripts/check-install.sh
step "Debian packages" scripts/check-package.sh
step "fuzzing" fuzz/run.sh "${SUREFILL_FUZZ_SECONDS:-30}"
step "PBS" tests/pbs/run.sh $build
step "Slurm" scripts/check-slurm.sh
step "demonstration" make --no-print-directory demo

printf '\n'
for name in "${failed[@]}"; do
    printf 'FAILED: %s\n' "$name"
done
skipped=$(grep -c 'SKIPPED: ' "$log" || true)
[ "$skipped" = 0 ] || printf 'Parts of them were skipped, for the reasons given above: %d\n' "$skipped"
printf '%d passed, %d failed\n' "$passed" "${#failed[@]}"
[ ${#failed[@]} -eq 0 ]
