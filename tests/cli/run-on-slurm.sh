#!/bin/bash
# A sweep and tiles on a real Slurm of one node, made for this test alone in a temporary folder and taken down at the end.
# run-on-slurm.sh PRISM-CLI; speaks TAP. Needs root and Debian's slurmctld, slurmd, slurm-client and munge;
# without them it says so and is skipped.
set -u

cli=$(realpath "$1")
programs='slurmctld slurmd sbatch squeue scontrol munged mungekey'
PATH=$PATH:/usr/sbin

skip ()
{
  echo "1..0 # SKIP $*"
  exit 0
}

for program in $programs; do
  command -v "$program" >/dev/null || skip "Slurm is not installed ($program is missing)"
done
[ "$(id -u)" = 0 ] || skip 'only root can start a Slurm of its own'

folder=$(mktemp -d)
daemons=
stop ()
{
  # shellcheck disable=SC2086
  [ -z "$daemons" ] || kill $daemons 2>/dev/null
  wait
  [ "${KEEP:-0}" = 1 ] || rm -rf "$folder"
}
trap stop EXIT

# munged wants to own its files and refuses folders that others can write to.
mkdir -m 0755 "$folder/munge" "$folder/state" "$folder/spool"
chmod 0755 "$folder"
mungekey --create --keyfile "$folder/munge/key"
munged --foreground --force --key-file "$folder/munge/key" --socket "$folder/munge/socket" \
  --pid-file "$folder/munge/pid" --seed-file "$folder/munge/seed" --log-file "$folder/munge/log" &
daemons="$daemons $!"

host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$folder/slurm.conf" <<END
ClusterName=prism
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/builtin
ReturnToService=2
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=2000 State=UNKNOWN
PartitionName=debug Nodes=$host Default=YES MaxTime=10 State=UP
END
export SLURM_CONF=$folder/slurm.conf
slurmctld -D -c -f "$SLURM_CONF" >"$folder/controller" 2>&1 &
daemons="$daemons $!"
slurmd -D -c -f "$SLURM_CONF" -N "$host" >"$folder/node" 2>&1 &
daemons="$daemons $!"

# wait_until COMMAND…: up to four minutes
wait_until ()
{
  for _ in $(seq 2400); do
    "$@" && return 0
    sleep 0.1
  done
  return 1
}
is_idle ()
{
  scontrol show node "$host" 2>/dev/null | grep -q 'State=IDLE'
}
is_empty ()
{
  [ -z "$(squeue --noheader 2>/dev/null)" ]
}
if ! wait_until is_idle; then
  tail -n 5 "$folder/slurmctld.log" "$folder/slurmd.log" | sed 's/^/# /'
  skip 'a Slurm of its own did not come up here'
fi

n=0
# check DESCRIPTION COMMAND…
check ()
{
  n=$((n + 1))
  description=$1
  shift
  if "$@"; then echo "ok $n /cli/slurm/$description"; else echo "not ok $n /cli/slurm/$description"; fi
}

cd "$folder" || exit 1
set -- --set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 --set steps=3 \
  --set start_steps=4 --set polish=2 --over snr=10,20,40 --over aperture_radius=6,9
"$cli" sweep "$@" --output here --quiet || exit 1
"$cli" sweep "$@" --output 'there, far' --slurm --slurm-option=--partition=debug >script || exit 1
# What the two have in common: everything but the times.
columns=1-10
has_same_results ()
{
  diff <(cut -d, -f$columns here/sweep.csv) <(cut -d, -f$columns 'there, far/sweep.csv') >difference
}

check submitted sbatch --quiet 'there, far/job.sh'
check finished wait_until is_empty
"$cli" sweep --merge --output 'there, far' >merged 2>&1
check complete grep -q '6 of 6 points' merged
check same-results has_same_results

# A point whose result is gone, and only that one, is asked for again.
rm -r 'there, far/point-0004'
"$cli" sweep "$@" --output 'there, far' --slurm >script
check only-what-is-missing grep -q '^#SBATCH --array=4$' 'there, far/job.sh'
"$cli" sweep --merge --output 'there, far' >merged 2>&1
check says-what-is-missing grep -q '5 of 6 points' merged
check submitted-again sbatch --quiet 'there, far/job.sh'
check finished-again wait_until is_empty
"$cli" sweep --merge --output 'there, far' >merged 2>&1
check complete-again has_same_results
# Sixty-four tiles of a picture of 90 px; five of their tasks are killed while they run.
set -- --set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 --set steps=3 \
  --set start_steps=4 --set polish=2
"$cli" run "$@" --set image_size=256 --set object_size=90 --set method=epie --output scene --quiet || exit 1
set -- "$@" --set object=scene/reconstruction.png --set object_invert=on --set tile=16
"$cli" tiles "$@" --output whole --quiet >/dev/null || exit 1
"$cli" tiles "$@" --output 'far tiles' --slurm >script || exit 1
check tiles/planned grep -q '^#SBATCH --array=0-63$' 'far tiles/job.sh'
# These five would go on for longer than the test, so that they are computing when they are killed.
slow='7 19 23 41 63'
for task in $slow; do
  sed -i 's/^steps=.*/steps=100000/; s/^method=.*/method=decoder/' "far tiles/$(printf 'tile-%06d' "$task").prism"
done
is_running ()
{
  squeue --noheader --array --states=RUNNING --format=%K | grep -qx "$1"
}
job=$(sbatch --parsable 'far tiles/job.sh')
for task in $slow; do
  wait_until is_running "$task"
  check "tiles/killed-$task" scancel --signal=KILL --full "${job}_$task"
done
check tiles/finished wait_until is_empty
"$cli" tiles --merge --output 'far tiles' >merged 2>&1
check tiles/says-what-is-missing grep -q '59 of 64 tiles' merged
"$cli" tiles "$@" --output 'far tiles' --slurm >script
check tiles/only-what-is-missing grep -q '^#SBATCH --array=7,19,23,41,63$' 'far tiles/job.sh'
check tiles/submitted-again sbatch --quiet 'far tiles/job.sh'
check tiles/finished-again wait_until is_empty
"$cli" tiles --merge --output 'far tiles' >merged 2>&1
check tiles/complete grep -q '64 of 64 tiles' merged
check tiles/same-bits cmp whole/picture.tif 'far tiles/picture.tif'
echo "1..$n"
