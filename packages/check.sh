#!/bin/sh
# Tries packages where nothing of ours is installed: the wheel in empty environments of every Python that is here, wheel,
# archive and .deb in bare Debian systems that debootstrap makes. Says what it could not do. The last line counts.
#
# usage: check.sh FOLDER_OF_PACKAGES SOURCE_ROOT
# Environment: PRISM_CHROOTS: folder for the bare systems, kept; PRISM_SUITES: “bookworm trixie sid”.
set -u

out=$1
source=$2
work=$(mktemp -d)
chroots=${PRISM_CHROOTS:-$work}
passed=0
failed=0
skipped=0
server=

# shellcheck disable=SC2317
clean ()
{
  [ -z "$server" ] || kill "$server"
  rm -rf --one-file-system "$work"
}
trap clean EXIT

# try NAME COMMAND…: counts, and shows what was said where it failed.
try ()
{
  name=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    passed=$((passed + 1))
    echo "ok $name: $(tail -n 1 "$work/said")"
  else
    failed=$((failed + 1))
    echo "not ok $name"
    tail -n 8 "$work/said" | sed 's/^/# /'
  fi
}

skip ()
{
  skipped=$((skipped + 1))
  echo "skipped $1"
}

# Prints the newest file of a kind, or nothing.
find_package ()
{
  find "$out" -name "$1" | sort | tail -n 1
}

# try_wheel PYTHON FOLDER
try_wheel ()
{
  rm -rf "$2" && "$1" -m venv "$2" && "$2/bin/pip" install --quiet "$wheel" && "$2/bin/prism-cli" info >/dev/null &&
    "$2/bin/python" "$source/packages/try.py" "$source/tests/behaviour/rings.npz"
}

# Shows the window of the archive in the bare system $1; prints how long its first picture took.
try_window ()
{
  chroot "$1" env -i HOME=/tmp DISPLAY="$display" PATH="$PATH" LANG=C.UTF-8 "/$unpacked/prism-studio" &
  window=$!
  /usr/bin/python3 "$source/packages/first_picture.py" "$work/Xvfb_screen0" 60 "$window"
  code=$?
  kill "$window"
  wait "$window" 2>/dev/null
  return "$code"
}

in_chroot ()
{
  root=$1
  shift
  chroot "$root" env -i HOME=/tmp PATH="$PATH" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# try_suite SUITE
try_suite ()
{
  root=$chroots/$1
  if [ ! -x "$root/bin/sh" ] && ! debootstrap --variant=minbase "$1" "$root" >"$work/debootstrap" 2>&1; then
    skip "$1: debootstrap could not make it: $(tail -n 1 "$work/debootstrap")"
    return
  fi
  mountpoint -q "$root/proc" || mount -t proc proc "$root/proc" || true
  if [ -n "$archive" ]; then
    unpacked=$(basename "$archive" | sed "s/-$(uname -m).tar.xz//")
    rm -rf "${root:?}/$unpacked"
    tar -C "$root" -xf "$archive"
    try "$1 archive prism-cli" in_chroot "$root" "/$unpacked/prism-cli" run --quiet --set object=moon \
      --set image_size=64 --set object_size=64 --set roi=64 --set aperture_radius=6 --output /tmp/archive
    if [ -n "$server" ]; then try "$1 archive window" try_window "$root"; else skip "$1 archive window: no Xvfb here"; fi
  fi
  if [ -n "$wheel" ]; then
    if in_chroot "$root" apt-get install -qq -y --no-install-recommends python3-venv python3-numpy >"$work/apt" 2>&1; then
      cp "$wheel" "$source/packages/try.py" "$source/tests/behaviour/rings.npz" "$root/tmp"
      try "$1 wheel" in_chroot "$root" sh -c "rm -rf /tmp/venv && python3 -m venv --system-site-packages /tmp/venv &&
        /tmp/venv/bin/pip install --quiet --no-index /tmp/$(basename "$wheel") && /tmp/venv/bin/python /tmp/try.py /tmp/rings.npz"
    else
      skip "$1 wheel: no python3-venv and python3-numpy there: $(tail -n 1 "$work/apt")"
    fi
  fi
  deb=$(find_package "prism-studio_*~$1_*.deb")
  if [ -n "$deb" ]; then
    cp "$deb" "$root/tmp"
    try "$1 deb" in_chroot "$root" sh -c "apt-get install -qq -y --no-install-recommends /tmp/$(basename "$deb") \
      python3-numpy && prism-cli info && python3 /tmp/try.py /tmp/rings.npz"
    # Bare again, for another time.
    in_chroot "$root" apt-get -qq -y autoremove --purge prism-studio >/dev/null 2>&1
  else
    skip "$1 deb: packages/make.sh deb makes it"
  fi
  umount "$root/proc" || true
}

wheel=$(find_package '*.whl')
archive=$(find_package '*.tar.xz')
[ -n "$wheel" ] || skip "wheel: packages/make.sh wheel makes it"
[ -n "$archive" ] || skip "archive: packages/make.sh archive makes it"

if [ -n "$wheel" ]; then
  for python in /usr/bin/python3 "$HOME"/.pyenv/versions/3.*/bin/python3; do
    if [ -x "$python" ] && "$python" -c 'import sys, venv; sys.exit(sys.version_info < (3, 8))' 2>/dev/null; then
      try "wheel in $("$python" --version)" try_wheel "$python" "$work/venv"
    fi
  done
fi

display=:87
if command -v Xvfb >/dev/null; then
  Xvfb "$display" -screen 0 1280x800x24 -fbdir "$work" -nolisten tcp >/dev/null 2>&1 &
  server=$!
fi
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  skip "bare systems: they need root and the package debootstrap"
else
  for suite in ${PRISM_SUITES:-bookworm trixie sid}; do
    try_suite "$suite"
  done
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
