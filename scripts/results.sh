#!/usr/bin/env bash
# Makes RESULTS.md of scripts/results.md.in: a line that begins with "$ " (and those it is continued on by a backslash)
# becomes the command as it stands and what it prints; all other lines are copied. Needs the traces, in SUREFILL_TRACES
# or in ../shared/traces.
set -euo pipefail
cd "$(dirname "$0")/.."

SUREFILL_TRACES=$(realpath "${SUREFILL_TRACES:-../shared/traces}")
export SUREFILL_TRACES
for trace in CTC-SP2 KTH-SP2 SDSC-SP2 SDSC-BLUE; do
    if ! compgen -G "$SUREFILL_TRACES/$trace*.swf.gz" >/dev/null; then
        echo "no trace $SUREFILL_TRACES/$trace*.swf.gz: set SUREFILL_TRACES to the folder that holds it" >&2
        exit 1
    fi
done

cargo build --release --locked --package surefill-simulator
PATH=$(realpath "${CARGO_TARGET_DIR:-target}")/release:$PATH

made=$(mktemp RESULTS.md.XXXXXX)
trap 'rm -f "$made"' EXIT
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
    echo "$(date +%T) ${command%%$'\n'*}" >&2
    bash -euo pipefail -c "$command" </dev/null
done <scripts/results.md.in >"$made"
printf '\nMade by %s in %d minutes on %d processors.\n' "$(surefill --version)" $(((SECONDS + 59) / 60)) "$(nproc)" >>"$made"
chmod 644 "$made"
mv "$made" RESULTS.md
