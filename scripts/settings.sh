#!/usr/bin/env bash
# Measures settings of the rule other than the presets' on the eight traces of results/schedules.md, five seeds each, and prints its table of
# them. Needs surefill in the PATH and the traces in SUREFILL_TRACES; half an hour on two processors. An argument names a folder in
# which the measurements are kept, and from which those that are there are taken.
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

measure() { # name, options
    local name=$1
    shift
    [ ! -s "$made/$name.json" ] || return 0
    surefill compare "$traces"/{CTC-SP2,KTH,SDSC-SP2,SDSC-BLUE,LANL,SDSC-Par,UniLu,ALCF}*.swf.gz --preset sizes --overrun cut \
        --seeds 5 --quiet --json "$@" > "$made/part" 2> "$made/log" || { cat "$made/log" >&2; exit 1; }
    mv "$made/part" "$made/$name.json"
}
measure presets --policies easy,delay,delay-fast,delay:limit
# A name; queue and candidates as A/B/C/D of median^A x processors^B / (1 + wait/C)^D; tau; the quantiles of guard and front.
while read -r setting queue candidates tau guard front; do
    measure "$setting" --policies easy,delay --queue "$queue" --candidates "$candidates" --tau "$tau" --guard "$guard" --front "$front"
done << 'SETTINGS'
mild .2/0/3600/1 1/.5/3600/1 .2 .99 1
bold 1/0/14400/2 1/0/3600/1 .3 1 1
front .5/-.15/7200/1.5 1/.3/3600/2 .15 .995 .99
wide-front .7/-.2/14400/2 1/.5/3600/1 .2 .99 .99
wide .3/-.1/3600/1.5 1/.5/3600/2 .2 .99 1
wide-bold .7/-.3/14400/1.5 1/.3/3600/2 .3 .995 1
SETTINGS

scripts/schedules.py settings "$made"/{presets,mild,bold,front,wide-front,wide,wide-bold}.json
