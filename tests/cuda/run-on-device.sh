#!/bin/sh
# Checks and times the CUDA module on a machine with a GPU that has neither Meson nor GLib nor GTK.
#
#   run-on-device.sh gather [--rehearse] BUILD FOLDER
#       Here: puts the built module, prism-cli, the tests, their libraries, data and scripts into FOLDER.
#       BUILD: a build directory with the CUDA module.
#   FOLDER/run-on-device.sh run [--rehearse] [STEP…]
#       There: info, parity, memory, identical, sanitizer, tuning, bench; all of them where none is named.
#       Each of them ends within ten minutes: sanitizer is memcheck, racecheck, initcheck and synccheck, bench is
#       bench-512, bench-1024 and bench-2048. A step that has tested nothing has failed.
#
# With --rehearse the module is the emulated one and everything is tiny: a test of this script.
# PYTHON names a Python with PyTorch (python3). If OUT is set, log.txt, info.json and benchmarks.md are written there
# as they come.
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

# A program of ours with the libraries it came with, which are no business of Python's. The driver may lie where the
# machine's own path says.
native ()
{
  LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" PRISM_MODULE_DIR="$here/bin" \
    PRISM_TEST_DATA="$here/data" "$@"
}

cli ()
{
  native "$here/bin/prism-cli" "$@"
}

# run_tap SECONDS COMMAND…: a test whose TAP is shown as it comes. It must end well and on time and have tested
# something.
run_tap ()
{
  limit=$1
  [ -z "$rehearse" ] || limit=900
  shift
  echo 1 > "$work/status"
  { native timeout "$limit" "$@" 2>&1 && echo 0 > "$work/status"; } | tee "$work/tap"
  read -r status < "$work/status"
  if [ "$status" -ne 0 ]; then
    echo "FAILED: $*"
    return 1
  fi
  if ! grep '^ok ' "$work/tap" | grep -q -v '# SKIP'; then
    echo "FAILED: nothing was tested: $*"
    return 1
  fi
}

# What the program says of the device; without one nothing else is worth a call.
step_info ()
{
  ! command -v nvidia-smi > /dev/null \
    || nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
  cli info
  cli info --json > "$work/info.json"
  [ -z "${OUT:-}" ] || cp "$work/info.json" "$OUT/"
  "$python" -c 'import json, sys; sys.exit(0 if json.load(open(sys.argv[1]))["cuda"] else "no GPU can be used")' \
    "$work/info.json"
}

