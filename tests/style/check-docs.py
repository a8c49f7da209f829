#!/usr/bin/env python3
"""The documentation agrees with the tree, as TAP: links lead somewhere, named files and tests exist.

usage: check-docs.py SOURCE_ROOT
"""
import functools
import glob
import os
import re
import sys

FOLDERS = 'src|tests|docs|data|po|resources|.ci'


def prose(text):
    """Blocks of code become empty lines: what stands there is an example."""
    return re.sub(r'^```.*?^```', lambda match: re.sub(r'[^\n]', '', match.group()), text, flags=re.S | re.M)


def anchors(path):
    with open(path, encoding='utf-8') as f:
        titles = re.findall(r'^#+ +(.*)$', prose(f.read()), flags=re.M)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles}


def check_links(root, path, number, line):
    for target in re.findall(r'\]\(([^)\s]+)\)', line):
        if re.match(r'\w+:', target):
            continue
        file, _, anchor = target.partition('#')
        full = os.path.normpath(os.path.join(root, os.path.dirname(path), file)) if file else os.path.join(root, path)
        if not os.path.exists(full):
            yield f'{path}:{number}: the link {target} leads nowhere'
        elif anchor and anchor not in anchors(full):
            yield f'{path}:{number}: {target} has no such heading'


def check_paths(root, path, number, line):
    for name in re.findall(r'`((?:' + FOLDERS + r')/[^`\s]*)`', line):
        if not glob.glob(os.path.join(root, re.sub(r'\{[^}]*\}|[A-Z]{2,}', '*', name))):
            yield f'{path}:{number}: there is no {name}'


def is_test(name, known):
    """Whether a test or group of that name is added: as one literal, as prefix and name, or by a format."""
    parts = name.split('/')
    splits = [('/'.join(parts[:i]) + '/', '/'.join(parts[i:])) for i in range(2, len(parts))]
    formats = re.findall(r'"(/[^"\n]*%[^"\n]*)"', known)
    return (f'"{name}' in known
            or any(f'"{prefix}' in known and f'"{rest}' in known for prefix, rest in splits)
            or any(re.match(re.sub(r'%[a-z]', '[^/]+', text).rstrip('/') + '$', name + end)
                   for text in formats for end in ('', '/x')))


@functools.lru_cache
def read_tests(root):
    known, part = '', ''
    for line in open(os.path.join(root, 'tests/behaviour/table.txt'), encoding='utf-8'):
        part = line[1:].split()[0] if line.startswith('[') else part
        known += f'"/behaviour/{part}/{line.split("|")[0].strip()}"' if '|' in line else ''
    for path in glob.glob(os.path.join(root, 'tests/c[lu]*/*.py')):
        folder = os.path.basename(os.path.dirname(path))
        names = re.findall(r"\btest\(f?'([^']*)'", open(path, encoding='utf-8').read())
        known += ''.join(f'"/{folder}/{name}"' for name in names)
    return known + ''.join(open(name, encoding='utf-8').read()
                           for name in glob.glob(os.path.join(root, 'tests/**/*.c'), recursive=True))


def check_tests(root, path, number, line):
    known = read_tests(root)
    for name in re.findall(r'`(/(?:engine|app|cli|cuda|behaviour)/[^`\s]*)`', line):
        if not is_test(name, known):
            yield f'{path}:{number}: there is no test {name}'


RULES = [('links', check_links), ('files', check_paths), ('tests', check_tests)]


def main(root):
    paths = [os.path.relpath(name, root) for pattern in ('*.md', 'docs/*.md') for name in glob.glob(os.path.join(root, pattern))]
    failed = not paths
    print(f'1..{len(RULES)}')
    for position, (name, check) in enumerate(RULES, 1):
        failures = []
        for path in sorted(paths):
            with open(os.path.join(root, path), encoding='utf-8') as f:
                for number, line in enumerate(prose(f.read()).split('\n'), 1):
                    failures += check(root, path, number, line)
        failed |= bool(failures)
        print(f"{'not ok' if failures else 'ok'} {position} /docs/{name}")
        for failure in failures:
            print(f'# {failure}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
