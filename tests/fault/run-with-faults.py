#!/usr/bin/env python3
"""Lets every call of a headless run that can fail do so, one after the other, and looks at what the user is told and
at what is left on the disk. Speaks TAP.

    run-with-faults.py --cli PRISM-CLI --library libprism-fault.so [--long] [--only NAME]

A directory holds the result of a run; the same program then computes another one into it while one call fails, once or from
then on. Afterwards each file must be whole, and the old one or the new one (where memory was missing half way: the
result so far); a run that says it went well must have left all the new ones; one that did not must say why in one line
and exit as documented, never by a signal. In its short form
every call fails once with one error; --long (or PRISM_TEST_LONG=1) has all errors, all ways, and smaller allocations,
where GLib may end the program, but nothing else. --only runs the tests whose names begin so, as “memory/any”.
"""

import collections
import errno
import hashlib
import json
import math
import os
import re
import shutil
import signal
import subprocess
import tempfile

from cli import drop_dates, parse_options
from crash import End
from tap import Tap

SCENE = {'image_size': 64, 'object_size': 16, 'aperture_radius': 8, 'samples': 6, 'steps': 3, 'start_steps': 4,
         'polish': 2, 'threads': 1, 'backend': 'cpu'}
# Documented in “prism-cli --help”.
POLITE_EXITS = {1, 2, 3, 4, 5}
EXIT_MEMORY = 4
# Allocations of at least so many bytes come from the program's own arena or are checked; below it GLib ends the
# program, as it does everywhere, and only the files count.
LARGE_BYTES = 65536
# What is different in every run.
VOLATILE = {'summary.json', 'metrics.csv', 'result.h5'}


class Runner:
    def __init__(self, options, folder):
        self.cli = os.path.abspath(options.cli)
        self.library = os.path.abspath(options.library)
        self.folder = folder
        self.output = os.path.join(folder, 'result')
        self.report = os.path.join(folder, 'report')
        self.pristine = os.path.join(folder, 'pristine')
        # What a run teaches about this machine's speed may fail unnoticed; in an empty cache nothing is taught.
        self.cache = os.path.join(folder, 'cache')
        self.n_runs = 0

    def run(self, seed, fault):
        command = [self.cli, 'run', '--quiet', '--output', self.output]
        for key, value in {**SCENE, 'seed': seed}.items():
            command += ['--set', f'{key}={value}']
        environment = dict(os.environ, LD_PRELOAD=self.library, PRISM_FAULT_FOLDER=self.output,
                           PRISM_FAULT_REPORT=self.report, LC_ALL='C.UTF-8', XDG_CACHE_HOME=self.cache,
                           TMPDIR=self.folder, **fault)
        # GLib asks for traps where it ends a program; a core is not wanted.
        self.n_runs += 1
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    def count(self, fault):
        done = self.run(2, fault)
        if done.returncode != 0:
            raise SystemExit(f'a run without any fault failed: {done.stderr}')
        with open(self.report, encoding='utf-8') as report:
            return {kind: int(number) for kind, number in (line.split() for line in report)}

    def prepare(self):
        """The old result, as it lies there before each fault."""
        done = self.run(1, {})
        if done.returncode != 0:
            raise SystemExit(f'a run without any fault failed: {done.stderr}')
        shutil.copytree(self.output, self.pristine)
        self.old = self.hash_files()
        self.run(2, {})
        self.new = self.hash_files()

    def restore(self):
        shutil.rmtree(self.output, ignore_errors=True)
        shutil.copytree(self.pristine, self.output)

    def go_on(self):
        """A command that looks at the folder and goes no further: what a killed program has left is old by then."""
        for name in os.listdir(self.output):
            if name.startswith('.'):
                os.utime(os.path.join(self.output, name), (0, 0))
        subprocess.run([self.cli, 'run', '--quiet', '--output', self.output, '--set', 'object=/dev/null/a.png'], check=False,
                       capture_output=True, timeout=120)

    def hash_files(self):
        hashes = {}
        for name in os.listdir(self.output):
            path = os.path.join(self.output, name)
            if os.path.isdir(path):
                hashes[name] = 'a folder'
                continue
            with open(path, 'rb') as file:
                data = file.read()
            hashes[name] = check_volatile(name, data) if name in VOLATILE else hashlib.sha256(data).hexdigest()
        return hashes


