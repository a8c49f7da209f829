#!/usr/bin/env python3
"""run --save, run --resume, inspect and export, end to end."""
import glob
import os
import signal
import subprocess
import time

from command import (SANITIZED, Skip, check_json, clean, has, lacks, main, place, read, refuses, run, same, save_npy, start,
                     test, there, wait_for_line, works, write)

TINY = ('--set image_size=64 --set object_size=16 --set aperture_radius=8 --set samples=6 --set steps=3 '
        '--set start_steps=4 --set polish=2')
# Three frames of 64 px: two images explain them.
DOUBTFUL = ('--set image_size=64 --set object_size=20 --set aperture_radius=6 --set samples=3 --set snr=25 --set steps=4 '
            '--set polish=20 --set object=ice-moon --set object_invert=on --set backend=cpu')
ORIGIN = '8 of 256 pixels are not numbers; they were taken as the darkest value.'


def save(*words):
    """Returns the run, and its file as a word of commands."""
    path = [os.path.join(place(), 'a.prismrun')]
    return clean('run', *words, '--save', path), path


@test('run-file/save-and-export')
def check_save_and_export():
    made, path = save(f'{TINY} -o o --tensorboard t/1')
    exported = clean('export', path, '-o o --tensorboard t/1').has('Written to o: ', 'Written to t/1: ')
    refuses(2, 'is the result of a run, and has no frames', 'inspect', [made.path('o/result.h5')])
    refuses(2, 'which “prism-cli compare” and “prism-cli report” read', 'inspect', [made.path('o')])
    # The folder is compared and reported as the file is, to the digit.
    tables = [clean('compare -q --csv t.csv --curves c.csv --report r.html', [source]) for source in (made.path('o'), path[0])]
    for name in ('t.csv', 'c.csv'):
        folder, file = (result.file(name).replace('\no,', '\na,') for result in tables)
        assert folder == file, name
    has(clean('report --html r.html', [made.path('o')]).file('r.html'), '>Curves<', 'alt="Misfit"')
    # The times of day differ by when they were written, and nothing else does.
    events = [result.bytes('t/1/events.out.tfevents.0.prism-studio') for result in (made, exported)]
    assert len(events[0]) == len(events[1]) and events[0][:12] == events[1][:12]
    for name in ('reconstruction.npy', 'target.npy', 'measurement.npy', 'coverage.npy', 'centers.npy', 'metrics.csv',
                 'frc.csv', 'reconstruction.png', 'summary.json'):
        same(made.folder, f'o/{name}', exported.folder)
    refuses(2, 'is there already', f'run {TINY} --save', path)


@test('run-file/second-picture')
def check_second_picture():
    """Both images of a run whose verdict is ambiguous are in its file and its results."""
    made, path = save(f'{DOUBTFUL} -o o')
    made.has('Two different images')
    exported = clean('export', path, '-o o')
    for result in (made, exported):
        check_json(result.file('o/summary.json'), 'verdict.kind = ambiguous', 'verdict.difference > 0.04')
        result.begins('o/second.png', b'\x89PNG')
    same(made.folder, 'o/second.npy', exported.folder)
    has(clean('report --html a.html --pdf a.pdf', path).file('a.html'), 'The other picture')


@test('run-file/decoder')
def check_decoder_is_exported():
    """The file has the weights, from which export makes what run wrote; of a run that is not over there is none, and
    export says so: a long one is killed when its file is there."""
    made, path = save(f'{TINY} --set backend=cpu --set keep_decoder=on -q -o o')
    same(made.folder, 'o/decoder.npz', clean('export', path, '-o o').folder)
    folder = place()
    process = start(f'run {TINY} --set passes=1000 --set keep_decoder=on --set autosave_samples=1 --save b.prismrun',
                    folder=folder, stdout=subprocess.PIPE)
    while not there(folder, 'b.prismrun'):
        assert wait_for_line(process.stdout) is not None
    process.kill()
    process.communicate()
    half = works('export', [folder + '/b.prismrun'], '-o o')
    half.check_error(0, 'the run is not at its end')
    assert not there(half.folder, 'o', 'decoder.npz')


@test('run-file/object')
def check_object_is_found_again():
    """Where a file was found is true from any directory, in which reports are made of the run later."""
    folder = place()
    write(b"\x93NUMPY\1\0\x46\0{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }          \n\1\0\0\1", folder,
          'a.npy')
    _, path = save(TINY, '--set', [f'object=../{os.path.basename(folder)}/a.npy'], '-q')
    run('inspect', path).has(f'object={folder}/a.npy\n')


