#!/usr/bin/env python3
"""Full, vanishing and read-only places for the files of a run. Speaks TAP.

    full-disk.py --cli PRISM-CLI

On a file system of a few hundred KiB where mounting one is allowed, with a limit on the size of files everywhere
(RLIMIT_FSIZE, with SIGXFSZ as the system has it), on /dev/full, in a directory that cannot be written, and in one that is taken away while
the run goes on: what was there before stays, the run says what happened in one sentence, writes its result wherever
that is possible, and goes on from its file when there is room again.
"""

import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

from cli import Program, find_rudeness, parse_options, read, settings, EXIT_IO, PATIENCE
from tap import Tap

IN_NAMESPACE = 'PRISM_TEST_SMALL_DISK'
# KiB: no room for the first state, for one but not for a second beside it, for two states, for all.
DISK_SIZES = (64, 700, 900, 1400, 1900, 8192)
FILE_SIZES = (1, 1000, 100_000, 400_000, 700_000)
# Bytes: enough for what is written beforehand to find out, not for the largest file of a result.
ROOM = 80 * 1024
SAVING = {'autosave_samples': 1}
ENDLESS = {'samples': 100, 'steps': 100000, 'autosave_samples': 0, 'autosave_seconds': 0}


def find_damage(program, path, reference):
    """The run file must be whole and enough to go on from, where there is more room."""
    if not os.path.exists(path):
        return []
    content = program.inspect(path)
    if isinstance(content, str):
        return [f'the file does not open: {content}']
    problems = [f'not whole: {content["damaged"]}, {content["notice"]}'] * bool(content['damaged'] or content['notice'])
    copy = os.path.join(program.folder, 'copy.prismrun')
    shutil.copy(path, copy)
    done = program.call('run', '-q', '-o', 'resumed', '--resume', copy)
    if done.returncode != 0 or read(os.path.join(program.folder, 'resumed', 'reconstruction.npy')) != reference:
        problems.append(f'the resumed run does not end as it should: {done.stderr!r}')
    return problems


def check_end(done, output, reference):
    """Either all went well, or one sentence says why not and the result so far is there."""
    if done.returncode == 0:
        return [] if read(os.path.join(output, 'reconstruction.npy')) == reference else ['another image']
    problems = find_rudeness(done, EXIT_IO)
    if 'run' in done.stderr and os.path.exists(output) and not os.path.exists(os.path.join(output, 'summary.json')):
        problems.append(f'no result: {done.stderr!r}')
    return problems


def check_small_disk(program, reference, kib):
    disk = os.path.join(program.folder, 'disk')
    os.makedirs(disk, exist_ok=True)
    subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={kib}k', 'prism', disk], check=True)
    try:
        path = os.path.join(disk, 'a.prismrun')
        output = os.path.join(program.folder, 'output')
        shutil.rmtree(output, ignore_errors=True)
        done = program.call('run', '-q', '-o', output, *settings(SAVING), '--save', path)
        began = os.path.exists(path)
        problems = find_damage(program, path, reference)
        problems += check_end(done, output, reference) if began else find_rudeness(done, EXIT_IO, 'a.prismrun', 'space')
        left = set(os.listdir(disk)) - {'a.prismrun'}
        problems += [f'left lying about: {left}'] * bool(left)
        # The old result stays where there is no room for the new one.
        inside = os.path.join(disk, 'result')
        done = program.call('run', '-q', '-o', inside, *settings({}))
        problems += [] if done.returncode == 0 else find_rudeness(done, EXIT_IO)
        problems += [f'left lying about: {name}' for name in (os.listdir(inside) if os.path.isdir(inside) else [])
                     if name.startswith('.')]
        return problems, f'{kib} KiB: the run file {"is" if began else "is not"} there'
    finally:
        subprocess.run(['umount', disk], check=True)


def check_unsaved_frames(program):
    """What recorded frames came to is there, and one sentence says that the run's file is not as far."""
    disk = os.path.join(program.folder, 'disk')
    os.makedirs(disk, exist_ok=True)
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=400k', 'prism', disk], check=True)
    try:
        done = program.call('run', '-q', '--measurements', 'frames.npz', '-o', 'unsaved', '--save', os.path.join(disk, 'a.prismrun'))
        problems = find_rudeness(done, EXIT_IO, 'No space left on device. The file is as it was before')
        problems += [f'left lying about: {name}' for name in os.listdir(disk) if name != 'a.prismrun']
        there = os.path.exists(os.path.join(program.folder, 'unsaved', 'summary.json'))
        return problems + ['no result'] * (not there)
    finally:
        subprocess.run(['umount', disk], check=True)


