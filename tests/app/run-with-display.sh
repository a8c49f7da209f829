#!/bin/sh
# Runs a test of the window with an own X server and an own session bus, drawn by cairo.
# Mesa is kept away: nothing is drawn by it, and it loses memory. A11Y=1 in the environment: with the
# accessibility bus. HOME is a new, empty folder.
set -eu

export GDK_BACKEND=x11 GDK_DEBUG=gl-disable GSK_RENDERER=cairo GSETTINGS_BACKEND=memory LC_ALL=C.UTF-8
if [ "${A11Y:-}" = 1 ]; then
  unset GTK_A11Y NO_AT_BRIDGE
else
  export GTK_A11Y="${GTK_A11Y:-test}" NO_AT_BRIDGE=1
fi

folder=$(mktemp -d)
export HOME="$folder" XDG_DATA_HOME="$folder/data" XDG_CONFIG_HOME="$folder/config" \
  XDG_CACHE_HOME="$folder/cache" XDG_STATE_HOME="$folder/state" XDG_RUNTIME_DIR="$folder/run" \
  TMPDIR="$folder"
mkdir -m 700 "$folder/run"

# The number of this process makes a display that nobody else takes; the server says when it is
# ready. Without -noreset it would start anew, and refuse a client, whenever the last one leaves.
mkfifo "$folder/display"
Xvfb ":$(($$ % 50000 + 100))" -displayfd 3 -screen 0 "${SCREEN:-1600x1000x24}" -nolisten tcp -noreset \
  3>"$folder/display" 2>/dev/null &
server=$!
trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$folder"' EXIT
read -r number <"$folder/display"
export DISPLAY=":$number"

# Only the test writes to the standard output: the daemons of the session would spoil its TAP.
# shellcheck disable=SC2016
dbus-run-session -- sh -c 'exec "$@" >&3 3>&-' sh "$@" 3>&1 >&2
