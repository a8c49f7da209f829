"""Runs prism-cli for the tests of this folder, and reads what it leaves."""

import argparse
import json
import os
import re
import signal
import subprocess
import zipfile

TINY = {'image_size': 64, 'object_size': 16, 'aperture_radius': 8, 'samples': 6, 'steps': 3, 'start_steps': 4,
        'method': 'decoder', 'polish': 2, 'threads': 1, 'backend': 'cpu'}
# Documented in “prism-cli --help”.
EXIT_CONFIG = 2
EXIT_IO = 3
EXIT_MEMORY = 4
# Only guards against hanging.
PATIENCE = 300
# Columns of metrics.csv that hold times, memory, and what follows from them.
TIMELESS_COLUMNS = 9
# The column of frames/index.csv that holds the time.
MOMENT_SECONDS = 10


def settings(values):
    """Options that set TINY with other values."""
    arguments = []
    for key, value in {**TINY, **values}.items():
        arguments += ['--set', f'{key}={value}']
    return arguments


class Program:
    def __init__(self, path, folder):
        self.path = os.path.abspath(path)
        self.folder = folder

    def environment(self, changes=None):
        return {**os.environ, 'LC_ALL': 'C.UTF-8', 'TMPDIR': self.folder, **(changes or {})}

    def start(self, arguments, environment=None, before=None, folder=None):
        return subprocess.Popen([self.path] + arguments, cwd=folder or self.folder, env=self.environment(environment),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=before)

    def call(self, *arguments, environment=None, before=None, folder=None):
        process = self.start(list(arguments), environment, before, folder)
        try:
            output, errors = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            raise
        return subprocess.CompletedProcess(arguments, process.returncode, output.decode('utf-8', 'surrogateescape'),
                                           errors.decode('utf-8', 'surrogateescape'))

    def inspect(self, path):
        """What is in a run file; a string where it cannot be said."""
        done = self.call('inspect', '--json', path)
        return json.loads(done.stdout) if done.returncode == 0 else f'exit {done.returncode}: {done.stderr}'


def find_rudeness(done, code, *parts):
    """What is wrong with how a failure was told: it is one sentence, has these parts, and this exit status."""
    if done.returncode != code:
        return [f'exit status {done.returncode}, not {code}: {done.stderr[-300:]}']
    if not done.stderr.startswith('prism-cli: ') or not done.stderr.endswith(('.\n', '?\n')):
        return [f'not a sentence: {done.stderr!r}']
    return [f'“{part}” is not in {done.stderr!r}' for part in parts if part not in done.stderr]


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def drop_times(name, data):
    """A file without what is different in every run."""
    if name.endswith('metrics.csv'):
        return [line.split(b',')[:TIMELESS_COLUMNS] for line in data.splitlines()]
    if name.endswith('frames/index.csv'):
        return [line.split(b',')[:MOMENT_SECONDS] + line.split(b',')[MOMENT_SECONDS + 1:] for line in data.splitlines()]
    if name.endswith('.json') and data.strip():
        return drop_volatile(json.loads(data))
    return drop_dates(data) if name.endswith('.h5') else data


def drop_dates(data):
    return re.sub(rb'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ', b'', data)


VOLATILE = {'id', 'started', 'saved', 'date', 'seconds', 'seconds_left', 'steps_per_second', 'counters', 'memory',
            'memory_used', 'memory_peak', 'memory_available', 'wall_clock', 'created', 'files', 'members', 'cache', 'cache_hit_rate',
            'cache_hits', 'cache_misses', 'peak', 'host', 'times', 'step_seconds', 'pass_seconds', 'pass_began'}


def drop_volatile(value):
    if isinstance(value, dict):
        return {key: drop_volatile(part) for key, part in value.items() if key not in VOLATILE}
    return [drop_volatile(part) for part in value] if isinstance(value, list) else value


def read_folder(folder):
    return {name: drop_times(name, read(os.path.join(folder, name))) for name in sorted(os.listdir(folder))}


def read_members(path):
    """What a run file holds, without times."""
    with zipfile.ZipFile(path) as archive:
        return {name: drop_times(name, archive.read(name)) for name in archive.namelist()}


def parse_options(description, *more):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('--cli', required=True)
    parser.add_argument('--long', action='store_true', default=os.environ.get('PRISM_TEST_LONG') == '1')
    for option in more:
        parser.add_argument(option)
    return parser.parse_args()