def limit_files(size):
    """For the child: no file may grow beyond so many bytes, and the signal that says so would end a program."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def find_leftovers(*folders):
    """Temporary files and locks."""
    return [f'left lying about: {name}' for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)
            if name.startswith('.prism-') or name.endswith('.lock')]


def check_file_size(program, reference, size):
    path = os.path.join(program.folder, 'limited.prismrun')
    output = os.path.join(program.folder, 'limited')
    if os.path.exists(path):
        os.unlink(path)
    shutil.rmtree(output, ignore_errors=True)
    done = program.call('run', '-q', '-o', output, *settings(SAVING), '--save', path, before=limit_files(size))
    problems = find_damage(program, path, reference) + find_leftovers(program.folder, output)
    if size < 700_000:
        problems += find_rudeness(done, EXIT_IO, 'large')
    return problems, f'{size} bytes: exit status {done.returncode}'


def check_commands(program):
    """Every other command that writes: a sentence, nothing half, nothing left; what could be written stays."""
    here = os.path.join(program.folder, 'commands')
    os.makedirs(here)
    path = os.path.join(here, 'whole.prismrun')
    program.call('run', '-q', '-o', os.path.join(here, 'whole'), *settings(SAVING), '--save', path)
    problems = []
    for arguments in (['export', path, '-o', 'exported'], ['report', path, '--html', 'a.html'],
                      ['report', path, '--pdf', 'a.pdf'], ['pattern', *settings({'samples': 60}), '--csv', 'a.csv'],
                      ['pattern', *settings({}), '--gallery', 'a.png'], ['compare', path, '--csv', 'b.csv'],
                      ['sweep', '-q', *settings({}), '--over', 'snr=10,20', '-o', 'sweep'],
                      ['run', '-q', *settings({}), '-o', 'animated', '--animation', 'a.gif']):
        done = program.call(*arguments, before=limit_files(200), folder=here)
        problems += [f'{arguments[0]}: {problem}' for problem in find_rudeness(done, EXIT_IO, 'large')]
        problems += [f'{arguments[0]}: {problem}' for problem in find_leftovers(here, os.path.join(here, 'exported'))]
    problems += [f'{name} is there' for name in os.listdir(here) if not name.startswith(('whole', 'sweep', 'exported', 'animated'))]
    return problems


def check_recordings(program):
    """The HDF5 library ends a program that lets it write where there is no room."""
    here = os.path.join(program.folder, 'recordings')
    os.makedirs(here)
    problems = []
    for form, name in (('ptylab', 'a.hdf5'), ('cxi', 'a.cxi'), ('matlab73', 'a.mat')):
        for size in (1000, 30_000, 100_000):
            done = program.call('simulate', '--set', 'size=32', '--set', 'per_side=5', '--format', form, name,
                                before=limit_files(size), folder=here)
            problems += [f'{form}, {size} bytes: {problem}' for problem in find_rudeness(done, EXIT_IO, name)]
    return problems + find_leftovers(here) + [f'{name} is there' for name in os.listdir(here)]


def check_printing(program):
    """What is printed into a file meets the same limit."""
    with open(os.path.join(program.folder, 'printed'), 'wb') as file:
        done = subprocess.run([program.path, 'params'], stdout=file, stderr=subprocess.PIPE, text=True, check=False,
                              preexec_fn=limit_files(1000))
    return find_rudeness(done, EXIT_IO, 'large')


def call_without_reader(program, *arguments):
    """Both streams are a pipe that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run([program.path, *arguments], stdout=writer, stderr=writer, cwd=program.folder, check=False)
    finally:
        os.close(writer)


def check_reader_gone(program, reference):
    """What only prints ends at once and without a word, as any filter; a result is written all the same."""
    problems = []
    for arguments in (['params'], ['info'], ['pattern', *settings({}), '--json']):
        code = call_without_reader(program, *arguments).returncode
        problems += [f'{arguments[0]}: exit status {code}'] * (code != -signal.SIGPIPE)
    code = call_without_reader(program, 'run', '-o', 'unread', *settings({})).returncode
    if code != EXIT_IO or read(os.path.join(program.folder, 'unread', 'reconstruction.npy')) != reference:
        problems.append(f'run: exit status {code}')
    code = call_without_reader(program, 'sweep', *settings({}), '--over', 'snr=10,20', '-o', 'unread-sweep').returncode
    if code != EXIT_IO or not os.path.exists(os.path.join(program.folder, 'unread-sweep', 'sweep.csv')):
        problems.append(f'sweep: exit status {code}')
    return problems


def check_device(program):
    """Devices have no temporary file beside them: the failure of writing comes through."""
    return find_rudeness(program.call('pattern', *settings({}), '--csv', '/dev/full'), EXIT_IO, '/dev/full', 'No space')


def start_endless(program, path, output):
    """Starts a run that cannot end, and waits until it computes."""
    process = program.start(['run', '-o', output, *settings(ENDLESS), '--save', path])
    for line in iter(process.stdout.readline, b''):
        if b'PSNR' in line:
            return process
    raise RuntimeError(process.communicate()[1])


