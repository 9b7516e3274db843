#!/usr/bin/env bash
# Builds flux-core once, and tests the scheduler for Flux inside real Flux instances. Takes two minutes, and four more to build.
#
#   check-flux.sh [TEST...]      all tests, or the named ones (tests/flux/TEST.sh)
#
# The sources are $SUREFILL_MANAGERS/flux-core-VERSION.tar.xz (../shared/managers), or FLUX names a prefix with bin/flux in it.
# PYTHON is the interpreter for which flux-core is built (/usr/bin/python3). No root is needed but to install packages.
set -euo pipefail
cd "$(dirname "$0")/.."
begun=$SECONDS
build=$(realpath -m build)/flux
managers=${SUREFILL_MANAGERS:-../shared/managers}
python=${PYTHON:-/usr/bin/python3}
mkdir -p "$build"

# Flux itself, in a folder that stays.
if [ -z "${FLUX:-}" ]; then
    source=$(find "$managers" -maxdepth 1 -name 'flux-core-*.tar.*' 2> /dev/null | sort -V | tail -n 1 || true)
    if [ -z "$source" ]; then
        echo "SKIPPED: the Flux tests, as there is no flux-core-VERSION.tar.xz in $managers (SUREFILL_MANAGERS), and FLUX names no prefix"
        exit 0
    fi
    version=$(basename "$source" | sed 's/^flux-core-\([0-9.]*\)\.tar.*/\1/')
    FLUX=$build/$version
    if [ ! -x "$FLUX/bin/flux" ]; then
        packages=(autoconf automake libtool pkg-config gcc make libzmq3-dev uuid-dev libjansson-dev liblz4-dev libarchive-dev libhwloc-dev
            libsqlite3-dev lua5.1 liblua5.1-dev lua-posix python3-dev python3-cffi python3-ply python3-setuptools python3-yaml)
        missing=()
        for package in "${packages[@]}"; do
            [ "$(dpkg-query -W -f '${Status}' "$package" 2> /dev/null)" = 'install ok installed' ] || missing+=("$package")
        done
        if [ ${#missing[@]} -gt 0 ]; then
            if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
                echo "SKIPPED: the Flux tests, as flux-core needs these Debian packages to be built: ${missing[*]}"
                exit 0
            fi
            echo "check-flux: installing ${missing[*]}"
            export DEBIAN_FRONTEND=noninteractive
            {
                scripts/again.sh timeout 200 apt-get update -qq &&
                    scripts/again.sh timeout 300 apt-get install -y -qq --no-install-recommends "${missing[@]}" > "$build/apt.log"
            } || {
                echo "SKIPPED: the Flux tests, as these packages could not be installed (above): ${missing[*]}"
                exit 0
            }
        fi
        echo "check-flux: building flux-core $version"
        rm -rf "$build/source"
        mkdir "$build/source"
        tar -C "$build/source" --strip-components=1 -xf "$source"
        (
            cd "$build/source"
            export FLUX_VERSION=$version
            ./autogen.sh
            ./configure --prefix="$FLUX" --disable-docs --disable-dependency-tracking PYTHON="$python" CFLAGS='-O1 -g0'
            make -j2 -s
            make -s install
        ) > "$build/build.log" 2>&1 || {
            tail -n 20 "$build/build.log" >&2
            echo "check-flux: flux-core $version does not build ($build/build.log)" >&2
            exit 1
        }
        rm -rf "$build/source"
        echo "check-flux: built in $((SECONDS - begun)) s"
    fi
fi
flux=$FLUX/bin/flux

# The Python package beside it, as the step "python" builds it.
profile=${TOOL_PROFILE:-demo}
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
CARGO_TARGET_DIR=$target cargo build --quiet --locked --profile "$profile" --manifest-path python/Cargo.toml
mkdir -p "$build/python/surefill"
cp python/surefill/* "$build/python/surefill/"
cp "$target/$profile/lib_surefill.so" "$build/python/surefill/_surefill.abi3.so"
export PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH}
SUREFILL_FLUX=$(realpath c-examples/flux)
export SUREFILL_FLUX PYTHONDONTWRITEBYTECODE=1

tests=("$@")
if [ ${#tests[@]} -eq 0 ]; then
    for file in tests/flux/*.sh; do
        [ "$file" = tests/flux/inside.sh ] || tests+=("$(basename "$file" .sh)")
    done
fi
folder=$(realpath tests/flux)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=()
for name in "${tests[@]}"; do
    since=$SECONDS
    # Each test says with which brokers it runs.
    read -r -a broker <<< "$(sed -n 's/^# broker: //p' "$folder/$name.sh")"
    mkdir "$work/$name"
    (cd "$work/$name" && timeout -k 10 200 "$flux" start "${broker[@]}" bash "$folder/$name.sh") < /dev/null || failed+=("$name")
    echo "check-flux: $name: $((SECONDS - since)) s"
done
[ ${#failed[@]} = 0 ] || {
    echo "check-flux: failed: ${failed[*]}" >&2
    exit 1
}
echo "check-flux: ${#tests[@]} tests inside $("$flux" version | sed -n 's/^commands: *//p') passed in $((SECONDS - begun)) s"
