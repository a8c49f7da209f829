#!/usr/bin/env python3
"""A microscope is simulated, and its frames are explained: prism-cli simulate, inspect and run --measurements."""
import json
import os
import random
import signal
import subprocess
import zipfile
from array import array

from command import (check_json, clean, has, lacks, main, make_frames, place, read, refuses, run, same, start, test, there,
                     works, write)

FORMATS = ('ptylab a.hdf5', 'matlab b.mat', 'matlab73 c.mat', 'cxi d.cxi', 'npz e.npz', 'npy f.npy', 'tiff g.tiff',
           'fits h.fits')
SCENARIOS = {'microscope': 0.06, 'camera-array': 0.05, 'telescope': 0.12}  # the largest misfit
REFUSED = (
    ('run --positions x.csv', 2, '--measurements FILE'), ('run -m FRAMES --report x.docx', 2, 'x.docx'),
    ('run -m FRAMES --resume a.prismrun', 2, '--resume'), ('run -m FRAMES --set tile=16', 2, 'from 32 to 64'),
    ('run -m FRAMES --preset epie', 2, '“sequential”'), ('run -m FRAMES --set radius=3', 2, 'no parameter'),
    ('run -m FRAMES --set object=moon', 2, 'no effect'), ('run -m FRAMES --set samples=9', 2, 'no effect'),
    ('run -m FRAMES --set leave_out=x', 2, '17,31-35'), ('run --set method=descent', 2, 'of recorded frames'),
    ('run -m FRAMES --set passes=0', 2, 'from 1'), ('run -m FRAMES --assign na=0.9', 2, 'too large for NA'),
    ('inspect FRAMES --assign na=0.9', 2, 'too large for NA'), ('run --measurements nothing.hdf5', 3, 'nothing.hdf5'))


def make():
    """Frames, as a word of commands."""
    return [make_frames(64, 9, 'cells.hdf5', '--set gains=0.1')]


@test('measurements/refused')
def check_refused():
    frames = make()[0]
    for words, code, part in REFUSED:
        result = run(words.replace('FRAMES', frames))
        # What inspect tells of a recording is its output.
        assert result.code == code and (part in result.err or part in result.out), f'{words}: {result.err}'
    # A file behind “run” is told where it belongs.
    refuses(2, '--measurements', 'run', [frames])


@test('measurements/no-gpu')
def check_no_gpu():
    """Who insists on a GPU is told in a line why there is none, and nothing is written; who leaves the choice to the
    program gets the CPU and the reason."""
    words = (f'PRISM_MODULE_DIR={place()} run --output result --quiet --set passes=1 --measurements', make(), '--set')
    result = run(*words, 'backend=cuda')
    result.check_error(5, 'CUDA cannot be used: ')
    assert result.err.endswith('Set backend to auto or cpu.\n') and not there(result.folder, 'result')
    check_json(works(*words, 'backend=auto').file('result/summary.json'), 'device_reason begins Running on the CPU: ')


@test('measurements/endings')
def check_endings():
    """One that names no format is a slip, and no reason to write HDF5 under that name; a name by which the format would
    not be known is given its ending."""
    result = run('simulate --set size=64 cells.docx')
    result.check_error(2, '.hdf5, .mat, .cxi, .npz, .npy, .tif')
    assert not there(result.folder, 'cells.docx')
    for format_, ending in (('ptylab', '.hdf5'), ('matlab73', '.mat'), ('npy', '.npy'), ('tiff', '.tif')):
        result = works(f'simulate --set size=32 --set per_side=5 --format {format_} cells.v2').has(f'cells.v2{ending}')
        os.unlink(result.path(f'cells.v2{ending}-truth.npz'))
        refuses(2, 'is there already: choose another name', f'simulate --format {format_}', [result.path('cells.v2')])
        assert there(result.folder, f'cells.v2{ending}') and not there(result.folder, 'cells.v2')


@test('measurements/formats')
def check_formats():
    """Every format is opened as the last line of what wrote it says, and is the same instrument."""
    for words in FORMATS:
        written = works(f'simulate --set size=32 --set per_side=5 --format {words}')
        path = written.path(words.split()[1])
        bare = '--recipe' in written.out
        assert there(path + '-recipe.prism') == bare
        # x and y of 25 frames.
        works('inspect --json', [path] + (['--positions', path + '-leds.csv', '--recipe', path + '-recipe.prism']
                                          if bare else [])).json('directions = 50')


@test('measurements/scenarios')
def check_scenarios():
    """Frames of every scenario, as it is without settings, are explained, those that were never used too."""
    for scenario, most in SCENARIOS.items():
        made = works(f'simulate --scenario {scenario} a.hdf5')
        works('run --measurements', [made.path('a.hdf5')], '--output result --json').json(
            f'held_out.misfit < {most}', 'held_out.correlation > 0.95')


