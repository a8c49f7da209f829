# shellcheck shell=sh
# Packages and build directory, for run.sh and test.sh, which set `source` and include this file.
# Environment: PRISM_BUILD_DIR, PRISM_MESON_OPTIONS, PRISM_NO_INSTALL=1 (never call apt).

# What Debian 12 needs to build and to run the program.
run_packages='
  gcc libc6-dev meson ninja-build pkg-config gettext desktop-file-utils libxml2-utils
  libglib2.0-dev libpango1.0-dev libgtk-4-dev libepoxy-dev libadwaita-1-dev libjson-glib-dev
  libbz2-dev libcfitsio-dev libfftw3-dev libgif-dev libhdf5-dev libjpeg-dev libpng-dev libssl-dev libtiff-dev libyaml-dev libzip-dev zlib1g-dev
  adwaita-icon-theme librsvg2-common fonts-cantarell fonts-dejavu-core dconf-gsettings-backend'

# What the tests need besides.
test_packages='
  g++ cmark-gfm libmatio-dev xvfb xauth dbus dbus-bin dbus-daemon at-spi2-core python3 python3-gi python3-h5py
  python3-numpy python3-pyatspi python3-dogtail
  python3-ipykernel python3-matplotlib python3-nbclient python3-pandas
  gir1.2-atspi-2.0 appstream shellcheck locales procps valgrind faketime'

# Another release of clang-format lays lines out in another way: newer Debians do not have this one.
if [ "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null)" = bookworm ]; then
  test_packages="$test_packages clang-format-14"
fi

say ()
{
  printf '%s\n' "$*" >&2
}

fail ()
{
  say "$*"
  exit 1
}

# Prints those of the packages that are not installed.
list_missing ()
{
  for package in "$@"; do
    case $(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null) in
      installed) ;;
      *) printf ' %s' "$package" ;;
    esac
  done
}

# Installs what is missing; says what to do where that is not possible.
install_packages ()
{
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    command -v meson >/dev/null && command -v ninja >/dev/null && command -v pkg-config >/dev/null && return 0
    fail "This system has no apt; install the equivalents of these Debian packages and start again:" "$@"
  fi

  missing=$(list_missing "$@")
  [ -n "$missing" ] || return 0
  [ "${PRISM_NO_INSTALL:-0}" = 0 ] ||
    fail "These packages are missing and PRISM_NO_INSTALL forbids to install them:$missing"

  if [ "$(id -u)" = 0 ]; then
    as_root=env
  elif command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    as_root=sudo
  else
    fail "These packages are missing and only root can install them: apt-get install$missing"
  fi

  say "Installing these packages and what they need:$missing"
  log=$(mktemp)
  apt_options='-qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3'
  # shellcheck disable=SC2086
  if ! { $as_root apt-get $apt_options update &&
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get $apt_options install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    grep '^E:' "$log" | head -n 1 >&2
    fail "The packages could not be installed (see $log); with a network connection run: apt-get install$missing"
  fi
  rm -f "$log"
}

# A meson from Debian sees Debian's Python and its modules, whatever else is on PATH.
find_meson ()
{
  if [ -x /usr/bin/meson ]; then
    echo /usr/bin/meson
  else
    command -v meson || fail "Meson is missing: install the package meson and start again."
  fi
}

# Prints a path as absolute.
absolute_path ()
{
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$PWD/$1" ;;
  esac
}

# build_in DIRECTORY [MESON OPTION…]: configures where necessary and builds. The directory remembers the source
# tree and the options that it was made for and is wiped when either changes.
build_in ()
{
  build_directory=$1
  shift
  stamp="$source|$*"
  meson=$(find_meson)
  if [ -f "$build_directory/prism-stamp" ] && [ "$(cat "$build_directory/prism-stamp")" != "$stamp" ]; then
    say "The build directory was made for other options or another folder and is made anew."
    "$meson" setup --wipe "$build_directory" "$source" "$@" >&2 || fail "Meson could not configure $build_directory; its reason is above."
  elif [ ! -f "$build_directory/build.ninja" ]; then
    "$meson" setup "$build_directory" "$source" "$@" >&2 || fail "Meson could not configure $build_directory; its reason is above."
  fi
  printf '%s' "$stamp" >"$build_directory/prism-stamp"
  [ "$(ninja -C "$build_directory" -n 2>/dev/null | tail -n 1)" != 'ninja: no work to do.' ] || return 0
  quiet=--quiet
  [ ! -t 2 ] || quiet=
  ninja -C "$build_directory" $quiet >&2 || fail "The build in $build_directory failed; the reason is above."
}
