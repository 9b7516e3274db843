#!/usr/bin/env bash
# Usage: fuzz/run.sh SECONDS [TARGET...]
# Builds the fuzz targets with the installed toolchain and runs each for so many seconds, from its seeds and what earlier
# runs found; SUREFILL_FUZZ_SEED=N (else 1) for other inputs, SUREFILL_FUZZ_LENGTH=BYTES (else 4096) for shorter ones,
# SUREFILL_FUZZ_PLAIN=1 without the address sanitizer: both give more executions. Needs no cargo-fuzz: the flags are
# those that it would pass.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: $0 SECONDS [TARGET...]" >&2; exit 2; }
seconds=$1
[[ $seconds =~ ^[1-9][0-9]*$ ]] || { echo "$0: not a number of seconds: $seconds" >&2; exit 2; }
shift
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- differential forecasts predictors scheduler swf wide

command -v "${CXX:-c++}" > /dev/null || {
    echo "no C++ compiler '${CXX:-c++}', which libFuzzer needs: apt-get install g++ (or set CXX)"
    echo "0 passed, $# failed"
    exit 1
}

host=$(rustc -vV | sed -n 's/^host: //p')
flags=(
    -Cpasses=sancov-module
    -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares
    --cfg fuzzing -Cdebug-assertions
)
# The address sanitizer comes with the toolchain on common hosts, but stable compilers do not admit to it.
folder=target
if [ -n "${SUREFILL_FUZZ_PLAIN:-}" ]; then
    folder=target/plain
    export RUSTC_BOOTSTRAP=1
elif compgen -G "$(rustc --print target-libdir)/librustc-*_rt.asan.a" > /dev/null; then
    export RUSTC_BOOTSTRAP=1
    flags+=(-Zsanitizer=address)
else
    echo "without the address sanitizer: this toolchain has none"
fi
# With --target the flags concern the targets alone, not build scripts.
RUSTFLAGS="${flags[*]}" cargo build --quiet --release --target "$host" --target-dir "$folder"

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# One target; a slow input is a finding, too: 10 s is far beyond any.
run() {
    local target=$1
    mkdir -p "corpus/$target" "artifacts/$target"
    "$folder/$host/release/$target" -seed="${SUREFILL_FUZZ_SEED:-1}" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -max_len="${SUREFILL_FUZZ_LENGTH:-4096}" -print_final_stats=1 -artifact_prefix="artifacts/$target/" \
        "corpus/$target" "seeds/$target" > "$logs/$target" 2>&1
}

# As many at a time as there are processors.
for target in "$@"; do
    while [ "$(jobs -pr | wc -l)" -ge "$(nproc)" ]; do
        wait -n || true
    done
    # Who has executed nothing has passed nothing.
    { run "$target" && grep -q '^stat::number_of_executed_units: *[1-9]' "$logs/$target" && touch "$logs/$target.passed"; } &
done
wait || true

passed=0
failed=0
for target in "$@"; do
    log=$logs/$target
    if [ -e "$log.passed" ]; then
        executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        coverage=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -1 || true)
        echo "$target: $executions executions in $seconds s, ${coverage:-no more than the seeds}"
        passed=$((passed + 1))
    else
        grep -A 4 -E 'panicked at|^==[0-9]+== *ERROR' "$log" || tail -20 "$log"
        artifact=$(sed -n 's/.*Test unit written to //p' "$log")
        echo "$target: FAILED. Once more, in fuzz/: $folder/$host/release/$target ${artifact:-(no artifact)}"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
