#!/bin/sh
# Checks and times the CUDA module on a machine with a GPU that has neither Meson nor GLib nor GTK.
#
#   run-on-device.sh gather [--rehearse] BUILD FOLDER
#       Here: puts the built module, prism-cli, the tests, their libraries, data and scripts into FOLDER.
#       BUILD: a build directory with the CUDA module.
#   FOLDER/run-on-device.sh run [--rehearse] [STEP…]
#       There: parity, sanitizer, memory, identical, bench; all of them where none is named.
#
# With --rehearse the module is the emulated one and everything is tiny: a test of this script.
# PYTHON names a Python with PyTorch (python3). What is worth keeping goes to OUT, if that is set.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rehearse=
max_mib=64

say ()
{
  printf '\n== %s\n' "$*"
}

# The libraries that a program needs and a bare system may lack: all but the C library's own.
list_libraries ()
{
  ldd "$@" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p' | sort -u \
    | grep -v -E '/(libc|libm|libdl|librt|libpthread|ld-linux-x86-64|libresolv|libutil)\.so\.'
}

gather ()
{
  [ "${1:-}" != --rehearse ] || { rehearse=yes; shift; }
  build=$1 folder=$2
  sources=$here/../..
  module=src/cuda/libprism-cuda.so
  tests="tests/cuda/test-cuda-device-64 tests/cuda/test-cuda-device-512 tests/cuda/test-cuda-device-1024"
  if [ -n "$rehearse" ]; then
    module=tests/cuda/emulation/libprism-cuda.so
    tests=tests/cuda/test-cuda-device-64
  fi
  # shellcheck disable=SC2086
  ninja -C "$build" $module src/cli/prism-cli $tests

  rm -rf "$folder"
  mkdir -p "$folder/bin" "$folder/lib" "$folder/data" "$folder/bench"
  for file in $module src/cli/prism-cli $tests; do
    cp "$build/$file" "$folder/bin/"
    # shellcheck disable=SC2046
    cp $(list_libraries "$build/$file") "$folder/lib/"
  done
  find "$folder/bin" "$folder/lib" -type f -exec strip --strip-unneeded {} +
  cp "$sources"/tests/data/*.npz "$sources"/tests/data/*.npy "$folder/data/"
  cp "$sources"/tests/bench/*.py "$folder/bench/"
  cp "$here/run-on-device.sh" "$folder/"

  mib=$(du -sm "$folder" | cut -f1)
  echo "$folder: $mib MiB"
  if [ "$mib" -gt $max_mib ]; then
    echo "run-on-device.sh: $folder has $mib MiB, $max_mib are allowed" >&2
    exit 1
  fi
}

# A program of ours with the libraries it came with, which are no business of Python's.
native ()
{
  LD_LIBRARY_PATH="$here/lib" PRISM_MODULE_DIR="$here/bin" PRISM_TEST_DATA="$here/data" "$@"
}

cli ()
{
  native "$here/bin/prism-cli" "$@"
}

# The table of operations against the CPU's, then both against PyTorch's arrays.
step_parity ()
{
  for test in "$here"/bin/test-cuda-device-*; do
    native "$test" --tap
  done
  cli verify --backend cuda "$here"/data/*.npz
  sizes='512/128/20 1024/512/40'
  [ -z "$rehearse" ] || sizes=64/32/6
  for size in $sizes; do
    IFS=/ read -r image object radius <<END
$size
END
    "$python" "$here/bench/make_steps.py" "$work/steps.npz" --image "$image" --object "$object" --radius "$radius"
    cli verify --backend cuda "$work/steps.npz"
  done
}

# A sanitizer slows the device down a hundredfold, which is no hang.
step_sanitizer ()
{
  if [ -n "$rehearse" ] || ! command -v compute-sanitizer > /dev/null; then
    echo "skipped: there is no compute-sanitizer"
    return 0
  fi
  short="-p /cuda/backend/twin -p /cuda/backend/captured-once -p /cuda/backend/frame"
  for tool in memcheck racecheck initcheck synccheck; do
    say "compute-sanitizer --tool $tool"
    # shellcheck disable=SC2086
    PRISM_CUDA_WAIT=600 native timeout 240 compute-sanitizer --tool "$tool" --error-exitcode 99 \
      "$here/bin/test-cuda-device-64" --tap $short
  done
}

# The test fails when what the device could still give changes.
step_memory ()
{
  n_steps=100000 test=$here/bin/test-cuda-device-512
  [ -z "$rehearse" ] || { n_steps=128 test=$here/bin/test-cuda-device-64; }
  PRISM_TEST_STEPS=$n_steps native "$test" --tap -p /cuda/backend/long-run
}

step_identical ()
{
  size='image_size=512 object_size=128 samples=20 steps=50 polish=5'
  [ -z "$rehearse" ] || size='image_size=64 object_size=16 samples=3 steps=2 polish=1 start_steps=2'
  for run in a b; do
    set -- run --quiet --output "$work/$run" --set=backend=cuda --set=seed=3
    for setting in $size; do
      set -- "$@" "--set=$setting"
    done
    cli "$@"
  done
  n=0
  for file in "$work"/a/*.npy; do
    cmp "$file" "$work/b/$(basename "$file")"
    n=$((n + 1))
  done
  [ "$n" -gt 0 ] && echo "two runs: $n arrays, the same bits"
}

step_bench ()
{
  cat > "$work/prism-cli" <<END
#!/bin/sh
LD_LIBRARY_PATH='$here/lib' PRISM_MODULE_DIR='$here/bin' exec '$here/bin/prism-cli' "\$@"
END
  chmod +x "$work/prism-cli"
  "$python" "$here/bench/compare_gpu.py" --cli "$work/prism-cli" --python "$python" \
    ${rehearse:+--rehearse} > "$work/benchmarks.md" || status=$?
  cat "$work/benchmarks.md"
  [ -z "${OUT:-}" ] || cp "$work/benchmarks.md" "$OUT/"
  return ${status:-0}
}

# One step that fails does not keep the others from running.
run ()
{
  [ "${1:-}" != --rehearse ] || { rehearse=yes; shift; }
  [ $# -gt 0 ] || set -- parity sanitizer memory identical bench
  python=${PYTHON:-python3}
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  export LC_ALL=C.UTF-8
  failed=
  ! command -v nvidia-smi > /dev/null \
    || nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
  cli info || true
  for step; do
    say "$step"
    # A shell of its own, so that the first failure ends the step and no more.
    set +e
    (set -e; unset status; "step_$step")
    status=$?
    set -e
    if [ "$status" -ne 0 ]; then
      failed="$failed $step"
      echo "FAILED: $step (exit status $status)"
    fi
  done
  say "failed:${failed:- none}"
  [ -z "$failed" ]
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
  gather | run) "$command" "$@" ;;
  *)
    sed -n '2,/^set -eu/s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
