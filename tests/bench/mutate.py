#!/usr/bin/env python3
"""Changes one token of the numerical rooms at a time and counts which changes the tests notice.

usage: mutate.py BUILD [--n 300] [--seed 1] [--rooms num,kernels,...] [--csv FILE]

BUILD is a build of this tree with tests, which has to be clean: each change is made in the tree, built, tested and
taken back. A change is a sign, an index, a constant or a comparison. It is killed where a test fails, crashes or
hangs: first those named as the file, then those of its room, then the fast rows of behaviour. What does not compile is
drawn anew. A survivor is printed as its line before and after; some change nothing that could be seen (a bound that is
never met), the others ask for a test.

Source: DeMillo, Lipton and Sayward, "Hints on test data selection", Computer 11 (4), 1978.
"""
import argparse
import csv
import glob
import json
import os
import random
import re
import subprocess
import sys

ROOMS = 'num,kernels,cpu,model,solve,ptychography,measure,history'
BEHAVIOUR = ['behaviour-lines', 'behaviour-pattern', 'behaviour-frames', 'behaviour-recorded', 'behaviour-sparse']
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
    def __init__(self, build, root):
        listing = subprocess.run(['meson', 'introspect', '--tests', build], capture_output=True, check=True, text=True)
        self.build, self.known, self.folder = build, {}, {}
        for test in json.loads(listing.stdout):
            self.known[test['name']] = os.path.relpath(test['cmd'][0], build)
        for source in glob.glob(os.path.join(root, 'tests/engine/*/test-*.c')):
            self.folder.setdefault(os.path.basename(os.path.dirname(source)), []).append(
                os.path.basename(source)[5:-2])

    def stages(self, path):
        """Groups of tests, the likeliest to notice first."""
        room, stem = os.path.basename(os.path.dirname(path)), os.path.basename(path)[6:-2]
        near = [name for name in self.known if name == stem or name.startswith(stem + '-')
                or stem.startswith(name + '-') and '-' in name or name == f'{room}-{stem}']
        own = [name for name in self.folder.get(room, []) if name in self.known and name not in near]
        extra = [name for name in self.folder.get('cpu', []) if room == 'kernels' and name in self.known]
        return [group for group in (near, own + extra, [name for name in BEHAVIOUR if name in self.known]) if group]

    def compiles(self):
        return subprocess.run(['ninja', '-C', self.build, 'src/engine/libprism-engine.a'], capture_output=True).returncode == 0

    def fail(self, names):
        targets = {self.known[name] if self.known[name].startswith('tests/') else 'src/cli/prism-cli' for name in names}
        if subprocess.run(['ninja', '-C', self.build, *sorted(targets)], capture_output=True).returncode:
            return True
        return bool(subprocess.run(['meson', 'test', '-C', self.build, '--no-rebuild', '--maxfail', '1', *names],
                                   capture_output=True).returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('--n', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rooms', default=ROOMS)
    parser.add_argument('--csv')
    arguments = parser.parse_args()
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), '../..'))
    if subprocess.run(['git', '-C', root, 'status', '--porcelain', '-uno'], capture_output=True, text=True).stdout:
        sys.exit('mutate.py changes the tree and takes it back: commit or stash what is changed first.')

    paths = [path for room in arguments.rooms.split(',') for path in sorted(glob.glob(f'{root}/src/engine/{room}/*.c'))
             if not path.endswith('prism-tuning.c')]
    sites = [(path, *site) for path in paths for site in find_sites(path)]
    random.Random(arguments.seed).shuffle(sites)
    tests, rows = Tests(os.path.abspath(arguments.build), root), []
    for path, number, kind, new in sites:
        if len(rows) == arguments.n:
            break
        with open(path, encoding='utf-8') as f:
            text = f.read()
        lines = text.split('\n')
        old, lines[number] = lines[number], new
        try:
            with open(path, 'w', encoding='utf-8') as f:
                f.write('\n'.join(lines))
            if not tests.compiles():
                continue
            killer = next((stage for stage, names in enumerate(tests.stages(path), 1) if tests.fail(names)), 0)
        finally:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
        name = os.path.relpath(path, root)
        rows.append((name, number + 1, kind, killer, old.strip(), new.strip()))
        if not killer:
            print(f'survived  {name}:{number + 1} {kind}\n    {old.strip()}\n    {new.strip()}', flush=True)
        killed = sum(row[3] > 0 for row in rows)
        print(f'{len(rows)} of {arguments.n}: {killed} killed, {100 * killed / len(rows):.0f} %', flush=True)
    if arguments.csv:
        with open(arguments.csv, 'w', newline='', encoding='utf-8') as f:
            csv.writer(f).writerows([('file', 'line', 'kind', 'killed_by_stage', 'old', 'new'), *rows])


if __name__ == '__main__':
    main()
