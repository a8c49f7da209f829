#!/usr/bin/env python3
"""What software centres ask of the metainfo beyond the validator of Debian 12, as TAP.

usage: check-metainfo.py METAINFO SOURCE_ROOT
"""
import os
import re
import struct
import sys
import xml.etree.ElementTree

LANGUAGE = '{http://www.w3.org/XML/1998/namespace}lang'
MAX_SUMMARY = 35    # characters, of Flathub's quality guidelines
MAX_CAPTION = 100


def read_png_size(path):
    with open(path, 'rb') as file:
        return struct.unpack('>II', file.read(24)[16:])


def check_summary(root, _):
    """Short enough to stand beside the icon, in every language."""
    for summary in root.findall('summary'):
        language = summary.get(LANGUAGE, 'en')
        if len(summary.text) > MAX_SUMMARY:
            yield f'the summary ({language}) has {len(summary.text)} characters'
        if summary.text.endswith('.'):
            yield f'the summary ({language}) ends in a full stop'


def check_developer(root, _):
    developers = root.findall('developer')
    if len(developers) != 1 or not re.fullmatch(r'[a-z]\w*(\.[a-z]\w*)+', developers[0].get('id', '')):
        yield 'not one developer with an id such as io.github.name'
    elif not root.findtext('id').startswith(developers[0].get('id')):
        yield 'the id of the program is not one of the developer'
    elif developers[0].findtext('name') != root.findtext('developer_name'):
        yield 'the developer has two names'


def check_branding(root, _):
    colors = {color.get('scheme_preference'): color.text
              for color in root.findall('branding/color[@type="primary"]')}
    for scheme in ('light', 'dark'):
        if not re.fullmatch('#[0-9a-f]{6}', colors.get(scheme, '')):
            yield f'no primary colour for the {scheme} scheme'


def check_homepage(root, source):
    """One, and the dialog about the program names the same."""
    homepages = [url.text for url in root.findall('url[@type="homepage"]')]
    with open(os.path.join(source, 'src/app/window/prism-application.c'), encoding='utf-8') as file:
        named = re.findall(r'"website", "([^"]*)"', file.read())
    if len(homepages) != 1 or homepages != named:
        yield f'homepages {homepages} here, {named} in the dialog'


def check_image(image, source, homepage):
    prefix = homepage + '/raw/main/'
    path = os.path.join(source, image.text.removeprefix(prefix))
    if not image.text.startswith(prefix) or not os.path.exists(path):
        yield f'{image.text} is no file of the repository'
    elif read_png_size(path) != (int(image.get('width', 0)), int(image.get('height', 0))):
        yield f'{image.text} has {read_png_size(path)} pixels'


def check_screenshots(root, source):
    screenshots = root.findall('screenshots/screenshot')
    if [shot.get('type') for shot in screenshots].count('default') != 1:
        yield 'not one default screenshot'
    for shot in screenshots:
        for caption in shot.findall('caption'):
            if len(caption.text) > MAX_CAPTION or caption.text.endswith('.'):
                yield f'the caption “{caption.text}” is too long or ends in a full stop'
        if shot.find('caption') is None or len(shot.findall('image')) != 1:
            yield 'a screenshot without a caption, or without an image'
        for image in shot.findall('image'):
            yield from check_image(image, source, root.findtext('url[@type="homepage"]'))


def main(path, source):
    root = xml.etree.ElementTree.parse(path).getroot()
    checks = [check_summary, check_developer, check_branding, check_homepage, check_screenshots]
    failed = False
    print(f'1..{len(checks)}')
    for number, check in enumerate(checks, 1):
        problems = list(check(root, source))
        name = check.__name__.removeprefix('check_')
        print(f'{"not ok" if problems else "ok"} {number} /app/metainfo/{name}')
        for problem in problems:
            print(f'# {problem}')
        failed = failed or bool(problems)
    return failed


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2]))
