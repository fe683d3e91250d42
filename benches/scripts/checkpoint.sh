#!/usr/bin/env bash
# `checkpoint create` beside its git calls alone, in a repository of 5,000 files: $1 the binary, $2 uncommitted files
# (20), $3 runs (15). Prints both medians.
set -e
B=$1; N=${2:-20}; R=${3:-15}
d=$(mktemp -d); export HOME=$d THROUGHLINE_HOME=$d/data GIT_CONFIG_NOSYSTEM=1
mkdir $d/repo; cd $d/repo; git init -q -b main; git config user.email a@b; git config user.name a
for i in $(seq 1 50); do mkdir -p dir$i; for j in $(seq 1 100); do echo "line $i $j" > dir$i/f$j.txt; done; done
git add -A; git commit -qm start
$B checkpoint create >/dev/null
now() { date +%s%N; }
ours=(); theirs=()
G="git --no-optional-locks -c core.quotepath=false"; Q="-c core.hooksPath=/dev/null -c core.fsyncMethod=batch -c core.fsmonitor=false"
prev=$(git rev-parse HEAD)
for r in $(seq 1 $R); do
  for k in $(seq 1 $N); do echo "ours $r $k" > dir$k/f$k.txt; done
  a=$(now); $B checkpoint create >/dev/null; b=$(now); ours+=($(( (b-a)/1000 )))
  for k in $(seq 1 $N); do echo "theirs $r $k" > dir$k/f$k.txt; done
  a=$(now)
  $G status --porcelain=v2 --branch --no-ahead-behind --untracked-files=no -z > $d/s & $G ls-files --others --exclude-standard --full-name -z -- :/ > $d/o & wait
  cp .git/index $d/idx
  for k in $(seq 1 $N); do printf "dir$k/f$k.txt\0"; done | GIT_INDEX_FILE=$d/idx $G $Q update-index --add --remove --replace -z --stdin
  GIT_INDEX_FILE=$d/idx $G $Q diff-index --cached -r --raw -z --no-renames --no-abbrev HEAD > $d/x & GIT_INDEX_FILE=$d/idx $G $Q write-tree > $d/t & wait
  t=$(cat $d/t)
  $G diff-tree -r --raw -z --no-renames --no-abbrev $prev $t > $d/y
  $G $Q update-ref refs/other/x$r $t
  b=$(now); theirs+=($(( (b-a)/1000 ))); prev=$t
done
med() { printf "%s\n" "$@" | sort -n | sed -n "$(( ($# + 1) / 2 ))p"; }
echo "files 5000, uncommitted $N, runs $R: checkpoint create median $(med ${ours[@]}) us, its git calls alone $(med ${theirs[@]}) us"
rm -rf $d
