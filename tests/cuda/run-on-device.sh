#!/bin/sh
# Checks and times the CUDA module on a machine with a GPU that has neither Meson nor GLib nor GTK.
#
#   run-on-device.sh gather [--rehearse] BUILD FOLDER
#       Here: puts the built module, prism-cli, the tests, their libraries, data and scripts into FOLDER, and packs it
#       as FOLDER.tar.xz.
#       BUILD: a build directory with the CUDA module.
#   FOLDER/run-on-device.sh run [--rehearse] [--within SECONDS] [STEP…]
#       There: info, parity, golden, memory, identical, sanitizer, passes, frames, transfers, bench; all of them where none
#       is named.
#       sanitizer is memcheck, racecheck, initcheck and synccheck, bench is bench-512, bench-1024 and bench-2048.
#       Every program has a limit, and those of a step come to eight minutes at most. A step that has tested nothing
#       has failed, and so has one that a GPU did not do to its end. With --within programs are ended after that time;
#       a step for which none is left has failed, too.
#
# With --rehearse the module is the emulated one and everything is tiny: a test of this script. What the machine lacks
# of PyTorch and compute-sanitizer is left out then, and only then.
# PYTHON names a Python with PyTorch (python3). If OUT is set, log.txt, info.json and benchmarks.md are written there
# as they come.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rehearse=
end=
# Of the packed folder: a way to a machine may carry no more.
max_mib=45

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
  build=${1:?the BUILD to gather from is missing} folder=${2:?the FOLDER to gather into is missing}
  sources=$here/../..
  module=src/cuda/libprism-cuda.so
  tests="tests/cuda/test-cuda-device-64 tests/cuda/test-cuda-device-recorded"
  if [ -n "$rehearse" ]; then
    module=tests/cuda/emulation/libprism-cuda.so
  else
    tests="$tests tests/cuda/test-cuda-device-512 tests/cuda/test-cuda-device-1024"
  fi
  # shellcheck disable=SC2086
  ninja -C "$build" $module src/cli/prism-cli tests/bench/verify $tests

  if [ -e "$folder" ] && [ ! -e "$folder/run-on-device.sh" ]; then
    echo "run-on-device.sh: $folder is there and was not made by this script" >&2
    exit 1
  fi
  rm -rf "$folder"
  mkdir -p "$folder/bin" "$folder/lib" "$folder/data" "$folder/bench"
  for file in $module src/cli/prism-cli tests/bench/verify $tests; do
    cp "$build/$file" "$folder/bin/"
    # shellcheck disable=SC2046
    cp $(list_libraries "$build/$file") "$folder/lib/"
  done
  find "$folder/bin" "$folder/lib" -type f -exec strip --strip-unneeded {} +
  cp "$sources"/tests/data/*.npz "$sources"/tests/data/*.npy "$folder/data/"
  cp "$sources"/tests/bench/*.py "$folder/bench/"
  cp "$here/run-on-device.sh" "$folder/"

  XZ_OPT=-2 tar -cJf "$folder.tar.xz" -C "$(dirname "$folder")" "$(basename "$folder")"
  mib=$(du -sm "$folder.tar.xz" | cut -f1)
  echo "$folder: $(du -sm "$folder" | cut -f1) MiB, $folder.tar.xz: $mib MiB"
  if [ "$mib" -gt $max_mib ]; then
    echo "run-on-device.sh: $folder.tar.xz has $mib MiB, $max_mib are allowed; build for one kind of GPU:" \
      "-Dgpu_architectures=90" >&2
    exit 1
  fi
}

# Seconds that are left, one at least.
get_left ()
{
  left=$((end - $(date +%s)))
  if [ "$left" -gt 0 ]; then echo "$left"; else echo 1; fi
}

# The emulation is no hurry.
get_limit ()
{
  limit=$1
  [ -z "$rehearse" ] || limit=900
  if [ -n "$end" ] && [ "$(get_left)" -lt "$limit" ]; then get_left; else echo "$limit"; fi
}

# limited SECONDS COMMAND…: a driver that hangs may keep a program from ending when it is asked to.
limited ()
{
  limit=$(get_limit "$1")
  shift
  timeout --kill-after=10 "$limit" "$@"
}

# native SECONDS COMMAND…: a program of ours with the libraries it came with, which are no business of Python's. The
# driver may lie where the machine's own path says.
native ()
{
  limit=$1
  shift
  limited "$limit" env LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    PRISM_MODULE_DIR="$here/bin" PRISM_TEST_DATA="$here/data" "$@"
}

# cli SECONDS ARGUMENTS…
cli ()
{
  limit=$1
  shift
  native "$limit" "$here/bin/prism-cli" "$@"
}

# run_tap SECONDS COMMAND…: a test whose TAP is shown as it comes. It must end well and on time, have tested
# something, and have left nothing out.
run_tap ()
{
  limit=$1
  shift
  echo 1 > "$work/status"
  { native "$limit" "$@" 2>&1 && echo 0 > "$work/status"; } | tee "$work/tap"
  read -r status < "$work/status"
  if [ "$status" -ne 0 ]; then
    echo "FAILED: $*"
    return 1
  fi
  if ! grep -q '^ok ' "$work/tap" || grep -q '# SKIP' "$work/tap"; then
    echo "FAILED: not all was tested: $*"
    return 1
  fi
}

# What the program says of the device; without one that passes its self-test nothing else is worth a call.
step_info ()
{
  ! command -v nvidia-smi > /dev/null \
    || limited 30 nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader \
    || echo "nvidia-smi does not work"
  cli 60 info
  cli 60 info --json > "$work/info.json"
  [ -z "${OUT:-}" ] || cp "$work/info.json" "$OUT/"
  if ! grep -q '^  "self_test" : "passed"' "$work/info.json"; then
    echo "no GPU can be used, or it computes something else"
    return 1
  fi
}

# The table of operations and passes over recorded frames against the CPU's. All of it, whatever fails.
step_parity ()
{
  bad=
  for test in "$here"/bin/test-cuda-device-*; do
    run_tap 120 "$test" --tap || bad=yes
  done
  [ -z "$bad" ]
}

# A rehearsal may have no PyTorch; who measures must.
lacks_torch ()
{
  [ -n "$rehearse" ] && ! "$python" -c 'import torch' 2> /dev/null
}

# verify_steps SIZE: ten steps of PyTorch, with the same weights and targets.
verify_steps ()
{
  IFS=/ read -r image object radius <<END
$1
END
  limited 120 "$python" "$here/bench/make_steps.py" "$work/steps.npz" --image "$image" \
    --object "$object" --radius "$radius" \
    && native 60 "$here/bin/verify" --backend cuda "$work/steps.npz"
}

# Device and PyTorch's arrays. All of it, whatever fails.
step_golden ()
{
  bad=
  native 100 "$here/bin/verify" --backend cuda "$here"/data/*.npz || bad=yes
  sizes='512/128/20 1024/512/40'
  [ -z "$rehearse" ] || sizes=64/32/6
  if lacks_torch; then
    echo "rehearsal: $python has no PyTorch, whose ten steps are left out"
    sizes=
  fi
  for size in $sizes; do
    verify_steps "$size" || bad=yes
  done
  [ -z "$bad" ]
}

# The tests that a sanitizer looks at: a pass of every kind of kernel.
sanitize_tests ()
{
  bad=
  run_tap 280 "$@" "$here/bin/test-cuda-device-64" --tap \
    -p /cuda/backend/twin -p /cuda/backend/captured-once -p /cuda/backend/descent-stays -p /cuda/backend/frame \
    -p /cuda/backend/search/waves || bad=yes
  run_tap 180 "$@" "$here/bin/test-cuda-device-recorded" --tap -p /cuda/recorded/parity/power-of-two \
    -p /cuda/recorded/all-visits -p /cuda/recorded/decoder -p /cuda/recorded/adjoint/pupil || bad=yes
  [ -z "$bad" ]
}

# A sanitizer slows the device down a hundredfold, which is no hang.
sanitize ()
{
  export PRISM_CUDA_WAIT=600
  if [ -n "$rehearse" ]; then
    echo "rehearsal: the same tests without compute-sanitizer, which does not know the emulation"
    sanitize_tests
  elif command -v compute-sanitizer > /dev/null; then
    # Every call's status is looked at by the module, and the runtime probes for what a driver may lack.
    sanitize_tests compute-sanitizer --tool "$1" --report-api-errors no --error-exitcode 99
  else
    echo "there is no compute-sanitizer; it is part of the CUDA toolkit"
    return 1
  fi
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

# Steps that a run has trained, of its summary.
count_steps ()
{
  sed -n '/^  "counters"/,$s/^    "steps" : \([0-9]*\).*/\1/p' "$1" | head -n 1
}

