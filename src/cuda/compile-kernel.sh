#!/bin/sh
# Compiles one file of kernels and keeps what the assembler says about registers, stack and spills.
#
# usage: compile-kernel.sh REPORT COMMAND…
set -eu

report=$1
shift
if ! "$@" >"$report" 2>&1; then
  cat "$report" >&2
  exit 1
fi
# Warnings shall be seen; the numbers are for tests/cuda/check-kernels.py.
grep -v -e '^ptxas info' -e '^ *[0-9]* bytes stack frame' -e '^ *$' "$report" >&2 || true
