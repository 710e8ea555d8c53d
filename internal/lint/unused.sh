#!/bin/sh
# unused.sh reads names of functions that no program reaches (deadcode), one a line, and fails
# on each that unused.txt does not list, and on each that it lists without need.
set -eu
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed 's#^github.com/stepgraph/stepgraph/##' | sort -u >"$work/found"
sed '/^#/d; /^$/d; s/[[:space:]].*//' "$here/unused.txt" | sort -u >"$work/listed"
comm -23 "$work/found" "$work/listed" | sed 's/^/unused: /' >"$work/faults"
comm -13 "$work/found" "$work/listed" | sed 's/^/used, but listed in internal\/lint\/unused.txt: /' >>"$work/faults"
cat "$work/faults"
test ! -s "$work/faults"