# With training, which a run leaves out by itself where the picture is good without.
step_identical ()
{
  size='image_size=512 object_size=128 samples=20 steps=50 polish=5'
  [ -z "$rehearse" ] || size='image_size=64 object_size=16 samples=3 steps=2 polish=1 start_steps=2'
  for run in a b; do
    set -- run --quiet --output "$work/$run" --set=backend=cuda --set=seed=3 --set=method=decoder
    for setting in $size; do
      set -- "$@" "--set=$setting"
    done
    cli 200 "$@"
    # A run whose GPU fails goes on on the CPU, which would be equal to itself. Further in is what was asked for.
    if ! grep -q '^  "backend" : "cuda"' "$work/$run/summary.json"; then
      echo "run $run did not end on the GPU"
      return 1
    fi
  done
  n=0
  for file in "$work"/a/*.npy; do
    cmp "$file" "$work/b/$(basename "$file")"
    n=$((n + 1))
  done
  n_steps=$(count_steps "$work/a/summary.json")
  echo "two runs with ${n_steps:-0} steps of training: $n arrays, the same bits"
  [ "$n" -gt 0 ] && [ "${n_steps:-0}" -gt 0 ]
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
  echo 1 > "$work/status"
  { limited 480 "$python" "$here/bench/compare_gpu.py" --cli "$work/prism-cli" --python "$python" \
    --sizes "$1" ${rehearse:+--rehearse} && echo 0 > "$work/status"; } | tee -a "${OUT:-$work}/benchmarks.md"
  read -r status < "$work/status"
  return "$status"
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

get_sizes ()
{
  if [ -n "$rehearse" ]; then
    echo 64/32/6
  else
    echo 512/128/20 1024/512/40 2048/1024/80
  fi
}

# Whole passes of the refinement, on the GPU and on the processor beside it.
step_passes ()
{
  bad=
  small=128/64/10
  [ -z "$rehearse" ] || small=
  for size in $small $(get_sizes); do
    IFS=/ read -r image object radius <<END
$size
END
    for backend in cuda cpu; do
      cli 60 bench --passes --backend "$backend" --set "image_size=$image" --set "object_size=$object" \
        --set "aperture_radius=$radius" --set samples=100 || bad=yes
    done
  done
  [ -z "$bad" ]
}

# Recorded frames by each method, and what they come to a second. Of five passes the first two visit frames at the rim
# again. Large frames would take the decoder minutes, and the emulation small ones.
step_frames ()
{
  bad=
  methods='sequential descent complex'
  [ -z "$rehearse" ] || methods='sequential descent'
  for method in $methods; do
    side=512 per_side=19 passes=3
    case $method in
      sequential) passes=5 ;;
      complex) side=128 per_side=15 ;;
    esac
    [ -z "$rehearse" ] || { side=32; per_side=5; }
    frames=$work/frames-$side.npz
    [ -e "$frames" ] || cli 100 simulate --set "size=$side" --set "per_side=$per_side" "$frames"
    if cli 90 run --quiet --measurements "$frames" --output "$work/$method" --set backend=cuda \
        --set "method=$method" --set "passes=$passes" --set pupil=flat \
      && ! grep -q '^  "device" : "CPU"' "$work/$method/summary.json"; then
      sed -n "s/^  \"\(seconds\|pixel_visits_per_second\)\" :/$method \1/p" "$work/$method/summary.json"
    else
      echo "FAILED: frames were not the GPU's: $method"
      bad=yes
    fi
  done
  [ -z "$bad" ]
}

# Copies to the device and back, with pinned and pageable memory.
step_transfers ()
{
  cli 120 bench --transfers --backend cuda ${rehearse:+--mib 1}
}

# The names of single steps.
expand_steps ()
{
  for step; do
    case $step in
      sanitizer) echo memcheck racecheck initcheck synccheck ;;
      bench) echo bench-512 bench-1024 bench-2048 ;;
      info | parity | golden | memory | identical | memcheck | racecheck | initcheck | synccheck | passes | frames \
        | transfers | bench-512 | bench-1024 | bench-2048) echo "$step" ;;
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
    if [ -n "$end" ] && [ "$begin" -ge "$end" ]; then
      failed="$failed $step"
      echo "FAILED: $step: no time was left for it"
      continue
    fi
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
  [ "${1:-}" != --within ] || { end=$(($(date +%s) + ${2:?--within what?})); shift 2; }
  [ $# -gt 0 ] || set -- info parity golden memory identical sanitizer passes frames transfers bench
  python=${PYTHON:-python3}
  steps=$(expand_steps "$@")
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  export LC_ALL=C.UTF-8
  [ -z "${OUT:-}" ] || mkdir -p "$OUT"
  echo 1 > "$work/end"
  # Not in a condition, where no failure would end a step.
  # shellcheck disable=SC2086
  { run_steps $steps 2>&1; echo 0 > "$work/end"; } | tee -a ${OUT:+"$OUT/log.txt"}
  read -r status < "$work/end"
  return "$status"
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
