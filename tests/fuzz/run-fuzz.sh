#!/bin/bash
# Feeds every fuzz target with broken input for its share of SECONDS and ends with one line:
# N passed, N failed. What a target finds interesting stays in BUILD/corpus, what breaks it in
# BUILD/broken: fix the cause and put the input into tests/fuzz/regressions/TARGET.
#
# usage: run-fuzz.sh BUILD SECONDS
set -eu

build=$1
seconds=$2
source=$(cd -- "$(dirname -- "$0")" && pwd -P)
targets=("$build"/tests/fuzz/fuzz-*[!p])
share=$((seconds / ${#targets[@]}))
[ "$share" -gt 0 ] || share=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
passed=0
failed=0

mkdir -p "$build/broken"
for target in "${targets[@]}"; do
  name=$(basename "$target")
  name=${name#fuzz-}
  corpus=$build/corpus/$name
  folders=("$corpus" "$source/seeds/$name")
  options=(-max_total_time="$share" -max_len=8192 -rss_limit_mb=4096 -timeout=20
    -artifact_prefix="$build/broken/$name-" -print_final_stats=1)
  [ ! -d "$source/regressions/$name" ] || folders+=("$source/regressions/$name")
  [ ! -f "$source/$name.dict" ] || options+=(-dict="$source/$name.dict")
  mkdir -p "$corpus"
  if "$target" "${options[@]}" "${folders[@]}" 2>"$build/$name.log"; then
    passed=$((passed + 1))
    result=survived
  else
    failed=$((failed + 1))
    result="BROKEN, see $build/$name.log:"
  fi
  printf '%-8s %s %s executions\n' "$name" "$result" \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")" >&2
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
