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
    # The sources of the repositories that this machine has its packages from.
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u | sort -s -k 2,2 |
        awk -v release="$VERSION_CODENAME" -v key=/usr/share/keyrings/debian-archive-keyring.gpg \
            'index($2, release) == 1 { print "deb-src [signed-by=" key "]", $0 }' >"$work/parts/source.list"
    if [ ! -s "$work/parts/source.list" ]; then
        echo "source.sh: no package lists of $VERSION_CODENAME here: apt-get update" >&2
        exit 1
    fi
    options=(-qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/parts" -o "Dir::State::Lists=$work/lists"
        -o "Dir::Cache=$work/cache" -o APT::Sandbox::User="$(id -un)")
    timeout 200 apt-get "${options[@]}" update >&2
    (cd "$work/download" && timeout 200 apt-get "${options[@]}" source --download-only "slurm-wlm=$version" >&2)
    rm -rf "$folder/slurm"
    (cd "$work/download" && dpkg-source -q --no-check -x ./*.dsc "$folder/slurm" >&2)
    echo "$version" >"$folder/version"
fi
echo "$folder/slurm"
