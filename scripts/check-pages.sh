#!/usr/bin/env bash
# Makes pages of most kinds and renders them in headless Chromium at 1280 and 390 pixels (check-pages.py). Pictures come to
# build/pages. The pages of allocate and characterize still have text that is too small for it.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}/pages
surefill=${SUREFILL_BIN:-${CARGO_TARGET_DIR:-target}/release/surefill}
scripts/packages.sh chromium python3
traces=${SUREFILL_TRACES:-../shared/traces}
rm -rf "$build"
mkdir -p "$build"
demo=demo/workload.swf.gz
page() {
    local name=$1
    shift
    nice "$surefill" "$@" --html "$build/$name.html" > /dev/null
}
page compare compare --quiet "$demo"
page simulate simulate --quiet "$demo" --limit-jobs 2000
# These need waits of a real machine.
real=$traces/KTH-SP2-1996-2.swf.gz
if [ -f "$real" ]; then
    page wait-bounds wait-bounds "$real"
    page what-if what-if --quiet "$real"
else
    echo "SKIPPED: pages of waits, as there is no $real"
fi
python3 scripts/check-pages.py "$(command -v chromium)" "$build" "$build"/*.html
