# zsh -f complete.zsh SCRIPT LINE…: what zsh completes at the end of each line, as "LINE<tab>WORD".
# zsh completes only at a terminal: it gets one, where compadd says what it is given, and Ctrl+T completes.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1= PS2=; unsetopt prompt_cr prompt_sp; fpath=(${(q)1:h} \$fpath); autoload -U compinit"
zpty -w shell 'compinit -D -u; autoload -U _prism-cli; compdef _prism-cli prism-cli'
zpty -w shell 'compadd () {
  local -a found
  (( ${@[(I)-[OAD]*]} )) || { builtin compadd -A found "$@"; print -rl -- "<<"${^found}">>" }
  builtin compadd "$@"
}'
zpty -w shell 'all () { _main_complete; compstate[list]= compstate[insert]=; print -r "<""end"">" }'
zpty -w shell 'zle -C all list-choices all; bindkey "^T" all; print -r "<""ready"">"'
zpty -r shell output '*<ready>*'
for line in "${@[2,-1]}"; do
  # Ctrl+U: nothing of the line before is left.
  zpty -w -n shell $'\x15'"$line"$'\x14'
  zpty -r shell output '*<end>*'
  for word in ${(f)output}; do
    [[ $word == *'<<'*'>>'* ]] && print -r -- "$line"$'\t'"${${word#*<<}%%>>*}"
  done
done
zpty -d shell
