#!/usr/bin/env python3
"""Changes one token of the numerical rooms at a time and counts which changes the tests notice.

usage: mutate.py BUILD [--n 300] [--seed 1] [--rooms num,kernels,...] [--longest SECONDS] [--again] [--csv FILE]

BUILD is a build of this tree with tests, which has to be clean: each change is made in the tree, built, tested and
taken back. A change is a sign, an index, a constant or a comparison. It is killed where a test fails, crashes or
hangs: first those named as the file, then those of its room and the rows of behaviour that take no longer than
SECONDS of processor time; --again tries the survivors of FILE alone, with a larger limit. What does not compile,
or compiles to the same code, is drawn anew. A survivor is printed as its line before and after; some change nothing
that could be seen (a bound that is never met), the others ask for a test. A run that was stopped goes on with its CSV.

Source: DeMillo, Lipton and Sayward, "Hints on test data selection", Computer 11 (4), 1978.
"""
import argparse
import csv
import glob
import hashlib
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys

ROOMS = 'solve,trainer,ptychography,recording,num,kernels,cpu,model,measure,tiles'
# Rooms whose tests look at another room too.
MORE = {'kernels': ['cpu', 'ptychography'], 'num': ['measure', 'cpu'], 'cpu': ['trainer'], 'measure': ['cpu']}
LAST = ['behaviour-' + part for part in ('methods', 'lines', 'sparse', 'training', 'pattern', 'frames', 'recorded')]
HOPELESS = 1e6  # seconds of a test that fails before anything is changed
KINDS = {
    'sign': [(r' \+ ', ' - '), (r' - (?=\w)', ' + '), (r' \+= ', ' -= '), (r'(?<=[\w\)\]]) \* (?=[\w\(])', ' / ')],
    'index': [(r'\[(\w+)\]', r'[\1 + 1]'), (r'\[(\w+) \+ 1\]', r'[\1]')],
    'constant': [(r'\b(?!0\.0+\b)(\d+\.\d+)(?=[fF]?\b)', r'(2 * \1)'), (r'(?<![\w.\[])([1-9]\d*)(?![\w.])', r'(\1 + 1)')],
    'comparison': [(r' < ', ' <= '), (r' <= ', ' < '), (r' > ', ' >= '), (r' >= ', ' > '), (r' == ', ' != '),
                   (r' && ', ' || ')],
}
# Lines that compute nothing: programmer's checks, texts, declarations of types, includes.
IDLE = re.compile(r'^\s*(#|\*|/\*|//|g_assert|g_return|g_set_error|prism_error|case )|"|\bsizeof\b|^static const|g_new|g_malloc')


