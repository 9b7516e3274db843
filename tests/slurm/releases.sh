#!/usr/bin/env bash
# Compiles the plugin against the Slurm in other releases of Debian, from the mirror that this machine uses:
#
#   releases.sh BUILD [SUITE...]      trixie (24.11) and sid (26.05) unless named
#
# BUILD-releases/SUITE/slurm are the sources, kept for the next time. Where neither the mirror nor this folder has
# them, or a suite has a release that compat.h does not know yet, it says SKIPPED and why. For those of sid the newest
# slurm-RELEASE.tar.xz will do that is in the folder SUREFILL_MANAGERS (../shared/managers from the top).
set -euo pipefail
PATIENCE=130 # seconds for the mirror to give the sources of one suite
folder=$(realpath -m "$1-releases")
shift
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(trixie sid)
here=$(cd "$(dirname "$0")" && pwd)
managers=${SUREFILL_MANAGERS:-$here/../../../shared/managers}
why=$(mktemp)
unpacked=$(mktemp -d)
trap 'rm -rf "$why" "$unpacked"' EXIT
# The headers of the newest archive of upstream's.
from_managers() {
    local archive
    archive=$(printf '%s\n' "$managers"/slurm-*.tar.xz | sort -V | tail -n 1)
    [ -e "$archive" ] || {
        echo "releases: nor does $managers have any"
        return 1
    }
    tar -xJf "$archive" -C "$unpacked" --strip-components 1 --wildcards '*/META' '*/slurm/*.h' '*/src/*.h'
}
for suite in "${suites[@]}"; do
    sources=$folder/$suite/slurm
    if ! timeout -k 10 "$PATIENCE" "$here/../../scripts/again.sh" "$here/../../c-examples/slurm/source.sh" "$folder/$suite" "$suite" \
        >"$why" 2>&1; then
        reason=$(grep -vE '^(W:|again.sh|E: Download Failed)' "$why" | tail -n 1 || true)
        : "${reason:=no answer within $PATIENCE s}"
        if [ ! -e "$folder/$suite/version" ] && [ "$suite" = sid ] && from_managers; then
            echo "releases: the mirror gives no sources of $suite ($reason); those in $managers instead"
            sources=$unpacked
        elif [ ! -e "$folder/$suite/version" ]; then
            echo "SKIPPED: compiling the plugin with the Slurm of Debian's $suite, whose sources the mirror does not give: $reason"
            continue
        else
            echo "releases: the mirror gives no sources of $suite ($reason); those of $(cat "$folder/$suite/version") are here"
        fi
    fi
    version=$(sed -n 's/^ *Version:[[:space:]]*\([0-9]*\.[0-9]*\).*/\1/p' "$sources/META" | head -n 1)
    case $version in
    22.05 | 23.02 | 23.11 | 24.05 | 24.11 | 25.05 | 25.11 | 26.05) "$here/compile.sh" "$sources" ;;
    *) echo "SKIPPED: Debian's $suite has Slurm $version, which compat.h does not know" ;;
    esac
done
