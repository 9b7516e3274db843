#!/usr/bin/env bash
# Makes pages of all kinds and renders them in headless Chromium at 390, 1280 and 1920 pixels (check-pages.py), with the
# rules of axe-core where npm is there to fetch it: check-pages.sh [BUILD [papers]], those of the papers' studies with the
# second word. Pictures come to build/pages, or build/papers-pages.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build}/${2:+$2-}pages
studies=${2:-}
surefill=${SUREFILL_BIN:-${CARGO_TARGET_DIR:-target}/${TOOL_PROFILE:-release}/surefill}
scripts/packages.sh chromium python3
traces=${SUREFILL_TRACES:-../shared/traces}
rm -rf "$build"
mkdir -p "$build"
demo=demo/workload.swf.gz
page() {
    nice "$1" "${@:3}" --html "$build/$2.html" > /dev/null
}
# Some pages need waits of a real machine.
real=$traces/KTH-SP2-1996-2.swf.gz
with_waits() {
    if [ -f "$real" ]; then
        page "$@" "$real"
    else
        echo "SKIPPED: the page of $2, as there is no $real"
    fi
}
pages_of_studies() {
    local papers=$surefill-papers
    page "$papers" allocate allocate --days 3
    page "$papers" characterize characterize "$demo"
    page "$papers" fit fit "$demo"
    page "$papers" gain gain "$demo"
    page "$papers" locality locality "$demo"
    page "$papers" tune tune --quiet "$demo" --settings 6 --limit-jobs 500
    page "$papers" similar similar "$demo" "$demo"
    with_waits "$papers" wait-bounds wait-bounds
}
pages_of_sites() {
    page "$surefill" compare compare --quiet "$demo"
    page "$surefill" simulate simulate --quiet "$demo" --limit-jobs 2000
    with_waits "$surefill" what-if what-if --quiet
    # The page of the service, as it is without its script, and its fragment in a page of others; the demonstration has
    # no waits of its own.
    zcat "$demo" | awk '/^;/ { print; next } { $3 = $1 * 7919 % 5400; print }' > "$build/history.swf"
    "$surefill" serve "$build/history.swf" --now end --listen 127.0.0.1:0 > "$build/url" &
    server=$!
    trap 'kill $server' EXIT
    until [ -s "$build/url" ]; do
        kill -0 $server
        sleep 0.1
    done
    url=$(cat "$build/url")
    fetch() {
        python3 -c 'import sys, urllib.request; sys.stdout.write(urllib.request.urlopen(sys.argv[1]).read().decode())' "$url$1"
    }
    fetch "" | sed 's#<script src="/live.js" defer></script>##' > "$build/serve.html"
    {
        echo '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Dashboard</title></head><body><main><h1>Dashboard</h1>'
        fetch fragment
        echo '</main></body></html>'
    } > "$build/fragment.html"
}
if [ "$studies" = papers ]; then pages_of_studies; else pages_of_sites; fi
# Fetched, not kept: its licence is another one.
axe=()
if command -v npm > /dev/null && (cd "$build" && npm pack --silent axe-core@4 > /dev/null 2>&1); then
    tar -xzf "$build"/axe-core-4*.tgz -C "$build" package/axe.min.js
    axe=(--axe "$build/package/axe.min.js")
else
    echo "SKIPPED: axe-core, as npm cannot fetch it"
fi
python3 scripts/check-pages.py "${axe[@]}" "$(command -v chromium)" "$build" "$build"/*.html
