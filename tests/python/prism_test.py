#!/usr/bin/env python3
"""The library and its module for Python: the numbers of the command line, Ctrl+C, threads, memory, errors. TAP.

usage: prism_test.py --cli PRISM_CLI --library LIBPRISM.SO --source SOURCE_ROOT
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print('1..0 # SKIP numpy is not installed')
    sys.exit(0)

arguments = argparse.ArgumentParser()
for option in ('--cli', '--library', '--source'):
    arguments.add_argument(option, required=True)
arguments = arguments.parse_args()
source = Path(arguments.source)
os.environ['PRISM_LIBRARY'] = arguments.library
sys.path.insert(0, str(source / 'src' / 'python'))
import prism  # noqa: E402

TELESCOPE = {'image_size': 64, 'object_size': 64, 'roi': 64, 'aperture_radius': 6, 'backend': 'cpu'}
TINY = {**TELESCOPE, 'samples': 4, 'passes': 1}
RINGS = source / 'tests' / 'behaviour' / 'rings.npz'
RINGS_WORDS = {'leave_out': '9-36', 'hold_out': 5, 'passes': 2, 'backend': 'cpu'}
# The middle of the same frames, as arrays.
_WHOLE = {name: np.load(RINGS)[name] for name in ('ptychogram', 'encoder', 'wavelength', 'NA', 'dxd', 'magnification', 'zled')}
FRAMES = _WHOLE['ptychogram'][:9, 32:64, 32:64]
SHIFTS = _WHOLE['encoder'][:9, ::-1]
SAID = {'wavelength': float(_WHOLE['wavelength']), 'na': float(_WHOLE['NA']),
        'pixel_size': float(_WHOLE['dxd'] / _WHOLE['magnification'])}
SMALL = {'directions': SHIFTS / np.sqrt((SHIFTS ** 2).sum(1, keepdims=True) + float(_WHOLE['zled']) ** 2),
         'wavelength': SAID['wavelength'], 'na': SAID['na'], 'pixel': SAID['pixel_size'],
         'hold_out': 0, 'passes': 2, 'backend': 'cpu'}
LONG = 1000 if os.environ.get('PRISM_TEST_LONG') else 30


def cli(folder, *words):
    subprocess.run([arguments.cli, 'run', '--quiet', '--output', folder, *words], check=True)


def settings(words):
    return [word for key, value in words.items() for word in ('--set', f'{key}={value}')]


def same(folder, name, array):
    there = np.load(Path(folder) / name)
    assert array is not None and there.dtype == array.dtype and np.array_equal(there, array), name


def test_telescope(folder):
    """A picture of an array, as prism-cli makes it of a file."""
    image = np.hypot(*np.mgrid[-1:1:64j, -1:1:64j]).astype('f4') % 0.3
    np.save(f'{folder}/image.npy', image)
    cli(f'{folder}/out', '--set', f'object={folder}/image.npy', *settings({**TELESCOPE, 'snr': 30}))
    result = prism.run(image, snr=30, save=f'{folder}/saved', **TELESCOPE)
    same(f'{folder}/out', 'reconstruction.npy', result.reconstruction)
    same(f'{folder}/out', 'target.npy', result.target)
    same(f'{folder}/saved', 'reconstruction.npy', result.reconstruction)
    whole = prism.run(np.rint(image * 255).astype('u1'), snr=30, **TELESCOPE).target
    assert np.allclose(whole, result.target, atol=1 / 255)
    table = np.genfromtxt(f'{folder}/out/metrics.csv', delimiter=',', names=True)
    for name in ('psnr', 'loss_new', 'sample', 'step'):
        assert np.allclose(table[name], result.history[name], rtol=1e-5, equal_nan=True), name
    summary = json.loads(Path(f'{folder}/out/summary.json').read_text())
    assert summary['final']['psnr'] == json.loads(result.text('summary'))['final']['psnr']
    assert result.state == 'finished' and result.verdict.endswith('.') and result.object is None


def test_recorded_file(folder):
    """Recorded frames of a file."""
    cli(f'{folder}/out', '--measurements', RINGS, *settings(RINGS_WORDS))
    result = prism.reconstruct(RINGS, save=f'{folder}/saved', **RINGS_WORDS)
    for name, array in (('object.npy', result.object), ('pupil.npy', result.pupil)):
        same(f'{folder}/out', name, array)
        same(f'{folder}/saved', name, array)
    table = np.genfromtxt(f'{folder}/out/frames.csv', delimiter=',', names=True)
    assert np.allclose(table['gain'], result.gains, rtol=1e-5, equal_nan=True)
    assert np.allclose(table['found_column_px'], result.places[:, 0], rtol=1e-5, equal_nan=True)
    assert np.array_equal(table['held_out'] == 1, result.array('roles') == 1)
    summary = json.loads(Path(f'{folder}/out/summary.json').read_text())
    assert summary['verdict'] == result.text('verdict_key'), result.text('verdict_key')
    assert np.isclose(summary['held_out']['misfit'], result.score.misfit, rtol=1e-6)
    assert summary['lights'] == result.warnings[len(result.warnings) - len(summary['lights']):], result.warnings
    assert result.array('passes').shape[1] == 2 and result.reconstruction is not None


def test_recorded_arrays(folder):
    """Recorded frames of arrays, each of them as prism-cli finds it in a file, wherever its values lie."""
    for number, stack in enumerate((FRAMES, FRAMES.astype('u2') * 3, np.asfortranarray(FRAMES.astype('f4') / 7),
                                    FRAMES.astype('i8'))):
        path = f'{folder}/{number}.npz'
        np.savez(path, frames=stack, directions=SMALL['directions'])
        assigned = [word for key, value in SAID.items() for word in ('--assign', f'{key}={value!r}')]
        cli(f'{folder}/{number}', '--measurements', path, *assigned, *settings({'hold_out': 0, 'passes': 2, 'backend': 'cpu'}))
        result = prism.reconstruct(stack, **SMALL)
        same(f'{folder}/{number}', 'object.npy', result.object)
        same(f'{folder}/{number}', 'pupil.npy', result.pupil)
    masked = np.ma.masked_array(FRAMES, np.broadcast_to(np.add.outer(range(32), range(32)) < 8, FRAMES.shape))
    gaps = np.where(masked.mask, np.nan, FRAMES)
    assert np.array_equal(prism.reconstruct(masked, **SMALL).object, prism.reconstruct(gaps, **SMALL).object)
    assert not np.array_equal(prism.reconstruct(masked, **SMALL).object, prism.reconstruct(FRAMES, **SMALL).object)


def test_open_already(folder):
    """A file that the same interpreter has open, as after a look into it."""
    try:
        import h5py
    except ImportError:
        print('# h5py is not installed: a file that is open already was not tried')
        return
    with h5py.File(f'{folder}/rings.hdf5', 'w') as file:
        for name, values in _WHOLE.items():
            file[name] = values
    with h5py.File(f'{folder}/rings.hdf5', 'r') as file:
        result = prism.reconstruct(f'{folder}/rings.hdf5', **RINGS_WORDS)
        assert np.array_equal(file['ptychogram'][0], _WHOLE['ptychogram'][0])
    same_as = prism.reconstruct(f'{folder}/rings.hdf5', **RINGS_WORDS)
    assert np.array_equal(result.object, same_as.object)


def test_steps(folder):
    """Halts between two steps, and comes to the same."""
    seen = list(prism.steps(FRAMES, **SMALL))
    assert [step.pass_ for step in seen] == list(range(1, len(seen) + 1))
    assert [step.state for step in seen] == ['paused'] * (len(seen) - 1) + ['finished']
    assert np.array_equal(seen[-1].object, prism.reconstruct(FRAMES, **SMALL).object)
    assert not np.array_equal(seen[0].object, seen[1].object) and np.isfinite(seen[0].misfit)
    seen = list(prism.steps('moon', every=20, **TELESCOPE))
    assert len(seen) > 3 and seen[0].sample < seen[1].sample and seen[0].picture.shape == (64, 64)
    assert np.array_equal(seen[-1].picture, prism.run('moon', **TELESCOPE).reconstruction)
    for step in prism.steps('moon', **TELESCOPE):
        break
    assert step.state == 'paused' and step.picture.shape == (64, 64)


def test_errors(folder):
    """A sentence, as an exception."""
    for call, part in ((lambda: prism.run('moon', image_size=3), 'image_size cannot be “3”'),
                       (lambda: prism.run('moon', no_such_key=3), 'no_such_key'),
                       (lambda: prism.run(f'{folder}/none.png', **TELESCOPE), 'none.png'),
                       (lambda: prism.run(preset='none'), 'none'),
                       (lambda: prism.run('moon', tile=256), 'tile=256'),
                       (lambda: prism.reconstruct(RINGS, image_size=64), 'image_size'),
                       (lambda: prism.reconstruct(f'{folder}/none.hdf5'), 'none.hdf5'),
                       (lambda: prism.reconstruct(np.arange(9 * 256.).reshape(9, 16, 16)), 'wavelength=630nm'),
                       (lambda: prism.reconstruct(np.arange(9 * 256.).reshape(9, 16, 16), na='seven'), 'na'),
                       (lambda: prism.reconstruct(np.ones((9, 16, 16), complex)), 'complex128'),
                       (lambda: prism.reconstruct(np.ones((2,) * 5)), '5 dimensions'),
                       (lambda: prism.reconstruct(np.empty((0, 16, 16))), 'frames'),
                       (lambda: prism.reconstruct(RINGS, mask=np.ones((9, 9))), 'file'),
                       (lambda: prism.reconstruct(RINGS, save='/proc/none', **RINGS_WORDS), '/proc'),
                       (lambda: next(prism.steps('moon', every=0)), 'every')):
        try:
            call()
        except prism.Error as error:
            assert part in str(error) and str(error).endswith(('.', '…')), str(error)
        else:
            raise AssertionError(f'nothing was raised: {part}')


INTERRUPTED = '''
import threading, time
import prism
def tell():  # by its own clock, which other programs do not stop
    while time.process_time() < 3:
        time.sleep(0.05)
    print("begun", flush=True)
threading.Thread(target=tell).start()
result = prism.run("moon", image_size=256, object_size=256, roi=256, aperture_radius=8, method="mopie",
                   passes=1000, snr=30, backend="cpu")
print(result.state, result.reconstruction.shape, flush=True)
'''


def test_interrupt(folder):
    """Ctrl+C ends a run with its result, and is heard while the library computes."""
    environment = {**os.environ, 'PYTHONPATH': str(source / 'src' / 'python')}
    child = subprocess.Popen([sys.executable, '-c', INTERRUPTED], stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout.readline() == 'begun\n'
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=120)[0]
    assert child.returncode == 0 and said.split()[0] == 'stopped' and said.endswith('(256, 256)\n'), said
    assert time.monotonic() - begun < 20


def test_lock(folder):
    """Another thread of Python goes on while a run computes."""
    thread = threading.Thread(target=prism.run, args=['moon'], kwargs={**TELESCOPE, 'threads': 1})
    longest, last = 0.0, time.monotonic()
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    assert longest < 0.5, longest


def test_threads(folder):
    """Several at a time come to the same."""
    results = [None] * 6

    def work(i):
        try:
            prism.run('moon', image_size=i)
        except prism.Error as error:
            assert f'“{i}”' in str(error), str(error)  # the sentence is the thread's own
        results[i] = (prism.run('moon', **TELESCOPE).reconstruction if i % 2
                      else prism.reconstruct(FRAMES, **SMALL).object)

    threads = [threading.Thread(target=work, args=[i]) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, result in enumerate(results):
        assert result is not None and np.array_equal(result, results[i % 2]), i


def resident():
    return int(re.search(r'VmRSS:\s+(\d+)', Path('/proc/self/status').read_text()).group(1))  # KiB


def test_memory(folder):
    """Nothing stays of runs, of errors, nor of loops that were left; an array keeps what it is of."""
    picture = prism.run('moon', **TINY).reconstruction
    copy = picture.copy()
    for i in range(LONG + 20):
        if i == 20:
            before = resident()
        prism.run('moon', **TINY)
        next(iter(prism.steps('moon', **TINY)))
        try:
            prism.reconstruct(FRAMES, na=0.1)
        except prism.Error:
            pass
    grown = resident() - before
    print(f'# {LONG} runs and as many errors: {grown:+} KiB of {before}')
    assert grown < 8192 + 2 * LONG, grown
    assert np.array_equal(picture, copy) and not picture.flags.writeable


def test_symbols(folder):
    """The library has what the header says, at most twenty functions, and a C and a C++ compiler read it."""
    header = source / 'src' / 'python' / 'prism.h'
    said = set(re.findall(r'(libprism_\w+) \(', re.sub(r'/\*.*?\*/', '', header.read_text(), flags=re.S)))
    listed = subprocess.run(['nm', '-D', '--defined-only', arguments.library], check=True, capture_output=True, text=True)
    exported = {line.split()[2].split('@')[0] for line in listed.stdout.splitlines() if ' A ' not in line}
    assert exported == said and len(said) <= 20, exported ^ said
    for compiler, standard in (('cc', 'c99'), ('c++', 'c++11')):
        subprocess.run([compiler, f'-std={standard}', '-pedantic-errors', '-Wall', '-Werror', '-fsyntax-only',
                        '-include', header, '-x', 'c' if compiler == 'cc' else 'c++', '/dev/null'], check=True)


def main():
    tests = [(name, test) for name, test in globals().items() if name.startswith('test_')]
    failed = False
    print(f'1..{len(tests)}')
    for number, (name, test) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(folder)
                print(f'ok {number} /python/{name[5:]}', flush=True)
            except Exception as error:  # whatever it is, the others are run
                failed = True
                print(f'not ok {number} /python/{name[5:]}\n# {type(error).__name__}: {error}'.replace('\n', '\n# '),
                      flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
