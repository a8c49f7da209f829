#!/usr/bin/env python3
"""Changes tokens of the numerical rooms, one at a time, and counts which changes the tests notice.

usage: mutate.py WORK [--n 300] [--seed 1] [--rooms num,kernels,...] [--longest SECONDS] [--again]

WORK is a folder that is made, with a copy of this tree in which all N changes stand at once, each as
“PRISM_MUTANT (17) ? changed : original”; PRISM_MUTANT in the environment chooses one. A change is a sign, an index, a
constant or a comparison. All tests but those of the window, faults, fuzzing and style run once, each case alone, and
write down which changes they reach (reach.jsonl). Then each change is tried with the cases that reach it and take at
most SECONDS, the quickest first, until one fails, crashes or takes five times as long. Rows of WORK/mutate.csv
without the name of a case were not noticed; a run that was stopped goes on from there. --again asks about these the
cases that are new or longer than those that were asked. WORK is of one draw, whatever N and the seed are later.

Needs python3-clang. Source: Untch, Offutt and Harrold, "Mutation analysis using mutant schemata", ISSTA 1993.
"""
import argparse
import concurrent.futures
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
import tempfile
import threading

from clang import cindex

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '../..'))
ROOMS = 'solve,trainer,ptychography,recording,num,kernels,cpu,model,measure,tiles'
SIGNS = {'+': '-', '-': '+', '*': '/', '+=': '-='}
OTHERS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '&&': '||'}
# Lines that compute nothing: programmer's checks, texts, sizes of memory.
IDLE = re.compile(r'^\s*(#|g_assert|g_return|g_set_error|prism_error|case )|"|\bsizeof\b|g_new|g_malloc')
SKIPPED = re.compile(r'faults|valgrind|full-disk|bad-input|names-and|stop-with|memory-told|slurm|lesson-texts|notebooks')
JOBS = 2
SWITCH = r'''
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int prism_mutant_now;
int prism_mutant_reach (int n);
__attribute__ ((constructor)) static void begin (void)
{
  const char *text = getenv ("PRISM_MUTANT");
  prism_mutant_now = text != NULL ? atoi (text) : 0;
}
__attribute__ ((cold)) int prism_mutant_reach (int n)
{
  static atomic_char seen[100000];
  int fd;
  if (atomic_exchange (&seen[n], 1) || (fd = open (getenv ("PRISM_MUTANT_LOG"), O_WRONLY | O_APPEND)) < 0)
    return 0;
  dprintf (fd, "%d\n", n);
  close (fd);
  return 0;
}
'''
HEADER = '''extern const int prism_mutant_now;
int prism_mutant_reach (int n);
#define PRISM_MUTANT(n) (__builtin_expect (prism_mutant_now == (n) || (prism_mutant_now < 0 && prism_mutant_reach (n)), 0))
'''


def span(cursor):
    """Bytes of the file; what a macro's argument says stands where it is written."""
    def offset(location):
        file, line, column, at = cindex.c_object_p(), cindex.c_uint(), cindex.c_uint(), cindex.c_uint()
        cindex.conf.lib.clang_getSpellingLocation(location, *map(cindex.byref, (file, line, column, at)))
        return at.value
    return offset(cursor.extent.start), offset(cursor.extent.end)


