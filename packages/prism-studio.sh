#!/bin/sh
# Starts PRISM Studio from the folder that it was unpacked into, with the libraries beside it; as prism-cli, the command
# line program.
#
#   ./prism-studio --install     adds it to the menu of this user, and its files to what it opens
set -eu

here=$(dirname -- "$(readlink -f -- "$0")")
id=io.github.prism_studio.PrismStudio
export PRISM_LOCALE_DIR="$here/share/locale"
export PRISM_MODULE_DIR="${PRISM_MODULE_DIR:-$here/lib/prism-studio}"
export FONTCONFIG_FILE="${FONTCONFIG_FILE:-$here/etc/fonts.conf}"

if [ "$(basename -- "$0")" = prism-cli ]; then
  exec "$here/bin/prism-cli" "$@"
fi

if [ "${1:-}" = --install ]; then
  data=${XDG_DATA_HOME:-$HOME/.local/share}
  mkdir -p "$data/applications" "$data/mime/packages" "$data/icons"
  sed "s|^Exec=prism-studio|Exec=\"$here/prism-studio\"|; s|^TryExec=.*|TryExec=$here/prism-studio|; /^DBusActivatable=/d" \
    "$here/share/applications/$id.desktop" >"$data/applications/$id.desktop"
  cp "$here"/share/mime/packages/*.xml "$data/mime/packages"
  cp -r "$here/share/icons/hicolor" "$data/icons"
  # Desktops that have these look for news by themselves, too.
  update-mime-database "$data/mime" 2>/dev/null || true
  update-desktop-database "$data/applications" 2>/dev/null || true
  echo "PRISM Studio is in the menu, with $data/applications/$id.desktop. It stays in $here."
  exit 0
fi

export XDG_DATA_DIRS="$here/share:${XDG_DATA_DIRS:-/usr/local/share:/usr/share}"
export GSETTINGS_SCHEMA_DIR="$here/share/glib-2.0/schemas"
# Settings of this program alone: the service of the desktop is not spoken to from here.
export GSETTINGS_BACKEND="${GSETTINGS_BACKEND:-keyfile}"
# Modules of the system are made for other libraries than those that are here.
export GIO_MODULE_DIR="$here/lib/none"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/prism-studio
mkdir -p "$cache"
sed "s|@FOLDER@|$here|" "$here/lib/loaders.cache" >"$cache/loaders.cache.$$"
mv "$cache/loaders.cache.$$" "$cache/loaders.cache"
export GDK_PIXBUF_MODULE_FILE="$cache/loaders.cache"
# Without OpenGL of the system everything is drawn by cairo.
if ! ldconfig -p 2>/dev/null | grep -q libEGL.so.1 && ! /sbin/ldconfig -p 2>/dev/null | grep -q libEGL.so.1; then
  export GSK_RENDERER="${GSK_RENDERER:-cairo}"
fi
exec "$here/bin/prism-studio" "$@"
