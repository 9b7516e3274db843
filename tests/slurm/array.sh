#!/usr/bin/env bash
# surefill compare as a job array over several nodes, by the script of the documentation, and a job that waits for the
# array and puts the shards together: it prints what the unsharded run prints. A shard that is lost is named, and made
# again.
. "$(dirname "$0")/lib.sh"

surefill=${SUREFILL_BIN:?the surefill program}
# The script finds it by its name.
mkdir "$work/bin" "$work/run" && ln -s "$surefill" "$work/bin/surefill"
export PATH=$work/bin:$PATH
nodes=4 tasks=7
DEBUG_LEVEL=info SCHEDULER=sched/backfill cluster_make "$work/cluster" $nodes
cluster_start
cd "$work/run" || exit
for seed in 1 2; do surefill generate -n 2000 --procs 128 --seed $seed -o "trace-$seed.swf" 2>/dev/null; done
# shellcheck disable=SC2054 # the commas are the option's
run=(--policies easy,easy++,fair --seeds 2 trace-1.swf trace-2.swf)

begun=$SECONDS
array=$(timeout 20 sbatch --parsable --array=1-$tasks -D "$work/run" -t 5 "$here/../../docs/compare-array.sh" \
    "${run[@]}")
merge=$(timeout 20 sbatch --parsable --dependency=afterok:"$array" -D "$work/run" -t 5 -o merged.json \
    --wrap 'surefill merge --json shards/*.json')
wait_for 60 is_completed "$merge" || fail "the array is not merged: $(timeout 5 squeue -a)"
say "$tasks tasks on $nodes nodes and their merge took $((SECONDS - begun)) s"
[ "$(ls shards)" = "$(printf '%s.json\n' $(seq $tasks))" ] || fail "the shards are $(ls shards)"
used=$(grep -ho 'NodeList=[^ ]*' "$CLUSTER/completed" | sort -u | wc -l)
check "nodes that ran tasks" "$used" -ge $((nodes - 1))
# Twelve cells: every task has said its rows.
rows=$(cat compare-"$array"-*.log | grep -c ': mean wait ')
check "rows in the tasks' logs" "$rows" -ge 6

surefill compare "${run[@]}" --json >whole.json
# Wall times are each run's own.
timeless() { grep -vE '"(scheduler_s|p99_pass_s|max_pass_s|wall_s)"' "$1"; }
cmp <(timeless whole.json) <(timeless merged.json) || fail "the merged shards are not the unsharded run"
check "lines of the merged run" "$(wc -l <merged.json)" -eq "$(wc -l <whole.json)"
# The sentence at the end, of the table.
answer=$(surefill merge shards/*.json | tail -n 1)
[ "$answer" = "$(surefill compare "${run[@]}" | tail -n 1)" ] || fail "another answer: $answer"

# A task whose shard is lost is missed by name, and runs again as the same shard.
rm shards/3.json
if surefill merge shards/*.json >/dev/null 2>refused; then fail "a missing shard is not missed"; fi
grep -q "those of shard 3 of $tasks" refused || fail "what is missing: $(cat refused)"
surefill compare "${run[@]}" --shard 3/$tasks >shards/3.json
surefill merge --json shards/*.json >again.json
cmp <(timeless whole.json) <(timeless again.json) || fail "another shard 3"
say "merged as unsharded"
cluster_stop
