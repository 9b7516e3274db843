#!/usr/bin/env bash
# Some jobs of a trace in a real Flux instance on as many sham nodes of one core as the machine had, FACTOR times as fast.
#
#   replay.sh SCHEDULER TRACE.swf.gz [FIRST+]JOBS FACTOR [WORD...]      the first JOBS, or those behind the FIRST
#
# SCHEDULER is surefill or surefill-c, the module in Python or in C (the words are settings), or one of flux-core's: sched-simple,
# sched-fifo, sched-backfill, with WORD queue-depth=unlimited, say; or fluxion, where FLUX_MODULE_PATH has flux-sched's modules, the
# words are for its qmanager. FLUX names the prefix of flux-core, by default the one that scripts/check-flux.sh has built; that
# script also leaves the two modules of surefill for it. Prints waits in the trace's seconds, and how the reported starts came true.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 4 ] || {
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
scheduler=$1 trace=$(realpath "$2") jobs=$3 factor=$4
shift 4
built=$here/../../build/flux
FLUX=${FLUX:-$(find "$built" -maxdepth 1 -name '[0-9]*' | sort -V | tail -n 1)}
export PYTHONPATH=${PYTHONPATH:-$built/python}
nodes=$( (zcat -f "$trace" || true) 2> /dev/null | sed -n '/^; MaxProcs:/{s/[^0-9]*//p;q}')
[ -n "$nodes" ] || {
    echo "replay.sh: $trace has no line '; MaxProcs:'" >&2
    exit 2
}
case $scheduler in
surefill | surefill-c)
    module=$here/sched-surefill.py words=(like=name scale="$factor" starts="$(awk "BEGIN { print 3600 / $factor }")" tell=1 "$@")
    [ "$scheduler" = surefill ] || module=$built/sched-surefill.so
    ;;
fluxion) module=sched-fluxion-qmanager words=("$@") ;;
*) module=$scheduler words=("$@") ;;
esac
export REPLAY_MODULE=$module REPLAY_WORDS="${words[*]}" REPLAY="$here/replay.py $trace $jobs $factor"
# shellcheck disable=SC2016
"$FLUX/bin/flux" start --conf=fake-resources.nnodes="$nodes" --conf=fake-resources.cores-per-node=1 bash -c '
set -e
flux module remove sched-simple
[ "$REPLAY_MODULE" != sched-fluxion-qmanager ] || flux module load sched-fluxion-resource
flux module load $REPLAY_MODULE $REPLAY_WORDS
flux python $REPLAY
[ ! -e "$REPLAY_MODULE" ] || flux module stats sched-surefill | tr -d "\n " | cut -c 1-600
[ ! -e "$REPLAY_MODULE" ] || flux module stats --rusage sched-surefill | grep -E "[us]time" || true
echo'