def is_whole(name, data):
    """Whether a file has its own end."""
    if name.endswith('.png'):
        return data.startswith(b'\x89PNG') and data[-8:-4] == b'IEND'
    if name.endswith('.h5'):
        return data.startswith(b'\x89HDF') and len(data) == int.from_bytes(data[40:48], 'little')
    if name.endswith('.npy'):
        head = 10 + int.from_bytes(data[8:10], 'little')
        shape = re.search(rb"'shape': \(([0-9, ]*)\)", data[:head]).group(1)
        return len(data) - head == 4 * math.prod(int(n) for n in shape.split(b',') if n.strip())
    return data.endswith(b'\n')


def check_volatile(name, data):
    """Whether a file whose times differ is whole: its own end, and the seed, the number of rows or all but the dates."""
    if name == 'result.h5':
        end = int.from_bytes(data[40:48], 'little')
        return f'{hashlib.sha256(drop_dates(data)).hexdigest()} whole={data.startswith(bytes([137]) + b"HDF") and len(data) == end}'
    text = data.decode('utf-8', 'replace')
    if name == 'summary.json':
        seed = [line for line in text.splitlines() if '"seed"' in line]
        return f'{seed} whole={text.rstrip().endswith("}")}'
    rows = text.splitlines()
    return f'{len(rows)} {rows[-1].count(",") if rows else 0} whole={text.endswith(chr(10))}'


def list_admitted(output):
    """Files that may lack something: a run goes on where there is no memory for its metrics, and says so."""
    with open(os.path.join(output, 'summary.json'), encoding='utf-8') as file:
        message = json.load(file)['message'] or ''
    if 'structural similarity' in message:
        return VOLATILE | {'reconstruction.png'}
    return VOLATILE if 'rows are missing' in message else set()


def is_one_result(runner, now):
    """Whether no file is the old one where another is not."""
    differ = [name for name in now if name in runner.old and runner.old[name] != runner.new[name]]
    return len({now[name] == runner.old[name] for name in differ}) < 2


def find_damage(runner, done, of_memory):
    """What is wrong after a run with a fault, or None."""
    now = runner.hash_files()
    for name, old in runner.old.items():
        if name not in now:
            return f'{name} is gone'
        if now[name] in (old, runner.new[name]):
            continue
        if not of_memory:
            return f'{name} is neither the old file nor the new one'
        with open(os.path.join(runner.output, name), 'rb') as file:
            if not is_whole(name, file.read()):
                return f'{name} is damaged'
    if not is_one_result(runner, now):
        return f'files of both results: {now}'
    leftovers = set(now) - set(runner.old) - set(runner.new)
    if leftovers and done.returncode == 0:
        return f'left lying about: {leftovers}'
    missing = {name for name, new in runner.new.items() if now[name] != new}
    if of_memory and missing:
        missing -= list_admitted(runner.output)
    if done.returncode == 0 and missing:
        return f'it says that all went well, but these are not the new files: {missing}'
    return None


def find_rudeness(done):
    """What the user would complain about, or None."""
    if done.returncode == 0:
        return None
    if done.returncode not in POLITE_EXITS:
        return f'exit status {done.returncode}: {done.stderr.strip()[-200:]}'
    lines = [line for line in done.stderr.splitlines() if line]
    if len(lines) != 1 or not lines[0].startswith('prism-cli: ') or not lines[0].endswith('.'):
        return f'not one clear sentence: {done.stderr!r}'
    return None


def sweep(runner, base, n_calls, is_polite=True):
    """Lets call 1, 2, … n_calls fail, once each. Returns problems and what the ends were."""
    problems, ends = [], collections.Counter()
    for i in range(1, n_calls + 1):
        runner.restore()
        done = runner.run(2, {**base, 'PRISM_FAULT_AT': str(i)})
        end = End(done)
        problem = (find_damage(runner, done, base['PRISM_FAULT_CALL'] == 'alloc') or end.find_fault()
                   or (find_rudeness(done) if is_polite else None))
        ends[end.describe() if end.signal else done.returncode] += 1
        if problem is not None:
            problems.append(f'{base} call {i} of {n_calls}: {problem}')
    return problems, ends


def describe(ends, n_calls):
    return f'{n_calls} calls, ' + ', '.join(f'{n} ended with {code}' for code, n in sorted(ends.items(), key=str))


