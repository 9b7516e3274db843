#!/usr/bin/env bash
# Fetches the sources of exactly the Slurm that is installed (Debian), for slurmctld's own headers:
#
#   source.sh FOLDER
#
# Prints the folder. Does nothing when they are there already. Works whether or not the machine's lists name sources.
set -euo pipefail
folder=$1
version=$(dpkg-query -W -f '${source:Version}' slurmctld)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ "$(cat "$folder/version" 2>/dev/null)" != "$version" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    mkdir -p "$work"/{parts,lists/partial,cache/archives/partial,download}
    chmod 755 "$work"
    . /etc/os-release
    mirror=${DEBIAN_MIRROR:-http://deb.debian.org}
    {
        printf 'Types: deb-src\nURIs: %s/debian\nSuites: %s %s-updates\nComponents: main\n' \
            "$mirror" "$VERSION_CODENAME" "$VERSION_CODENAME"
        printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n'
        printf 'Types: deb-src\nURIs: %s/debian-security\nSuites: %s-security\nComponents: main\n' \
            "$mirror" "$VERSION_CODENAME"
        printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n'
    } >"$work/parts/source.sources"
    options=(-qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/parts" -o "Dir::State::Lists=$work/lists"
        -o "Dir::Cache=$work/cache" -o APT::Sandbox::User="$(id -un)")
    timeout 200 apt-get "${options[@]}" update >&2
    (cd "$work/download" && timeout 200 apt-get "${options[@]}" source --download-only "slurm-wlm=$version" >&2)
    rm -rf "$folder/slurm"
    (cd "$work/download" && dpkg-source -q --no-check -x ./*.dsc "$folder/slurm" >&2)
    echo "$version" >"$folder/version"
fi
echo "$folder/slurm"
