#!/usr/bin/env bash
# Searches the presets' parameters on eight traces and prints the tables of results/tune.md. Half of 96 drawn settings: three of
# six shards. Needs surefill-papers in the PATH and the traces in SUREFILL_TRACES; half an hour on a free processor. An argument names a
# folder in which the shards are kept, and from which those that are there are taken.
set -euo pipefail
cd "$(dirname "$0")/.."
traces=${SUREFILL_TRACES:-../shared/traces}
if [ $# -gt 0 ]; then
    made=$1
    mkdir -p "$made"
else
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
fi
search() {
    local name=$1
    shift
    [ ! -s "$made/$name.json" ] || return 0
    surefill-papers tune "$@" --preset sizes --overrun cut --settings 96 --draws 1 --quiet > "$made/part"
    mv "$made/part" "$made/$name.json"
}
for shard in 1 2 3; do
    search "fit-$shard" "$traces"/{CTC-SP2,KTH,SDSC-SP2,SDSC-BLUE}*.swf.gz --shard "$shard/6"
    search "held-$shard" "$traces"/{LANL,SDSC-Par,UniLu,ALCF}*.swf.gz --shard "$shard/6"
done
python3 scripts/tune.py "$made"
