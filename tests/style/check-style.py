#!/usr/bin/env python3
"""House style that a machine can check, as TAP: one test per rule, every failure with file and line.

usage: check-style.py SOURCE_ROOT
"""
import os
import re
import sys

MAX_FILE = 800          # lines
MAX_TEST = 1200         # lines of a test
MAX_FUNCTION = 120      # lines, from the return type to the closing brace
MAX_COLUMNS = 100
C_FILES = ('.c', '.h', '.cu', '.cuh')
COMMON = ''             # headers that config.h includes, as a pattern


class Source:
    """One file: its lines, and the same lines without comments and literals."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding='utf-8') as f:
            self.text = f.read()
        self.lines = self.text.split('\n')
        self.code = blank(self.text).split('\n') if path.endswith(C_FILES) else self.lines

    def within(self, *folders):
        return self.path.startswith(tuple(folder + '/' for folder in folders))

    def find(self, pattern, lines=None):
        """(line number, line) where the pattern matches the code."""
        for number, line in enumerate(self.code if lines is None else lines, 1):
            if re.search(pattern, line):
                yield number, self.lines[number - 1].strip()


def blank(text):
    """Comments and literals become spaces; lines stay where they are."""
    def replace(match):
        token = match.group()
        if token.startswith(('/*', '//')):
            return re.sub(r'[^\n]', ' ', token)
        return token[0] + ' ' * (len(token) - 2) + token[-1]

    # The name in an #include is code, not a literal.
    return re.sub(r'/\*.*?\*/|//[^\n]*|(?<!#include )"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', replace, text,
                  flags=re.S)


def functions(source):
    """(line, length, name, is static) of every function: its body stands between braces in column 0."""
    begin = None
    head = []
    for number, line in enumerate(source.code, 1):
        if begin is not None:
            if line == '}':
                declarator = ' '.join(part for _, part in head)
                name = re.search(r'(\w+) \(', declarator)
                if name:
                    yield head[0][0], number - head[0][0] + 1, name.group(1), bool(re.match(r'(.* )?(static|[A-Z_]*INLINE) ', declarator))
            if line.startswith('}'):
                begin, head = None, []
        elif line == '{':
            begin = number
        elif not line.strip() or line.startswith('#') or line.rstrip().endswith((';', '}')):
            head = []
        else:
            head.append((number, line))


def report(source, found, what):
    return [f'{source.path}:{number}: {what}: {text}' for number, text in found]


def check_file_length(source):
    n_lines = len(source.lines) - 1
    limit = MAX_TEST if source.within('tests') else MAX_FILE
    return [f'{source.path}:{limit}: the file has {n_lines} lines, {limit} are allowed'] if n_lines > limit else []


def check_function_length(source):
    return [f'{source.path}:{line}: {name} has {length} lines, {MAX_FUNCTION} are allowed'
            for line, length, name, _ in functions(source) if length > MAX_FUNCTION]


def check_columns(source):
    return [f'{source.path}:{number}: the line has {len(line)} columns, {MAX_COLUMNS} are allowed'
            for number, line in enumerate(source.lines, 1) if len(line) > MAX_COLUMNS]


def check_whitespace(source):
    found = list(source.find(r'\s$|\t', source.lines))
    if not source.text.endswith('\n') or source.text.endswith('\n\n'):
        found.append((len(source.lines), 'the file must end with one newline'))
    return report(source, found, 'tab, trailing space or end of file')


def check_goto(source):
    return report(source, source.find(r'\bgoto\b'), 'goto')


def check_twice(source):
    """MAX, MIN and CLAMP evaluate their arguments twice: none of them does something, or looks for something."""
    code, found = '\n'.join(source.code), []
    for call in re.finditer(r'\b(MAX|MIN|CLAMP) \(', code) if source.within('src') else ():
        end, depth = call.end(), 1
        while depth and end < len(code):
            depth += (code[end] == '(') - (code[end] == ')')
            end += 1
        if re.search(r'\b(prism_\w*?_)?(add|compute|draw|find|measure|read|search|step|take|try)_\w* \(|\+\+|--',
                     code[call.end():end]):
            number = code.count('\n', 0, call.start()) + 1
            found.append((number, source.lines[number - 1].strip()))
    return report(source, found, 'evaluated twice')


def check_unfinished(source):
    return report(source, source.find(r'\b(TODO|FIXME|XXX|HACK)\b|#\s*if 0\b', source.lines), 'unfinished')


def check_engine_never_exits(source):
    if not source.within('src/engine', 'src/cuda'):
        return []
    return report(source, source.find(r'(?<![\w>.])(exit|_exit|abort|g_error|g_abort) \('), 'the engine must not exit')


def check_engine_headers(source):
    if not source.within('src/engine', 'src/cli'):
        return []
    return report(source, source.find(r'#\s*include\s*[<"](gtk|gdk|gsk|adwaita|cuda|cufft|cublas|glib-object)'),
                  'no header of GTK, GObject or CUDA here')


def check_draw_headers(source):
    if not source.within('src/draw', 'src/report'):
        return []
    return report(source, source.find(r'#\s*include\s*[<"](gtk|gdk|gsk|adwaita)'), 'no header of GTK here')


def check_engine_types(source):
    if not source.within('src/engine', 'src/cli'):
        return []
    return report(source, source.find(r'\bG_(DEFINE|DECLARE)_\w*(TYPE|INTERFACE)|\bG_TYPE_\w|\bg_type_\w|GObjectClass'),
                  'no GType here')


def check_session_alone(source):
    if not source.within('src/app') or source.path.startswith('src/app/session/prism-session'):
        return []
    return report(source, source.find(r'#\s*include "\w+/prism-(engine|trainer|backend)\.h"'),
                  'prism-session alone includes the engine')


def check_vendors(source):
    """Beside its module a device of a vendor is named in one list."""
    if (not source.within('src') or source.within('src/cuda')
            or source.path == 'src/engine/config/prism-device-list.c'):
        return []
    return report(source, source.find(r'(?i)cuda', source.lines), 'only prism-device-list names a vendor')


def check_first_include(source):
    if not source.path.endswith('.c') or not source.path.startswith('src/'):
        return []
    first = next(source.find(r'#\s*include'), (1, 'no include at all'))
    return [] if first[1] == '#include "config.h"' else report(source, [first], 'config.h must be the first include')


def check_common_includes(source):
    """What config.h brings is not included once more by a source that begins with it."""
    if not source.path.endswith('.c') or not source.path.startswith('src/'):
        return []
    return report(source, source.find(rf'#\s*include <({COMMON})>'), 'config.h includes it')


def check_header_guard(source):
    if not source.path.endswith('.h') or not source.path.startswith('src/'):
        return []
    return [] if any(source.find(r'^#pragma once$')) else [f'{source.path}:1: #pragma once is missing']


def check_documented(source):
    """Every function that others can call has a gi-docgen comment of its name right above it; those of the window's
    parts may be told in their header, but no such comment stands above another function."""
    if not source.path.endswith('.c') or not source.within('src'):
        return []
    needs_one = source.within('src/cuda', 'src/draw', 'src/engine', 'src/report')
    missing = []
    for line, _, name, static in functions(source):
        above = source.lines[:line - 1]
        begin = max((i for i, text in enumerate(above) if text == '/**'), default=len(above))
        comment = above[begin:] if above[begin:].count(' */') == 1 and above[-1] == ' */' else []
        if not static and name != 'main' and f' * {name}:' not in comment and (needs_one or comment):
            missing.append(f'{source.path}:{line}: {name} has no documentation of its own')
    return missing


RULES = [
    ('file-length', check_file_length),
    ('function-length', check_function_length),
    ('columns', check_columns),
    ('whitespace', check_whitespace),
    ('no-goto', check_goto),
    ('nothing-twice', check_twice),
    ('nothing-unfinished', check_unfinished),
    ('engine/never-exits', check_engine_never_exits),
    ('engine/no-foreign-headers', check_engine_headers),
    ('draw/no-foreign-headers', check_draw_headers),
    ('engine/no-types', check_engine_types),
    ('app/session-alone', check_session_alone),
    ('vendors', check_vendors),
    ('config-h-first', check_first_include),
    ('common-includes', check_common_includes),
    ('header-guard', check_header_guard),
    ('documented', check_documented),
]


def list_sources(root):
    """C and CUDA sources of src and tests."""
    for top in ('src', 'tests'):
        for folder, _, names in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(names):
                if name.endswith(C_FILES):
                    yield Source(root, os.path.relpath(os.path.join(folder, name), root))


def main(root):
    global COMMON
    with open(os.path.join(root, 'src/config.h.in'), encoding='utf-8') as f:
        COMMON = '|'.join(re.escape(name) for name in re.findall(r'#include <(.*)>', f.read()))
    sources = list(list_sources(root))
    failed = False
    print(f'1..{len(RULES)}')
    for number, (name, check) in enumerate(RULES, 1):
        failures = [failure for source in sources for failure in check(source)]
        failed |= bool(failures)
        print(f"{'not ok' if failures else 'ok'} {number} /style/{name}")
        for failure in failures:
            print(f'# {failure}')
    return 1 if failed or not sources else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