@test('measurements/held-out')
def check_held_out():
    works('run --json --set hold_out=10 --measurements', make()).json(
        'held_out.correlation > 0.95', 'held_out.misfit < 0.1', 'held_out.frames = 8', 'frames.at_rim > 0',
        'frames.half_bright_left_out = 0')


@test('measurements/zip')
def check_zip():
    """A zip of arrays is one whatever it is called, and no run."""
    path = make_frames(32, 5, 'cells.npz')
    os.rename(path, path[:-3] + 'zip')
    works('inspect', [path[:-3] + 'zip']).has('25 frames')


@test('measurements/faint')
def check_faint():
    """Frames whose squares are zero in 32 bits led to a wrong object, and the specimen was blamed for it."""
    path = make_frames(32, 5, 'cells.npy')
    data = read(path)
    for scale, code in ((1e-15, 2), (1e-30, 3)):  # what lies beside the frames is told apart
        write(data[:128] + array('f', (scale * value for value in array('f', data[128:]))).tobytes(), path)
        result = run('inspect', [path])
        assert result.code == code and ('no light in any frame' in result.err) == (code == 3), result.err


@test('measurements/empty')
def check_empty():
    """Of frames without a picture it is said, and not that the innermost one is dark."""
    path = make_frames(32, 5, 'cells.npy')
    head = read(path)[:128]
    for value, reason in ((0, 'no light in any frame'), (7, 'all their pixels have the same value')):
        write(head + array('f', [value] * (25 * 32 * 32)).tobytes(), path)
        for command in ('inspect', 'run --measurements'):
            refuses(3, reason, command, [path])


@test('measurements/spoilt')
def check_spoilt():
    """Noise alone has a verdict and no lamps; of a camera that was full everywhere it is said that it was; grammar of
    one."""
    path = make_frames(64, 5, 'cells.npy')
    data = read(path)
    values, words = array('f', data[128:]), f'--positions {path}-leds.csv --recipe {path}-recipe.prism'
    # A frame without a place is left out, whatever list of others there is.
    rows = read(f'{path}-leds.csv').decode().splitlines()
    lost = [write('\n'.join(rows[:5] + ['4,nan,0.004,nan,0.1'] + rows[6:]), place(), 'lost.csv')]
    result = run('run --output result --set passes=1 --set leave_out=7', f'--recipe {path}-recipe.prism --positions',
                 lost, '--measurements', [path]).has('  Frame 4 is left out: its place in “')
    left = [row.split(',')[0] for row in result.file('result/frames.csv').splitlines() if row.split(',')[2] == '1']
    assert left == ['4', '7'], left
    write('\n'.join(rows[:5] + [f'{i},nan,0,0,0' for i in range(4, 25)]), *lost)
    refuses(3, 'has numbers for the places of 4 of 25 frames', f'inspect --recipe {path}-recipe.prism --positions', lost,
            [path])
    noise = random.Random(1)
    write(data[:128] + array('f', (noise.random() for _ in values)).tobytes(), path)
    result = run('run --output result --set passes=4 --set hold_out=20', words, '--measurements', [path])
    check_json(result.file('result/summary.json'), 'verdict = not explained', 'cause = light', 'held_out.frames = 1')
    has(result.out, '1 frame that was never used: ')
    lacks(result.out, "neighbours' light", 'next to no light')
    most = max(values)
    write(data[:128] + array('f', (min(most, 100 * value) for value in values)).tobytes(), path)
    refuses(2, 'is dark, or the camera was full: check exposure', 'run', words, '--measurements', [path])


@test('measurements/pipe')
def check_pipe():
    """Nobody writes into this pipe: whoever opens it waits."""
    for name in ('pipe', 'pipe.h5'):
        path = os.path.join(place(), name)
        os.mkfifo(path, 0o600)
        refuses(3, 'is a device or a pipe', 'inspect', [path])


def check_there(folder, *names):
    for name in names:
        assert there(folder, name), name


def check_list(said, folder, name):
    """All that is written is named, and nothing else."""
    listed = said.split(f'Written to {name}: ')[1].split('.\n')[0].split(', ')
    assert sorted(listed) == sorted(os.listdir(os.path.join(folder, name))), listed


