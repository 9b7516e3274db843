#!/usr/bin/env bash
# Installs what the tests of C, Fortran, packages and pages need on a Debian machine with Rust and gcc, where it may (root); else
# says what to install. packages.sh COMMAND... asks for some of them only.
set -euo pipefail
cd "$(dirname "$0")/.."

# Command, then package.
known='gcc gcc
g++ g++
gfortran gfortran
valgrind valgrind
pkg-config pkg-config
python3 python3
abidiff abigail-tools
groff groff-base
dpkg-shlibdeps dpkg-dev
debootstrap debootstrap
shellcheck shellcheck
chromium chromium'

missing=()
while read -r command package; do
    if [ $# -gt 0 ] && [[ " $* " != *" $command "* ]]; then
        continue
    fi
    command -v "$command" > /dev/null || missing+=("$package")
done <<< "$known"
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "installing ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    scripts/again.sh timeout 200 apt-get update -qq
    scripts/again.sh timeout 600 apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
else
    echo "please install first: apt-get install ${missing[*]}" >&2
    exit 1
fi