def end(process):
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=PATIENCE)
    return subprocess.CompletedProcess([], process.returncode, output.decode(), errors.decode())


def check_vanishing_file(program):
    """The directory of the run file is taken away while the run goes on."""
    place = os.path.join(program.folder, 'vanishing')
    output = os.path.join(program.folder, 'out-vanishing')
    os.makedirs(place)
    process = start_endless(program, os.path.join(place, 'a.prismrun'), output)
    shutil.rmtree(place)
    problems = find_rudeness(end(process), EXIT_IO, 'vanishing/a.prismrun')
    if not os.path.exists(os.path.join(output, 'reconstruction.npy')):
        problems.append('the result was not written')
    return problems


def check_vanishing_result(program):
    """The output directory is taken away: it is made again."""
    path = os.path.join(program.folder, 'b.prismrun')
    output = os.path.join(program.folder, 'nested', 'output')
    process = start_endless(program, path, output)
    shutil.rmtree(os.path.dirname(output))
    done = end(process)
    problems = [] if done.returncode == 128 + signal.SIGTERM else [f'exit status {done.returncode}: {done.stderr!r}']
    if not os.path.exists(os.path.join(output, 'reconstruction.npy')):
        problems.append('the result was not written')
    if program.inspect(path)['state'] != 'stopped':
        problems.append('the run file was not written')
    return problems


def check_read_only(program):
    """A directory that becomes read-only in the run, and one that was so before."""
    place = os.path.join(program.folder, 'read-only')
    os.makedirs(place)
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'prism', place], check=True)
    try:
        path = os.path.join(place, 'a.prismrun')
        output = os.path.join(program.folder, 'out-read-only')
        process = start_endless(program, path, output)
        # A lock is a file open for writing: the mount point changes, not the file system.
        subprocess.run(['mount', '--bind', place, place], check=True)
        subprocess.run(['mount', '-o', 'remount,ro,bind', place], check=True)
        done = end(process)
        problems = find_rudeness(done, EXIT_IO, 'a.prismrun', 'Read-only')
        if not os.path.exists(os.path.join(output, 'reconstruction.npy')):
            problems.append('the result was not written')
        for arguments in (['--output', os.path.join(place, 'o')], ['--save', os.path.join(place, 'b.prismrun')]):
            done = program.call('run', '-q', *settings(ENDLESS), *arguments)
            problems += find_rudeness(done, EXIT_IO, place, 'Read-only')
        if isinstance(program.inspect(path), str):
            problems.append('the run file does not open')
        return problems
    finally:
        while subprocess.run(['umount', place], check=False, capture_output=True).returncode == 0:
            pass


def check_tiles_on_full_disk(program):
    """Tiles wait while the disk is full, say so, go on when there is room, and end with the same picture."""
    arguments = ['tiles', *settings({'object': make_scene(program), 'object_size': 32, 'tile': 32})]
    program.call(*arguments, '-o', 'whole')
    disk = os.path.join(program.folder, 'tiles')
    os.makedirs(disk)
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'prism', disk], check=True)
    try:
        ballast = os.path.join(disk, 'ballast')
        process = program.start(arguments + ['-o', os.path.join(disk, 'o')])
        for line in iter(process.stderr.readline, b''):
            if line.startswith(b'1 of '):
                fill(ballast)
            elif b'Paused: the disk has' in line:
                os.unlink(ballast)
                break
        else:
            return [f'it did not pause, exit status {process.wait()}']
        errors = process.communicate(timeout=PATIENCE)[1].decode()
        problems = [f'exit status {process.returncode}: {errors[-300:]}'] * (process.returncode != 0)
        problems += ['it does not say that it goes on'] * ('It goes on.' not in errors)
        if not problems and read(os.path.join(disk, 'o', 'picture.tif')) \
                != read(os.path.join(program.folder, 'whole', 'picture.tif')):
            problems.append('another picture')
        return problems
    finally:
        subprocess.run(['umount', disk], check=True)


