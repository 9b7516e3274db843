#!/usr/bin/env bash
# The lines of core, C interface and simulator that the Rust tests run: a table by file, and pages in build/coverage.
#
#   coverage.sh [ARGUMENT...]       arguments of cargo test; by default all tests: coverage.sh -p surefill --lib
#
# A build of its own. Lines that only C, Fortran or Python programs run count as not run.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${BUILD:-build}")
tools=$(realpath -m "${CARGO_TARGET_DIR:-target}/tools")
export PATH=$PATH:$tools/bin
[ $# -gt 0 ] || set -- --workspace --features surefill/capi

if ! command -v cargo-llvm-cov > /dev/null; then
    echo "building cargo-llvm-cov in $tools: some minutes, once"
    cargo install --quiet --locked --root "$tools" cargo-llvm-cov
fi
# The programs that read what was counted are those of the compiler's own LLVM.
if [ -z "${LLVM_COV:-}" ] && ! compgen -G "$(rustc --print sysroot)/lib/rustlib/*/bin/llvm-cov" > /dev/null; then
    command -v rustup > /dev/null && rustup component add llvm-tools ||
        { echo "coverage: please install rustup's llvm-tools, or name LLVM_COV and LLVM_PROFDATA" >&2; exit 1; }
fi
cargo llvm-cov --html --output-dir "$folder/coverage" "$@"
cargo llvm-cov report
echo "The pages: $folder/coverage/html/index.html"
