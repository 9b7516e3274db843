#!/usr/bin/env bash
# Keeps recorded cycles of resource managers for tests/c/run.sh anew: of a real slurmctld (the plugin and the external
# scheduler), of real Flux instances and of the simulated PBS server those with the most offers, of a file of at most 100 kB.
# To be run when the layout of the block has changed, or decisions have on purpose; where only names of members have, restamp.py does.
#
#   tests/c/recorded/make.sh [FOLDER]     after make lib; FOLDER is what an earlier SUREFILL_RECORDS=FOLDER of the three tests has
#                                         left, without it they are run: needs root, and takes some ten minutes
set -euo pipefail
cd "$(dirname "$0")/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# = 0 ]; then
    SUREFILL_RECORDS=$work/records
    export SUREFILL_RECORDS
    mkdir "$SUREFILL_RECORDS"
    scripts/check-slurm.sh scenarios external
    scripts/check-flux.sh constraints
    tests/pbs/run.sh build
else
    SUREFILL_RECORDS=$1
fi
make -s -C c-examples/engine all
# keep NAME COUNT FOLDER: of the records there
keep() {
    local name=$1 count=$2 number=0 file
    [ -d "$SUREFILL_RECORDS/$3" ] || { echo "make.sh: there are no records of $3: those kept before stay" && return; }
    rm -f "tests/c/recorded/$name"-*.surefill
    while read -r file; do
        number=$((number + 1))
        cp "$file" "tests/c/recorded/$name-$number.surefill"
    done < <(find "$SUREFILL_RECORDS/$3" -name '*.surefill' -size -100k -print0 | xargs -0r build/engine/surefill-cycle |
        awk '{ sub(/:$/, "", $1); print $2, $1 }' | sort -k 1,1nr -k 2 | head -n "$count" | cut -d ' ' -f 2)
}
keep slurm 2 scenarios
keep slurm-external 1 external
keep flux 1 constraints-python
keep flux-c 1 constraints-c
keep pbs 2 test
build/engine/surefill-cycle tests/c/recorded/*.surefill