def check_compared(folder):
    """The folder, the brief one and the file are one result."""
    result = clean('compare result a.prismrun brief --report both.html', folder=folder).has('Held-out misfit ')
    row = result.out.split('Likeness to the first ')[1].split('\n')[0]
    assert row.count(' 1.0000') == 2, row
    lacks(result.out, 'PSNR')
    # What all three know is told of all.
    for name in ('Finest period allowed, nm', 'Coverage, %'):
        cells = result.out.split(name)[1].split('\n')[0].split()
        assert len(cells) == 3 and len(set(cells)) == 1, cells
    page = result.file('both.html')
    has(page, '<figcaption>Amplitude</figcaption>', '<code>free_pupil</code>', 'prism-cli run --measurements ')
    assert page.count('<figcaption>Phase in rad, ramp taken off</figcaption>') == 3
    # The pixel is known, the memory is not, and what the frames were read with stands in the command.
    has(page, ' µm<')
    lacks(page, '<code>aperture_radius</code>', ' px</', 'Largest memory', 'come besides')


@test('measurements/run-file')
def check_run_file():
    """With a file, reports, animation, profile and events, as a simulated run; taken up from its file it writes the same
    result again."""
    frames = make()
    whole = clean('run --measurements', frames, '--output result --save a.prismrun --report a.html --animation a.gif '
                  '--tensorboard events --profile a.json')
    folder, saved = whole.folder, [whole.path('a.prismrun')]
    whole.has('Pass 8 of 8: held-out misfit 0.', 'Fits the measurements: frames that were never used')
    check_there(folder, 'a.prismrun', 'a.html', 'a.gif', 'events', 'a.json')
    works('run --resume a.prismrun --output brief --brief', folder=folder)
    same(folder, 'result/object.npy', folder, 'brief/object.npy')
    check_there(folder, 'brief/summary.json')
    assert not there(folder, 'brief', 'amplitude.npy')
    check_compared(folder)
    # Its frames' file and how well they are predicted, in place of an object and PSNR.
    told = works('inspect', saved).has(frames[0], 'Frames that were never used: misfit 0.', 'pass 8 of 8', '\npasses=8\n')
    lacks(told.out, 'aperture_radius')
    run('inspect --json', saved).json('held_out.misfit > 0', f'measurements = {frames[0]}')
    # As the run itself has written it.
    exported = clean('export', saved, '--output exported').folder
    same(folder, 'result/object.npy', exported, 'exported/object.npy')
    check_there(exported, 'exported/frames.csv', 'exported/pupil-phase.png')
    refuses(2, 'name its file with --save', 'run --resume', saved, '--set passes=9')
    os.unlink(frames[0])
    refuses(3, 'The frames of this run cannot be read again', 'run --resume', saved)
    result = works('export', saved, '--output pictures').has('without the complex object, the pupil and the table of the frames.')
    has(result.err, 'The frames of this run cannot be read again')
    check_there(result.folder, 'pictures/amplitude.npy', 'pictures/phase.npy', 'pictures/summary.json')


@test('measurements/choice')
def check_choice():
    """What near light asks for is said before anything is computed, and nothing is written."""
    near = [make_frames(96, 5, 'near.hdf5', '--set distance=5e-3 --set pitch=0.3e-3')]
    works('inspect', near).has('by 10 pixels of the spectrum', 'tiles of 64 pixels')
    told = works('run --dry-run --output result -m', near)
    told.has('tiles of 64 pixels', '\n2×2 tiles of 64×64', 'computed.\n# Memory ', '\ntile=64\n', '\n# Time       open')
    one = works('run --dry-run --set tile=0 --json --output result -m', near)
    one.json('tiles = 1', 'frames = 25', 'run_bytes > 1000000', 'seconds_as_set > 0')
    assert not os.listdir(told.folder) + os.listdir(one.folder)
    # Tiles that nobody has asked for are no setting that somebody has changed.
    result = works('run --set passes=1 --quiet --brief --output result --report a.html --save a.prismrun -m', near)
    works('report a.prismrun --html b.html', folder=result.folder)
    for page in (result.file('a.html'), read(result.folder, 'b.html').decode()):
        has(page, '<td>64</td>')
        lacks(page, '--set tile')