def find_sites(path, arguments):
    """(path, begin, end, kind, changed) of every change that the file offers."""
    unit = cindex.Index.create().parse(path, args=arguments)
    with open(path, 'rb') as f:
        text = f.read().decode('latin-1')
    sites = set()

    def add(begin, end, kind, changed):
        line = text[text.rfind('\n', 0, begin) + 1:text.find('\n', begin)]
        if end > begin and not IDLE.search(line):
            sites.add((path, begin, end, kind, changed))

    def visit(cursor):
        kind, children, (begin, end) = cursor.kind.name, list(cursor.get_children()), span(cursor)
        word = text[begin:end]
        if kind in ('BINARY_OPERATOR', 'COMPOUND_ASSIGNMENT_OPERATOR') and len(children) == 2:
            (left, middle), (after, right) = map(span, children)
            sign = text[middle:after].strip()
            if begin == left and end == right and (sign in SIGNS or sign in OTHERS):
                add(begin, end, 'sign' if sign in SIGNS else 'comparison',
                    text[begin:middle] + f' {SIGNS.get(sign) or OTHERS[sign]} ' + text[after:end])
        elif kind == 'ARRAY_SUBSCRIPT_EXPR' and len(children) == 2:
            begin, end = span(children[1])
            word = text[begin:end]
            if re.search(r'\[\s*$', text[:begin][-20:]):
                add(begin, end, 'index', word[:-4] if word.endswith(' + 1') else f'({word}) + 1')
                children = [child for child in children if not child.kind.name.endswith('LITERAL')]
        elif kind == 'INTEGER_LITERAL' and re.fullmatch(r'[1-9]\w*', word):
            add(begin, end, 'constant', f'{word} + 1')
        elif kind == 'FLOATING_LITERAL' and re.fullmatch(r'[\d.eE+-]*[1-9][\w.+-]*', word):
            add(begin, end, 'constant', f'2 * {word}')
        if kind == 'CASE_STMT' or kind == 'VAR_DECL' and 'ARRAY' in cursor.type.kind.name:
            children = children[1:] if kind == 'CASE_STMT' else [child for child in children if child.kind.name == 'INIT_LIST_EXPR']
        for child in children:
            if kind != 'CXX_UNARY_EXPR' and child.storage_class.name != 'STATIC':
                visit(child)

    for cursor in unit.cursor.get_children():
        if cursor.is_definition() and cursor.kind.name == 'FUNCTION_DECL' and cursor.location.file.name == path:
            for child in cursor.get_children():
                if child.kind.name == 'COMPOUND_STMT':
                    visit(child)
    return sorted(sites)


class Tree:
    """The copy: its commands that compile, and the changes that stand in it, as (path, begin, end, kind, changed)."""

    def __init__(self, work, rooms, n, seed):
        self.work, self.source, self.build = work, work + '/tree', work + '/tree/build'
        if not os.path.exists(self.build):
            for folder in ('plain', 'tree'):
                self.copy(folder, '.')
            for name, code in (('switch.c', SWITCH), ('mutant.h', HEADER)):
                with open(f'{work}/{name}', 'w', encoding='ascii') as f:
                    f.write(code)
            subprocess.run(['gcc', '-O2', '-fPIC', '-c', f'{work}/switch.c', '-o', f'{work}/switch.o'], check=True)
            subprocess.run(['meson', 'setup', self.build, self.source, '-Dapp=disabled', '-Dcuda=disabled', '-Demulation=false',
                            f'-Dc_link_args={work}/switch.o'], check=True, stdout=subprocess.DEVNULL)
        with open(self.build + '/compile_commands.json', encoding='utf-8') as f:
            entries = json.load(f)
        self.commands = {os.path.normpath(f'{self.build}/{entry["file"]}'): entry['command'].split() for entry in entries}
        if not os.path.exists(work + '/drawn.json'):
            self.draw(rooms, n, seed)
        with open(work + '/drawn.json', encoding='utf-8') as f:
            self.drawn = json.load(f)
        self.copy('tree', 'tests')

    def copy(self, folder, what):
        os.makedirs(f'{self.work}/{folder}', exist_ok=True)
        subprocess.run(f"git ls-files -z -- {what} | tar -c --null -T - | tar -x -C '{self.work}/{folder}'",
                       shell=True, cwd=ROOT, check=True)

    def read(self, path):
        with open(path.replace('/tree/', '/plain/'), encoding='latin-1') as f:
            return f.read()

    def compiles(self, path, text):
        """Whether the compiler takes TEXT in place of PATH."""
        with tempfile.NamedTemporaryFile('w', encoding='latin-1', suffix='.c', dir=os.path.dirname(path)) as f:
            f.write(text)
            f.flush()
            command = self.commands[path]
            words = [word for i, word in enumerate(command) if word not in ('-o', '-c') and command[i - 1] != '-o']
            return not subprocess.run([*words[:-1], '-w', '-fsyntax-only', f.name], cwd=self.build, capture_output=True).returncode

    def switch(self, path, sites):
        """The text of PATH with these (number, site) in it."""
        text = self.read(path)
        for number, (_, begin, end, _, changed) in sorted(sites, key=lambda item: -item[1][1]):
            text = f'{text[:begin]}(PRISM_MUTANT ({number}) ? ({changed}) : ({text[begin:end]})){text[end:]}'
        return f'#include "{self.work}/mutant.h"\n#line 1\n{text}'

    def draw(self, rooms, n, seed):
        """Writes N that compile and do not lie in each other into the tree."""
        os.chdir(self.build)
        sites = [site for room in rooms.split(',') for path in sorted(glob.glob(f'{self.source}/src/engine/{room}/*.c'))
                 if not path.endswith('prism-tuning.c')
                 for site in find_sites(path, [word for word in self.commands[path] if re.match('-[IDi]', word)])]
        random.Random(seed).shuffle(sites)
        chosen = []
        for site in sites:
            if len(chosen) < n + n // 5 and all(o[0] != site[0] or o[1] >= site[2] or site[1] >= o[2] for o in chosen):
                chosen.append(site)
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            good = pool.map(lambda site: self.compiles(site[0], self.switch(site[0], [(1, site)])), chosen)
        drawn = [site for site, fine in zip(chosen, good) if fine][:n]
        for path in {site[0] for site in drawn}:
            text = self.switch(path, [item for item in enumerate(drawn, 1) if item[1][0] == path])
            with open(path, 'w', encoding='latin-1') as f:
                f.write(text)
        with open(self.work + '/drawn.json', 'w', encoding='utf-8') as f:
            json.dump(drawn, f)
        print(f'{len(sites)} places, {len(chosen)} drawn, {len(drawn)} compile', flush=True)

    def tell(self, site):
        """(file, line, kind, line before, line after)."""
        path, begin, end, kind, changed = site
        text = self.read(path)
        first, last = text.rfind('\n', 0, begin) + 1, text.find('\n', end)
        texts = text[first:last], f'{text[first:begin]}({changed}){text[end:last]}'
        return [path[len(self.source) + 1:], text.count('\n', 0, begin) + 1, kind,
                *(' '.join(one.encode('latin-1').decode().split()) for one in texts)]


