#!/usr/bin/env bash
# The plugin with the daemons of a release of Slurm that Debian does not have, built from upstream's sources.
#
#   upstream.sh BUILD [VERSION [TEST...]]      26.05 and four tests unless named; "every" is all
#
# The newest slurm-VERSION*.tar.xz in the folder SUREFILL_MANAGERS (../shared/managers from the top) is built once, in some
# minutes, and kept in BUILD-upstream/VERSION, or in VERSION of the folder SUREFILL_SLURMS (an absolute path, which becomes
# part of the programs). It is built again when there is a newer archive, or when there are Debian's packages for Lua
# (job_submit/lua, for "external") or MariaDB (slurmdbd, for "accounts") and were not before. An archive of
# SchedMD's tag (github.com/SchedMD/slurm, slurm-26-05-3-1) does as well: unpacked, packed with xz and named so. The
# library is the one that has been built here (make lib). Needs root.
set -euo pipefail
[ $# -ge 1 ] || {
    echo "usage: upstream.sh BUILD [VERSION [TEST...]]" >&2
    exit 2
}
built=$(realpath -m "$1") version=${2:-26.05}
tests=("${@:3}")
cd "$(dirname "$0")/../.."
# shellcheck source=tests/slurm/beside.sh
. tests/slurm/beside.sh
[ ${#tests[@]} -gt 0 ] || tests=(refusals wishes edits rollback)
[ "${tests[*]}" != every ] || tests=("${every[@]}" "${longer[@]}")
managers=${SUREFILL_MANAGERS:-../shared/managers}
archive=$(printf '%s\n' "$managers/slurm-$version"*.tar.xz | sort -V | tail -n 1)
root=$(realpath -m "${SUREFILL_SLURMS:-$built-upstream}")/$version
skip() {
    echo "SKIPPED: the plugin with the daemons of Slurm $version ($*)"
    exit 0
}
[ -e "$root/made" ] || [ -e "$archive" ] || skip "no slurm-$version*.tar.xz in $managers"
logs=$(mktemp -d)
trap 'beside_end; rm -rf "$logs"' EXIT
trap 'exit 1' INT TERM HUP
packages() { # NAME...: installs those that are missing
    local package missing=()
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = 'install ok installed' ] || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] ||
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o DPkg::Lock::Timeout=200 --no-install-recommends "${missing[@]}" \
            >"$logs/apt" 2>&1
}
packages munge libmunge-dev libjson-c-dev make gcc xz-utils || skip "packages cannot be installed: $(tail -n 1 "$logs/apt")"
lua=yes mysql=yes
packages pkg-config liblua5.4-dev || lua=no
packages libmariadb-dev mariadb-server || mysql=no
wanted="$(basename "$archive" .tar.xz) --with-lua=$lua --with-mysql_config=${mysql/yes//usr/bin}"
if [ ! -e "$root/made" ] || { [ -e "$archive" ] && [ "$(cat "$root/made")" != "$wanted" ]; }; then
    rm -rf "$root"
    mkdir -p "$root/source"
    tar -xJf "$archive" -C "$root/source" --strip-components 1
    echo "upstream: building $wanted, some minutes"
    log=$root/log
    (
        cd "$root/source"
        # shellcheck disable=SC2086
        ./configure --prefix="$root/slurm" --sysconfdir="$root/slurm/etc" --enable-multiple-slurmd --disable-debug --disable-dependency-tracking \
            ${wanted#* } --without-rpath CFLAGS='-O1 -g0 -fno-strict-aliasing'
        nice -n 10 make -C src -j"$(nproc)" -s
        make -C src -s install
        # The headers stay, for the plugin.
        find src -type f '(' -name '*.o' -o -name '*.lo' -o -name '*.la' -o -name '*.a' -o -name '*.so' ')' -delete
    ) >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        exit 1
    }
    echo "$wanted" >"$root/made"
fi
# Its own programs, libraries and headers come before those that are installed.
export PATH=$root/slurm/sbin:$root/slurm/bin:$PATH LD_LIBRARY_PATH=$root/slurm/lib:$root/slurm/lib/slurm SLURM_PLUGINS=$root/slurm/lib/slurm
export SLURM_SOURCE=$root/source CLUSTER_PATIENCE=${CLUSTER_PATIENCE:-2}
release=$(slurmctld -V)
plugin=$built-upstream/$version/plugin
make -s -C c-examples/slurm BUILD="$plugin" SLURM_SOURCE="$SLURM_SOURCE" SLURMFULL="$SLURM_PLUGINS/libslurmfull.so" \
    SLURM_LIBRARY="-L$root/slurm/lib" all tests
make -s -C c-examples/slurm-external BUILD="$plugin" SLURM_SOURCE="$SLURM_SOURCE" SLURM_LIBRARY="-L$root/slurm/lib" all tests
who="upstream $version"
port=24000
run_of() { run=(bash "tests/slurm/$1.sh" "$plugin"); }
beside_run "${SUREFILL_BESIDE:-1}" $((260 * CLUSTER_PATIENCE)) "${tests[@]}"
[ ${#failed[@]} = 0 ] || {
    echo "upstream: with $release failed: ${failed[*]}" >&2
    exit 1
}
echo "upstream: ${#tests[@]} tests with $release passed"
