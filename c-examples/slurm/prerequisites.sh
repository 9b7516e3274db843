#!/usr/bin/env bash
# Looks for what `make install-slurm` needs, and says all that is missing:
#
#   prerequisites.sh SLURM_SOURCE SLURM_PLUGINDIR      both empty for the Slurm of Debian's packages that is installed
set -uo pipefail
source=$1 folder=$2 missing=()
command -v "${CC:-cc}" > /dev/null || missing+=("a C compiler (${CC:-cc}): apt-get install gcc libc6-dev")
if [ -z "$folder" ] && ! dpkg -L slurm-wlm-basic-plugins 2> /dev/null | grep -q /sched_builtin.so; then
    missing+=("Slurm's plugins: apt-get install slurmctld, or name a folder of slurm.conf's PluginDir, SLURM_PLUGINDIR=/usr/lib64/slurm")
fi
if [ -n "$source" ]; then
    [ -f "$source/META" ] && [ -d "$source/src/slurmctld" ] ||
        missing+=("SLURM_SOURCE: $source holds no unpacked sources of Slurm (META, src/slurmctld)")
elif [ -n "$folder" ]; then
    missing+=("the sources of that Slurm, unpacked, of exactly its release (slurmctld -V): SLURM_SOURCE=FOLDER")
elif ! command -v apt-get > /dev/null; then
    missing+=("Debian's apt-get, which fetches the sources of the installed Slurm; elsewhere name them: SLURM_SOURCE=FOLDER")
else
    command -v dpkg-source > /dev/null || missing+=("what unpacks Debian's sources: apt-get install dpkg-dev")
    [ -e /usr/include/slurm/slurm_version.h ] || missing+=("Slurm's headers: apt-get install libslurm-dev")
fi
[ ${#missing[@]} -eq 0 ] && exit 0
echo "make install-slurm needs:" >&2
printf '  %s\n' "${missing[@]}" >&2
exit 1
