#!/bin/sh
# What clang-format 14 and shellcheck say about the sources, as TAP.  usage: check-tools.sh SOURCE_ROOT
cd "$1" || exit 99
status=0

# result NUMBER NAME COMMAND…: one test; the output of a failure becomes comments.
result ()
{
  number=$1
  name=$2
  shift 2
  if output=$("$@" 2>&1); then
    echo "ok $number $name"
  else
    echo "not ok $number $name"
    printf '%s\n' "$output" | sed 's/^/# /'
    status=1
  fi
}

clang_format=
for program in clang-format-14 clang-format; do
  if [ -z "$clang_format" ] && "$program" --version 2>/dev/null | grep -q 'version 14\.'; then
    clang_format=$program
  fi
done

echo 1..2
if [ -n "$clang_format" ]; then
  result 1 /style/clang-format find src tests '(' -name '*.c' -o -name '*.cu' ')' -exec "$clang_format" --dry-run -Werror '{}' +
else
  echo 'ok 1 /style/clang-format # SKIP clang-format 14 is not installed'
fi

if command -v shellcheck >/dev/null; then
  # shellcheck disable=SC2046
  result 2 /style/shellcheck shellcheck -x --severity=warning run.sh test.sh .ci/run $(find tests packages -name '*.sh')
else
  echo 'ok 2 /style/shellcheck # SKIP shellcheck is not installed'
fi
exit $status
