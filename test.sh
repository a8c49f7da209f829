#!/bin/bash
# Installs what is missing, builds, runs all tests and ends with one line: N passed, N failed.
#
#   ./test.sh              everything
#   ./test.sh --quick      without the window and without the long runs
#   ./test.sh --long       everything, with the long forms of the tests that interrupt and kill: an hour
#   ./test.sh --sanitize   all but the CUDA kernels under the address and undefined behaviour sanitizers
#   ./test.sh --threads    engine under the thread sanitizer
#   ./test.sh --fuzz SECONDS [EXECUTIONS]   what reads files, fed with broken ones for SECONDS in all,
#                          each until it has had EXECUTIONS of them; needs clang
#   ./test.sh --packages   wheel, archive and .deb, made and started in bare Debian systems: needs root, half an hour
#
# Environment as for run.sh. Build directories: build-test, build-sanitize, build-threads.
set -eu

source=$(cd -- "$(dirname -- "$0")" && pwd -P)
# shellcheck source=.ci/setup.sh
. "$source/.ci/setup.sh"

mode=all
while [ $# -gt 0 ]; do
  case $1 in
    --quick) mode=quick ;;
    --long) export PRISM_TEST_LONG=1 ;;
    --sanitize) mode=sanitize ;;
    --threads) mode=threads ;;
    --packages)
      # shellcheck disable=SC2086
      install_packages $run_packages debootstrap python3-venv xvfb
      for package in wheel archive deb; do
        "$source/packages/make.sh" "$package"
      done
      exec "$source/packages/make.sh" check
      ;;
    --fuzz)
      mode=fuzz
      seconds=${2:-}
      [[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "test.sh --fuzz needs a number of seconds, such as 600."
      test_packages="$test_packages clang"
      shift
      executions=()
      if [[ ${2:-} =~ ^[1-9][0-9]*$ ]]; then
        executions=("$2")
        shift
      fi
      ;;
    *) fail "test.sh knows --quick, --long, --sanitize, --threads, --packages and --fuzz SECONDS [EXECUTIONS], not $1." ;;
  esac
  shift
done

case $mode in
  sanitize)
    build=$(absolute_path "${PRISM_BUILD_DIR:-$source/build-sanitize}")
    # The kernels run on their emulation under the address sanitizer in every ./test.sh; here they would take an hour.
    options=(-Dcuda=disabled "-Db_sanitize=address,undefined" --buildtype=debugoptimized)
    ;;
  threads)
    build=$(absolute_path "${PRISM_BUILD_DIR:-$source/build-threads}")
    options=(-Dapp=disabled -Dcuda=disabled -Db_sanitize=thread --buildtype=debugoptimized)
    # glibc reads another time zone again and again, under a lock that the sanitizer does not see.
    export TZ=UTC0
    ;;
  fuzz)
    build=$(absolute_path "${PRISM_BUILD_DIR:-$source/build-fuzz}")
    options=(-Dfuzzing=true -Dapp=disabled "-Db_sanitize=address,undefined" -Db_lundef=false --buildtype=debugoptimized)
    export CC=clang
    ;;
  *)
    build=$(absolute_path "${PRISM_BUILD_DIR:-$source/build-test}")
    options=()
    ;;
esac

# shellcheck disable=SC2086
if ! (install_packages $run_packages $test_packages &&
  build_in "$build" "${options[@]}" ${PRISM_MESON_OPTIONS:-}); then
  echo "0 passed, 1 failed"
  exit 1
fi

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:abort_on_error=0
export LSAN_OPTIONS=suppressions=$source/tests/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1
# GLib's own slices would hide errors from the sanitizers.
export G_SLICE=always-malloc
export PRISM_MODULE_DIR="$build/src/cuda"

if [ "$mode" = fuzz ]; then
  exec "$source/tests/fuzz/run-fuzz.sh" "$build" "$seconds" "${executions[@]}"
fi

logs=()

# run_suites BACKEND MESON-TEST-OPTION…: one run of Meson's tests whose log is kept.
run_suites ()
{
  local backend=$1
  shift
  say "Testing on $backend…"
  [ -z "${PRISM_TEST_LONG:-}" ] || set -- "$@" --timeout-multiplier 20
  PRISM_BACKEND=$backend "$(find_meson)" test -C "$build" --no-rebuild --logbase "testlog-$backend" "$@" >&2 || true
  logs+=("$build/meson-logs/testlog-$backend.json")
}

# What needs a display waits for windows that a busy machine may draw too late: a test that failed
# beside others has a second try alone, and the report says so.
run_again ()
{
  local log="$build/meson-logs/testlog-again.json" failed
  mapfile -t failed < <(/usr/bin/env python3 "$source/tests/report.py" --failed app "${logs[@]}")
  [ ${#failed[@]} -gt 0 ] && [ ${#failed[@]} -le 3 ] || return 0
  say "Testing once more, alone: ${failed[*]}…"
  PRISM_BACKEND=cpu "$(find_meson)" test -C "$build" --no-rebuild --logbase testlog-again --num-processes 1 \
    --suite app "${failed[@]}" >&2 || true
  again=(--again "$log")
}

# Why CUDA cannot be used here; nothing where it can.
why_no_cuda ()
{
  "$build/src/cli/prism-cli" info --json |
    /usr/bin/env python3 -c 'import json, sys; i = json.load(sys.stdin); print("" if i["cuda"] else i["default"])'
}

skipped=()
again=()
case $mode in
  all)
    run_suites cpu
    run_again
    reason=$(why_no_cuda)
    if [ -z "$reason" ]; then
      run_suites cuda --suite engine
    else
      skipped=(--skipped "the engine on CUDA: $reason")
    fi
    ;;
  quick) run_suites cpu --suite style --suite engine --suite cli --suite fuzz --no-suite long ;;
  sanitize)
    run_suites cpu --suite engine --suite cli --suite fuzz --suite app --no-suite accessibility --timeout-multiplier 5
    skipped=(--skipped "the window through the accessibility bus: it takes a quarter of an hour with sanitizers")
    ;;
  # The command line's tests start programs with GLib, whose own locks this sanitizer does not see.
  threads) run_suites cpu --suite engine --timeout-multiplier 5 ;;
esac

/usr/bin/env python3 "$source/tests/report.py" "${skipped[@]}" "${again[@]}" "${logs[@]}"
