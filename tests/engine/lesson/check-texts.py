#!/usr/bin/env python3
"""prism-lesson-texts.h is what data/lessons/list-texts.py prints, as TAP.

usage: check-texts.py LIST_TEXTS HEADER LESSONS
"""
import subprocess
import sys

program, header, lessons = sys.argv[1:]
printed = subprocess.run([sys.executable, program, lessons], stdout=subprocess.PIPE, check=True, encoding='utf-8').stdout
with open(header, encoding='utf-8') as file:
    good = file.read() == printed
print('1..1')
print(f'{"ok" if good else "not ok"} 1 - the texts of the lessons')
if not good:
    print(f'# print them again: {program} data/lessons > po/prism-lesson-texts.h')
sys.exit(0 if good else 1)
