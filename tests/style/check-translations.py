#!/usr/bin/env python3
"""Every string that the window shows can be translated, and every translation is complete, as TAP.

usage: check-translations.py SOURCE_ROOT

To mend it: list new sources in po/POTFILES.in, run `ninja -C build prism-studio-update-po`, translate
what is empty or fuzzy in po/*.po.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCES = ['src/app/*.c', 'src/app/*/*.c', 'src/cuda/*.c', 'src/draw/*.c', 'src/engine/*/*.[ch]', 'src/report/*.c',
           'data/ui/*.ui', 'data/*.gschema.xml', 'data/*.in', 'po/*.h']
MARKS = r'\bN?C?_ ?\(|\bngettext \(|translatable="yes"|translatable="true"'
KEYWORDS = ['_', 'N_', 'C_:1c,2', 'NC_:1c,2', 'ngettext:1,2',
            'PRISM_NUMBER:9', 'PRISM_SWITCH:5', 'PRISM_CHOICE:6', 'PRISM_TEXT:6']

PAGES = ['README.md', *(f'docs/{page}.md' for page in ('command-line', 'lessons', 'measurements', 'parameters', 'results', 'speed',
                                                       'telescope', 'user-guide', 'why', 'window'))]


def read(root, *path):
    with open(os.path.join(root, *path), encoding='utf-8') as f:
        return f.read()


def entries(root, name):
    return [line for line in read(root, 'po', name).splitlines() if line and not line.startswith('#')]


def marked(root, marks=MARKS):
    names = [os.path.relpath(path, root) for pattern in SOURCES for path in glob.glob(os.path.join(root, pattern))]
    return [name for name in names
            if not name.endswith(('.c', '.h', '.ui')) or re.search(marks, read(root, name))]


def gettext(root, program, *args):
    """The complaint of a program of gettext, nothing if it has none."""
    done = subprocess.run([program, *args], cwd=root, env={**os.environ, 'LC_ALL': 'C.UTF-8'}, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8')
    return done.stdout.splitlines() if done.returncode != 0 else []


def gettext_entries(root, name):
    """Keys and strings of a file of translations, each in one line."""
    joined = re.sub(r'"\n"', '', read(root, name))
    return re.findall(r'^(msg[\w\[\]]+) "(.*)"$', joined, flags=re.M)


def check_sources(root, folder):
    listed = entries(root, 'POTFILES.in')
    wanted = marked(root)
    for name in sorted(set(wanted) - set(listed)):
        yield f'{name} has strings to translate, but is not in po/POTFILES.in'
    for name in sorted(set(listed) - set(wanted)):
        yield f'{name} is in po/POTFILES.in, but has no strings to translate or does not exist'
    if listed != sorted(set(listed)):
        yield 'po/POTFILES.in is not sorted'


def check_formats(root, folder):
    """xgettext knows PRIu64 and its like; at any other macro it cuts the string off."""
    for name in (name for name in marked(root) if name.endswith('.c')):
        for call in re.findall(r'\bN?_ \(((?:\s*(?:"(?:\\.|[^"\\])*"|[A-Za-z]\w*))+)\)', read(root, name)):
            for macro in re.findall(r'"\s*([A-Za-z]\w*)', re.sub(r'"(?:\\.|[^"\\])*"', '""', call)):
                if not macro.startswith('PRI'):
                    yield f'{name}: {macro} in a string to translate, where <inttypes.h> has a PRI… macro'


def check_refusals(root, folder):
    """What is wrong with settings, frames and files of runs is read in the window; prism-config-ask.c is of the command line."""
    paths = [path for room in ('history', 'model', 'ptychography', 'recording', 'run', 'solve', 'trainer') for path in glob.glob(os.path.join(root, 'src/engine', room, '*.c'))
             if not path.endswith('config-ask.c')]
    for path in sorted(paths):
        for sentence in re.findall(r'(?:prism_error_\w+|refuse) \(\s*&?\w+,\s*(?:(?:recording|fields|field|path|table->name|PRISM_\w+),\s*)*'
                                   r'"([^"]*[a-z]{2}[^"]*)',
                                   read('', path)):
            yield f'{os.path.relpath(path, root)}: “{sentence}” is not marked for translation'


def check_halves(root, folder):
    """Nothing goes round a sentence that is translated, or round what the system says, that is not translated, too."""
    for name in (name for name in marked(root, '') if name.endswith('.c')):
        for statement in re.split(r'[;{}]', re.sub(r'/\*.*?\*/', '', read(root, name), flags=re.S)):
            if not re.search(r'g_strerror \(|->message\b|prefix(?:ed)?_error \(', statement) or 'g_message (' in statement:
                continue
            bare = re.sub(r'_ \(\s*(?:"(?:\\.|[^"\\])*"\s*(?:PRI\w+)?\s*)+', '', statement)
            for sentence in re.findall(r'"((?:\\.|[^"\\\n])*)"', bare):
                if re.search(r'[a-z]{2} [a-z%“(]', sentence):
                    yield f'{name}: “{sentence}” is not marked for translation'


def check_languages(root, folder):
    languages = entries(root, 'LINGUAS')
    files = sorted(os.path.basename(path)[:-3] for path in glob.glob(os.path.join(root, 'po', '*.po')))
    if languages != files or not languages:
        yield f'po/LINGUAS lists {languages}, the translations are {files}'
    for language in languages:
        yield from gettext(root, 'msgfmt', '--check', '--check-accelerators=_', '--output-file=/dev/null',
                           f'po/{language}.po')


def check_complete(root, folder):
    template = os.path.join(folder, 'prism-studio.pot')
    yield from gettext(root, 'xgettext', '--files-from=po/POTFILES.in', '--from-code=UTF-8', f'--output={template}',
                       *(f'--keyword={keyword}' for keyword in KEYWORDS))
    for language in entries(root, 'LINGUAS'):
        merged = os.path.join(folder, f'{language}.po')
        rest = os.path.join(folder, f'{language}.rest')
        yield from gettext(root, 'msgmerge', '--quiet', f'--output-file={merged}', f'po/{language}.po', template)
        for kind in ('--untranslated', '--only-fuzzy'):
            yield from gettext(root, 'msgattrib', kind, '--no-obsolete', '--no-wrap', f'--output-file={rest}', merged)
            if os.path.exists(rest):
                for lines in re.findall(r'^msgid ((?:".*"\n)+)', read('', rest), flags=re.M):
                    string = ''.join(re.findall(r'"(.*)"', lines))
                    if string:
                        yield f'po/{language}.po: {kind[2:]} “{string}”'
                os.remove(rest)


def forbidden(root):
    """Words that another is used for, of each language, from the table of docs/style.md."""
    rows = [line.split('|') for line in read(root, 'docs', 'style.md').splitlines() if line.count('|') == 5]
    columns = [(row[4].split('·') + [''] * 3)[:3] for row in rows if row[4].strip() not in ('not', '---')]
    return [[word.strip() for row in columns for word in row[i].split(',') if word.strip(' –')] for i in range(3)]


def check_words(root, folder):
    """One word for one thing: none of those that the table names beside it."""
    english, *others = forbidden(root)
    texts = [('sources', line) for key, line in gettext_entries(root, 'po/de.po') if key.startswith('msgid')]
    texts += [(name, re.sub(r'^```.*?^```|`[^`]*`|\w+=\w+', '', read(root, name), flags=re.S | re.M)) for name in PAGES]
    pattern = re.compile(r'(?i)\b(%s)s?\b' % '|'.join(english))
    for language, words in zip(('de', 'es'), others):
        beginning = re.compile((r'\b(%s)' if language == 'de' else r'(?i)\b(%s)') % '|'.join(words))
        lines = [line for key, line in gettext_entries(root, f'po/{language}.po') if key.startswith('msgstr')]
        for word in map(beginning.search, lines):
            if word:
                yield f'po/{language}.po: “{word.group()}” in “{word.string[:60]}”: docs/style.md has another word'
    for name, text in texts:
        for word in pattern.finditer(text):
            yield f'{name}: “{word.group()}” in “{text[max(0, word.start() - 30):word.end() + 30]}”: docs/style.md has another word'


RULES = [('sources', check_sources), ('formats', check_formats), ('refusals', check_refusals), ('halves', check_halves), ('languages', check_languages),
         ('complete', check_complete), ('words', check_words)]


def main(root):
    failed = False
    print(f'1..{len(RULES)}')
    with tempfile.TemporaryDirectory() as folder:
        for position, (name, check) in enumerate(RULES, 1):
            failures = list(check(root, folder))
            failed |= bool(failures)
            print(f"{'not ok' if failures else 'ok'} {position} /translations/{name}")
            for failure in failures:
                print(f'# {failure}')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
