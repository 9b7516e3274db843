#!/usr/bin/env bash
# The plugin with the daemons of another release of Slurm: those of Debian 13 (24.11), in a chroot made by
# debootstrap. Before that the plugin is compiled against the sources of that Slurm.
#
#   chroot.sh BUILD [TEST...]      scenarios, heads, soft and reconfigure unless others are named; "every" is all tests
#   chroot.sh BUILD -- COMMAND     the same build, then the command in it: this folder is /surefill, what has been built
#                                  there $BUILD, and the folder SUREFILL_TRACES, when that is set, /traces
#
# SLURM_ROOT=FOLDER keeps the chroot there for the next time. Where the mirror of this machine gives no such system or
# no sources, it says SKIPPED and why. The library is the one that has been built here (make lib). Needs root.
set -euo pipefail
built=$1
shift
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(scenarios heads soft reconfigure)
cd "$(dirname "$0")/../.."
here=$PWD
# shellcheck source=tests/slurm/beside.sh
. tests/slurm/beside.sh
[ "${tests[*]}" != every ] || tests=("${every[@]}" "${longer[@]}")
skip() {
    echo "SKIPPED: the plugin with the daemons of Debian 13's Slurm ($*)"
    exit 0
}
if [ -z "${SUREFILL_MOUNTS:-}" ]; then
    why=$(unshare --mount --propagation private true 2>&1) || skip "no mounts of its own here: $why"
    temporary=
    if [ -z "${SLURM_ROOT:-}" ]; then
        temporary=$(mktemp -d)
        export SLURM_ROOT=$temporary/root
        trap 'rm -rf "$temporary"' EXIT
    fi
    tests/slurm/releases.sh "$built" trixie
    [ -e "$built-releases/trixie/version" ] || skip "no sources, see above"
    [ -x "$SLURM_ROOT/usr/bin/apt-get" ] || why=$(scripts/trixie.sh "$SLURM_ROOT" 2>&1) || skip "$(tail -n 1 <<<"$why")"
    packages='slurmctld slurmd slurmdbd mariadb-server slurm-client slurm-wlm-basic-plugins munge libslurm-dev gcc libc6-dev make iproute2
        procps python3'
    if [ "$(cat "$SLURM_ROOT/has-slurm" 2>/dev/null)" != "$packages" ]; then
        # An interrupted installation is finished first.
        why=$(DEBIAN_FRONTEND=noninteractive timeout 400 chroot "$SLURM_ROOT" sh -c "dpkg --configure -a && apt-get install -y -qq \
            --no-install-recommends $(tr '\n' ' ' <<<"$packages")" 2>&1) || skip "packages cannot be installed: $(tail -n 1 <<<"$why")"
        echo "$packages" >"$SLURM_ROOT/has-slurm"
    fi
    # Mounts and processes of its own, which end with it.
    SUREFILL_MOUNTS=$(readlink /proc/self/ns/mnt) \
        unshare --mount --propagation private --pid --fork --kill-child -- "$0" "$built" "${tests[@]}"
    exit
fi
[ "$SUREFILL_MOUNTS" != "$(readlink /proc/self/ns/mnt)" ] || {
    echo "chroot: SUREFILL_MOUNTS is for this script alone" >&2
    exit 2
}

root=$(realpath "$SLURM_ROOT")
# A mount point, below which tests may have namespaces of their own.
mount --bind "$root" "$root"
mkdir -p "$root"/{surefill,slurm-sources,dev,proc,sys}
# slurmctld answers srun at this machine's name.
printf '127.0.0.1 localhost\n127.0.0.1 %s\n' "$(hostname)" >"$root/etc/hosts"
mount --bind "$here" "$root/surefill"
mount --bind "$built-releases/trixie/slurm" "$root/slurm-sources"
if [ -n "${SUREFILL_TRACES:-}" ]; then
    mkdir -p "$root/traces"
    mount --bind "$SUREFILL_TRACES" "$root/traces"
fi
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
release=$(chroot "$root" slurmctld -V)
grep -q "Version:[[:space:]]*${release##* }$" "$built-releases/trixie/slurm/META" ||
    skip "the mirror's sources are not those of $release"
chroot "$root" make -s -C /surefill/c-examples/slurm BUILD=/tmp/surefill-build SLURM_SOURCE=/slurm-sources all tests
chroot "$root" make -s -C /surefill/c-examples/slurm-external BUILD=/tmp/surefill-build all tests
if [ "${tests[0]}" = -- ]; then
    BUILD=/tmp/surefill-build chroot "$root" bash -c 'cd /surefill && exec "$@"' command "${tests[@]:1}"
    exit
fi
export SLURM_SOURCE=/slurm-sources
if [ -n "${SUREFILL_BIN:-}" ]; then
    : >"$root/usr/local/bin/surefill"
    mount --bind "$SUREFILL_BIN" "$root/usr/local/bin/surefill"
    export SUREFILL_BIN=/usr/local/bin/surefill
fi
who=chroot
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
port=22000
run_of() { run=(chroot "$root" bash "/surefill/tests/slurm/$1.sh" /tmp/surefill-build); }
beside_run "${SUREFILL_BESIDE:-1}" $((260 * ${CLUSTER_PATIENCE:-1})) "${tests[@]}"
[ ${#failed[@]} = 0 ] || {
    echo "chroot: with $release failed: ${failed[*]}" >&2
    exit 1
}
echo "chroot: ${#tests[@]} tests with $release passed"
