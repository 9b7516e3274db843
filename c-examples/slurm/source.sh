#!/usr/bin/env bash
# Fetches the sources of a Slurm from the Debian mirror that this machine has its packages from, for slurmctld's own
# headers:
#
#   source.sh FOLDER            of exactly the Slurm that is installed, with Debian's changes
#   source.sh FOLDER SUITE      of the one in another release of Debian (trixie, sid), as its authors released it
#
# Prints the folder. Does nothing when they are there already. Works whether or not the machine's lists name sources.
set -euo pipefail
folder=$1 suite=${2:-}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
exec 9>"$folder/lock"
flock 9
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(-qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/parts" -o "Dir::State::Lists=$work/lists"
    -o "Dir::Cache=$work/cache" -o APT::Sandbox::User="$(id -un)")
# Lists of our own: of the suite, or of what this machine has its packages of this release of Debian from.
lists() {
    local repositories
    repositories=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u | sort -s -k 2,2 |
        awk -v suite="$suite" -v release="$(. /etc/os-release && echo "$VERSION_CODENAME")" -v key=/usr/share/keyrings/debian-archive-keyring.gpg \
            'suite != "" && $2 == release { print "deb-src [signed-by=" key "]", $1, suite, $3 }
            suite == "" && index($2, release) == 1 { print "deb-src [signed-by=" key "]", $0 }')
    if [ -z "$repositories" ]; then
        echo "source.sh: no package lists of this Debian here: apt-get update" >&2
        return 1
    fi
    mkdir -p "$work"/{parts,lists/partial,cache/archives/partial,download}
    chmod 755 "$work"
    echo "$repositories" >"$work/parts/source.list"
    timeout 200 apt-get "${options[@]}" update >&2
}
there() { [ "$(cat "$folder/version" 2>/dev/null)" = "$1" ]; }
unpacked() { # VERSION COMMAND...: the command makes the folder slurm
    rm -rf "$folder/slurm" "$folder/version"
    "${@:2}" >&2
    echo "$1" >"$folder/version"
}

if [ -z "$suite" ]; then
    version=$(dpkg-query -W -f '${source:Version}' slurmctld)
    there "$version" || {
        lists
        (cd "$work/download" && timeout 200 apt-get "${options[@]}" source --download-only "slurm-wlm=$version" >&2)
        unpacked "$version" dpkg-source -q --no-check -x "$work"/download/*.dsc "$folder/slurm"
    }
else
    # A mirror may have the authors' archive and not the other files that a source package is made of: this is all we
    # need.
    lists
    original=$(apt-get "${options[@]}" source --print-uris "slurm-wlm/$suite" | grep '\.orig\.tar')
    read -r address name _ sum <<<"$original"
    there "$name" || {
        timeout 200 /usr/lib/apt/apt-helper download-file "${address//\'/}" "$work/download/$name" "$sum" >&2
        mkdir "$work/slurm"
        tar -xf "$work/download/$name" --strip-components 1 -C "$work/slurm"
        unpacked "$name" mv "$work/slurm" "$folder/slurm"
    }
fi
echo "$folder/slurm"
