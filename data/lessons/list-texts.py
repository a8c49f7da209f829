#!/usr/bin/env python3
"""Prints the texts of the lessons as a header that xgettext reads.

usage: list-texts.py FOLDER > po/prism-lesson-texts.h
"""
import glob
import os
import sys
import textwrap

TEXTS = ('title', 'summary', 'text', 'question', 'choice', 'why')
HEAD = '''/* prism-lesson-texts: what the lessons of data/lessons say, for translators. Printed by
 * data/lessons/list-texts.py; nothing includes it. */
#pragma once

#include <glib/gi18n-lib.h>

static const char *const prism_lesson_texts[] = {'''


def read(path):
    """The texts of a lesson in their order, lines that go on put together as the program does."""
    texts = []
    with open(path, encoding='utf-8') as file:
        for line in file.read().split('\n'):
            if line[:1].isspace() and texts and line.strip():
                texts[-1][1] = f'{texts[-1][1]} {line.strip()}'
            elif '=' in line and not line.startswith(('#', '[')):
                key, value = line.split('=', 1)
                texts.append([key.strip(), value.strip()])
    return [value for key, value in texts if key in TEXTS]


def quote(text):
    escaped = text.replace('\\', '\\\\').replace('"', '\\"')
    lines = textwrap.wrap(escaped, 84, drop_whitespace=False, break_on_hyphens=False)
    return '\n      '.join(f'"{line}"' for line in lines)


def main(folder):
    seen = []
    for path in sorted(glob.glob(os.path.join(folder, '*.prismlesson'))):
        seen += [text for text in read(path) if text not in seen]
    print(HEAD)
    for text in seen:
        print(f'  N_ ({quote(text)}),')
    print('};')


main(sys.argv[1])
