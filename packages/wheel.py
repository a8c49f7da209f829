#!/usr/bin/env python3
"""Makes a wheel of a folder with libprism.so.1, prism-cli and what they need.

usage: wheel.py FOLDER SOURCE_ROOT VERSION TARGET
"""
import base64
import hashlib
import os
import sys
import zipfile

METADATA = '''Metadata-Version: 2.1
Name: prism-studio
Version: {version}
Summary: Sharp images from sparse measurements of a small aperture
License: GPL-3.0-or-later
Requires-Python: >=3.8
Requires-Dist: numpy
Description-Content-Type: text/markdown

'''
WHEEL = 'Wheel-Version: 1.0\nGenerator: prism-studio\nRoot-Is-Purelib: false\nTag: {tag}\n'
# The module is not imported: the command needs no NumPy.
SCRIPT = '''#!python
import importlib.util
import os
import sys

folder = os.path.join(os.path.dirname(importlib.util.find_spec('prism').origin), 'lib')
os.environ.setdefault('PRISM_MODULE_DIR', folder)
os.execv(os.path.join(folder, 'prism-cli'), ['prism-cli', *sys.argv[1:]])
'''


def read(*path):
    with open(os.path.join(*path), 'rb') as file:
        return file.read()


def main(folder, root, version, target):
    # Symbols of glibc may be as new as those of the system that the wheel is made on.
    name, glibc = os.confstr('CS_GNU_LIBC_VERSION').split()
    tag = f'py3-none-manylinux_{glibc.replace(".", "_")}_{os.uname().machine}'
    info = f'prism_studio-{version}.dist-info'
    files = {
        'prism/__init__.py': read(root, 'src', 'python', 'prism.py'),
        'prism/py.typed': b'',
        'prism/include/prism.h': read(root, 'src', 'python', 'prism.h'),
        f'prism_studio-{version}.data/scripts/prism-cli': SCRIPT.encode(),
        f'{info}/METADATA': METADATA.format(version=version).encode() + read(root, 'docs', 'python.md'),
        f'{info}/WHEEL': WHEEL.format(tag=tag).encode(),
        f'{info}/LICENSE': read(root, 'LICENSE'),
    }
    for name in sorted(os.listdir(folder)):
        files[f'prism/lib/{name}'] = read(folder, name)
    record = ''.join(f'{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()},{len(data)}\n'
                     for name, data in files.items())
    files[f'{info}/RECORD'] = f'{record}{info}/RECORD,,\n'.encode()
    path = os.path.join(target, f'prism_studio-{version}-{tag}.whl')
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: the same files are the same wheel
            entry.external_attr = (0o100755 if '/lib/' in name or '/scripts/' in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    print(path)


main(*sys.argv[1:])