def test_crash(runner, tap):
    """The control: a fault of the program itself is told from an end by GLib."""
    if not tap.wants('crash'):
        return
    runner.restore()
    done = runner.run(2, {'PRISM_FAULT_CALL': 'crash', 'PRISM_FAULT_AT': '1'})
    end = End(done)
    problems = []
    if done.returncode != -signal.SIGSEGV or end.find_fault() is None:
        problems.append(f'a crash went unnoticed: {done.returncode}, {done.stderr!r}')
    if not end.frames or not end.frames[0][0].startswith('libprism-fault'):
        problems.append(f'it was not there that it crashed: {end.find_fault()}')
    tap.report('crash', problems)


def test_files(runner, tap, is_long):
    counts = runner.count({})
    errors = [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS] if is_long else [errno.ENOSPC]
    for call in ('open', 'write', 'short', 'fsync', 'rename', 'close'):
        codes = errors if call != 'short' else errors[:1]
        # What a file system says that was given up after an error, and a device that has nothing to synchronise.
        if call == 'fsync' and errno.EROFS not in codes:
            codes = codes + [errno.EROFS]
        for code in codes:
            for stays in (0, 1) if is_long else (0,):
                name = f'{call}/{errno.errorcode[code]}/{"for-good" if stays else "once"}'
                if not tap.wants(name):
                    continue
                base = {'PRISM_FAULT_CALL': call, 'PRISM_FAULT_ERRNO': str(code), 'PRISM_FAULT_STAYS': str(stays)}
                problems, ends = sweep(runner, base, counts[call])
                if counts[call] == 0:
                    problems.append('there is no such call')
                # A short write is no error: the rest follows.
                if call == 'short' and set(ends) != {0}:
                    problems.append(f'short writes: {dict(ends)}')
                # libhdf5 tries a second time where it could not open a file.
                if call not in ('short', 'open') and ends[0] > 0:
                    problems.append(f'{ends[0]} failures went unnoticed')
                tap.report(name, problems, describe(ends, counts[call]))


def find_mixture(runner):
    """What is wrong in the folder after the program was killed, or None."""
    now = runner.hash_files()
    whole = {name for name in now if not name.startswith('.')} == set(runner.old)
    if not is_one_result(runner, now):
        return 'files of both results'
    if 'summary.json' in now and not whole:
        return f'there is a summary, but no more than {set(now)}'
    runner.go_on()
    now = runner.hash_files()
    return None if now in (runner.old, runner.new) else f'the next command leaves {set(now)}, and not one whole result'


def test_kill(runner, tap):
    """Before each change of a name the program is killed: the folder never has files of both results, and the next command
    makes it whole, the old one or the new one."""
    if not tap.wants('kill'):
        return
    problems, ends = [], collections.Counter()
    base = {'PRISM_FAULT_CALL': 'kill'}
    n_calls = runner.count({**base, 'PRISM_FAULT_AT': '0'})['kill']
    for i in range(1, n_calls + 1):
        runner.restore()
        done = runner.run(2, {**base, 'PRISM_FAULT_AT': str(i)})
        problem = find_mixture(runner) if done.returncode == -signal.SIGKILL else f'exit status {done.returncode}'
        problems += [f'before call {i} of {n_calls}: {problem}'] * (problem is not None)
        ends['old' if runner.hash_files() == runner.old else 'new'] += 1
    problems += ['it was never killed between the results'] * (len(ends) < 2)
    tap.report('kill', problems, describe(ends, n_calls))


def test_memory(runner, tap, is_long):
    for size, least_bytes in (('large', LARGE_BYTES), ('any', 1)) if is_long else (('large', LARGE_BYTES),):
        for stays in (0, 1):
            name = f'memory/{size}/{"for-good" if stays else "once"}'
            if not tap.wants(name):
                continue
            base = {'PRISM_FAULT_CALL': 'alloc', 'PRISM_FAULT_BYTES': str(least_bytes), 'PRISM_FAULT_STAYS': str(stays)}
            n_calls = runner.count({**base, 'PRISM_FAULT_AT': '0'})['alloc']
            problems, ends = sweep(runner, base, n_calls, is_polite=size == 'large')
            if size == 'large' and ends[EXIT_MEMORY] == 0:
                problems.append('no run said that memory was missing')
            tap.report(name, problems, describe(ends, n_calls))


def main():
    options = parse_options(__doc__, '--library', '--only')
    tap = Tap(only=options.only)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        runner.prepare()
        test_crash(runner, tap)
        test_files(runner, tap, options.long)
        test_kill(runner, tap)
        test_memory(runner, tap, options.long)
        print(f'# {runner.n_runs} runs')
    tap.finish()


main()
