#!/usr/bin/env python3
"""prism-cli sweep."""
import os
import signal
import subprocess
import time

from command import (CLI, SANITIZED, Skip, has, lacks, main, make_frames, number, place, read, refuses, run, start, test,
                     there, wait_for_line, works, write)

TINY = ('--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 --set steps=3 '
        '--set start_steps=4 --set polish=0')


@test('sweep/grid')
def check_grid():
    result = works(f'sweep {TINY} --over snr=10,20 --over aperture_radius=6:12:3 --output a --jobs 2')
    result.has('6 of 6 points have a result.')
    assert result.file('a/sweep.csv').count(',finished,') == 6
    result.begins('a/sweep.png', b'\x89PNG')


@test('sweep/other-data')
def check_other_data():
    """What the runs look at is part of what a sweep is, and half a picture is no result."""
    first = run(f'run {TINY} --output o')
    target, damaged = first.path('o/target.npy'), first.path('sweep/point-0001/reconstruction.npy')
    sweep = (f'sweep {TINY} --over snr=10,20 --set', [f'object={target}'], '--output', [first.path('sweep')])
    works(*sweep)
    os.truncate(damaged, 200)
    run(*sweep).has('2 of 2 points have a result')
    assert os.path.getsize(damaged) > 200
    data = read(target)
    write(data[:-1] + bytes([data[-1] ^ 1]), target)
    refuses(3, 'frames, object or start were others', *sweep)


@test('sweep/ensemble')
def check_ensemble():
    """The members differ in the start of the decoder, and the map says where."""
    result = works(f'sweep {TINY} --ensemble 3 --output a').has('Mean of 3 runs of ', ' % of its squared error.')
    lines = result.file('a/sweep.csv').split('\n')
    # From the metrics on: the times come after them.
    one, other = (line[line.index('finished'):][:20] for line in lines[1:3])
    assert one != other
    result.begins('a/mean.npy', b'\x93NUMPY')
    values = result.bytes('a/uncertainty.npy')[128:]
    assert sum(value > 0 for value in memoryview(values).cast('f')) > 200


@test('sweep/one-fails')
def check_one_point_fails():
    """A point that cannot be computed says why, the others are there, and the status tells."""
    result = run(f'sweep {TINY} --set backend=cpu --over backend=cpu,cuda --output a')
    csv = result.file('a/sweep.csv')
    assert csv.count(',finished,') >= 1
    if csv.count(',finished,') == 2:
        raise Skip('There is a GPU here: nothing fails.')
    assert result.code == 1 and csv.count(',failed,') == 1
    has(result.err, 'backend=cuda: CUDA cannot be used')


def check_signal(number_, *words, pause=0):
    """A terminal sends its signals to the sweep and to the runs that it has started. The word of the first point comes
    when that is over and others are under way."""
    folder = place()
    process = start('sweep', *words, '--jobs 1 --output a', folder=folder, stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE)
    assert wait_for_line(process.stderr, '1 of 5: ') is not None
    time.sleep(pause)
    os.killpg(process.pid, number_)
    process.communicate()
    assert process.returncode == 128 + number_
    csv = read(folder, 'a/sweep.csv').decode()
    assert csv.count(',finished,') == 1 and csv.count(',missing,') == 4, csv
    assert not there(folder, 'a/point-0001/failure.txt')


