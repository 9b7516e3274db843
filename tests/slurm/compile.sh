#!/usr/bin/env bash
# Compiles the plugin and the external scheduler against the unpacked sources of other releases of Slurm, as strictly as ever:
#
#   compile.sh SOURCES...       each as unpacked, configured or not
set -euo pipefail
cd "$(dirname "$0")/../../c-examples/slurm"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for source in "$@"; do
    version=$(sed -n 's/^ *Version:[[:space:]]*\([0-9.]*\).*/\1/p' "$source/META" | head -n 1)
    # The version as ./configure would write it.
    IFS=. read -r major minor micro <<<"$version"
    rm -rf "$work/slurm"
    mkdir "$work/slurm"
    printf '#define SLURM_VERSION_NUMBER 0x%02x%02x%02x\n' $((10#$major)) $((10#$minor)) $((10#$micro)) \
        >"$work/slurm/slurm_version.h"
    printf '#define SLURM_VERSION_NUM(a, b, c) (((a) << 16) + ((b) << 8) + (c))\n' >>"$work/slurm/slurm_version.h"
    printf '#define NDEBUG 1\n#define MULTIPLE_SLURMD 1\n' >"$work/config.h"
    for file in *.c; do
        "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -fPIC -D_GNU_SOURCE -DHAVE_CONFIG_H -I../engine \
            -I../../include -isystem "$work" -isystem "$source" -c -o "$work/object" "$file"
    done
    for file in ../slurm-external/*.c; do
        "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -I../slurm-external -I../engine -I../../include -isystem "$work" \
            -isystem "$source" -c -o "$work/object" "$file"
    done
    "${CC:-cc}" -std=c11 -Wall -Wextra -Wpedantic -Werror -O2 -D_GNU_SOURCE -DHAVE_CONFIG_H -I. -isystem "$work" -isystem "$source" \
        -o "$work/most_nodes" ../../tests/slurm/most_nodes.c
    "$work/most_nodes"
    echo "compile: the plugin and the external scheduler compile with Slurm $version"
done
