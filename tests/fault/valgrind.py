#!/usr/bin/env python3
"""Runs prism-cli under Valgrind's memcheck: no error, nothing lost. Speaks TAP.

    valgrind.py --cli PRISM-CLI --suppressions FILE
"""

import os
import re
import shutil
import tempfile

from cli import Program, parse_options, settings
from tap import Tap

EXIT_ERRORS = 99
# Explained after tens of passes: what is not is searched for in a thousand.
SHORT = {'image_size': 64, 'object_size': 16, 'aperture_radius': 12, 'samples': 6, 'steps': 2, 'start_steps': 2,
         'polish': 4, 'snr': 30, 'threads': 2, 'autosave_samples': 1}


def check(program, *arguments, code=0):
    done = program.call('-q', '--leak-check=full', '--show-leak-kinds=definite', '--errors-for-leak-kinds=definite',
                        '--num-callers=40', f'--error-exitcode={EXIT_ERRORS}', f'--suppressions={program.suppressions}',
                        program.cli, *arguments, environment={'G_SLICE': 'always-malloc', 'G_DEBUG': 'gc-friendly'})
    found = [line for line in done.stderr.splitlines() if re.match(r'==\d+==', line)]
    if done.returncode != code or found:
        return [f'exit status {done.returncode}'] + found + done.stderr.splitlines()[-3:]
    return []


def main():
    options = parse_options(__doc__, '--suppressions')
    valgrind = shutil.which('valgrind')
    tap = Tap('/valgrind')
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'bad.png'), 'wb') as file:
            file.write(b'\x89PNG\r\n\x1a\n and no more')
        saved = os.path.join(folder, 'a.prismrun')
        runs = {
            'run': ['run', '-q', *settings(SHORT), '--save', saved, '--report', 'a.html'],
            'resume': ['run', '-q', '--resume', saved, '--save', 'b.prismrun'],
            'inspect': ['inspect', saved],
            'export': ['export', saved, '-o', 'exported'],
            'noise': ['run', '-q', *settings({**SHORT, 'snr': 20, 'order': 'energy', 'memory': 'self',
                                              'keep_decoder': 'on',
                                              'loss': 'composite'})],
            'epie': ['run', '-q', *settings({**SHORT, 'method': 'epie', 'passes': 2})],
            'pattern': ['pattern', *settings({}), '--csv', 'a.csv', '--json'],
            'params': ['params'],
            'info': ['info', '--json'],
        }
        refused = {'bad-image': (['run', *settings({'object': 'bad.png'})], 3),
                   'bad-setting': (['run', '--set', 'snr=nan'], 2),
                   'no-such-run': (['inspect', 'none.prismrun'], 3)}
        if valgrind is None:
            tap.skip('all', 'valgrind is not installed')
            tap.finish()
        program = Program(valgrind, folder)
        program.cli, program.suppressions = os.path.abspath(options.cli), os.path.abspath(options.suppressions)
        for name, arguments in runs.items():
            tap.check(name, lambda arguments=arguments: check(program, *arguments))
        for name, (arguments, code) in refused.items():
            tap.check(name, lambda arguments=arguments, code=code: check(program, *arguments, code=code))
    tap.finish()


main()
