#!/usr/bin/env python3
"""Puts the shared libraries that programs need beside them, so that they run where none is installed.

usage: bundle.py [--hash] FOLDER FILE…

FOLDER gets every library that the FILEs need, those of glibc excepted, and each finds the others there. With --hash
their names have a checksum, so that a process can have the system's library of the same name as well, another version of
it: a module of Python lives beside others.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys

# glibc's own are those of the system: they belong to its kernel, its names of hosts and its loader.
GLIBC = re.compile(r'(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|nsl|nss_\w+|anl|mvec|BrokenLocale|thread_db))\.so\.\d+$')


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def find_needed(files):
    """Name → path of every library that is loaded with the files."""
    found = {}
    for file in files:
        for name, path in re.findall(r'^\s*(\S+) => (.*?)(?: \(0x\w+\))?$', output('ldd', file), re.M):
            if GLIBC.match(name):
                continue
            if path == 'not found':
                sys.exit(f'{file} needs {name}, which is not installed.')
            found[name] = os.path.realpath(path)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--hash', action='store_true')
    parser.add_argument('folder')
    parser.add_argument('files', nargs='+')
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    found = find_needed(arguments.files)
    names = {}
    for name, path in found.items():
        with open(path, 'rb') as file:
            mark = '-' + hashlib.sha256(file.read()).hexdigest()[:8] if arguments.hash else ''
        names[name] = re.sub(r'\.so', mark + '.so', name, count=1)
    copies = {}
    for name, path in found.items():
        copies[name] = os.path.join(arguments.folder, names[name])
        if not os.path.exists(copies[name]):
            shutil.copyfile(path, copies[name])
            subprocess.run(['patchelf', '--set-soname', names[name], copies[name]], check=True)
    for file in [*arguments.files, *copies.values()]:
        needed = set(output('patchelf', '--print-needed', file).split())
        # One change a call: patchelf 0.14 of Debian 12 mixes up the texts of several.
        for name in sorted(needed & set(names)):
            if names[name] != name:
                subprocess.run(['patchelf', '--replace-needed', name, names[name], file], check=True)
        to = os.path.relpath(arguments.folder, os.path.dirname(os.path.abspath(file)))
        rpath = '$ORIGIN' if to == '.' else f'$ORIGIN/{to}'
        subprocess.run(['patchelf', '--set-rpath', rpath, file], check=True)


main()
