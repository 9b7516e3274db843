#!/usr/bin/env bash
# Refusals of the plugin, and faults that it puts up with: another Slurm, parameters, partitions' names, a missing state folder.
. "$(dirname "$0")/lib.sh"

: "${SLURM_SOURCE:?the sources of Slurm}"
slurm_folder=$here/../../c-examples/slurm
# That of the sources, where they have been configured.
version_file=$SLURM_SOURCE/slurm/slurm_version.h
[ -e "$version_file" ] || version_file=/usr/include/slurm/slurm_version.h

# A release that is not known is refused when the plugin is built; another patch level of this one by slurmctld, when it loads it.
build_for() { # VERSION_NUMBER: builds the plugin as if this Slurm were installed, in $work/other
    rm -rf "$work/other" "$work/version"
    mkdir -p "$work/version/slurm"
    sed "s/^#define SLURM_VERSION_NUMBER .*/#define SLURM_VERSION_NUMBER $1/" "$version_file" \
        >"$work/version/slurm/slurm_version.h"
    cp -rp "$built" "$work/other"
    rm "$work"/other/sched_surefill.*
    SLURM_SOURCE=$(realpath "$SLURM_SOURCE") timeout 60 make -s -C "$slurm_folder" BUILD="$work/other" \
        CFLAGS="-O2 -I$work/version" all >"$work/make" 2>&1
}
for other in 0x150b00 0x1a0b00; do
    build_for $other && fail "the plugin can be built for Slurm 21.11 and 26.11"
    grep -q 'written for Slurm 22.05 to 26.05' "$work/make" || fail "no reason why not: $(cat "$work/make")"
done
next=$(($(sed -n 's/^#define SLURM_VERSION_NUMBER //p' "$version_file") + 1))
build_for "$(printf '0x%06x' $next)" || fail "the plugin cannot be built for another patch level: $(cat "$work/make")"
PLUGIN_FOLDER=$work/other SCHEDULER=sched/surefill PARAMETERS=$OURS cluster_make "$work/other-cluster" 1
munge_start
timeout 20 slurmctld -D -c >"$work/refused" 2>&1 && fail "slurmctld ran with a plugin for another patch level"
grep -q "Incompatible Slurm plugin .*sched_surefill.so version ($(printf '%d.%02d.%d' $((next >> 16)) $((next >> 8 & 255)) $((next & 255))))" "$work/refused" || fail "$(cat "$work/refused")"
cluster_stop
say "not built for another release, not loaded for another patch level"

# A parameter that cannot be used, from the first moment on: said once, limits only. A partition whose name is long has its
# jobs started. The first refusal stands until the parameters are mended.
name=$(printf 'long%.0s' $(seq 20))
SCHEDULER=sched/surefill PARAMETERS=$OURS,surefill_save=1,surefill_sooner=1 \
    PARTITIONS="PartitionName=main Nodes=n1 Default=YES
PartitionName=$name Nodes=n1" cluster_make "$work/cluster" 1
cluster_start
wait_for 10 logged 'surefill: mode limits'
first=$(job games 1 5 0.1)
wait_for 10 is_completed "$first"
check "said of the parameter" "$(ctld_log | grep -c "'surefill_sooner=1': wanted is one of .*; from here on")" -eq 1
long=$(job games 1 5 0.1 -p "$name")
wait_for 10 is_completed "$long"
parameters "$OURS,surefill_save=1"
wait_for 10 logged 'surefill: mode on'
parameters "$OURS,surefill_save=1,surefill_sooner=1"
wait_for 10 logged_times "surefill: mode limits" 2
parameters "$OURS,surefill_save=1" # the same as before: said all the same, the log is not to end with limits
wait_for 10 logged_times 'surefill: mode on' 2
parameters "\"$OURS,surefill_save=1, Surefil_seed=1\""
wait_for 10 logged 'surefil_seed=1: settings begin with surefill_; from here on only time limits count'
parameters '"sched_interval=30,bf_interval=10, SUREFILL_Save=1,surefill_interval=0.2"'
wait_for 10 logged_times 'surefill: mode on.* saved every 1 s' 3
for note in 'without effect, .*: bf_interval=10$' 'main loop starts jobs .*sched_interval=-1 turns it off' 'defer leaves that'; do
    check "$note" "$(ctld_log | grep -c "surefill: SchedulerParameters: .*$note")" -eq 1
done
parameters "surefill_interval=0.2,surefill_save=1,surefill_preset=easy"
wait_for 10 logged 'surefill: mode on, .*: preset=easy '
modes=$(ctld_log | grep -c 'surefill: mode on')
parameters "$OURS,surefill_save=1"
# Later releases go on in a new slurmctld, which is to have read its state.
wait_for 20 logged_times 'surefill: mode on' $((modes + 1))
say "unknown and misspelt parameters are said once, words without effect too"

# The folder for the state goes away: said with every save, jobs go on; it comes back: saved again.
wait_for 10 test -f "$CLUSTER/state/surefill_state"
mv "$CLUSTER/state" "$CLUSTER/gone"
wait_for 10 logged 'surefill: state not saved: .*/state/surefill_state.new: cannot be opened: No such file or directory'
second=$(job games 1 5 0.1 2>&1) && fail "Slurm itself took a job without its state folder: $second"
mv "$CLUSTER/gone" "$CLUSTER/state"
rm "$CLUSTER/state/surefill_state"
wait_for 10 test -f "$CLUSTER/state/surefill_state"
third=$(job games 1 5 0.1)
wait_for 10 is_completed "$third"
check_runs
say "without its folder the state is not saved, with it again"
