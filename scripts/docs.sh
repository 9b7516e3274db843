#!/usr/bin/env bash
# make docs: checks the links, builds the book of docs/ and the reference of the crates below build/docs.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}/docs
mkdir -p "$build"
python3 scripts/check-links.py
RUSTDOCFLAGS='-D warnings' cargo doc --quiet --workspace --no-deps --target-dir "${CARGO_TARGET_DIR:-target}"
rm -rf "$build/reference"
cp -r "${CARGO_TARGET_DIR:-target}/doc" "$build/reference"
cp include/surefill.h include/surefill_parts.h "$build"
python3 scripts/book.py "${1:-build}"
echo "The reference: $build/reference/surefill/index.html"
