#!/usr/bin/env bash
# Makes the parts of the results, or some of them: results.sh [PART...], parts by the names of scripts/results/*.md.in.
#
# In a part's source a line that begins with "$ " (and those it is continued on by a backslash) becomes the command as it
# stands and what it prints; all other lines are copied. results/PART.md is the outcome; the parts not asked for stay as
# they are. RESULTS.md, the page of claims, is written by hand from these. make csv writes the wide tables as CSV.
# Needs the traces, in SUREFILL_TRACES or in ../shared/traces, and for the part speed a Python with scipy (SUREFILL_PYTHON).
set -euo pipefail
cd "$(dirname "$0")/.."
asked=("$@")
if [ $# -eq 0 ]; then
    for source in scripts/results/*.md.in; do
        asked+=("$(basename "$source" .md.in)")
    done
fi

for part in "${asked[@]}"; do
    if [ ! -f "scripts/results/$part.md.in" ]; then
        echo "no part $part; there are:" scripts/results/*.md.in >&2
        exit 2
    fi
done
SUREFILL_TRACES=$(realpath "${SUREFILL_TRACES:-../shared/traces}")
export SUREFILL_TRACES
for trace in CTC-SP2 KTH-SP2 SDSC-SP2 SDSC-BLUE SDSC-Par-1996 LANL-CM5 NASA-iPSC-1993-3 UniLu-Gaia ALCF-Theta; do
    if ! compgen -G "$SUREFILL_TRACES/$trace*.swf.gz" > /dev/null; then
        echo "no trace $SUREFILL_TRACES/$trace*.swf.gz: set SUREFILL_TRACES to the folder that holds it" >&2
        exit 1
    fi
done

cargo build --release --locked --package surefill-simulator --package surefill-papers
PATH=$(realpath "${CARGO_TARGET_DIR:-target}")/release:$PATH

# One part, its commands carried out.
make_part() {
    local begun=$SECONDS line command
    while IFS= read -r line; do
        if [[ $line != '$ '* ]]; then
            printf '%s\n' "$line"
            continue
        fi
        command=${line#'$ '}
        while [[ $command == *\\ ]]; do
            IFS= read -r line
            command+=$'\n'$line
        done
        printf '```sh\n%s\n```\n\n' "$command"
        echo "$(date +%T) $1: ${command%%$'\n'*}" >&2
        bash -euo pipefail -c "$command" < /dev/null
    done < "scripts/results/$1.md.in"
    printf '\nMade by %s in %d minutes on %d processors.\n' \
        "$(surefill --version)" $(((SECONDS - begun + 59) / 60)) "$(nproc)"
}

made=build/results
mkdir -p results "$made"
for part in "${asked[@]}"; do
    # A part that failed half-way stays as it was; what was made of it so far stays in the folder build.
    make_part "$part" > "$made/$part.md"
    cat -s "$made/$part.md" > "results/$part.md"
done