# The table of operations against the CPU's, then both against PyTorch's arrays. All of it, whatever fails.
step_parity ()
{
  bad=
  for test in "$here"/bin/test-cuda-device-*; do
    run_tap 120 "$test" --tap || bad=yes
  done
  cli verify --backend cuda "$here"/data/*.npz || bad=yes
  sizes='512/128/20 1024/512/40'
  [ -z "$rehearse" ] || sizes=64/32/6
  for size in $sizes; do
    IFS=/ read -r image object radius <<END
$size
END
    "$python" "$here/bench/make_steps.py" "$work/steps.npz" --image "$image" --object "$object" --radius "$radius" \
      && cli verify --backend cuda "$work/steps.npz" || bad=yes
  done
  [ -z "$bad" ]
}

# A sanitizer slows the device down a hundredfold, which is no hang.
sanitize ()
{
  if [ -n "$rehearse" ]; then
    echo "rehearsal: compute-sanitizer does not know the emulation"
    return 0
  fi
  if ! command -v compute-sanitizer > /dev/null; then
    echo "there is no compute-sanitizer; it is part of the CUDA toolkit"
    return 1
  fi
  PRISM_CUDA_WAIT=600 run_tap 280 compute-sanitizer --tool "$1" --error-exitcode 99 \
    "$here/bin/test-cuda-device-64" --tap \
    -p /cuda/backend/twin -p /cuda/backend/captured-once -p /cuda/backend/descent-stays -p /cuda/backend/frame
}

step_memcheck ()
{
  sanitize memcheck
}

step_racecheck ()
{
  sanitize racecheck
}

step_initcheck ()
{
  sanitize initcheck
}

step_synccheck ()
{
  sanitize synccheck
}

# The test fails when what the device could still give changes.
step_memory ()
{
  n_steps=100000 test=$here/bin/test-cuda-device-512
  [ -z "$rehearse" ] || { n_steps=128 test=$here/bin/test-cuda-device-64; }
  export PRISM_TEST_STEPS=$n_steps
  run_tap 280 "$test" --tap -p /cuda/backend/long-run
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

# bench SIZE: a table of its own, appended to what is there.
bench ()
{
  cat > "$work/prism-cli" <<END
#!/bin/sh
LD_LIBRARY_PATH='$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}' PRISM_MODULE_DIR='$here/bin' \\
  exec '$here/bin/prism-cli' "\$@"
END
  chmod +x "$work/prism-cli"
  status=0
  timeout 280 "$python" "$here/bench/compare_gpu.py" --cli "$work/prism-cli" --python "$python" --sizes "$1" \
    ${rehearse:+--rehearse} > "$work/benchmarks.md" || status=$?
  cat "$work/benchmarks.md"
  [ -z "${OUT:-}" ] || cat "$work/benchmarks.md" >> "$OUT/benchmarks.md"
  return $status
}

step_bench_512 ()
{
  bench 512/128/20
}

step_bench_1024 ()
{
  bench 1024/512/40
}

step_bench_2048 ()
{
  bench 2048/1024/80
}

# time_size SIZE ARGUMENTS…: what prism-cli bench says of the GPU in this size.
time_size ()
{
  IFS=/ read -r image object radius <<END
$1
END
  shift
  n_steps=2048
  [ -z "$rehearse" ] || n_steps=8
  cli bench --backend cuda --set "image_size=$image" --set "object_size=$object" --set "aperture_radius=$radius" \
    --steps "$n_steps" --warm-up "$n_steps" "$@"
}

get_sizes ()
{
  if [ -n "$rehearse" ]; then
    echo 64/32/6
  else
    echo 512/128/20 1024/512/40 2048/1024/80
  fi
}

# What the module leaves to be chosen by who has a card: each line is a step with one choice.
step_tuning ()
{
  for size in $(get_sizes); do
    for choice in PRISM_CUDA_GRAPH_STEPS=1 PRISM_CUDA_GRAPH_STEPS=4 PRISM_CUDA_GRAPH_STEPS=8 \
      PRISM_CUDA_SWEEP_BLOCKS=128 PRISM_CUDA_SWEEP_BLOCKS=256 PRISM_CUDA_SWEEP_BLOCKS=512; do
      (
        export "${choice?}"
        time_size "$size" > "$work/tuning"
      )
      echo "$size $choice $(grep '^step, median' "$work/tuning")"
    done
  done
}

# The names of single steps.
expand_steps ()
{
  for step; do
    case $step in
      sanitizer) echo memcheck racecheck initcheck synccheck ;;
      bench) echo bench-512 bench-1024 bench-2048 ;;
      info | parity | memory | identical | memcheck | racecheck | initcheck | synccheck | tuning | bench-512 \
        | bench-1024 | bench-2048) echo "$step" ;;
      *)
        echo "run-on-device.sh: there is no step $step; see run-on-device.sh without arguments" >&2
        return 2
        ;;
    esac
  done
}

# One step that fails does not keep the others from running.
run_steps ()
{
  failed=
  for step; do
    say "$step"
    begin=$(date +%s)
    # A shell of its own, so that the first failure ends the step and no more.
    set +e
    (set -e; "step_$(echo "$step" | tr - _)")
    status=$?
    set -e
    if [ "$status" -ne 0 ]; then
      failed="$failed $step"
      echo "FAILED: $step (exit status $status)"
    fi
    echo "$step: $(($(date +%s) - begin)) s"
  done
  say "failed:${failed:- none}"
  [ -z "$failed" ]
}

run ()
{
  [ "${1:-}" != --rehearse ] || { rehearse=yes; shift; }
  [ $# -gt 0 ] || set -- info parity memory identical sanitizer tuning bench
  python=${PYTHON:-python3}
  steps=$(expand_steps "$@")
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  export LC_ALL=C.UTF-8
  echo 1 > "$work/end"
  # Not in a condition, where no failure would end a step.
  # shellcheck disable=SC2086
  { run_steps $steps 2>&1; echo 0 > "$work/end"; } | tee -a ${OUT:+"$OUT/log.txt"}
  read -r end < "$work/end"
  return "$end"
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
