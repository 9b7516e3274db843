#!/usr/bin/env bash
# Makes pages of all kinds and renders them in headless Chromium at 1280 and 390 pixels (check-pages.py). Pictures come to
# build/pages.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}/pages
surefill=${SUREFILL_BIN:-${CARGO_TARGET_DIR:-target}/${TOOL_PROFILE:-release}/surefill}
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
page allocate allocate --days 3
page characterize characterize "$demo"
page fit fit "$demo"
page gain gain "$demo"
page locality locality "$demo"
page tune tune --quiet "$demo" --settings 6 --limit-jobs 500
page similar similar "$demo" "$demo"
# These need waits of a real machine.
real=$traces/KTH-SP2-1996-2.swf.gz
if [ -f "$real" ]; then
    page wait-bounds wait-bounds "$real"
    page what-if what-if --quiet "$real"
else
    echo "SKIPPED: pages of waits, as there is no $real"
fi
python3 scripts/check-pages.py "$(command -v chromium)" "$build" "$build"/*.html
