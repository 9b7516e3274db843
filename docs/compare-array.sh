#!/bin/bash
# surefill compare as a Slurm job array: every task replays its share of traces x policies x seeds, on any node.
#
#   sbatch --array=1-40 compare-array.sh --policies easy,delay,delay-fast --seeds 10 traces/*.swf.gz
#   surefill merge shards/*.json                  when the last task has ended: the table; --json, --csv, --markdown
#
# The arguments are those of surefill compare. The folder of submission must be one that all nodes see.
#SBATCH --job-name=compare
#SBATCH --cpus-per-task=1
#SBATCH --output=compare-%A-%a.log
set -euo pipefail
mkdir -p shards
shard=shards/$SLURM_ARRAY_TASK_ID.json
# Under another name until it is whole: a task that is requeued begins anew. The log has every result as it comes.
RAYON_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1} surefill compare "$@" --shard array --progress >"$shard.part"
mv "$shard.part" "$shard"
