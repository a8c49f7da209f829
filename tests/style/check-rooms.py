#!/usr/bin/env python3
"""A file includes only what its room may use, and no files include or call each other in a circle, as TAP.

usage: check-rooms.py SOURCE_ROOT

The rooms and what each may use are the tables of docs/design.md. A private header is one thing with the file that it
is named after. Files that may call each other in a circle are a row of the table “One thing in several files” there.
"""
import os
import re
import sys

PLAN = 'docs/design.md'
COMMENT = re.compile(r'/\*.*?\*/', re.S)
# Return types stand on a line of their own.
FUNCTION = re.compile(r'^(?!static)[^\n]*\n(prism_\w+) \(', re.M)
NAME = re.compile(r'\bprism_\w+')
INCLUDE = re.compile(r'^#include "((?:[\w-]+/)?)(prism-[\w-]+\.c?u?h)"', re.M)


def read_rooms(root):
    """Folder of a room → rooms that it may use, from the rows | `src/…` | job | `room`, `room` … |"""
    with open(os.path.join(root, PLAN), encoding='utf-8') as file:
        rows = re.findall(r'^\| `(src/[\w/]+)` \| [^|]* \| ([^|]*) \|$', file.read(), re.M)
    folders = {os.path.basename(room): room for room, _ in rows}
    return {room: {folders.get(name, name) for name in re.findall(r'`(\w+)`', may)} for room, may in rows}


def read_files(root):
    files = {}
    for folder, _, names in os.walk(os.path.join(root, 'src')):
        for name in names:
            if name.endswith(('.c', '.h', '.cu', '.cuh')):
                path = os.path.relpath(os.path.join(folder, name), root)
                with open(os.path.join(root, path), encoding='utf-8') as file:
                    files[path] = INCLUDE.findall(file.read())
    return files


def read_things(root):
    """What the paths of files begin with that are one thing, from the rows | `prism-…` | `src/…` | why |"""
    with open(os.path.join(root, PLAN), encoding='utf-8') as file:
        rows = re.findall(r'^\| `(prism-[\w-]+)` \| `(src/[\w/]+)` \| [^|]* \|$', file.read(), re.M)
    return [f'{room}/{name}' for name, room in rows]


def read_calls(root, files):
    """File → files that define a function which it names."""
    texts, homes = {}, {}
    for path in files:
        if path.endswith(('.c', '.cu')):
            with open(os.path.join(root, path), encoding='utf-8') as file:
                texts[path] = COMMENT.sub('', file.read())
            for name in FUNCTION.findall(texts[path]):
                homes.setdefault(name, set()).add(path)
    calls = {}
    for path, text in texts.items():
        found = [homes[name] for name in set(NAME.findall(text)) if len(homes.get(name, ())) == 1]
        calls[path] = set().union(*found) - {path}
    return calls


def find(path, room, name, files):
    """The file that an include means: of a room, else of the same folder, else of another one."""
    if room:
        places = [f'src/engine/{room}{name}', f'src/app/{room}{name}']
    else:
        folders = [os.path.dirname(path), 'src/draw', 'src/report', 'src/cli', 'src/cuda']
        places = [f'{folder}/{name}' for folder in folders]
    return next((place for place in places if place in files), None)


def check_known(files, rooms):
    for path in sorted(files):
        if os.path.dirname(path) not in rooms and path != 'src/app/main.c':
            yield f'{path} stands in no room of {PLAN}'


def check_arrows(files, rooms):
    for path in sorted(files):
        here = os.path.dirname(path)
        for room, name in files[path]:
            target = find(path, room, name, files)
            there = os.path.dirname(target) if target else here
            if there != here and here in rooms and there not in rooms[here]:
                yield f'{path} includes {target}, but {here} may not use {there}'


def check_private(files, rooms):
    for path in sorted(files):
        for room, name in files[path]:
            target = find(path, room, name, files)
            if target and target.endswith('-private.h') and os.path.dirname(target) != os.path.dirname(path):
                yield f'{path} includes {target}, which is private to its room'


def thing(path):
    return re.sub(r'(-private)?\.\w+$', '', path)


def find_circles(arrows):
    """The sets of two files and more that all lead to each other."""
    reached = {}
    for start in arrows:
        reached[start], ahead = set(), [start]
        while ahead:
            new = arrows.get(ahead.pop(), set()) - reached[start]
            reached[start] |= new
            ahead += new
    circles = {frozenset(other for other in reached[node] if node in reached.get(other, ())) for node in arrows}
    return sorted(sorted(circle) for circle in circles if circle)


def check_circles(files, rooms):
    arrows = {}
    for path in files:
        for room, name in files[path]:
            target = find(path, room, name, files)
            if target and thing(target) != thing(path):
                arrows.setdefault(thing(path), set()).add(thing(target))
    for circle in find_circles(arrows):
        yield f"in a circle: {', '.join(circle)}"


def check_calls(files, rooms):
    things = read_things(sys.argv[1])
    for circle in find_circles(read_calls(sys.argv[1], files)):
        whole = [name for name in things if all(re.match(re.escape(name) + '[-.]', path) for path in circle)]
        if not whole:
            yield f"files call each other in a circle: {', '.join(circle)}"
        things = [name for name in things if name not in whole]
    for name in things:
        yield f'{PLAN}: no files of {name} call each other in a circle'


def check_order(files, rooms):
    """Rooms use only rooms above them in the table, so that no circle of rooms can be allowed."""
    names = list(rooms)
    for room in names:
        for other in sorted(rooms[room]):
            if other not in names:
                yield f'{PLAN}: {room} may use {other}, which is no room'
            elif names.index(other) >= names.index(room):
                yield f'{PLAN}: {room} may use {other}, which stands below it'


RULES = [('order', check_order), ('known', check_known), ('arrows', check_arrows), ('private', check_private),
         ('circles', check_circles), ('calls', check_calls)]


def main(root):
    rooms, files = read_rooms(root), read_files(root)
    failed = not rooms or not files
    print(f'1..{len(RULES)}')
    for number, (name, check) in enumerate(RULES, 1):
        failures = list(check(files, rooms))
        failed |= bool(failures)
        print(f"{'not ok' if failures else 'ok'} {number} /rooms/{name}")
        for failure in failures:
            print(f'# {failure}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
