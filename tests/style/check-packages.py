#!/usr/bin/env python3
"""What packages are made of agrees with what the sources say, as TAP.

usage: check-packages.py SOURCE_ROOT
"""
import json
import os
import re
import sys


def read(root, *path):
    with open(os.path.join(root, *path), encoding='utf-8') as file:
        return file.read()


def find_version(root):
    return re.search(r"version: '([^']+)'", read(root, 'meson.build')).group(1)


def find_id(root):
    return re.search(r"app_id = '([^']+)'", read(root, 'meson.build')).group(1)


def check_flatpak(root):
    """The manifest parses, is the program's, and each archive has its checksum."""
    app_id = find_id(root)
    manifest = json.loads(read(root, 'flatpak', f'{app_id}.json'))
    if manifest['id'] != app_id or manifest['command'] != 'prism-studio':
        yield f'the manifest is of {manifest["id"]}, the program {app_id}'
    for module in manifest['modules']:
        for source in module['sources']:
            if source['type'] == 'archive' and not re.fullmatch('[0-9a-f]{64}', source.get('sha256', '')):
                yield f'the archive of {module["name"]} has no SHA-256'
    options = read(root, 'meson_options.txt')
    for option in manifest['modules'][-1]['config-opts']:
        name = re.match('-D([^=]+)=', option).group(1)
        if f"option('{name}'" not in options:
            yield f'there is no option {name}'


def check_debian(root):
    """The version is the program's, and what is built with is what run.sh installs."""
    version = re.match(r'prism-studio \(([^)]+)\)', read(root, 'debian', 'changelog')).group(1)
    if version != find_version(root):
        yield f'debian/changelog has {version}, meson.build {find_version(root)}'
    needed = set(re.findall(r'\blib[\w.+-]+-dev\b', read(root, '.ci', 'setup.sh')))
    control = read(root, 'debian', 'control')
    for package in sorted(needed):
        if not re.search(rf'^ {re.escape(package)}\b', control, re.M) \
           and package != 'libc6-dev':
            yield f'debian/control does not build with {package}'


def check_types(root):
    """What the program says it opens is described for the desktop."""
    app_id = find_id(root)
    described = set(re.findall(r'mime-type type="([^"]+)"', read(root, 'data', f'{app_id}.mime.xml')))
    opened = re.search(r'^MimeType=(.*)$', read(root, 'data', f'{app_id}.desktop.in'), re.M).group(1).split(';')
    provided = set(re.findall(r'<mediatype>([^<]+)<', read(root, 'data', f'{app_id}.metainfo.xml.in')))
    for kind in sorted(described):
        if kind not in opened or kind not in provided:
            yield f'{kind} is not in the desktop file or not in the metainfo'


def main(root):
    checks = [('flatpak', check_flatpak), ('debian', check_debian), ('types', check_types)]
    failed = False
    print(f'1..{len(checks)}')
    for number, (name, check) in enumerate(checks, 1):
        reasons = list(check(root))
        failed = failed or bool(reasons)
        print(f'{"not ok" if reasons else "ok"} {number} /style/packages/{name}')
        for reason in reasons:
            print(f'# {reason}')
    return 1 if failed else 0


sys.exit(main(sys.argv[1]))
