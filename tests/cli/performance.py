#!/usr/bin/env python3
"""prism-cli bench --find-size, --measure, --passes and --transfers, and tune."""
import json
import os
import signal
import subprocess

from command import (CLI, Skip, check_json, clean, has, main, number, place, refuses, start, test,
                     wait_for_line, works)

TINY = ('--set image_size=64 --set object_size=16 --set aperture_radius=6 --set samples=6 --set steps=9 '
        '--set start_steps=5 --set polish=5 --set method=decoder --set backend=cpu --set threads=1')


def count_processors():
    return len(os.sched_getaffinity(0))


@test('performance/find-size')
def check_find_size():
    """Whatever the machine does meanwhile, each series has its first points and an end."""
    result = works(f'bench --find-size --json {TINY}')
    series = json.loads(result.out)['series']
    for name, most in (('terms', 4), ('chunk', 7), ('runs', 7)):
        points = series[name]['points']
        assert 3 <= len(points) <= most, name
        assert all(point['seconds'] > 0 and point['memory_bytes'] > 1 << 20 for point in points)
    has(result.err, 'Runs at a time: 2, ')


@test('performance/measure')
def check_measure():
    clean(f'bench --measure --quiet {TINY}').has(
        '\nPrecision\n', '\nFrames\n',
        'Left out. The run is on the processor, which works in its own memory: nothing is copied.', ' ms a pass, ', '▸')


@test('performance/out-of-memory')
def check_out_of_memory():
    """A process that gets too little memory ends its series, not the search."""
    done = subprocess.run(['/bin/sh', '-c', 'ulimit -v 400000; exec "$0" bench --find-size --json --set=image_size=2048 '
                           '--set=object_size=1024 --set=samples=6 --set=backend=cpu --set=threads=1', CLI],
                          cwd=place(), capture_output=True, text=True, check=False)
    assert done.returncode == 4, done
    has(done.stderr, 'Nothing was measured.')


@test('performance/interrupt')
def check_interrupt():
    """The table has what was measured before."""
    process = start(f'bench --find-size {TINY}', stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert wait_for_line(process.stderr, 'Steps at once: 2') is not None
    process.send_signal(signal.SIGINT)
    assert wait_for_line(process.stderr, 'Stopped after ') is not None
    assert wait_for_line(process.stdout, 'Steps at once') is not None
    process.communicate()
    assert process.returncode == 130


def check_same_picture(words, settings):
    """Whatever is set, the picture has the same bits."""
    pictures = {works(*words, f'run --quiet --output out {TINY} {one}').bytes('out/reconstruction.npy')
                for one in settings}
    assert len(pictures) == 1


@test('performance/chunk')
def check_chunk():
    check_same_picture([], ('--set chunk=0', '--set chunk=5', '--set chunk=64'))


@test('performance/tune')
def check_tune():
    """What the first run of a shape finds out is there for the next; "--again" finds it out anew. Whether it is known,
    just found out or off, the picture has the same bits."""
    cache = [f'XDG_CACHE_HOME={place()}']
    check_same_picture([cache], [f'--set threads=0 --set steps=40 --set tuning={tuning}' for tuning in ('off', 'on', 'on')])
    tune = f'{TINY} --set threads=0'
    if count_processors() < 2:
        refuses(2, 'one processor', cache, f'tune {tune}')
        return
    works(cache, f'tune {tune}').has('4 terms: ', ' threads\n')
    works(cache, f'tune --again {tune}').has('4 terms: ')


@test('performance/tune-refuses')
def check_tune_refuses():
    refuses(2, 'threads is set', 'tune --set backend=cpu --set threads=1')
    refuses(2, 'tuning is off', 'tune --set tuning=off --set backend=cpu')
    refuses(2, 'trains no decoder', 'tune --preset epie --set backend=cpu')


@test('performance/tune-without-cache')
def check_tune_without_cache():
    """A cache that nobody can write has no room, which is no full disk."""
    if count_processors() < 2:
        raise Skip('one processor')
    refuses(3, 'make it writable', f'XDG_CACHE_HOME=/proc/nowhere tune {TINY} --set threads=0')


@test('performance/bad-usage')
def check_bad_usage():
    refuses(2, 'give one', 'bench --find-size --measure')
    refuses(2, 'give one', 'bench --find-size --report out')
    refuses(2, '--steps', 'bench --measure --steps 5')
    refuses(5, 'trains no decoder', 'bench --find-size --quiet --preset epie')
    refuses(2, '--seconds', 'bench --seconds -1')
    refuses(2, 'give both', 'bench --mib 4')
    refuses(2, 'give one', 'bench --transfers --passes')
    refuses(2, '--mib is 5000, but must be a whole number from', 'bench --transfers --mib 5000')


@test('performance/transfers')
def check_transfers():
    """The processor copies nothing."""
    refuses(5, 'nothing is copied. Running on the CPU, as set.', 'bench --transfers --backend cpu')


@test('performance/passes')
def check_passes():
    """Whole passes over all measurements; as many a second as their median says."""
    out = works(f'bench --passes --json {TINY}').out
    check_json(out, 'measurements = 6', 'passes >= 10', 'best_pass_ms > 0', 'device has CPU', 'frame_at_hand_ms > 0',
               'frame_taken_ms > frame_at_hand_ms')
    assert abs(number(out, 'passes_per_second') * number(out, 'median_pass_ms') - 1e3) < 1e-6


main()
