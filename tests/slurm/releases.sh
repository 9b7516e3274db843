#!/usr/bin/env bash
# Compiles the plugin against the Slurm in other releases of Debian, from the mirror that this machine uses:
#
#   releases.sh BUILD [SUITE...]      trixie (24.11) and sid (26.05) unless named
#
# BUILD-releases/SUITE/slurm are the sources, kept for the next time. Where neither the mirror nor this folder has
# them, or a suite has a release that compat.h does not know yet, it says SKIPPED and why.
set -euo pipefail
PATIENCE=130 # seconds for the mirror to give the sources of one suite
folder=$(realpath -m "$1-releases")
shift
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(trixie sid)
here=$(cd "$(dirname "$0")" && pwd)
why=$(mktemp)
trap 'rm -f "$why"' EXIT
for suite in "${suites[@]}"; do
    sources=$folder/$suite/slurm
    if ! timeout -k 10 "$PATIENCE" "$here/../../scripts/again.sh" "$here/../../c-examples/slurm/source.sh" "$folder/$suite" "$suite" \
        >"$why" 2>&1; then
        reason=$(grep -vE '^(W:|again.sh|E: Download Failed)' "$why" | tail -n 1 || true)
        : "${reason:=no answer within $PATIENCE s}"
        if [ ! -e "$folder/$suite/version" ]; then
            echo "SKIPPED: compiling the plugin with the Slurm of Debian's $suite, whose sources the mirror does not give: $reason"
            continue
        fi
        echo "releases: the mirror gives no sources of $suite ($reason); those of $(cat "$folder/$suite/version") are here"
    fi
    version=$(sed -n 's/^ *Version:[[:space:]]*\([0-9]*\.[0-9]*\).*/\1/p' "$sources/META" | head -n 1)
    case $version in
    22.05 | 23.02 | 23.11 | 24.05 | 24.11 | 25.05 | 25.11 | 26.05) "$here/compile.sh" "$sources" ;;
    *) echo "SKIPPED: Debian's $suite has Slurm $version, which compat.h does not know" ;;
    esac
done
