#!/usr/bin/env python3
"""Odd names of files and a locale with a decimal comma: right names, and the same files. Speaks TAP.

    names-and-locales.py --cli PRISM-CLI
"""

import os
import shutil
import tempfile

from cli import Program, find_rudeness, parse_options, read, read_folder, read_members, settings, EXIT_CONFIG, EXIT_IO
from tap import Tap

# Bytes of 255 names: the longest that a Linux file system takes.
LONGEST = 255
NAMES = {
    'utf-8': 'Mönd 月 🛰',
    'newline': 'one\ntwo',
    'percent': '%s%n%d %05.3f',
    'quotes': 'a "b" \'c\' $(d) `e` \\f &amp;<g>',
    'dash': '-q',
    'space': ' a ',
    'not-utf-8': b'caf\xe9 \xff\xfe',
    '255-bytes': 'x' * LONGEST,
    '255-bytes-utf-8': 'é' * (LONGEST // 2) + 'x',
}


def make_name(name, ending):
    """The name as bytes, with an ending, as long as it may be."""
    stem = name if isinstance(name, bytes) else name.encode()
    return stem[:LONGEST - len(ending)].decode('utf-8', 'ignore').encode() + ending.encode() \
        if not isinstance(name, bytes) else stem + ending.encode()


def check_names(program, folder, name, reference):
    """All kinds of files of a run under one odd name."""
    here = os.path.join(folder.encode(), b'names')
    shutil.rmtree(here, ignore_errors=True)
    os.mkdir(here)
    at = {what: os.path.join(here, make_name(name, ending))
          for what, ending in (('object', '.npy'), ('config', '.prism'), ('positions', '.csv'), ('run', '.prismrun'))}
    output = os.path.join(here, make_name(name, ''))
    exported = os.path.join(here, b'exported')
    problems = []

    def call(*arguments):
        done = program.call(*arguments)
        if done.returncode != 0:
            problems.append(f'{arguments[0]}: exit status {done.returncode}: {done.stderr!r}')
        return done

    shutil.copy(os.path.join(folder, 'object.npy'), at['object'])
    call('pattern', *settings({}), '--csv', at['positions'])
    with open(at['config'], 'wb') as file:
        file.write(b'[prism]\nobject_size=16\n')
    arguments = ['run', '-q', '--config', at['config'], *settings({}), '--set', b'object=' + at['object'],
                 '--set', b'pattern_file=' + at['positions'], '--set', 'pattern=file']
    call(*arguments, b'--output=' + output, b'--save=' + at['run'])
    if not problems:
        call('inspect', at['run'])
        call('export', at['run'], '-o', exported)
        call('run', '-q', '--resume', at['run'], '-o', exported)
    if problems:
        return problems
    for where in (output, exported):
        if read(os.path.join(where, b'reconstruction.npy')) != reference:
            problems.append(f'another image in {where}')
    left = set(os.listdir(here)) - {os.path.basename(path) for path in (*at.values(), output, exported)}
    problems += [f'left lying about: {left}'] * bool(left)
    return problems + check_beside(program, here, make_name(name, ''), at['object'], reference)


def check_beside(program, here, name, picture, reference):
    """A configuration in a folder of that name, with a picture beside it, run from there, and as tiles."""
    inside = os.path.join(here, name + b'.d') if len(name) < LONGEST - 2 else os.path.join(here, name[:-2] + b'.d')
    os.mkdir(inside)
    shutil.copy(picture, os.path.join(inside, b'o.npy'))
    with open(os.path.join(inside, b'a.prism'), 'wb') as file:
        file.write(b'[prism]\nobject=o.npy\n')
    problems = []
    for arguments in (['run', '-q', '--config', os.path.join(inside, b'a.prism'), *settings({})],
                      ['run', '-q', *settings({}), '--set', 'object=o.npy']):
        done = program.call(*arguments, '-o', 'beside', folder=inside)
        problems += [f'beside: exit status {done.returncode}: {done.stderr!r}'] * (done.returncode != 0)
        if not problems and read(os.path.join(inside, b'beside', b'summary.json')).find(b'o.npy') < 0:
            problems.append('the summary does not name the object')
    done = program.call('tiles', '-q', *settings({'object_size': 32, 'tile': 32}), '--set', 'object=o.npy', '-o', 'tiles', folder=inside)
    problems += [f'tiles: exit status {done.returncode}: {done.stderr!r}'] * (done.returncode != 0)
    done = program.call('tiles', '-q', '--merge', '-o', 'tiles', folder=inside)
    problems += [f'merge: exit status {done.returncode}: {done.stderr!r}'] * (done.returncode != 0)
    return problems


def check_too_long(program, folder):
    """One byte more cannot be: found before the run, with the name."""
    name = 'y' * (LONGEST + 1)
    problems = []
    for arguments in (['--output', name], ['--save', name], ['--config', name], ['--set', f'object={name}'],
                      ['--set', 'pattern=file', '--set', f'pattern_file={name}']):
        done = program.call('run', '-q', *settings({'polish': 0}), *arguments)
        problems += find_rudeness(done, EXIT_IO, 'yyy')
    return problems


def run_in_locale(program, folder, name):
    """One run with everything it writes. Returns the folder."""
    here = os.path.join(folder, name)
    os.mkdir(here)
    locale = {'LC_ALL': name}
    done = program.call('run', '-q', *settings({'snr': 20.5, 'learning_rate': '1.5e-3', 'autosave_samples': 1,
                                                'aperture_radius': 7.25}),
                        '-o', 'result', '--save', 'a.prismrun', '--report', 'a.html', environment=locale, folder=here)
    if done.returncode != 0 or done.stderr:
        raise RuntimeError(done.stderr)
    with open(os.path.join(here, 'pattern.txt'), 'w', encoding='utf-8') as file:
        file.write(program.call('pattern', *settings({'pattern_jitter': 0.5}), '--json', '--csv', 'pattern.csv',
                                environment=locale, folder=here).stdout)
    program.call('export', 'a.prismrun', '-o', 'exported', environment=locale, folder=here)
    program.call('sweep', '-q', *settings({}), '--over', 'snr=12.5,20', '-o', 'sweep', environment=locale, folder=here)
    return here


def compare_locales(program, folder):
    """German and Spanish runs write what one without a language writes."""
    plain = run_in_locale(program, folder, 'C.UTF-8')
    problems, n_files = [], 0
    for name in ('de_DE.UTF-8', 'es_ES.UTF-8'):
        more, n_compared = compare_runs(plain, run_in_locale(program, folder, name))
        problems += [f'{name}: {problem}' for problem in more]
        n_files += n_compared
    return problems, f'{n_files} files compared'


def compare_runs(plain, comma):
    """The problems, and how many files there were."""
    problems, n_files = [], 0
    for what in ('result', 'exported', 'sweep/1', 'sweep/0001', 'sweep/snr=12.5'):
        if not os.path.isdir(os.path.join(plain, what)):
            continue
        a, b = read_folder(os.path.join(plain, what)), read_folder(os.path.join(comma, what))
        n_files += len(a)
        problems += [f'{what}/{name} is different' for name in a if a[name] != b.get(name)]
        problems += [f'{what} has other files'] * (set(a) != set(b))
    for name in ('pattern.txt', 'pattern.csv'):
        n_files += 1
        if read(os.path.join(plain, name)) != read(os.path.join(comma, name)):
            problems.append(f'{name} is different')
    problems += check_parts(os.path.join(plain, 'a.prismrun'), os.path.join(comma, 'a.prismrun'))
    return problems, n_files


def check_parts(plain, comma):
    """Saves that follow each other closely may be one, so that the number of states varies; the newest does not."""
    a, b = read_members(plain), read_members(comma)
    newest = [max(int(name.split('/')[1]) for name in members if name.startswith('snapshots/')) for members in (a, b)]
    problems = []
    for name, value in a.items():
        other = name
        if name.startswith('snapshots/'):
            if not name.startswith(f'snapshots/{newest[0]}/'):
                continue
            other = name.replace(f'snapshots/{newest[0]}/', f'snapshots/{newest[1]}/')
        if name != 'manifest.json' and value != b.get(other):
            problems.append(f'a.prismrun: {name} is different')
    return problems


def test_locales(program, folder, tap):
    if 'LOCPATH' not in os.environ:
        tap.skip('comma-locale', 'no locale with a decimal comma could be built')
        return
    done = program.call('run', '-q', *settings({}), '--set', 'snr=20,5', environment={'LC_ALL': 'de_DE.UTF-8'})
    tap.report('comma-is-refused', find_rudeness(done, EXIT_CONFIG, 'snr'))
    tap.check('comma-locale', lambda: compare_locales(program, folder))


def main():
    options = parse_options(__doc__)
    tap = Tap('/fault-names')
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.cli, folder)
        program.call('run', '-q', *settings({'object': 'moon'}), '-o', 'first')
        shutil.copy(os.path.join(folder, 'first', 'target.npy'), os.path.join(folder, 'object.npy'))
        program.call('pattern', *settings({}), '--csv', 'plain.csv')
        program.call('run', '-q', *settings({'object': os.path.join(folder, 'object.npy'), 'pattern': 'file',
                                             'pattern_file': os.path.join(folder, 'plain.csv')}), '-o', 'reference')
        reference = read(os.path.join(folder, 'reference', 'reconstruction.npy'))
        for what, name in NAMES.items():
            tap.check(f'name/{what}', lambda name=name: check_names(program, folder, name, reference))
        tap.check('name/too-long', lambda: check_too_long(program, folder))
        test_locales(program, folder, tap)
    tap.finish()


main()
