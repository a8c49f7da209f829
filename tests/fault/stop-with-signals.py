#!/usr/bin/env python3
"""Stops runs that save themselves by signals at random moments. Speaks TAP.

    stop-with-signals.py --cli PRISM-CLI [--long]

SIGTERM, SIGHUP, SIGINT or SIGQUIT, some of them twice, from 5 to 250 ms after the start: the program ends as documented, the run
file opens without damage and is not older than before, what lies in the output directory is whole, and in the end the
resumed run has the bits of one that nobody stopped. The moments are random with a fixed seed; there is nothing to wait
for but time.
"""

import collections
import os
import random
import signal
import tempfile
import threading
import time

from cli import Program, parse_options, read, settings, PATIENCE
from tap import Tap

N_SHORT = 30
N_LONG = 500
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
# Enough to do that most signals meet the run under way.
LENGTH = {'samples': 60, 'steps': 20, 'start_steps': 20, 'polish': 20, 'autosave_samples': 1}


class Stopped:
    """One run that is stopped and resumed until it is over, again and again."""

    def __init__(self, program, folder, seed):
        self.program = program
        self.path = os.path.join(folder, 'a.prismrun')
        self.output = os.path.join(folder, 'output')
        self.random = random.Random(seed)
        self.ends = collections.Counter()
        self.step = 0

    def arguments(self):
        begun = ['--resume', self.path] if os.path.exists(self.path) else settings(LENGTH) + ['--save', self.path]
        return ['run', '-q', '-o', self.output] + begun

    def stop_once(self, twice):
        """Returns the exit status and what was said."""
        process = self.program.start(self.arguments())
        number = self.random.choice(SIGNALS)

        def send():
            if process.poll() is None:
                process.send_signal(number)
                if twice:
                    process.send_signal(number)
        timer = threading.Timer(self.random.uniform(0.005, 0.25), send)
        timer.start()
        _, errors = process.communicate(timeout=PATIENCE)
        timer.cancel()
        timer.join()
        return number, process.returncode, errors.decode()

    def find_damage(self):
        if not os.path.exists(self.path):
            return []
        content = self.program.inspect(self.path)
        if isinstance(content, str):
            return [f'the file does not open: {content}']
        problems = []
        if content['damaged'] or content['notice'] or content['locked']:
            problems.append(f'the file is not whole: {content["damaged"]}, {content["notice"]}, {content["locked"]}')
        if content['step'] < self.step:
            problems.append(f'back from step {self.step} to {content["step"]}')
        self.step = content['step']
        return problems

    def find_leftovers(self, twice):
        """The next run tidies up beside its file what a second signal has left there."""
        left = os.listdir(os.path.dirname(self.path))
        if not twice and os.path.isdir(self.output):
            left += os.listdir(self.output)
        return [f'left lying about: {name}' for name in left if name.startswith('.prism-') or name.endswith('.lock')]

    def find_rudeness(self, number, code, errors, twice):
        # Before the program is ready, and by the second signal, it ends at once, as any program.
        if code in (0, -number):
            self.ends['finished' if code == 0 else 'at once'] += 1
            return [] if not errors else [f'ended with {code}, but said {errors!r}']
        self.ends['stopped'] += 1
        if code != 128 + number:
            return [f'{number!r}{" twice" if twice else ""} ended with {code}: {errors!r}']
        if errors:
            return [f'stopped as asked, but said {errors!r}']
        return []

    def check_once(self, reference, twice):
        number, code, errors = self.stop_once(twice)
        problems = self.find_rudeness(number, code, errors, twice) + self.find_damage()
        if code >= 0:
            problems += self.find_leftovers(twice)
        if code == 0:
            if read(os.path.join(self.output, 'reconstruction.npy')) != reference:
                problems.append('the end is another image')
            os.unlink(self.path)
            self.step = 0
        return problems


# Runs so large that timing one takes a while, which is what they are stopped in.
LARGE = {'image_size': 1024, 'object_size': 512, 'samples': 20}
TIMED = (('run', '--dry-run'), ('sweep', '--over', 'snr=10,20'), ('lesson', 'check', '--run', 'judging'))
SOON = 10  # seconds; to time one of these takes longer on a busy machine


def find_patience(program, command):
    """What is wrong with how a command ends that is stopped before its first run."""
    environment = {'XDG_CACHE_HOME': os.path.join(program.folder, 'cache-' + command[0])}
    sizes = settings(LARGE) if command[0] != 'lesson' else []
    process = program.start([*command, *sizes], environment)
    time.sleep(1)
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE)
    seconds = time.monotonic() - begun
    problems = []
    if process.returncode != 128 + signal.SIGTERM or b'prism-cli: Stopped.' not in errors:
        problems.append(f'{" ".join(command)} ended with {process.returncode}: {errors[-200:]!r}')
    if seconds > SOON:
        problems.append(f'{" ".join(command)} ended after {seconds:.1f} s')
    return problems


def find_result_of_passes(program):
    """What is wrong with the passes over recorded frames that are stopped in the middle of thousands."""
    program.call('simulate', '--set', 'size=32', '--set', 'per_side=5', 'frames.hdf5')
    process = program.start(['run', '--measurements', 'frames.hdf5', '--set', 'passes=10000', '--output', 'passes'])
    for line in process.stdout:
        if line.startswith(b'Pass 2 '):
            break
    time.sleep(1)  # until a line waits for room in the pipe
    process.send_signal(signal.SIGTERM)
    output, errors = process.communicate(timeout=PATIENCE)
    problems = []
    if process.returncode != 128 + signal.SIGTERM or errors or b'Stopped after ' not in output:
        problems.append(f'ended with {process.returncode}: {errors!r} {output[-200:]!r}')
    if not os.path.exists(os.path.join(program.folder, 'passes', 'summary.json')):
        problems.append('there is no result')
    return problems


def main():
    options = parse_options(__doc__)
    tap = Tap('/fault-signals')
    with tempfile.TemporaryDirectory() as folder:
        program = Program(options.cli, folder)
        tap.report('before-the-first-run', [problem for command in TIMED
                                            for problem in find_patience(program, command)])
        tap.report('passes', find_result_of_passes(program))
        program.call('run', '-q', '-o', 'reference', *settings(LENGTH))
        reference = read(os.path.join(folder, 'reference', 'reconstruction.npy'))
        for twice in (False, True):
            place = os.path.join(folder, str(twice))
            os.mkdir(place)
            stopped = Stopped(program, place, 1 + twice)
            problems = []
            for _ in range(N_LONG if options.long else N_SHORT):
                problems += stopped.check_once(reference, twice)
            if stopped.ends['stopped'] == 0 and not twice:
                problems.append('no run was met under way')
            done = program.call(*stopped.arguments())
            if done.returncode != 0 or read(os.path.join(place, 'output', 'reconstruction.npy')) != reference:
                problems.append(f'the last run does not end as it should: {done.stderr!r}')
            tap.report('twice' if twice else 'once', problems, ', '.join(f'{n} {end}' for end, n in stopped.ends.items()))
    tap.finish()


main()
