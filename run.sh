#!/bin/sh
# Builds PRISM Studio, installing what is missing, and starts it.
#
#   ./run.sh                     the window; without a display a reconstruction into ./prism-output
#   ./run.sh image.png           the window with an image
#   ./run.sh cli run --help      the command line program
#   ./run.sh --help              options of the window
#
# PRISM_NO_INSTALL=1: never call apt.
set -eu

source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
# shellcheck source=.ci/setup.sh
. "$source/.ci/setup.sh"

build=$(absolute_path "${PRISM_BUILD_DIR:-$source/build}")

# shellcheck disable=SC2086
install_packages $run_packages
# shellcheck disable=SC2086
build_in "$build" -Dtests=false ${PRISM_MESON_OPTIONS:-}

export GSETTINGS_SCHEMA_DIR="$build/data"
export PRISM_LOCALE_DIR="$build/po"
export PRISM_MODULE_DIR="${PRISM_MODULE_DIR:-$build/src/cuda}"
export XDG_DATA_DIRS="$build/data:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}"

if [ "${1:-}" = cli ]; then
  shift
  exec "$build/src/cli/prism-cli" "$@"
fi

case ${1:-} in
  -*) exec "$build/src/app/prism-studio" "$@" ;;
esac

if [ -x "$build/src/app/prism-studio" ] && [ -n "${WAYLAND_DISPLAY:-}${DISPLAY:-}" ]; then
  exec "$build/src/app/prism-studio" "$@"
fi

say "No display: reconstructing ${1:-the built-in scene} on the command line."
if [ -n "${1:-}" ]; then
  set -- --set "object=$1"
else
  set -- --preset quick-look
fi
"$build/src/cli/prism-cli" run "$@" --output prism-output
say "The image is $PWD/prism-output/reconstruction.png, the metrics are in $PWD/prism-output/metrics.csv."
