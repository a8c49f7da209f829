#!/usr/bin/env python3
"""Lets every call by which a run is saved fail, one after the other. Speaks TAP.

    save-with-faults.py --cli PRISM-CLI --library libprism-fault.so [--long] [--only NAME]

A run writes its file after every sample, or is resumed from a file of an interrupted one, while one call fails, once or
from then on. Afterwards the file must be there (unless the very first save failed), open without damage, not be older
than before, and be enough to go on with: the resumed run ends with the bits of one that was never disturbed. The
program must either have finished, or say in one sentence why not, exit as documented, and have written the result so
far; nothing may lie about. Then the same for each large allocation. The short form takes some of the calls, --long (or
PRISM_TEST_LONG=1) a hundred of each kind, and more errors. --only runs the tests whose names begin so, as “resume/write”.
"""

import collections
import errno
import hashlib
import json
import os
import pickle
import shutil
import subprocess
import tempfile

from cli import parse_options, read_members
from tap import Tap

SCENE = {'image_size': 64, 'object_size': 16, 'aperture_radius': 8, 'samples': 6, 'steps': 3, 'start_steps': 4,
         'polish': 2, 'threads': 1, 'backend': 'cpu', 'autosave_samples': 1}
POLITE_EXITS = {1, 2, 3, 4, 5}
EXIT_MEMORY = 4
LARGE_BYTES = 65536
UNSAVED = 'The run is not saved: '
AGAIN = 'could not be written and was tried again: '
# Calls of one kind that fail in the short form, from the first to the last.
SHORT_CALLS = 7
# … and in the long form: a save has hundreds of writes, one like the other.
LONG_CALLS = 100


class Runner:
    def __init__(self, options, folder):
        self.cli = os.path.abspath(options.cli)
        self.library = os.path.abspath(options.library)
        self.saved = os.path.join(folder, 'saved')
        self.path = os.path.join(self.saved, 'a.prismrun')
        self.output = os.path.join(folder, 'result')
        self.report = os.path.join(folder, 'report')
        self.other = os.path.join(folder, 'other')
        self.interrupted = os.path.join(folder, 'interrupted.prismrun')
        self.n_runs = 0
        # What files held that ended as they should when they were resumed.
        self.resumable = set()

    def call(self, arguments, environment=None):
        self.n_runs += 1
        environment = dict(os.environ, LC_ALL='C.UTF-8', TMPDIR=os.path.dirname(self.saved), **(environment or {}))
        return subprocess.run([self.cli] + arguments, env=environment, capture_output=True, text=True, timeout=300)

    def run(self, resumes, fault):
        """Saves a new run, or goes on with the interrupted one, while something fails."""
        shutil.rmtree(self.saved, ignore_errors=True)
        shutil.rmtree(self.output, ignore_errors=True)
        os.mkdir(self.saved)
        arguments = ['run', '--quiet', '--output', self.output]
        if resumes:
            shutil.copy(self.interrupted, self.path)
            arguments += ['--resume', self.path]
        else:
            arguments += ['--save', self.path]
            for key, value in SCENE.items():
                arguments += ['--set', f'{key}={value}']
        return self.call(arguments, {'LD_PRELOAD': self.library, 'PRISM_FAULT_FOLDER': self.saved,
                                     'PRISM_FAULT_REPORT': self.report, **fault})

    def read_counts(self):
        with open(self.report, encoding='utf-8') as report:
            return {kind: int(number) for kind, number in (line.split() for line in report)}

    def count(self, resumes, fault):
        """How many calls there are; saves that follow each other closely may be one, so that it varies."""
        done = self.run(resumes, fault)
        if done.returncode != 0:
            raise SystemExit(f'a run without any fault failed: {done.stderr}')
        return self.read_counts()

    def prepare(self):
        """The result of a run that nothing disturbs, and the file of one whose disk was full half way."""
        counts = self.count(False, {})
        self.reference = self.read_result(self.output)
        self.run(False, {'PRISM_FAULT_CALL': 'rename', 'PRISM_FAULT_AT': '3', 'PRISM_FAULT_STAYS': '1',
                         'PRISM_FAULT_ERRNO': str(errno.ENOSPC)})
        shutil.copy(self.path, self.interrupted)
        self.step = self.inspect(self.interrupted)['step']
        return counts

    def read_result(self, folder):
        with open(os.path.join(folder, 'reconstruction.npy'), 'rb') as file:
            return file.read()

    def inspect(self, path):
        """What is in a run file; a string where it cannot be said."""
        done = self.call(['inspect', '--json', path])
        return json.loads(done.stdout) if done.returncode == 0 else f'exit {done.returncode}: {done.stderr}'

    def find_damage(self, resumes, done):
        """What is wrong with the file after a run with a fault, or None."""
        returncode = done.returncode
        left = set(os.listdir(self.saved)) - {'a.prismrun'}
        if left and returncode >= 0:
            return f'left lying about: {left}'
        if not os.path.exists(self.path):
            return 'the file is gone' if resumes or returncode == 0 else None
        content = self.inspect(self.path)
        if isinstance(content, str):
            return f'the file does not open: {content}'
        # A resumed run whose file cannot be taken goes on without, and says so at once.
        if returncode == 0 and UNSAVED not in done.stderr and content['state'] != 'finished':
            return f'the run is over, in the file it is {content["state"]}'
        if content['damaged'] or content['notice'] or content['locked']:
            return f'the file is not whole: {content["damaged"]}, {content["notice"]}, {content["locked"]}'
        if resumes and content['step'] < self.step:
            return f'the file went back from step {self.step} to {content["step"]}'
        return self.find_other_end()

    def find_other_end(self):
        """Whether the file is enough to go on from; one that holds what another did need not be tried again."""
        content = hashlib.sha256(pickle.dumps(read_members(self.path))).digest()
        if content in self.resumable:
            return None
        done = self.call(['run', '-q', '-o', self.other, '--resume', self.path])
        if done.returncode != 0:
            return f'the run cannot be resumed: {done.stderr}'
        if self.read_result(self.other) != self.reference:
            return 'the resumed run ends with another image'
        self.resumable.add(content)
        return None

    def find_rudeness(self, done):
        """What the user would complain about, or None."""
        lines = [line for line in done.stderr.splitlines() if line]
        if done.returncode == 0 and self.read_result(self.output) != self.reference:
            return f'not the result, and not a word about it: {lines}'
        if done.returncode != 0 and done.returncode not in POLITE_EXITS:
            return f'exit status {done.returncode}: {lines}'
        if done.returncode != 0 and not lines or len(set(lines)) != len(lines):
            return f'not one clear sentence: {lines}'
        # The result and the run's file may both fail; what was done about it comes before that.
        failures = [line for line in lines if AGAIN not in line]
        if len(failures) > 2 or not all(line.startswith('prism-cli: ') and line.endswith('.') for line in lines):
            return f'not clear sentences: {lines}'
        return None

    def find_lost_result(self, done, began):
        """A run that began has a result, wherever it ended."""
        if began and not os.path.exists(os.path.join(self.output, 'reconstruction.npy')):
            return f'no result was written: {done.stderr!r}'
        return None


