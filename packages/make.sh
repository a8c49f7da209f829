#!/bin/sh
# Makes packages of PRISM Studio, and leaves them in packages/out.
#
#   packages/make.sh wheel     for pip: prism.py, libprism.so, prism-cli; for Python from 3.8 on
#   packages/make.sh archive   prism-studio-VERSION-MACHINE.tar.xz: unpacked anywhere it starts
#   packages/make.sh deb       one for each Debian: libraries have other names there
#   packages/make.sh check     tries what is in packages/out, in empty environments and bare systems
#
# Runs where glibc is as new as here or newer: built on Debian 12, on Debian 12 and later.
# Environment: PRISM_BUILD_DIR, PRISM_MESON_OPTIONS, PRISM_NO_INSTALL as for run.sh; PRISM_SUITES, PRISM_CHROOTS as for
# check.sh.
set -eu

source=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
# shellcheck source=.ci/setup.sh
. "$source/.ci/setup.sh"

packages=$source/packages
out=$packages/out
build=$(absolute_path "${PRISM_BUILD_DIR:-$source/build-packages}")
version=$(sed -n "s/^  version: '\(.*\)',/\1/p" "$source/meson.build" | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# Installs the program below $work/root; $1: the prefix.
install_below ()
{
  # shellcheck disable=SC2086
  install_packages $run_packages patchelf python3 shared-mime-info
  # shellcheck disable=SC2086
  build_in "$build" --prefix="$1" --libdir=lib -Dtests=false ${PRISM_MESON_OPTIONS:-}
  DESTDIR=$work/root "$(find_meson)" install -C "$build" --no-rebuild --quiet
}

make_wheel ()
{
  install_below /opt/prism-studio
  mkdir "$work/lib"
  root=$work/root/opt/prism-studio
  cp -L "$root/lib/libprism.so.1" "$root/bin/prism-cli" "$work/lib"
  find "$root/lib/prism-studio" -name '*.so' -exec cp '{}' "$work/lib" ';' 2>/dev/null || true
  strip "$work/lib"/*
  /usr/bin/python3 "$packages/bundle.py" --hash "$work/lib" "$work/lib"/*
  rm -f "$out"/*.whl
  /usr/bin/python3 "$packages/wheel.py" "$work/lib" "$source" "$version" "$out"
}

make_archive ()
{
  install_below /opt/prism-studio
  folder=$work/prism-studio-$version
  mv "$work/root/opt/prism-studio" "$folder"
  rm -rf "$folder/include" "$folder"/lib/libprism.so*
  cp "$packages/prism-studio.sh" "$folder/prism-studio"
  ln -s prism-studio "$folder/prism-cli"

  mkdir -p "$folder/lib/loaders" "$folder/etc" "$folder/share/fonts" "$folder/share/icons/Adwaita"
  cp "$(pkg-config --variable=gdk_pixbuf_moduledir gdk-pixbuf-2.0)/libpixbufloader-svg.so" "$folder/lib/loaders"
  cp "$packages/fonts.conf" "$folder/etc"
  cp -r /usr/share/fonts/truetype/dejavu /usr/share/fonts/opentype/cantarell "$folder/share/fonts"
  for part in index.theme scalable scalable-up-to-32 16x16 symbolic; do
    [ ! -e "/usr/share/icons/Adwaita/$part" ] || cp -r "/usr/share/icons/Adwaita/$part" "$folder/share/icons/Adwaita"
  done
  cp /usr/share/icons/hicolor/index.theme "$folder/share/icons/hicolor"
  cp -n /usr/share/glib-2.0/schemas/org.gtk.gtk4.*.xml "$folder/share/glib-2.0/schemas"
  # Without the kinds of files no picture is known, icons not either.
  cp /usr/share/mime/packages/freedesktop.org.xml "$folder/share/mime/packages"
  update-mime-database "$folder/share/mime"
  find "$folder/share/mime" -mindepth 2 ! -path '*/packages/*prism*' -delete
  glib-compile-schemas "$folder/share/glib-2.0/schemas"

  find "$folder/bin" "$folder/lib" -type f -exec strip '{}' ';' 2>/dev/null || true
  # shellcheck disable=SC2046
  /usr/bin/python3 "$packages/bundle.py" "$folder/lib" "$folder"/bin/* $(find "$folder/lib" -name '*.so')
  # Where it is unpacked is known when it starts.
  "$(pkg-config --variable=gdk_pixbuf_query_loaders gdk-pixbuf-2.0)" "$folder"/lib/loaders/*.so |
    sed "s|$folder|@FOLDER@|" >"$folder/lib/loaders.cache"
  file=$out/prism-studio-$version-$(uname -m).tar.xz
  tar -C "$work" -cJf "$file" "prism-studio-$version"
  echo "$file"
}

# That of this system here, the others in systems of their own that debootstrap makes.
make_deb ()
{
  # shellcheck disable=SC2086
  install_packages $run_packages debhelper libmatio-dev
  rm -f "$out"/*.deb
  for suite in ${PRISM_SUITES:-bookworm trixie}; do
    root=
    if ! grep -q "VERSION_CODENAME=$suite" /etc/os-release; then
      root=${PRISM_CHROOTS:-$work}/build-$suite
      [ -x "$root/usr/bin/make" ] || debootstrap --variant=buildd "$suite" "$root" >"$work/log" 2>&1 ||
        fail "debootstrap could not make $suite, for which it needs root: $(tail -n 1 "$work/log")"
    fi
    tree=$root$work/tree
    rm -rf "$tree" && mkdir -p "$tree"
    git -C "$source" ls-files -z --cached --others --exclude-standard | tar -C "$source" --null -T - -c | tar -C "$tree" -x
    sed -i "1s/)/~$suite)/" "$tree/debian/changelog"
    build_it="cd $work/tree && dpkg-buildpackage -us -uc -b"
    if [ -z "$root" ]; then
      sh -c "$build_it"
    else
      chroot "$root" env -i PATH="$PATH" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive sh -c "cd $work/tree &&
        apt-get -q update && apt-get -qy --no-install-recommends build-dep ./ && $build_it"
    fi >"$work/log" 2>&1 || {
      tail -n 20 "$work/log" >&2
      fail "The package for $suite could not be built; the reason is above."
    }
    mv "$root$work"/*.deb "$out"
  done
  ls "$out"/*.deb
}

make_check ()
{
  exec sh "$packages/check.sh" "$out" "$source"
}

case ${1:-} in
  wheel | archive | deb | check) "make_$1" ;;
  *) fail "packages/make.sh knows wheel, archive, deb and check, not '${1:-}'." ;;
esac
