#!/usr/bin/env bash
# The plugin with the daemons of another release of Slurm: a Debian system in a folder, made by
#
#   debootstrap --variant=minbase trixie ROOT
#   chroot ROOT apt-get install -y slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge libslurm-dev \
#       gcc libc6-dev make iproute2 procps python3
#
#   chroot.sh ROOT SOURCES [TEST...]     SOURCES: unpacked sources of exactly that Slurm (apt-get source slurm-wlm)
#   chroot.sh ROOT SOURCES -- COMMAND    the same build, then the command in it: this folder is /surefill, what has been built
#                                        there $BUILD, and the folder SUREFILL_TRACES, when that is set, /traces
#
# The library is the one that has been built here (make lib); the plugin is compiled inside. Needs root.
set -euo pipefail
[ $# -ge 2 ] && [ -x "$1/usr/sbin/slurmctld" ] && [ -e "$2/META" ] || {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
root=$(realpath "$1") sources=$(realpath "$2")
shift 2
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(scenarios order overlap wishes rules thousand seen)
here=$(cd "$(dirname "$0")/../.." && pwd)
[ -e "$here/build/libsurefill.a" ] || {
    echo "chroot.sh: first make lib" >&2
    exit 2
}
# Mounts of its own, which end with it.
if [ -z "${SUREFILL_MOUNTS:-}" ]; then
    SUREFILL_MOUNTS=1 exec unshare --mount --propagation private -- "$0" "$root" "$sources" "${tests[@]}"
fi
mkdir -p "$root"/{surefill,slurm-sources,dev,proc,sys}
mount --bind "$here" "$root/surefill"
mount --bind "$sources" "$root/slurm-sources"
if [ -n "${SUREFILL_TRACES:-}" ]; then
    mkdir -p "$root/traces"
    mount --bind "$SUREFILL_TRACES" "$root/traces"
fi
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
chroot "$root" make -s -C /surefill/c-examples/slurm BUILD=/tmp/surefill-build SLURM_SOURCE=/slurm-sources all tests
chroot "$root" make -s -C /surefill/c-examples/slurm-external BUILD=/tmp/surefill-build all
if [ "${tests[0]}" = -- ]; then
    BUILD=/tmp/surefill-build chroot "$root" bash -c 'cd /surefill && exec "$@"' command "${tests[@]:1}"
    exit
fi
failed=()
port=18000
for name in "${tests[@]}"; do
    port=$((port + 300))
    CLUSTER_PORT=$port timeout -k 40 260 chroot "$root" bash "/surefill/tests/slurm/$name.sh" /tmp/surefill-build ||
        failed+=("$name")
done
release=$(chroot "$root" slurmctld -V)
[ ${#failed[@]} = 0 ] || {
    echo "chroot: with $release failed: ${failed[*]}" >&2
    exit 1
}
echo "chroot: ${#tests[@]} tests with $release passed"
