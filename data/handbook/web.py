#!/usr/bin/env python3
"""The pages of docs/ as a web site: one HTML file a page, all of them in a list at the side.

usage: web.py CMARK DOCS OUTPUT FIGURE…     figures that the program has drawn: made-NAME.png is images/NAME.png
"""
import html
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

PARTS = {
    'Start': ['user-guide', 'why', 'lessons', 'window', 'telescope', 'measurements', 'results', 'command-line', 'python', 'parameters',
              'speed', 'first-prism'],
    'In other languages': ['erste-schritte', 'primeros-pasos'],
    'How it works': ['numerics', 'quality', 'reliability', 'benchmarks', 'cuda', 'design', 'threads', 'style'],
}
LANGUAGES = {'erste-schritte': 'de', 'primeros-pasos': 'es'}
LAYOUT = """<!DOCTYPE html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} – PRISM Studio</title>
<link rel="stylesheet" href="style.css">
</head>
<body>
<nav>
{index}</nav>
<main>
{body}</main>
</body>
</html>
"""
STYLE = """:root { color-scheme: light dark; }
body { display: flex; flex-wrap: wrap; gap: 2em; max-width: 76em; margin: 0 auto; padding: 1em; font: 1rem/1.5 system-ui, sans-serif; }
nav { flex: 0 1 12em; } nav ul { list-style: none; padding: 0; } nav [aria-current] { font-weight: bold; }
main { flex: 1 1 30em; min-width: 0; }
img { max-width: 100%; } pre, table { display: block; overflow-x: auto; } pre { padding: .7em; background: #8881; }
table { border-collapse: collapse; } th, td { padding: .3em .7em; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; }
"""


def get_title(text):
    return re.search(r'^# +(.*)$', text, re.M).group(1)


def anchor(title):
    return re.sub(r'[^\w\- ]', '', html.unescape(re.sub(r'<[^>]*>', '', title)).lower()).replace(' ', '-')


def convert(cmark, text):
    """Markdown to HTML; headings get the anchors, and links between pages the endings, that they have here."""
    body = subprocess.run([cmark, '--extension', 'table'], input=text, capture_output=True, text=True, check=True).stdout
    body = re.sub(r'<h([1-6])>(.*?)</h\1>', lambda m: f'<h{m[1]} id="{anchor(m[2])}">{m[2]}</h{m[1]}>', body)
    body = re.sub(r'<a href="\.\./[^"]*">(.*?)</a>', r'\1', body)  # out of docs: nothing that a site has
    return re.sub(r'href="([\w-]+)\.md(#[^"]*)?"', r'href="\1.html\2"', body)


def check_links(output):
    """Ends in a sentence where a link within the site leads nowhere."""
    pages = {name: open(os.path.join(output, name), encoding='utf-8').read() for name in os.listdir(output) if name.endswith('.html')}
    for name, text in pages.items():
        for link in re.findall(r'(?:href|src)="([^":]*)"', text):
            file, _, anchor_name = link.partition('#')
            if (not os.path.exists(os.path.join(output, file))
                    or (anchor_name and f'id="{urllib.parse.unquote(anchor_name)}"' not in pages[file or name])):
                sys.exit(f'web.py: {name}: the link {link} leads nowhere')


def make_index(titles, page):
    text = ''
    for part, pages in PARTS.items():
        text += f'<h2>{part}</h2>\n<ul>\n'
        for name in pages:
            current = ' aria-current="page"' if name == page else ''
            text += f'<li><a href="{name}.html"{current}>{html.escape(titles[name])}</a></li>\n'
        text += '</ul>\n'
    return text


def main(cmark, docs, output, *figures):
    shutil.rmtree(output, ignore_errors=True)
    shutil.copytree(os.path.join(docs, 'images'), os.path.join(output, 'images'))
    shutil.copytree(os.path.join(docs, 'notebooks'), os.path.join(output, 'notebooks'))
    for figure in figures:
        shutil.copy(figure, os.path.join(output, 'images', os.path.basename(figure).removeprefix('made-')))
    pages = [name for part in PARTS.values() for name in part]
    left = {name[:-3] for name in os.listdir(docs) if name.endswith('.md')} ^ set(pages)
    if left:
        sys.exit(f'web.py: {", ".join(sorted(left))}: in docs or in the list, not in both')
    texts = {name: open(os.path.join(docs, name + '.md'), encoding='utf-8').read() for name in pages}
    titles = {name: get_title(text) for name, text in texts.items()}
    for name, text in texts.items():
        page = LAYOUT.format(language=LANGUAGES.get(name, 'en'), title=html.escape(titles[name]), index=make_index(titles, name),
                             body=convert(cmark, text))
        with open(os.path.join(output, name + '.html'), 'w', encoding='utf-8') as f:
            f.write(page)
    shutil.copy(os.path.join(output, 'user-guide.html'), os.path.join(output, 'index.html'))
    with open(os.path.join(output, 'style.css'), 'w', encoding='utf-8') as f:
        f.write(STYLE)
    check_links(output)


main(*sys.argv[1:])
