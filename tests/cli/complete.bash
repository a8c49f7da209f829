# bash complete.bash SCRIPT LINE…: what bash completes at the end of each line, as "LINE<tab>WORD".
# A line is split as readline does it: at spaces, and “=” is a word of its own.
# shellcheck disable=SC1090,SC2034
. "$1"
shift
for line in "$@"; do
  read -ra COMP_WORDS <<<"${line//=/ = }"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _prism_cli
  for word in "${COMPREPLY[@]}"; do printf '%s\t%s\n' "$line" "$word"; done
done
