# shellcheck shell=bash
# For schedules.sh, plans.sh and priorities.sh: `measured POLICIES FOLDER` compares the policies on the traces, five seeds each (or $seeds), run
# times cut at the limit, into FOLDER (a temporary one if it is empty), and lists the files in `compared`. The first four traces are those
# that the presets and the plan were chosen on, in part; machine sizes are as in the papers, where a paper has one. The words of $besides are
# further traces, which come last.
traces=${SUREFILL_TRACES:-../shared/traces}

measured() {
    local policies=$1 made=$2 trace size
    if [ -n "$made" ]; then
        mkdir -p "$made"
    else
        made=$(mktemp -d)
        # shellcheck disable=SC2064 # the folder of now
        trap "rm -rf '$made'" EXIT
    fi
    compared=()
    while read -r trace size; do
        [ -n "$trace" ] || continue
        if [ ! -s "$made/$trace.json" ]; then
            surefill compare "$traces/$trace.swf.gz" ${size:+--procs "$size"} --overrun cut --seeds "${seeds:-5}" --quiet --json --policies "$policies" \
                > "$made/part" 2> "$made/log" || { cat "$made/log" >&2; exit 1; }
            mv "$made/part" "$made/$trace.json"
        fi
        compared+=("$made/$trace.json")
    done << TRACES
CTC-SP2-1996-3.1-cln 512
KTH-SP2-1996-2 100
SDSC-SP2-1998-4.2-cln 128
SDSC-BLUE-2000-4.2-cln 1152
LANL-CM5-1994-4.1-cln
SDSC-Par-1996-3.1-cln
UniLu-Gaia-2014-1
ALCF-Theta-2022
${besides:+$(printf '%s\n' $besides)}
TRACES
}
