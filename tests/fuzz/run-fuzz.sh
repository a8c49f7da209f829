#!/bin/bash
# Feeds every fuzz target with broken input for its share of SECONDS, or until it has had EXECUTIONS,
# and ends with one line: N passed, N failed. What a target finds interesting stays in BUILD/corpus,
# what breaks it in BUILD/broken: fix the cause and put the input into tests/fuzz/regressions/TARGET.
# A quarter of the time is for inputs of up to 8 KiB; until then they are about as long as the seeds,
# and GLib may keep its slices, which makes a run file half as fast again.
#
# BUILD/fuzz-totals.csv gets a line for each: target,seconds,executions,edges,broken; printed are the
# sums of all that it holds, so that sessions add up. PRISM_FUZZ_TARGETS: names, instead of all.
#
# usage: run-fuzz.sh BUILD SECONDS [EXECUTIONS]
set -eu

build=$1
seconds=$2
executions=${3:--1}
source=$(cd -- "$(dirname -- "$0")" && pwd -P)
totals=$build/fuzz-totals.csv
long=8192
if [ -n "${PRISM_FUZZ_TARGETS:-}" ]; then
  read -r -a targets <<<"$PRISM_FUZZ_TARGETS"
else
  targets=()
  for target in "$build"/tests/fuzz/fuzz-*[!p]; do
    targets+=("${target##*/fuzz-}")
  done
fi
share=$((seconds / ${#targets[@]}))
[ "$share" -gt 3 ] || share=4
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
# What one input frees is a few kilobytes; 256 MiB of it would only wear out the caches.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16:malloc_context_size=8
# libzip asks for the time zone of every part, which looks for a file otherwise.
export TZ=UTC0
failed=0

# feed NAME SECONDS EXECUTIONS LENGTH: one session of a target; adds its line to the totals.
feed ()
{
  local name=$1 length=$4 log=$build/$1.log status=0
  local corpus=$build/corpus/$name dictionary=$source/${name%%-*}.dict
  local folders=("$corpus" "$source/seeds/$name")
  local options=(-max_total_time="$2" -runs="$3" -max_len="$length" -rss_limit_mb=4096 -timeout=20
    -artifact_prefix="$build/broken/$name-" -print_final_stats=1 -reload=0)

  [ ! -d "$source/regressions/$name" ] || folders+=("$source/regressions/$name")
  # A configuration has the words of its parameters.
  if [ "$name" = config ]; then
    dictionary=$build/config.dict
    {
      # shellcheck disable=SC2016
      grep -o '`[^ `]*`' "$source/../../docs/parameters.md" | tr '`' '"'
      printf '"%s"\n' '[prism]' '#' '=-1' '=1e-9' '=1e999' '=nan' '=off' '\x00' '\xef\xbb\xbf'
    } >"$dictionary"
  fi
  [ ! -f "$dictionary" ] || options+=(-dict="$dictionary")
  mkdir -p "$corpus"
  local start=$SECONDS slices=
  [ "$length" != "$long" ] || slices=always-malloc
  G_SLICE=$slices "$build/tests/fuzz/fuzz-$name" "${options[@]}" "${folders[@]}" 2>"$log" || status=1
  printf '%s,%d,%d,%d,%d\n' "$name" $((SECONDS - start)) \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
    "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)" "$status" >>"$totals"
  return "$status"
}

# The length of the longest seed, and no less than a kilobyte.
get_short_length ()
{
  local longest

  longest=$(find "$source/seeds/$1" -type f -printf '%s\n' | sort -n | tail -n 1)
  echo $((longest > 1024 ? longest : 1024))
}

mkdir -p "$build/broken"
for name in "${targets[@]}"; do
  quarter=$((executions < 0 ? -1 : executions / 4 + 1))
  if feed "$name" $((share * 3 / 4)) $((3 * quarter)) "$(get_short_length "$name")" &&
    feed "$name" $((share / 4)) "$quarter" "$long"; then
    result=survived
  else
    failed=$((failed + 1))
    result="BROKEN, see $build/$name.log:"
  fi
  awk -F, -v name="$name" -v result="$result" '$1 == name { seconds += $2; n += $3; edges = $4; broken += $5 }
    END { printf "%-9s %s %d executions in %d s so far, %d edges, %d broke it\n", name, result, n, seconds, edges,
          broken }' "$totals" >&2
done
echo "$((${#targets[@]} - failed)) passed, $failed failed"
[ "$failed" = 0 ]