def choose(n_calls, is_long):
    """Which calls fail: all, or some between the first and the last."""
    most = LONG_CALLS if is_long else SHORT_CALLS
    if n_calls <= most:
        return range(1, n_calls + 1)
    return sorted({1 + i * (n_calls - 1) // (most - 1) for i in range(most)})


def sweep(runner, resumes, base, n_calls, is_long, is_polite=True):
    """Lets one call after the other fail. Returns problems and what the ends were."""
    problems, ends = [], collections.Counter()
    # Memory may be missing before there is anything; files are synchronised wherever they are, those of the result, too.
    spares_result = base['PRISM_FAULT_CALL'] not in ('alloc', 'fsync')
    for i in choose(n_calls, is_long):
        done = runner.run(resumes, {**base, 'PRISM_FAULT_AT': str(i)})
        struck = done.returncode < 0 or runner.read_counts()[base['PRISM_FAULT_CALL']] >= i
        began = spares_result and (os.path.exists(runner.path) or resumes)
        problem = runner.find_damage(resumes, done)
        if problem is None and is_polite:
            problem = runner.find_rudeness(done) or runner.find_lost_result(done, began)
        ends[done.returncode if struck else 'not reached'] += 1
        if problem is not None:
            problems.append(f'{"resume" if resumes else "save"} {base} call {i} of {n_calls}: {problem}')
    return problems, ends


def describe(ends, n_calls):
    return f'{sum(ends.values())} of {n_calls} calls: ' + ', '.join(f'{n} × {code}' for code, n in sorted(ends.items(), key=str))


def test_files(runner, tap, resumes, is_long):
    counts = runner.count(resumes, {})
    for call in ('open', 'write', 'fsync', 'rename', 'close'):
        for code in (errno.ENOSPC, errno.EIO, errno.EROFS) if is_long else (errno.ENOSPC,):
            for stays in (0, 1):
                name = f'{"resume" if resumes else "save"}/{call}/{errno.errorcode[code]}/{"for-good" if stays else "once"}'
                if not tap.wants(name):
                    continue
                base = {'PRISM_FAULT_CALL': call, 'PRISM_FAULT_ERRNO': str(code), 'PRISM_FAULT_STAYS': str(stays)}
                problems, ends = sweep(runner, resumes, base, counts[call], is_long)
                tap.report(name, problems, describe(ends, counts[call]))


def test_memory(runner, tap, resumes, is_long):
    for stays in (0, 1):
        name = f'{"resume" if resumes else "save"}/memory/{"for-good" if stays else "once"}'
        if not tap.wants(name):
            continue
        base = {'PRISM_FAULT_CALL': 'alloc', 'PRISM_FAULT_BYTES': str(LARGE_BYTES), 'PRISM_FAULT_STAYS': str(stays)}
        n_calls = runner.count(resumes, {**base, 'PRISM_FAULT_AT': '0'})['alloc']
        problems, ends = sweep(runner, resumes, base, n_calls, is_long)
        # A run can do without most single allocations: one that cannot may not be among the few of the short form.
        if ends[EXIT_MEMORY] == 0 and (stays or is_long):
            problems.append('no run said that memory was missing')
        tap.report(name, problems, describe(ends, n_calls))


def main():
    options = parse_options(__doc__, '--library', '--only')
    tap = Tap('/fault-save', options.only)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(options, folder)
        runner.prepare()
        for resumes in (False, True):
            test_files(runner, tap, resumes, options.long)
            test_memory(runner, tap, resumes, options.long)
        print(f'# {runner.n_runs} programs started, {len(runner.resumable)} different files resumed')
    tap.finish()


main()