@test('sweep/signals')
def check_signals():
    """What a signal stopped has not failed."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        check_signal(one, f'{TINY} --over passes=1,1000,999,998,997')


@test('sweep/recorded/signals')
def check_recorded_signals():
    """A run that was ended has written what it had, here beyond the search: it is no result of the sweep."""
    check_signal(signal.SIGINT, '--over passes=1,9999,9998,9997,9996 --measurements', [make_frames(32, 9)], pause=1)


@test('sweep/recorded')
def check_recorded():
    """The table has what there is of recorded frames, as summaries have it."""
    sweep = ('sweep --measurements', [make_frames(32, 9)], '--set hold_out=10 --over passes=1,3')
    result = works(*sweep, '--output a --jobs 2').has('2 of 2 points have a result.',
                                                      'misfit correlation   seconds  verdict\n')
    lacks(result.out, 'PSNR')
    csv, summary = result.file('a/sweep.csv'), result.file('a/point-0001/summary.json')
    assert csv.startswith('point,passes,state,misfit,correlation,steps,seconds,verdict\n')
    has(csv, f'\n1,3,finished,{number(summary, "held_out.misfit"):.9g},{number(summary, "held_out.correlation"):.9g},3,')
    result.begins('a/sweep.png', b'\x89PNG')
    # Nothing is left to do.
    works(*sweep, '--slurm --output', [result.path('a')]).has('Every run has its result.')
    works('sweep --merge --quiet --show correlation --output', [result.path('a')], '--plot', [result.path('map.csv')])
    result.begins('map.csv', b'passes,runs,correlation,')


@test('sweep/recorded/ready')
def check_recorded_ready():
    """Before the first run begins the frames are read: a signal ends that, too, and it is said."""
    folder = works('simulate --set size=256 cells.hdf5').folder
    process = start('sweep --measurements cells.hdf5 --over passes=1,2 --output a --quiet', folder=folder,
                    stderr=subprocess.PIPE)
    own, is_open = f'/proc/{process.pid}/fd', False
    while not is_open:
        for name in os.listdir(own):
            try:
                is_open |= os.readlink(os.path.join(own, name)).endswith('cells.hdf5')
            except OSError:
                pass
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 130 and said.count('\n') == 1, said
    has(said, 'Stopped')


@test('sweep/recorded/start')
def check_recorded_start():
    """What the passes begin with is part of what a sweep is, too."""
    frames, folder = [make_frames(32, 9)], place()
    sweep = ('sweep -m', frames, '--over passes=1,2 --slurm --set', [f'start={folder}/begun'], '--output', [folder + '/a'])
    for passes in (1, 2):
        run('run -m', frames, f'--set passes={passes} -o', [folder + '/begun'])
        if passes == 1:
            works(*sweep)
        else:
            refuses(3, 'frames, object or start were others', *sweep)


@test('sweep/recorded/refused')
def check_recorded_refused():
    frames = [make_frames(32, 9)]
    refuses(2, 'snr has no effect on recorded frames: leave it out', 'sweep -m', frames, '--over snr=10,20 -q')
    refuses(2, '--ensemble is of simulated runs', 'sweep -m', frames, '--ensemble 3')
    refuses(2, 'choose one of misfit, verdict, seconds, steps,', 'sweep -m', frames, '--over passes=1,2 -q --show psnr')
    refuses(3, 'gone.hdf5', 'sweep -m gone.hdf5 --over passes=1,2')


@test('sweep/recorded/crew')
def check_recorded_crew():
    """Several runs on a GPU are those of one process: it explains recorded frames, too."""
    folder = place()
    words = ['prism-cli', 'run', '--quiet', '--measurements', make_frames(32, 9), '--set', 'passes=2', '--output',
             folder + '/a']
    order = '(uint32 7, [' + ', '.join(f"b'{word}'" for word in words) + '])\n'
    done = subprocess.run([CLI, 'crew'], input=order, stdout=subprocess.PIPE, text=True, check=False)
    assert done.stdout == "(uint32 7, 0, b'')\n", done.stdout
    has(read(folder, 'a/summary.json').decode(), '"held_out"')


@test('sweep/planted-links')
def check_planted_links():
    """Links under the names that the program chooses lead nowhere: it writes into its folder alone."""
    folder = place()
    target, output = write('mine', folder, 'target'), folder + '/a'
    names = [os.path.join(output, name) for name in ('sweep.csv', 'sweep.png', 'job.sh', 'point-0000.prism', 'mean.npy',
                                                     'uncertainty.png', 'frame-00001.png')]
    sweep = (f'sweep {TINY} --ensemble 2 --output', [output])
    # There must be a plan, or they are others' files.
    works(*sweep, '--slurm')
    for name in names:
        if there(name):
            os.unlink(name)
        os.symlink(target, name)
    works(*sweep, '--slurm')
    works(*sweep)
    works(f'run {TINY} --force --animation', [output])
    for name in names:
        assert os.path.isfile(name) and not os.path.islink(name), name
    assert read(target) == b'mine'


@test('sweep/script')
def check_script():
    result = works(f"sweep {TINY} --over snr=10,20 --output 'a b' --slurm --slurm-option --time=5 --jobs 1")
    result.has("sbatch 'a b/job.sh'\n")
    has(result.file('a b/job.sh'), '#SBATCH --array=0-1%1\n', '#SBATCH --time=5\n')


@test('sweep/script/runs')
def check_script_runs():
    """The script as Slurm would start it, in a folder whose name a shell would like to run."""
    name = 'it\'s $(touch pwned) `touch pwned` ${HOME} %j %% "b" \\ #; touch pwned'
    result = works(f'sweep {TINY} --over snr=10,20 --slurm --output', [name])
    subprocess.run(['bash', os.path.join(name, 'job.sh')], cwd=result.folder, check=True,
                   env=dict(os.environ, SLURM_ARRAY_TASK_ID='1'))
    assert there(result.folder, name, 'point-0001', 'summary.json') and not there(result.folder, 'pwned')


@test('sweep/recorded/script')
def check_recorded_script():
    """The frames and what says how they are read come with each job."""
    frames = make_frames(32, 9)
    result = works('sweep -m', [frames], '--assign na=0.1 --over passes=1,2 --output a --quiet --slurm')
    has(result.file('a/job.sh'), f" run --quiet '--measurements' '{frames}' '--assign' 'na=0.1' --config ")


@test('sweep/script/control')
def check_script_is_one_line_an_option():
    """Everything after an end of line would be a command."""
    for bad in ('a\ntouch pwned\n', 'a\rb', 'a\tb'):
        result = run(f'sweep {TINY} --over snr=10,20 --slurm --output', [bad])
        result.check_error(2, 'has a control character')
        assert not there(result.folder, bad, 'job.sh')
        refuses(2, '--slurm-option', f'sweep {TINY} --over snr=10,20 --output a --slurm --slurm-option', [bad])


@test('sweep/large-sheet')
def check_large_sheet():
    """Of a sheet of many images, 20 columns and rows with their heading, no more than a row is in memory: the whole
    would be 220 MiB."""
    plan = works(f'sweep {TINY} --over training_seed=0:399:400 --output a --slurm')
    process = start('sweep --merge --quiet --output a', folder=plan.folder, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 1
    assert plan.bytes('a/sweep.png')[16:24] == b'\0\0\x1b\x58\0\0\x1e\xa0'
    assert SANITIZED or usage.ru_maxrss < 100 * 1024, usage.ru_maxrss


@test('sweep/plot')
def check_plot():
    """A map in each format, with what was repeated as a spread; runs that are kept can go on."""
    result = works(f'sweep {TINY} --over snr=10,20 --over aperture_radius=6,8 --over seed=0,1 --output a --keep-runs '
                   '--plot map.png')
    assert len(result.bytes('a/point-0007.prismrun')) > 10000
    for name, beginning in (('map.png', b'\x89PNG'), ('map.svg', b'<?xml'), ('map.pdf', b'%PDF'),
                            ('map.csv', b'snr,aperture_radius,')):
        works('sweep --merge --force --quiet --show rmse --output', [result.path('a')], '--plot', [result.path(name)])
        result.begins(name, beginning)
    csv = result.file('map.csv')
    assert csv.count('\n') == 5
    has(csv, '\n20,8,2,')


@test('sweep/refused')
def check_refused():
    refuses(2, 'A sweep needs something to go over', f'sweep {TINY}')
    refuses(2, 'cannot be combined', 'sweep --over snr=1,2 --ensemble 3')
    refuses(2, 'from 2 to 1000', 'sweep --ensemble 1')
    refuses(2, 'from 0 to 1024', 'sweep --over snr=1,2 --jobs -1')
    refuses(3, '“nowhere” has no sweep: choose a directory', 'sweep --merge --output nowhere')


main()