@test('run-file/inspect')
def check_inspect():
    _, path = save(f'{TINY} -q')
    text = clean('inspect', path).has('image_size=64')
    assert text.out.startswith('finished, begun ')
    clean('inspect --json', path).json('state = finished', 'damaged = 0')
    refuses(3, 'none.prismrun', 'inspect none.prismrun')
    whole = read(path[0])
    for content, reason in ((whole[:len(whole) // 2], 'is cut off'), (whole[:-9], 'is cut off'), (b'', 'no ZIP archive')):
        write(content, path[0])
        for command in ('inspect', 'run --resume'):
            refuses(3, reason, command, path)


@test('run-file/inspect/polish')
def check_inspect_in_polish():
    """What is under way then is a pass over all samples, and no sample. The run stands still while its file is looked at:
    on a busy machine it would be over before a second look."""
    folder = place()
    process = start('run -q --set image_size=256 --set object_size=64 --set aperture_radius=16 --set samples=60 '
                    '--set steps=1 --set start_steps=1 --set polish=1000 --set method=decoder --set autosave_samples=1 '
                    '--save a.prismrun', folder=folder)
    told = ''
    while ', pass ' not in told and not told.startswith('finished'):
        time.sleep(0.02)
        process.send_signal(signal.SIGSTOP)
        told = run('inspect', [folder + '/a.prismrun']).out
        process.send_signal(signal.SIGCONT)
    process.kill()
    process.wait()
    has(told, ', pass ')


@test('run-file/inspect/control')
def check_inspect_masks_control_characters():
    """A name that a terminal would obey, in the configuration that the file holds."""
    array = read(os.environ['PRISM_TEST_DATA'], 'moon64.npy')
    path = write(array, place(), '\x1b[2J\u009b2J.npy')
    _, saved = save(TINY, '--set', [f'object={path}'], '-q')
    text = clean('inspect', saved).has('?[2J?2J.npy\n')
    lacks(text.out, '\x1b', '\u009b')


@test('run-file/clock')
def check_clock_is_wrong():
    """A computer whose battery is empty, or whose clock is in the year 11500. Debian's faketime has the name of the
    architecture in its path."""
    libraries = glob.glob('/usr/lib/faketime/libfaketime.so.1') + glob.glob('/usr/lib/*/faketime/libfaketime.so.1')
    if not libraries or SANITIZED:
        raise Skip('a sanitizer must be the first library' if libraries else 'faketime is not installed')
    for year, begun in (('-56y', 'begun 19'), ('+9475y', 'begun 9999-12-30T')):
        made = clean(f'LD_PRELOAD={libraries[0]} FAKETIME={year} DONT_FAKE_MONOTONIC=1 run {TINY} --save a.prismrun -q '
                     '--report a.html')
        clean('inspect', [made.path('a.prismrun')]).has(begun)


@test('run-file/dashes')
def check_names_may_begin_with_a_dash():
    """What follows “--” is a name, whatever it begins with."""
    refuses(3, '“--none.prismrun”', 'inspect -- --none.prismrun')
    refuses(3, '“--none.prismrun”', 'export -- --none.prismrun')
    refuses(3, '“-none.prismrun”', 'report --html a.html -- -none.prismrun')
    refuses(3, '“-none.prismrun”', 'compare -q -- -none.prismrun')
    refuses(3, '“none.prismrun”', 'inspect -- none.prismrun')
    refuses(3, '“--”', 'inspect -- --')
    refuses(2, '“--json” is not expected here', 'info -- --json')


@test('run-file/origin')
def check_origin():
    """What the object does not show of its file, of which eight pixels are no numbers, is told in all that speaks of
    the run."""
    values = [float('nan') if i % 32 == 7 else i / 256 for i in range(256)]
    half = save_npy([values[16 * y:16 * y + 16] for y in range(16)], place(), 'half.npy')
    made = works(f'run {TINY} --save a.prismrun -q -o o --report a.html --set', [f'object={half}'])
    has(made.err, f'half.npy”: {ORIGIN}\n')
    assert made.err.count(ORIGIN) == 1
    path = [made.path('a.prismrun')]
    clean('inspect', path).has(ORIGIN)
    for text in (made.file('o/summary.json'), made.file('a.html'), clean('export', path, '-o o').file('o/summary.json')):
        has(text, ORIGIN)


@test('run-file/damage')
def check_damage():
    """A bit some way behind the first name of the weights is another one: within their values."""
    _, path = save(f'{TINY} -q')
    data = bytearray(read(*path))
    data[data.index(b'/weights.npy') + 2000] ^= 1
    write(bytes(data), *path)
    inspected = run('inspect', path)
    assert inspected.code == 3
    inspected.has('Damaged: snapshots/')


@test('run-file/resume')
def check_resume():
    _, path = save(f'{TINY} -q')
    clean('run --resume', path, '--set threads=1').has('Finished after')
    clean('run --resume', path, '--save b.prismrun -q')
    refuses(2, 'is finished, and other settings change nothing', 'run --resume', path, '--set snr=10 --save c.prismrun')
    refuses(2, '--resume brings its own configuration', 'run --resume', path, '--preset quick-look')


@test('run-file/resume-half')
def check_resume_half():
    """A long run is stopped half way, as Ctrl+C does."""
    folder = place()
    process = start(f'run {TINY} --set method=decoder --set steps=100000 --save a.prismrun -q', folder=folder)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    process.wait()
    path = [folder + '/a.prismrun']
    refuses(2, '--save', 'run --resume', path, '--set steps=3')
    clean('run --resume', path, '--set steps=3 --save b.prismrun -q')
    refuses(2, 'samples cannot change from 6 to 7', 'run --resume', path, '--set samples=7 --save c.prismrun -q')


@test('run-file/no-directory')
def check_no_directory():
    refuses(3, 'none/a.prismrun', f'run {TINY} --save none/a.prismrun -q')


@test('run-file/no-file')
def check_no_file():
    refuses(3, 'has no name', f"run {TINY} --save '' -q")
    refuses(3, 'is a folder without frames', 'inspect', [place()])
    refuses(3, '“” cannot take the results: it is no name.', f"run {TINY} --output '' -q")


main()