@test('measurements/tiles')
def check_tiles():
    """A field in tiles, with all that goes with a run."""
    whole = clean('run --measurements', make(), '--set tile=32 --output result --save a.prismrun --report a.html '
                  '--animation a.gif --tensorboard events --profile a.json')
    folder = whole.folder
    whole.has('\nObject of 192×192 pixels of ', '\n3×3 tiles of 32×32 pixels.', '\nTile 9 of 9, pass 72 of 72: held-out misfit 0.',
              '\nTile 1 of 9 at 16, 16, with a pupil of its own: ', '\nTile 9 of 9 at 32, 32, with the pupil of tile ')
    check_list(whole.out, folder, 'result')
    check_there(folder, 'a.prismrun', 'a.html', 'a.gif', 'events', 'a.json')
    works('run --resume a.prismrun --output brief --brief --json', folder=folder).json(
        'tiles.count = 9', 'tiles.done = 9', 'objective.tiles = 9')
    refuses(2, 'is the result of a run, and has no frames', 'inspect', [whole.path('result/result.h5')])
    has(whole.file('a.html'), 'Objective over the field', *(f'>{of}, middle tile<' for of in ('Frames', 'Passes', 'Pupil', 'LED map')),
        ' --set tile=32 ')
    for name in ('object.npy', 'tiles.csv', 'objective.csv'):
        same(folder, f'result/{name}', folder, f'brief/{name}')
    # Every moment's object is the whole field, that of the first tile, too.
    with zipfile.ZipFile(os.path.join(folder, 'a.prismrun')) as file:
        heads = {file.read(name)[:128] for name in file.namelist() if name.endswith('-object.npy')}
    assert len(heads) == 1, heads


def stop_after(part, *words, folder=None):
    """Ended by a signal when a line has this part. Returns what was said after it."""
    process = start(*words, folder=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert any(part in line for line in process.stdout), f'nobody said {part}'
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate()
    assert process.returncode == 143
    return said


@test('measurements/stopped-tiles')
def check_stopped_tiles():
    """Ended after some tiles it keeps them and says how many, once, without a verdict or what shows a result; taken up
    it ends as if nothing had been."""
    folder, words = place(), ('--measurements', make(), '--set tile=32 --set passes=100 --output')
    said = '\n' + stop_after(' left.', 'run', *words, 'stopped --save a.prismrun --report a.html', folder=folder)
    has(said, '\nThere is no verdict on the whole field: it has ', ' of 9 tiles so far.\n')
    check_list(said, folder, 'stopped')
    lacks(said, 'Stopped', 'fit the measurements', 'amplitude.tif')
    check_json(read(folder, 'stopped/summary.json').decode(), 'tiles.done >= 1', 'tiles.done < 9', 'state = stopped',
               'verdict = unknown', 'seams.amplitude = null', 'held_out.correlation = finite')
    check_there(folder, 'stopped/object.npy', 'stopped/tiles.csv')
    for name in ('stopped/amplitude.tif', 'a.html', 'stopped/result.h5', 'stopped/phase.png'):
        assert not there(folder, name), name
    works('report --html told.html stopped', folder=folder)
    summary = json.loads(read(folder, 'stopped/summary.json'))
    n_done, held_out = summary['tiles']['done'], summary['held_out']
    # What wants a run or a whole result says what this is, and what to name.
    for command in ('inspect', 'export', 'run --output other --resume'):
        run(command, ['stopped'], folder=folder).check_error(2, '“stopped” is the folder of a result')
    run('resolution stopped', folder=folder).check_error(3, '“stopped” has no result.h5, which')
    works('export a.prismrun --output partial', folder=folder)
    clean('resolution partial', folder=folder).has('Finest period of the middle tile: ',
                                                   f' is a part of its field: it has {n_done} of 9 tiles.')
    # One meaning for each number: of all tiles that are done, and passes over the middle one.
    works('inspect a.prismrun', folder=folder).has(
        f', {n_done} of 9 tiles, ', f"misfit {held_out['misfit']:.4f}, correlation {held_out['correlation']:.4f}, and no verdict")
    told = json.loads(works('inspect --json a.prismrun', folder=folder).out)
    assert told['tiles'] == {'count': 9, 'done': n_done}, told
    for name in ('verdict', 'passes'):
        assert told[name] == summary[name], name
    for name in ('misfit', 'correlation'):
        assert told['held_out'][name] == held_out[name], name
    for run_ in json.loads(works('compare --json stopped a.prismrun', folder=folder).has('stopped early').out)['runs']:
        assert [run_['passes_done'], run_['held_out_misfit'], run_['held_out_correlation']] == [
            summary['passes'], held_out['misfit'], held_out['correlation']], run_
    has(read(folder, 'told.html').decode(), 'There is no verdict on the whole field')
    works('run --resume a.prismrun --output stopped', folder=folder)
    works('run', *words, 'result --quiet', folder=folder)
    same(folder, 'result/object.npy', folder, 'stopped/object.npy')
    check_there(folder, 'stopped/result.h5')


@test('measurements/stopped-search')
def check_stopped_search():
    """A search that takes long says so, and ends at once: nothing is written."""
    folder = place()
    frames = make_frames(256, 7, 'cells.hdf5', '--set astigmatism=0.4')
    lacks(stop_after('The search for the pupil goes on', 'run --output result --measurements', [frames], folder=folder),
          'Pass ')
    assert not there(folder, 'result')


main()
