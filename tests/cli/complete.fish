# fish complete.fish SCRIPT LINE…: what fish completes at the end of each line, as "LINE<tab>WORD".
source $argv[1]
for line in $argv[2..-1]
  for word in (complete -C $line)
    printf '%s\t%s\n' $line (string split -f 1 \t -- $word)
  end
end
