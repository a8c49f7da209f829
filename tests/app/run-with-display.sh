#!/bin/sh
# Runs a test of the window with an own X server and an own session bus, drawn by cairo.
export GDK_BACKEND=x11 GSK_RENDERER=cairo GSETTINGS_BACKEND=memory
export GTK_A11Y=${GTK_A11Y:-test}
export LC_ALL=C.UTF-8 NO_AT_BRIDGE=1
exec xvfb-run -a -s '-screen 0 1600x1000x24' dbus-run-session -- "$@"
