#!/usr/bin/env bash
# Every test of tests/slurm with the daemons of other releases of Slurm than the installed one: upstream's 26.05 and
# 25.11, built from the archives in SUREFILL_MANAGERS (tests/slurm/upstream.sh), and Debian 13's 24.11 in a chroot
# (tests/slurm/chroot.sh); and those that take too long for make check with the installed 22.05. Needs root. Each release
# takes some ten minutes, and some more to be made.
#
#   check-slurm-releases.sh [RELEASE...]      22.05, 26.05, 25.11 and 24.11 unless named
#
# SUREFILL_SLURMS and SLURM_ROOT name folders that keep what is made for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "SKIPPED: the other releases of Slurm need root and Debian's packages"
    exit 0
fi
if [ -z "${SUREFILL_BIN:-}" ]; then
    cargo build --quiet --profile "${TOOL_PROFILE:-release}" -p surefill-simulator
    SUREFILL_BIN=${CARGO_TARGET_DIR:-target}/${TOOL_PROFILE:-release}/surefill
fi
SUREFILL_BIN=$(realpath "$SUREFILL_BIN")
# shellcheck source=tests/slurm/beside.sh
. tests/slurm/beside.sh
export SUREFILL_BIN SUREFILL_BESIDE=${SUREFILL_BESIDE:-3}
releases=("$@") unmet=()
[ ${#releases[@]} -gt 0 ] || releases=(22.05 26.05 25.11 24.11)
for release in "${releases[@]}"; do
    begun=$SECONDS
    case $release in
    22.05) scripts/check-slurm.sh "${longer[@]}" || unmet+=("$release") ;;
    24.11) tests/slurm/chroot.sh build/slurm every || unmet+=("$release") ;;
    *) tests/slurm/upstream.sh build/slurm "$release" every || unmet+=("$release") ;;
    esac
    echo "check-slurm-releases: $release: $((SECONDS - begun)) s"
done
[ ${#unmet[@]} = 0 ] || {
    echo "check-slurm-releases: failed: ${unmet[*]}" >&2
    exit 1
}
