#!/usr/bin/env bash
# Whether every verb of the command has a manual page that formats, and every shell's completions parse and know the verbs.
#
#   scripts/check-manual.sh PROGRAM FOLDER_OF_PAGES BASH ZSH FISH
#
# Pages and completions may be compressed. Shells other than bash are asked where they are installed.
set -euo pipefail
program=$1 pages=$2
bash=$3
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

verbs=$("$program" --help | awk '/^Commands:/ { inside = 1; next } /^$/ { inside = 0 } inside && /^  [a-z]/ { print $1 }' | grep -vx help)
[ "$(echo "$verbs" | wc -l)" -gt 8 ] && grep -qx simulate <<< "$verbs" || { echo "no verbs in --help: $verbs"; exit 1; }

page() { # NAME: the page as text, without what terminals want
    local file=$pages/$1.1
    [ -f "$file" ] || file=$file.gz
    gzip -dcf "$file" | groff -man -Tutf8 -ww -P-cbou 2> "$work/warnings"
    [ ! -s "$work/warnings" ] || { echo "$1.1: $(cat "$work/warnings")" >&2; return 1; }
}

page surefill > "$work/surefill"
count=1
for verb in $verbs; do
    page "surefill-$verb" > "$work/page"
    for section in NAME SYNOPSIS DESCRIPTION OPTIONS; do
        grep -qx "$section" "$work/page" || { echo "surefill-$verb.1 has no section $section"; exit 1; }
    done
    grep -qE "surefill.$verb\(1\)" "$work/surefill" || { echo "surefill.1 does not name $verb"; exit 1; }
    # Every long option of --help is in the page.
    "$program" "$verb" --help | grep -oE '^ +(-[A-Za-z], )?--[a-z][a-z0-9-]*' | grep -oE -e '--[a-z0-9-]+' | sort -u > "$work/options"
    while read -r option; do
        grep -q -e "$option" "$work/page" || { echo "surefill-$verb.1 does not have $option"; exit 1; }
    done < "$work/options"
    count=$((count + 1))
done
[ "$(find "$pages" -name 'surefill*' | wc -l)" = $count ] || { echo "pages of no verb:"; ls "$pages"; exit 1; }

for shell in bash zsh fish; do
    script=$1
    shift
    grep -q packaging "$script" && { echo "$script offers the hidden verb"; exit 1; }
    for verb in $verbs; do
        grep -qw -e "$verb" "$script" || { echo "$script does not know $verb"; exit 1; }
    done
    if command -v $shell > /dev/null; then
        $shell -n "$script"
    else
        echo "SKIPPED: $script is not parsed, $shell is not installed"
    fi
done

# The words that bash offers after "surefill sim" and "surefill simulate --pol". The function's name is bash's affair.
offers() { # SCRIPT WORD...
    bash -c '
        source "$1"
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
        function=$(complete -p surefill | grep -oE -e "-F [^ ]+" | cut -d " " -f 2)
        "$function" surefill "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
grep -qx simulate <<< "$(offers "$bash" surefill sim)" || { echo "bash does not complete a verb"; exit 1; }
grep -qx -e --policy <<< "$(offers "$bash" surefill simulate --pol)" || { echo "bash does not complete an option"; exit 1; }
echo "$count manual pages, completions of bash, zsh and fish"