class Tests:
    """Every case: its command, processor time, and which changes it reaches."""

    def __init__(self, tree, longest):
        self.tree, self.path, self.known, self.longest = tree, tree.work + '/reach.jsonl', {}, longest
        subprocess.run(['ninja', f'-j{JOBS}', '-C', tree.build], check=True, stdout=subprocess.DEVNULL)
        listing = subprocess.run(['meson', 'introspect', '--tests', tree.build], capture_output=True, check=True)
        if os.path.exists(self.path):
            with open(self.path, encoding='utf-8') as f:
                self.known = {case['stamp']: case for case in map(json.loads, f) if case['passes'] or case['seconds'] > longest}
        self.cases = [case for test in json.loads(listing.stdout) if not SKIPPED.search(test['name'])
                      and not re.search('style|fuzz', ' '.join(test['suite'])) for case in self.split(test)]
        self.new = {case['stamp'] for case in self.cases if case['stamp'] not in self.known}
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            list(pool.map(self.measure, self.cases))
        wrong = [case['name'] for case in self.cases if not self.known[case['stamp']]['passes']]
        print(f'{len(self.cases)} cases; not asked, as they take longer or fail alone: {" ".join(wrong)}', flush=True)

    def split(self, test):
        command, folder = test['cmd'], self.tree.build
        program = os.path.join(folder, command[0])
        stamp = hashlib.sha256(open(program, 'rb').read() if '/behaviour/' not in program else b'')
        names = [([], '')]
        if os.path.basename(program).startswith('test-') and '--tap' in command:
            listed = subprocess.run([program, '-l'], env={**os.environ, **test['env']}, capture_output=True, text=True, check=False)
            names = [(['-p', name], name) for name in listed.stdout.split('\n') if name.startswith('/')]
        elif '/behaviour/' in program:
            part = command[command.index('--part') + 1]
            table = open(os.path.dirname(program) + '/table.txt', encoding='utf-8').read()
            rows = re.search(rf'^\[{part}\b.*?(?=^\[|\Z)', table, re.M | re.S).group().split('\n')
            names = [(['--only', f'{part}/{row.split()[0]}'], row) for row in rows[1:] if '|' in row]
        for words, name in names:
            yield {'name': test['name'] + (':' + words[1] if words else ''), 'command': [program, *command[1:], *words],
                   'env': test['env'], 'stamp': hashlib.sha256(stamp.digest() + repr((command[1:], name)).encode()).hexdigest()}

    def run(self, case, mutant, seconds):
        """Whether the case passes within SECONDS of processor time, and what it took."""
        with tempfile.TemporaryDirectory(prefix='prism-mutant-') as folder:
            environment = {**os.environ, **case['env'], 'PRISM_MUTANT': str(mutant), 'TMPDIR': folder, 'MALLOC_PERTURB_': '165',
                           'PRISM_MUTANT_LOG': folder + '.log', 'XDG_CACHE_HOME': folder}
            with open(folder + '.log', 'w+', encoding='ascii') as log, open(folder + '/.out', 'w+', errors='replace') as output:
                limits = {resource.RLIMIT_CPU: int(seconds) + 1, resource.RLIMIT_AS: 16 << 30, resource.RLIMIT_CORE: 0}

                def prepare():
                    signal.signal(signal.SIGINT, signal.SIG_DFL)
                    for kind, limit in limits.items():
                        resource.setrlimit(kind, (limit, limit))
                process = subprocess.Popen(case['command'], env=environment, cwd=self.tree.build, stdout=output,
                                           stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True,
                                           preexec_fn=prepare)
                timer = threading.Timer(30 * seconds + 60, os.killpg, (process.pid, signal.SIGKILL))
                timer.start()
                _, status, used = os.wait4(process.pid, 0)
                timer.cancel()
                process.returncode = status
                output.seek(0)
                passes = status == 0 and not re.search('^not ok', output.read(), re.M)
                reached = sorted(set(map(int, log.read().split())))
            os.unlink(folder + '.log')
        return passes, used.ru_utime + used.ru_stime, reached

    def measure(self, case):
        if case['stamp'] in self.new:
            passes, seconds, reached = self.run(case, -1, self.longest)
            self.known[case['stamp']] = {'name': case['name'], 'stamp': case['stamp'], 'passes': passes,
                                         'seconds': seconds, 'reached': reached}
            with open(self.path, 'a', encoding='utf-8') as f:
                f.write(json.dumps(self.known[case['stamp']]) + '\n')

    def find_killer(self, mutant, asked):
        """(name of the case that notices or '', how many reach it); those up to ASKED seconds were asked before."""
        cases = [(self.known[case['stamp']]['seconds'], case) for case in self.cases
                 if mutant in self.known[case['stamp']]['reached'] and self.known[case['stamp']]['passes']]
        for seconds, case in sorted(cases, key=lambda item: item[0]):
            if seconds <= self.longest and (seconds > asked or case['stamp'] in self.new):
                # A case that fails of the machine's load fails without the change too.
                if not self.run(case, mutant, 5 * seconds + 3)[0] and self.run(case, 0, 5 * seconds + 3)[0]:
                    return case['name'], len(cases)
        return '', len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('work')
    parser.add_argument('--n', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--rooms', default=ROOMS)
    parser.add_argument('--longest', type=float, default=60)
    parser.add_argument('--again', action='store_true')
    arguments = parser.parse_args()
    tree = Tree(os.path.abspath(arguments.work), arguments.rooms, arguments.n, arguments.seed)
    tests, path, rows = Tests(tree, arguments.longest), tree.work + '/mutate.csv', {}
    if os.path.exists(path):
        with open(path, newline='', encoding='utf-8') as f:
            rows = {int(row[0]): row for row in csv.reader(f)}

    def run(item):
        number, site = item
        if number in rows and (not arguments.again or rows[number][4]):
            return
        killer, n = tests.find_killer(number, float(rows[number][6]) if number in rows else -1)
        *place, before, after = tree.tell(site)
        rows[number] = [number, *place, killer, n, arguments.longest, before, after]
        with open(path, 'a', newline='', encoding='utf-8') as f:
            csv.writer(f).writerow(rows[number])
        print(f'{number} {place[0]}:{place[1]} {place[2]} {killer or "SURVIVES"} ({n})', flush=True)

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(run, enumerate(tree.drawn, 1)))
    rooms = {}
    for row in rows.values():
        rooms.setdefault(row[1].split('/')[2], []).append(row[4] != '')
    for room, killed in [*sorted(rooms.items()), ('all', sum(rooms.values(), []))]:
        print(f'{room:14} {sum(killed):3} of {len(killed):3} noticed, {100 * sum(killed) / len(killed):.0f} %')


if __name__ == '__main__':
    main()