def find_sites(path):
    """(line number, kind, new line) of every change that the file offers."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().split('\n')
    inside = comment = False
    for number, line in enumerate(lines):
        comment = comment or '/*' in line
        if comment:
            comment = '*/' not in line
            continue
        inside = line.startswith('{') or inside and not line.startswith('}')
        if not inside or IDLE.search(line):
            continue
        for kind, rules in KINDS.items():
            for pattern, new in rules:
                for match in re.finditer(pattern, line):
                    yield number, kind, line[:match.start()] + match.expand(new) + line[match.end():]


class Tests:
    """The tests that look at a room, each with the seconds that it took before anything was changed."""

    def __init__(self, build, root, longest):
        listing = subprocess.run(['meson', 'introspect', '--tests', build], capture_output=True, check=True, text=True)
        self.build, self.longest, self.rooms = build, longest, {}
        self.known = {test['name']: test for test in json.loads(listing.stdout)}
        for source in glob.glob(os.path.join(root, 'tests/engine/*/test-*.c')):
            room, name = os.path.basename(os.path.dirname(source)), os.path.basename(source)[5:-2]
            if name in self.known:
                self.rooms.setdefault(room, []).append(name)
        self.make([])
        self.objects = glob.glob(os.path.join(build, 'src/engine/**/*.o'), recursive=True)
        self.seconds, self.path = {}, os.path.join(build, 'mutate-seconds.json')
        if os.path.exists(self.path):
            with open(self.path, encoding='utf-8') as f:
                self.seconds = json.load(f)

    def of(self, path):
        """Names, the likeliest to notice and the quickest first."""
        room, stem = os.path.basename(os.path.dirname(path)), os.path.basename(path)[6:-2]
        rooms = [name for other in (room, *MORE.get(room, ())) for name in self.rooms.get(other, ())]
        near = [name for name in rooms if name == stem or name.startswith(stem + '-')
                or stem.startswith(name + '-') or name == f'{room}-{stem}']
        groups = near, [name for name in rooms if name not in near], [name for name in LAST if name in self.known]
        return [name for group in groups for name in sorted(group, key=self.measure)
                if self.measure(name) < (HOPELESS if group is near else self.longest)]

    def measure(self, name):
        if name not in self.seconds:
            self.make([name])
            start = resource.getrusage(resource.RUSAGE_CHILDREN)
            ok = self.passes(name, 600)
            end = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.seconds[name] = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime if ok else HOPELESS
            with open(self.path, 'w', encoding='utf-8') as f:
                json.dump(self.seconds, f)
        return self.seconds[name]

    def make(self, names):
        """Whether these tests and what they need could be built."""
        programs = [os.path.relpath(self.known[name]['cmd'][0], self.build) for name in names]
        targets = {'src/engine/libprism-engine.a'}
        targets |= {program if program.startswith('tests/') else 'src/cli/prism-cli' for program in programs}
        return not subprocess.run(['ninja', '-j1', '-C', self.build, *sorted(targets)], capture_output=True).returncode

    def digest(self, path):
        """Of the code that the compiler makes of PATH."""
        ending = os.path.basename(os.path.dirname(path)) + '_' + os.path.basename(path) + '.o'
        names = sorted(name for name in self.objects if name.endswith((ending, '/' + os.path.basename(path) + '.o')))
        return [hashlib.sha256(open(name, 'rb').read()).digest() for name in names]

    def passes(self, name, seconds):
        """Whether the test passes within SECONDS of processor time."""
        test = self.known[name]
        process = subprocess.Popen(test['cmd'], env={**os.environ, **test['env']}, cwd=self.build, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds))))
        try:
            output, _ = process.communicate(timeout=20 * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return False
        return process.returncode == 0 and 'not ok' not in output

    def killer(self, path):
        """The test that notices, None where all pass."""
        for name in self.of(path):
            if not self.make([name]) or not self.passes(name, 10 + 10 * self.measure(name)):
                return name
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--n', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rooms', default=ROOMS)
    parser.add_argument('--longest', type=float, default=60)
    parser.add_argument('--again', action='store_true')
    parser.add_argument('--csv', default='mutate.csv', help='a row is added after each change; what stands there is not tried again')
    arguments = parser.parse_args()
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), '../..'))
    if subprocess.run(['git', '-C', root, 'status', '--porcelain', '-uno'], capture_output=True, text=True).stdout:
        sys.exit('mutate.py changes the tree and takes it back: commit or stash what is changed first.')

    paths = [path for room in arguments.rooms.split(',') for path in sorted(glob.glob(f'{root}/src/engine/{room}/*.c'))
             if not path.endswith('prism-tuning.c')]
    sites = [(path, *site) for path in paths for site in find_sites(path)]
    random.Random(arguments.seed).shuffle(sites)
    rows = []
    if os.path.exists(arguments.csv):
        with open(arguments.csv, newline='', encoding='utf-8') as f:
            rows = list(csv.reader(f))
    if arguments.again:
        survivors = {(row[0], int(row[1]), row[5]) for row in rows if not row[3]}
        sites = [site for site in sites if (os.path.relpath(site[0], root), site[1] + 1, site[3].strip()) in survivors]
        rows = [row for row in rows if row[3]]
    known = {(row[0], int(row[1]), row[5]) for row in rows}
    tests = Tests(os.path.abspath(arguments.build), root, arguments.longest)
    for path, number, kind, new in sites:
        if len(rows) == arguments.n:
            break
        name = os.path.relpath(path, root)
        if (name, number + 1, new.strip()) in known or not tests.make([]):
            continue
        with open(path, encoding='utf-8') as f:
            text = f.read()
        for test in tests.of(path):
            tests.measure(test)
        lines, unchanged = text.split('\n'), tests.digest(path)
        old, lines[number] = lines[number], new
        try:
            with open(path, 'w', encoding='utf-8') as f:
                f.write('\n'.join(lines))
            if not tests.make([]) or tests.digest(path) == unchanged:
                continue
            killer = tests.killer(path)
        finally:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
        rows.append((name, number + 1, kind, killer or '', old.strip(), new.strip()))
        with open(arguments.csv, 'a', newline='', encoding='utf-8') as f:
            csv.writer(f).writerow(rows[-1])
        if not killer:
            print(f'survived  {name}:{number + 1} {kind}\n    {old.strip()}\n    {new.strip()}', flush=True)
        killed = sum(row[3] != '' for row in rows)
        print(f'{len(rows)} of {arguments.n}: {killed} killed, {100 * killed / len(rows):.0f} %', flush=True)


if __name__ == '__main__':
    main()
