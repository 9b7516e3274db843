#!/usr/bin/env bash
# Debian packages for the Slurm that is installed here: surefill-slurm-plugin, sched/surefill for exactly this patch level
# of slurmctld, and surefill-slurm, the two programs beside it, which need libslurm alone.
#
#   scripts/deb-slurm.sh FOLDER         SLURM_SOURCE: unpacked sources of this Slurm; fetched when it is not set
#
# The plugin's version is the library's with that of Slurm; a new patch level of Slurm needs the package built again, and
# apt does not upgrade slurmctld without it. Built again from the same tree, the files are the same.
set -euo pipefail
export LC_ALL=C TZ=UTC
umask 022
[ $# = 1 ] || { echo "usage: $0 FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
version=$(dpkg-parsechangelog -S Version)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dpkg-parsechangelog -S Timestamp)}
export SOURCE_DATE_EPOCH DPKG_DEB_THREADS_MAX=1
architecture=$(dpkg --print-architecture)
slurm=$(dpkg-query -W -f '${Version}' slurmctld)
level=${slurm%%-*} # 22.05.8
plugins=$(dirname "$(dpkg -L slurm-wlm-basic-plugins | grep /sched_builtin.so)")
source=${SLURM_SOURCE:-$(c-examples/slurm/source.sh build/slurm-source)}
source=$(realpath "$source")
grep -q "Version:[[:space:]]*$level$" "$source/META" || {
    echo "deb-slurm: the sources in $source are not those of slurmctld $slurm" >&2
    exit 1
}
make -s -C c-examples/slurm SLURM_SOURCE="$source" all
make -s -C c-examples/slurm-external all

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
plugin=$work/surefill-slurm-plugin programs=$work/surefill-slurm
install -D -m 644 -t "$plugin$plugins" build/slurm/sched_surefill.so
install -D -m 644 -t "$plugin/usr/share/doc/surefill-slurm-plugin" c-examples/slurm/README.md c-examples/slurm/OPERATING.md
install -D -m 755 -t "$programs/usr/bin" build/slurm/surefill-{slurm,soft-limits,points,cycle}
install -D -m 644 -t "$programs/usr/share/doc/surefill-slurm" c-examples/slurm-external/README.md
install -D -m 644 -t "$programs/usr/share/doc/surefill-slurm/examples" c-examples/slurm-external/{job_submit,points}.lua
install -d "$programs/usr/lib/systemd/system"
for unit in c-examples/slurm-external/*.service; do
    sed 's,/usr/local/bin/,/usr/bin/,' "$unit" >"$programs/usr/lib/systemd/system/$(basename "$unit")"
done
strip --strip-unneeded "$plugin$plugins/sched_surefill.so" "$programs"/usr/bin/*

mkdir -p "$work/source/debian"
cat >"$work/source/debian/control" <<'CONTROL'
Source: surefill

Package: surefill-slurm
Architecture: any
CONTROL
needs() { (cd "$work/source" && dpkg-shlibdeps -O "$@" 2>/dev/null | sed -n 's/^shlibs:Depends=//p'); }
# control PACKAGE VERSION DEPENDS DESCRIPTION, the description with its continuation lines
control() {
    local root=$work/$1 package=$1
    install -d "$root/DEBIAN"
    sed 's/^Comment:.*/Comment: linked with the library, so that the plugin as a whole is under GPL-2+/' debian/copyright \
        >"$root/usr/share/doc/$package/copyright"
    gzip -9nc debian/changelog >"$root/usr/share/doc/$package/changelog.gz"
    {
        printf 'Package: %s\nSource: surefill\nVersion: %s\nArchitecture: %s\n' "$1" "$2" "$architecture"
        printf 'Maintainer: %s\n' "$(sed -n 's/^Maintainer: //p' debian/control)"
        printf 'Installed-Size: %s\n' "$(du -sk --apparent-size "$root" | cut -f 1)"
        printf 'Depends: %s\nSection: admin\nPriority: optional\nDescription: %s\n' "$3" "$4"
    } >"$root/DEBIAN/control"
    (cd "$root" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z | xargs -0 md5sum) >"$work/md5sums"
    mv "$work/md5sums" "$root/DEBIAN"
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$folder/${1}_${2}_$architecture.deb"
}
next=${level%.*}.$((${level##*.} + 1))
control surefill-slurm-plugin "$version+slurm$level" \
    "slurmctld (>= $level), slurmctld (<< $next~), $(needs "$plugin$plugins/sched_surefill.so")" \
    "probabilistic backfilling inside slurmctld $level
 A scheduler plugin of Slurm: a job behind the head of the queue is let
 through when what it is expected to delay the head job, given what similar
 jobs ran, is small. Nothing changes before slurm.conf says
 SchedulerType=sched/surefill; OPERATING.md says how to try it first.
 .
 Built for slurmctld $level, which loads no plugin of another patch level."
control surefill-slurm "$version" "$(needs "$programs"/usr/bin/*)" \
    "probabilistic backfilling beside Slurm
 surefill-points gives short, narrow and old jobs points within the priorities
 of priority/multifactor. surefill-soft-limits predicts how long waiting jobs
 will run, for Slurm's own backfill scheduler to plan with (Slurm 23.11 or
 later). surefill-slurm is an external scheduler that releases held jobs. These
 use libslurm alone. surefill-cycle decides recorded cycles again, for reports
 of odd decisions."
