"""What the tests of this folder share: prism-cli starts in an empty folder, and what it prints and leaves is looked at.

A command is written as in a shell, its environment in front: works('LANG=de run --output', [folder]); a list holds
words as they are. What must hold is asserted; main() runs the tests in their order and speaks TAP.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'fault'))
from tap import Tap  # pylint: disable=wrong-import-position

CLI = os.environ.get('PRISM_CLI', '')
LONG = os.environ.get('PRISM_TEST_LONG') is not None
SANITIZED = os.environ.get('PRISM_SANITIZED') == 'yes'
PATIENCE = 280  # only guards against hanging
tests = []
root = ''


class Skip(Exception):
    """Why a test cannot be made here."""


def test(name):
    return lambda function: tests.append((name, function)) or function


def place():
    """An empty folder, which goes when the test is over."""
    return tempfile.mkdtemp(dir=root)


def there(*names):
    return os.path.lexists(os.path.join(*names))


def read(*names):
    with open(os.path.join(*names), 'rb') as file:
        return file.read()


def write(data, *names):
    """Returns the path."""
    with open(os.path.join(*names), 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return os.path.join(*names)


def same(folder, name, other, other_name=None):
    assert read(folder, name) == read(other, other_name or name), f'{name} differs'


def has(text, *parts):
    for part in parts:
        assert part in text, f'“{part}” is not in “{text[:2000]}”'


def lacks(text, *parts):
    for part in parts:
        assert part not in text, f'“{part}” is in “{text[:2000]}”'


def find(root_value, path):
    """What a path like "runs.1.name" leads to in what JSON has become; KeyError where there is nothing."""
    for name in path.split('.'):
        root_value = root_value[int(name)] if isinstance(root_value, list) else root_value[name]
    return len(root_value) if isinstance(root_value, list) else root_value


def is_there(root_value, path):
    try:
        find(root_value, path)
    except (KeyError, IndexError, TypeError):
        return False
    return True


def number(text, path):
    return find(json.loads(text), path)


def holds(value, condition):
    path, sign, right = (condition.split(' ', 2) + ['', ''])[:3]
    if not sign:
        return is_there(value, path.lstrip('!')) != path.startswith('!')
    left = find(value, path)
    if right == 'null':
        return left is None
    if isinstance(left, str):
        return {'begins': left.startswith(right), 'has': right in left, '=': left == right}[sign]
    if right == 'finite':
        return abs(left) < float('inf')
    other, _, band = right.partition(' ± ')
    other = float(other) if re.match(r'-?[\d.]', other) else find(value, other)
    return {'=': abs(left - other) <= float(band or 0), '<': left < other, '>': left > other, '<=': left <= other,
            '>=': left >= other}[sign]


def check_json(text, *conditions):
    """Each holds: "final.psnr > 20", "pixel_m = 0.2 ± 1e-9", "rmse = finite", "cuda = null", "device has CPU";
    "versions": it is there, "!versions": it is not. The number of a list is how long it is."""
    value = json.loads(text)
    for condition in conditions:
        assert holds(value, condition), f'“{condition}” does not hold in {text}'


class Result:
    def __init__(self, folder, code, out, err):
        self.folder, self.code, self.out, self.err = folder, code, out, err

    def has(self, *parts):
        has(self.out, *parts)
        return self

    def json(self, *conditions):
        check_json(self.out, *conditions)
        return self

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def bytes(self, *names):
        return read(self.folder, *names)

    def file(self, *names):
        return self.bytes(*names).decode('utf-8', 'surrogateescape')

    def begins(self, name, beginning):
        assert self.bytes(name).startswith(beginning), f'{name} does not begin with {beginning}'

    def check_error(self, code, part):
        """It ended with this code and said why in one line."""
        assert self.code == code, f'{self.code}, not {code}: {self.err}'
        assert self.err.startswith('prism-cli: ') and self.err.find('\n') == len(self.err) - 1, self.err
        has(self.err, part)


def parse(words):
    """Words and environment."""
    parts, environment = [], dict(os.environ)
    for word in words:
        parts += shlex.split(word) if isinstance(word, str) else word
    while parts and re.match(r'[A-Z_]+=', parts[0]):
        name, _, value = parts.pop(0).partition('=')
        environment[name] = value
    return [CLI] + parts, environment


def start(*words, folder=None, ignore=False, **options):
    """As a terminal starts programs, in a group of its own; or as nohup does."""
    def prepare():
        if not ignore:
            os.setpgid(0, 0)
        for one in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(one, signal.SIG_IGN if ignore else signal.SIG_DFL)
    argv, environment = parse(words)
    return subprocess.Popen(argv, cwd=folder or place(), env=environment, preexec_fn=prepare, text=True, **options)


def wait_for_line(stream, beginning=''):
    """The next line with this beginning; None at the end."""
    return next((line.rstrip('\n') for line in stream if line.startswith(beginning)), None)


def run(*words, folder=None):
    argv, environment = parse(words)
    folder = folder or place()
    done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, timeout=PATIENCE, check=False)
    print(f'# {done.returncode}: {done.stderr.decode("utf-8", "replace")!r}')
    assert done.returncode >= 0, f'{words} ended by signal {-done.returncode}'
    return Result(folder, done.returncode, done.stdout.decode(), done.stderr.decode())


def works(*words, folder=None):
    result = run(*words, folder=folder)
    assert result.code == 0, f'{words} ends with {result.code}: {result.err}'
    return result


def clean(*words, folder=None):
    """It works without a word on standard error."""
    result = works(*words, folder=folder)
    assert result.err == '', result.err
    return result


def refuses(code, part, *words):
    run(*words).check_error(code, part)


def save_npy(rows, *names):
    """An array of floats, [height][width]. Returns the path."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}".ljust(117) + '\n'
    values = [value for row in rows for value in row]
    return write(b'\x93NUMPY\1\0' + struct.pack('<H', len(head)) + head.encode()
                 + struct.pack(f'<{len(values)}f', *values), *names)


def make_frames(size, per_side, name='cells.hdf5', *more):  # pylint: disable=keyword-arg-before-vararg
    """The path of frames of a small microscope, in a folder of their own."""
    return works(f'simulate --set size={size} --set per_side={per_side} {name}', *more).path(name)


def kill_after(least, most, process):
    """At a random moment, s. Returns whether it had ended by itself."""
    time.sleep(least + (most - least) * int.from_bytes(os.urandom(4), 'big') / 2 ** 32)
    process.kill()
    return process.wait() >= 0


def main(prefix='/cli'):
    global root  # pylint: disable=global-statement
    parser = argparse.ArgumentParser()
    parser.add_argument('--only', default='')
    only = parser.parse_args().only
    tap = Tap(prefix=prefix)
    for name, function in tests:
        if not name.startswith(only):
            continue
        root = tempfile.mkdtemp(prefix='prism-cli-')
        try:
            function()
            tap.report(name, [])
        except Skip as reason:
            tap.skip(name, reason)
        except Exception:  # pylint: disable=broad-except
            tap.report(name, traceback.format_exc().splitlines())
        finally:
            shutil.rmtree(root, ignore_errors=True)
    tap.finish()
