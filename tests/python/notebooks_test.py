#!/usr/bin/env python3
"""The notebooks of docs/notebooks run from the first cell to the last. TAP.

usage: notebooks_test.py --library LIBPRISM.SO --source SOURCE_ROOT
"""
import argparse
import os
import sys
from pathlib import Path

try:
    import ipykernel  # noqa: F401
    import matplotlib  # noqa: F401
    import nbformat
    import pandas  # noqa: F401
    from nbclient import NotebookClient
except ImportError as error:
    print(f'1..0 # SKIP {error.name} is not installed')
    sys.exit(0)

arguments = argparse.ArgumentParser()
for option in ('--library', '--source'):
    arguments.add_argument(option, required=True)
arguments = arguments.parse_args()
source = Path(arguments.source).resolve()
os.environ['PRISM_LIBRARY'] = os.path.abspath(arguments.library)
os.environ['PYTHONPATH'] = str(source / 'src' / 'python')
notebooks = sorted((source / 'docs' / 'notebooks').glob('*.ipynb'))
failed = False
print(f'1..{len(notebooks)}')
for number, path in enumerate(notebooks, 1):
    try:
        NotebookClient(nbformat.read(path, 4), timeout=300, kernel_name='python3',
                       resources={'metadata': {'path': str(path.parent)}}).execute()
        print(f'ok {number} /notebooks/{path.stem}', flush=True)
    except Exception as error:  # whatever a cell raises
        failed = True
        said = '\n# '.join(str(error).splitlines()[-20:])
        print(f'not ok {number} /notebooks/{path.stem}\n# {said}', flush=True)
sys.exit(1 if failed else 0)
