#!/usr/bin/env bash
# The plugin with the daemons of a release of Slurm that Debian does not have, built from upstream's sources.
#
#   upstream.sh BUILD VERSION [TEST...]      such as upstream.sh build/slurm 26.05; some of the shorter tests unless others
#                                            are named
#
# The newest slurm-VERSION*.tar.xz in the folder SUREFILL_MANAGERS (../shared/managers from the top) is built once, in some
# minutes, and kept in BUILD-upstream/VERSION; or in VERSION of the folder SUREFILL_SLURMS, an absolute path that becomes
# part of the programs. It is built again when there is a newer archive, or when there are Debian's packages for Lua
# (job_submit/lua, which "external" wants) or MariaDB (slurmdbd, for "accounts") and were not before. An upstream archive of
# SchedMD's tag does as well: unpacked, packed with xz and named so. The library is the one that has been built here
# (make lib). Needs root.
set -euo pipefail
[ $# -ge 2 ] || {
    echo "usage: upstream.sh BUILD VERSION [TEST...]" >&2
    exit 2
}
built=$(realpath -m "$1") version=$2
shift 2
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(scenarios heads reconfigure rules overlap shared power)
cd "$(dirname "$0")/../.."
managers=${SUREFILL_MANAGERS:-../shared/managers}
archive=$(printf '%s\n' "$managers/slurm-$version"*.tar.xz | sort -V | tail -n 1)
root=$(realpath -m "${SUREFILL_SLURMS:-$built-upstream}")/$version
skip() {
    echo "SKIPPED: the plugin with the daemons of Slurm $version ($*)"
    exit 0
}
[ -e "$root/made" ] || [ -e "$archive" ] || skip "no slurm-$version*.tar.xz in $managers"
why=$(mktemp)
trap 'rm -f "$why"' EXIT
install() {
    local package missing=()
    for package in "$@"; do
        [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = 'install ok installed' ] || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] ||
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$why" 2>&1
}
install munge libmunge-dev libjson-c-dev make gcc xz-utils || skip "packages cannot be installed: $(tail -n 1 "$why")"
lua=yes mysql=yes
install pkg-config liblua5.4-dev || lua=no
install libmariadb-dev mariadb-server || mysql=no
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
        make -C src -j"$(nproc)" -s
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
failed=()
port=${CLUSTER_PORT:-24000}
for name in "${tests[@]}"; do
    port=$((port + 300))
    CLUSTER_PORT=$port timeout -k 40 $((260 * CLUSTER_PATIENCE)) bash "tests/slurm/$name.sh" "$plugin" || failed+=("$name")
done
[ ${#failed[@]} = 0 ] || {
    echo "upstream: with $release failed: ${failed[*]}" >&2
    exit 1
}
echo "upstream: ${#tests[@]} tests with $release passed"