def check_second_result(program, arguments, other):
    """Room for one result and a part of another: the old one stays as a whole, and what the user has put beside it; the new one is
    kept elsewhere."""
    disk = os.path.join(program.folder, 'second')
    os.makedirs(disk, exist_ok=True)
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=8m', 'prism', disk], check=True)
    try:
        output = os.path.join(disk, 'result')
        mine = os.path.join(output, 'my notes')
        program.call(*arguments, '-o', output)
        with open(mine, 'w', encoding='ascii') as file:
            file.write('mine')
        before = {name: read(os.path.join(output, name)) for name in os.listdir(output)}
        with open(os.path.join(disk, 'ballast'), 'wb') as file:
            status = os.statvfs(disk)
            file.write(bytes(status.f_bavail * status.f_frsize - ROOM))
        done = program.call(*arguments, *other, '-o', output)
        after = {name: read(os.path.join(output, name)) for name in os.listdir(output)
                 if not os.path.isdir(os.path.join(output, name))}
        problems = find_rudeness(done, EXIT_IO, 'cannot be written', ' The result is in “')
        kept = done.stderr.split('“')[-1].split('”')[0]
        problems += ['the new result is kept nowhere'] * (not os.path.exists(os.path.join(kept, 'summary.json')))
        problems += [f'{name} is not what it was' for name in before if after.get(name) != before[name]]
        problems += [f'left lying about: {name}' for name in os.listdir(output) if name not in before]
        os.unlink(os.path.join(disk, 'ballast'))
        done = program.call(*arguments, *other, '-o', output)
        after = {name: read(os.path.join(output, name)) for name in os.listdir(output)}
        problems += [f'exit status {done.returncode}: {done.stderr[-300:]}'] * (done.returncode != 0)
        problems += ['the new result is not there'] * (after.get('summary.json') == before['summary.json'])
        problems += ['the notes are gone'] * (after.get('my notes') != b'mine')
        return problems, f'{len(before)} files'
    finally:
        subprocess.run(['umount', disk], check=True)


def fill(path):
    """Until the disk has no byte left."""
    with open(path, 'wb', buffering=0) as file:
        try:
            while file.write(bytes(4096)) == 4096:
                pass
        except OSError:
            pass


def make_scene(program):
    """A picture with detail everywhere, in NumPy's format."""
    side = 100
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (side, side)
    header += ' ' * (118 - 1 - len(header)) + '\n'
    pixels = b''.join(struct.pack('<f', (37 * x * x + 59 * y + 101 * x * y) % 251 / 250)
                      for y in range(side) for x in range(side))
    path = os.path.join(program.folder, 'scene.npy')
    with open(path, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header.encode() + pixels)
    return path


def why_no_mount():
    """Nothing where a file system may be mounted here."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(['mount', '-t', 'tmpfs', 'prism', folder], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            subprocess.run(['umount', folder], check=True)
        return done.stderr.strip()


def enter_namespace():
    """Starts the test again where it may mount, if that can be had."""
    if IN_NAMESPACE in os.environ or shutil.which('unshare') is None:
        return
    if subprocess.run(['unshare', '-rm', 'true'], capture_output=True, check=False).returncode == 0:
        os.execvpe('unshare', ['unshare', '-rm', sys.executable] + sys.argv, {**os.environ, IN_NAMESPACE: '1'})


def main():
    options = parse_options(__doc__)
    enter_namespace()
    tap = Tap('/fault-disk')
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.cli, folder)
        program.call('run', '-q', '-o', 'reference', *settings(SAVING))
        reference = read(os.path.join(folder, 'reference', 'reconstruction.npy'))
        reason = why_no_mount()
        for kib in DISK_SIZES:
            if reason:
                tap.skip(f'small/{kib}', f'no file system can be mounted: {reason}')
            else:
                tap.check(f'small/{kib}', lambda kib=kib: check_small_disk(program, reference, kib))
        program.call('simulate', '--set', 'size=48', '--set', 'per_side=5', 'frames.npz')
        for name, arguments, other in (
                ('run', ['run', '-q', *settings({'image_size': 256})], ['--set', 'seed=9']),
                ('measurements', ['run', '-q', '--measurements', os.path.join(folder, 'frames.npz')], ['--set', 'passes=2'])):
            if reason:
                tap.skip(f'second/{name}', f'no file system can be mounted: {reason}')
            else:
                tap.check(f'second/{name}', lambda a=arguments, o=other: check_second_result(program, a, o))
        if reason:
            tap.skip('unsaved', f'no file system can be mounted: {reason}')
        else:
            tap.check('unsaved', lambda: check_unsaved_frames(program))
        for size in FILE_SIZES:
            tap.check(f'file-size/{size}', lambda size=size: check_file_size(program, reference, size))
        tap.check('file-size/commands', lambda: check_commands(program))
        tap.check('file-size/recordings', lambda: check_recordings(program))
        tap.check('file-size/printed', lambda: check_printing(program))
        tap.check('reader-gone', lambda: check_reader_gone(program, reference))
        tap.check('device', lambda: check_device(program))
        tap.check('vanishing/file', lambda: check_vanishing_file(program))
        tap.check('vanishing/result', lambda: check_vanishing_result(program))
        if reason:
            tap.skip('read-only', f'no file system can be mounted: {reason}')
            tap.skip('tiles', f'no file system can be mounted: {reason}')
        else:
            tap.check('read-only', lambda: check_read_only(program))
            tap.check('tiles', lambda: check_tiles_on_full_disk(program))
    tap.finish()


main()
